//! Each run mounts in a mount namespace of its own.

use std::fs;
use std::process::{Child, Command};

use rustix::process::Signal;

use crate::bench::{Bench, ended_of, mounts_of, must};
use crate::on_image::{self, MIB, RUN, SMALL, alone, left, made, runs};
use crate::running::{Running, until_so};
use crate::skip;

/// A run whose filesystem is mounted.
fn mounted(bench: &Bench, plan: &str) -> Running {
    made(bench, plan, 96 * MIB);
    let mut running = Running::start(bench.bakeoff().args(RUN).args(["--time", "20h"]));
    running.until_announced();
    running.until("a mount", |_| (!mounts_of(&runs(bench)).is_empty()).then_some(()));
    running
}

/// A process that keeps a private copy of the mount table, as some sandboxes do.
struct Sandbox(Child);

impl Sandbox {
    fn new() -> Sandbox {
        let words = ["--mount", "--propagation", "private", "sleep", "600"];
        let child = Command::new("unshare").args(words).spawn().unwrap();
        let comm = format!("/proc/{}/comm", child.id());
        until_so("the sandbox", || fs::read_to_string(&comm).is_ok_and(|name| name == "sleep\n"));
        Sandbox(child)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The file of another loop device was on a FUSE mount whose driver had died, and every run ended
/// with exit 4: the kernel could not tell whose device that was.
#[test]
fn a_loop_device_of_others_that_does_not_answer_ends_no_run() {
    if on_image::lacks() || skip::lacks_command("mkfs.ntfs") || skip::lacks_command("pkill") {
        return;
    }
    let mut bench = Bench::new();
    let theirs = bench.mount_ntfs("64m").join("theirs.img");
    fs::write(&theirs, vec![7; 1 << 20]).unwrap();
    let before = left(&bench);
    let device = must(Command::new("losetup").args(["--find", "--show"]).arg(&theirs));
    let running = mounted(&bench, &alone(SMALL));
    let driver = bench.path().join("ntfs.mnt");
    must(Command::new("pkill").args(["-KILL", "-f"]).arg(&driver));
    until_so("the end of the driver", || fs::metadata(&theirs).is_err());
    running.signal(Signal::INT);
    let ended = running.end();
    must(Command::new("losetup").args(["--detach", device.trim()]));
    assert_eq!(ended.code, 130, "{ended:?}");
    assert_eq!(left(&bench), before);
}

/// Whoever copied the mount table of the system kept a candidate's mount, and the run ended with
/// exit 4 and left its loop device.
#[test]
fn a_copied_mount_table_keeps_no_device_of_a_run_in_use() {
    if on_image::lacks() || skip::lacks_command("unshare") {
        return;
    }
    let bench = Bench::new();
    let running = mounted(&bench, &alone(SMALL));
    let sandbox = Sandbox::new();
    let ours = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!ours.contains(&format!("/run/bakeoff/{}", runs(&bench)[0])), "{ours}");
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, 130, "{ended:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    drop(sandbox);
}

#[test]
fn the_mounts_of_a_killed_run_end_with_it_and_clean_undoes_the_rest() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    let running = mounted(&bench, &alone(SMALL));
    running.signal(Signal::KILL);
    running.end();
    until_so("the end of the namespace", || mounts_of(&runs(&bench)).is_empty());
    let cleaned = bench.run(&["clean"]);
    assert_eq!(cleaned.code, 0, "{cleaned:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
}

/// The driver of a filesystem in user space survives the run that was killed, and serves a mount
/// that nobody else sees.
#[test]
fn clean_ends_the_driver_that_a_killed_run_left() {
    if on_image::lacks() || skip::lacks_command("ntfs-3g") || skip::lacks_command("mkfs.ntfs") {
        return;
    }
    let bench = Bench::new();
    let plan = alone(SMALL).replace("fs = \"ext4\"", "fs = \"ntfs-3g\"");
    let running = mounted(&bench, &plan);
    running.signal(Signal::KILL);
    running.end();
    let cleaned = bench.run(&["clean"]);
    assert_eq!(cleaned.code, 0, "{cleaned:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
}

#[test]
fn nsenter_shows_the_filesystems_of_a_run() {
    if on_image::lacks() || skip::lacks_command("nsenter") {
        return;
    }
    let bench = Bench::new();
    let running = mounted(&bench, &alone(SMALL));
    assert!(running.err().contains("sudo nsenter --mount"), "{}", running.err());
    let target = format!("--target={}", running.pid());
    let ours = format!("/run/bakeoff/{}/", runs(&bench)[0]);
    // Between two visits nothing is mounted.
    until_so("the run's filesystem", || {
        let cat = ["--mount", &target, "cat", "/proc/mounts"];
        must(Command::new("nsenter").args(cat)).contains(&ours)
    });
    running.signal(Signal::INT);
    assert_eq!(running.end().code, 130);
}

/// A report went under the mount point of a stick that was plugged in meanwhile.
#[test]
fn a_report_is_written_to_what_was_mounted_during_the_run() {
    if on_image::lacks() {
        return;
    }
    let mut bench = Bench::new();
    made(&bench, &alone(SMALL), 96 * MIB);
    let at = bench.dir("tmpfs.mnt");
    let report = at.join("report.html");
    let words = ["--time", "20h", "-o"];
    let mut running = Running::start(bench.bakeoff().args(RUN).args(words).arg(&report));
    running.until_announced();
    assert_eq!(bench.tmpfs("64m"), at);
    running.signal(Signal::INT);
    let ended = running.end();
    assert!(report.exists(), "{ended:?}");
}

#[test]
fn without_a_mount_namespace_nothing_begins_and_the_reason_is_said() {
    if on_image::lacks() || skip::lacks_command("setpriv") {
        return;
    }
    let bench = Bench::new();
    made(&bench, &alone(SMALL), 96 * MIB);
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin", "--"]);
    command.arg(env!("CARGO_BIN_EXE_bakeoff")).args(RUN);
    command.env("XDG_DATA_HOME", bench.path().join("data")).current_dir(bench.path());
    let ended = ended_of(&mut command);
    assert_eq!(ended.code, 4, "{ended:?}");
    assert!(
        ended.err.contains("mount namespace") && ended.err.contains("--privileged"),
        "{ended:?}"
    );
    assert_eq!(left(&bench), Vec::<String>::new());
    assert_eq!(runs(&bench), Vec::<String>::new());
}
