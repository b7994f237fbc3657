//! Recovery where /dev, /run, /proc or /sys are others than those of the run, as in a container.

use std::process::Command;

use rustix::process::Signal;

use crate::bench::{Bench, Ended, WITHOUT_OTHERS, ended_of};
use crate::on_image::{self, MIB, RUN, SMALL, alone, left, made};
use crate::running::Running;
use crate::skip;

/// A run on an image that was killed while its loop device was attached.
fn killed(bench: &Bench) {
    made(bench, &alone(SMALL), 96 * MIB);
    let mut running = Running::start(bench.bakeoff().args(RUN).args(["--time", "20h"]));
    running.until_announced();
    running.signal(Signal::KILL);
    running.end();
    assert_ne!(left(bench), Vec::<String>::new());
}

/// Runs bakeoff where an empty filesystem in memory hides a directory.
fn masked(bench: &Bench, hidden: &str, words: &[&str]) -> Ended {
    // What SQLite and the program need of /dev and /proc is not what recovery looks for.
    let script = "mount -t tmpfs none \"$1\" || exit 99; shift; exec \"$@\"";
    let script = [WITHOUT_OTHERS, script].concat();
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script, "sh", hidden]);
    command.arg(env!("CARGO_BIN_EXE_bakeoff")).args(words);
    command.env("XDG_DATA_HOME", bench.path().join("data")).current_dir(bench.path());
    ended_of(command.env_remove("SUDO_UID").env_remove("SUDO_GID"))
}

/// `clean` in a container recorded loop devices and mounts as undone, and they stayed for ever.
#[test]
fn what_cannot_be_seen_stays_recorded_until_clean_sees_it() {
    if on_image::lacks() || skip::lacks_command("unshare") {
        return;
    }
    let clean: &[&str] = &["clean"];
    let quick: &[&str] = &["quick", "place", "--time", "20m", "--workload", "randread"];
    let resume: &[&str] = &["resume", "last", "--erase", "disk.img"];
    for (hidden, words) in [
        ("/dev", clean),
        ("/run", clean),
        ("/sys", clean),
        ("/sys/block", clean),
        ("/proc", clean),
        ("/run", quick),
        ("/sys", resume),
    ] {
        let bench = Bench::new();
        bench.dir("place");
        killed(&bench);
        let inside = masked(&bench, hidden, words);
        assert_eq!(inside.code, 4, "{hidden} {words:?}: {inside:?}");
        assert!(inside.err.contains("bakeoff clean"), "{hidden} {words:?}: {inside:?}");
        let again = masked(&bench, hidden, clean);
        assert_eq!(again.code, 4, "{hidden} {words:?}: {again:?}");
        let outside = bench.run(clean);
        assert_eq!(outside.code, 0, "{hidden} {words:?}: {outside:?}");
        assert!(outside.err.contains("Undid the changes"), "{hidden} {words:?}: {outside:?}");
        assert_eq!(left(&bench), Vec::<String>::new(), "{hidden} {words:?}");
        assert_eq!(bench.leftovers(), Vec::<String>::new(), "{hidden} {words:?}");
    }
}

/// The scratch directory of a stick that is not plugged in is not gone.
#[test]
fn the_directory_of_a_filesystem_that_is_not_mounted_stays_recorded() {
    if skip::lacks_root() || skip::lacks_command("unshare") {
        return;
    }
    let bench = Bench::new();
    let place = bench.dir("place");
    let mut command = bench.bakeoff();
    command.args(["quick", "--time", "5m", "--workload", "randread"]).arg(&place);
    let mut running = Running::start(&mut command);
    running.until("its directory", |_| (!bench.leftovers().is_empty()).then_some(()));
    running.signal(Signal::KILL);
    running.end();
    let inside = masked(&bench, place.to_str().unwrap(), &["clean"]);
    assert_eq!(inside.code, 4, "{inside:?}");
    assert!(inside.err.contains("Mount that filesystem"), "{inside:?}");
    assert_eq!(bench.run(&["clean"]).code, 0);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}
