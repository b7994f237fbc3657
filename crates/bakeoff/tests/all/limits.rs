//! Every thread, process, descriptor, pipe, mount and loop device can be refused at any moment:
//! each command ends as it should, and nothing of it remains.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{Bench, Ended, ended_of};
use crate::on_image::{self, MIB, RUN, SMALL, alone, left, made};
use crate::skip;

/// What is started in each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A job on a scratch file.
    Bench,
    /// A plan on an image: a loop device, mounts, tools.
    Plan,
}

impl What {
    fn words(self) -> Vec<&'static str> {
        match self {
            What::Bench => vec!["bench", "place", "--rw=randwrite", "--size=1m", "--numjobs=2"],
            // Too short for a block: it ends when every candidate was tried.
            What::Plan => [&RUN[..], &["--time", "1s"]].concat(),
        }
    }
}

fn place() -> Bench {
    let bench = Bench::new();
    bench.dir("place");
    made(&bench, &alone(SMALL), 96 * MIB);
    bench
}

/// Starts it behind `before`.
fn run(bench: &Bench, before: &[&str], what: What) -> Ended {
    let mut command = Command::new(before[0]);
    command.args(&before[1..]).arg(env!("CARGO_BIN_EXE_bakeoff")).args(what.words());
    command.env("XDG_DATA_HOME", bench.path().join("data")).current_dir(bench.path());
    ended_of(command.env_remove("SUDO_UID").env_remove("SUDO_GID"))
}

/// Nothing crashed, what failed says what to type, and nothing remains that is not on record.
fn check(bench: &Bench, ended: &Ended, case: &str) {
    let is_tried = ended.code == 2 && ended.err.contains("use --time");
    assert!(is_tried || [0, 1, 4].contains(&ended.code), "{case}: {ended:?}");
    assert!(!ended.err.contains("panicked") && !ended.err.contains("bug"), "{case}: {ended:?}");
    assert!(ended.code != 4 || ended.err.contains("bakeoff: "), "{case}: {ended:?}");
    let remains = [left(bench), bench.leftovers()].concat();
    if remains.is_empty() {
        return;
    }
    // The refused call was one that undoes: it is on record, and said.
    assert_eq!(ended.code, 4, "{case}: {remains:?} {ended:?}");
    let cleaned = bench.run(&["clean"]);
    assert_eq!(cleaned.code, 0, "{case}: {cleaned:?}");
    assert_eq!([left(bench), bench.leftovers()].concat(), Vec::<String>::new(), "{case}");
}

/// System calls that make something, with the word of the kernel when there is none left, and which
/// calls of the main thread are refused: each, or after a refused one the one so many times later.
const REFUSED: [(What, &str, &str, f64); 14] = [
    (What::Bench, "clone,clone3,fork,vfork", "EAGAIN", 1.0),
    (What::Bench, "pipe2,socketpair", "EMFILE", 1.0),
    (What::Bench, "memfd_create,eventfd2,pidfd_open", "EMFILE", 1.0),
    (What::Bench, "openat,openat2", "EMFILE", 3.0),
    (What::Bench, "mkdirat,mkdir", "ENOSPC", 2.0),
    (What::Bench, "pwrite64", "ENOSPC", 4.0),
    (What::Bench, "fsync,fdatasync", "EIO", 4.0),
    (What::Plan, "clone,clone3,fork,vfork", "EAGAIN", 2.5),
    (What::Plan, "pipe2,socketpair", "EMFILE", 2.0),
    (What::Plan, "unshare,mount,setns,chroot", "ENOMEM", 1.0),
    (What::Plan, "umount2", "EBUSY", 2.0),
    (What::Plan, "ioctl", "EIO", 4.0),
    (What::Plan, "openat,openat2", "ENFILE", 9.0),
    (What::Plan, "fsync,fdatasync", "EIO", 3.0),
];

#[test]
fn a_call_that_is_refused_ends_a_command_and_leaves_nothing() {
    if on_image::lacks() || skip::lacks_command("strace") {
        return;
    }
    std::thread::scope(|scope| {
        for row in REFUSED {
            scope.spawn(move || refused(row));
        }
    });
}

fn refused((what, calls, error, step): (What, &str, &str, f64)) {
    let mut number = 1.0_f64;
    loop {
        let bench = place();
        let log = bench.path().join("strace.log");
        let inject = format!("inject={calls}:error={error}:when={}", number as u64);
        let trace = format!("trace={calls}");
        let strace = ["strace", "-o", log.to_str().unwrap(), "-e", &trace, "-e", &inject, "--"];
        let ended = run(&bench, &strace, what);
        let log = fs::read_to_string(&log).unwrap_or_default();
        let case = format!("{what:?}: {calls} {error}, call {}", number as u64);
        assert!(!log.is_empty(), "{case}: {ended:?}");
        check(&bench, &ended, &case);
        // There were not so many of them.
        if !log.contains("(INJECTED)") {
            break;
        }
        number = (number * step).max(number + 1.0).floor();
    }
}

/// A group of processes with a limit; removed with the value.
struct Pids(PathBuf);

impl Pids {
    /// `None` where there is no such controller, in version 1 or 2.
    fn new(most: u32) -> Option<Pids> {
        let bases = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
        for base in bases {
            let group = Path::new(base).join(format!("bakeoff-{}-{most}", std::process::id()));
            if fs::create_dir(&group).is_err() {
                continue;
            }
            let made = Pids(group);
            if fs::write(made.0.join("pids.max"), most.to_string()).is_ok() {
                return Some(made);
            }
        }
        None
    }
}

impl Drop for Pids {
    fn drop(&mut self) {
        // The kernel removes processes from it a moment after they ended.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
}

/// A limit of processes was a panic, exit 70, and loop devices stayed.
#[test]
fn a_limit_of_processes_is_exit_4_and_leaves_nothing() {
    if on_image::lacks() {
        return;
    }
    for (what, most) in
        [(What::Bench, 1), (What::Bench, 2), (What::Plan, 1), (What::Plan, 2), (What::Plan, 3)]
    {
        let Some(group) = Pids::new(most) else {
            return skip::skip(
                "the pids controller",
                "no group of processes can have a limit here",
            );
        };
        let bench = place();
        let script = format!("echo $$ >'{}/cgroup.procs' && exec \"$@\"", group.0.display());
        let ended = run(&bench, &["sh", "-c", &script, "sh"], what);
        check(&bench, &ended, &format!("{what:?}, pids.max {most}"));
        if most == 1 {
            assert!(ended.code == 4 && ended.err.contains("pids.max"), "{ended:?}");
        }
    }
}

#[test]
fn limits_of_the_shell_are_exit_4_and_leave_nothing() {
    if on_image::lacks() {
        return;
    }
    for (what, limit) in [
        (What::Bench, "-n 6"),
        (What::Bench, "-n 10"),
        (What::Bench, "-n 14"),
        (What::Bench, "-f 100"),
        (What::Bench, "-v 400000"),
        (What::Plan, "-n 8"),
        (What::Plan, "-n 12"),
        (What::Plan, "-n 16"),
        (What::Plan, "-n 20"),
        (What::Plan, "-f 400"),
        (What::Plan, "-v 600000"),
    ] {
        let bench = place();
        let script = format!("ulimit {limit} && exec \"$@\"");
        let ended = run(&bench, &["sh", "-c", &script, "sh"], what);
        check(&bench, &ended, &format!("{what:?}, ulimit {limit}"));
    }
}
