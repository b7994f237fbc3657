//! A run where systemd runs the machine: a unit of its own, and nothing puts the machine to sleep.
//!
//! systemd itself cannot be had in a test, so that two programs of it are fakes here that do what
//! the real ones do with the words they get; the words are those of systemd-run(1) and
//! systemd-inhibit(1).

// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

#[path = "support/bench.rs"]
mod bench;
#[path = "support/on_image.rs"]
mod on_image;
#[path = "support/skip.rs"]
mod skip;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use bench::{Bench, Ended};
use on_image::{MIB, RUN, SMALL, lacks, left, made};

/// Starts what follows `--` with its output where the properties say, and says what it was told.
const SYSTEMD_RUN: &str = r#"#!/bin/sh
printf '%s\n' "$@" >"$XDG_DATA_HOME/../run.words"
for word; do
    shift
    case $word in
        --property=StandardOutput=append:*) log=${word#*append:} ;;
        --) break ;;
    esac
done
setsid "$@" >>"$log" 2>&1 </dev/null &
"#;

/// Does what follows its options, and says what it was told and who it is.
const SYSTEMD_INHIBIT: &str = r#"#!/bin/sh
printf '%s\n' $$ "$@" >"$XDG_DATA_HOME/../inhibit.words"
while [ "${1#--}" != "$1" ]; do shift; done
exec "$@"
"#;

/// In a namespace in which systemd seems to run.
fn with_systemd(bench: &Bench, args: &[&str]) -> Ended {
    let programs = bench.dir("programs");
    for (name, text) in [("systemd-run", SYSTEMD_RUN), ("systemd-inhibit", SYSTEMD_INHIBIT)] {
        fs::write(programs.join(name), text).unwrap();
        fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let script = "mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_bakeoff")]).args(args);
    command.current_dir(bench.path()).env("PATH", path);
    command.env("XDG_DATA_HOME", bench.path().join("data"));
    command.env_remove("SUDO_UID").env_remove("SUDO_GID");
    Ended::of(command.output().unwrap())
}

/// Waits until something is so.
fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1200 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("waited in vain for {what}");
}

#[test]
fn a_detached_run_is_a_unit_and_keeps_the_machine_awake() {
    if lacks() || skip::lacks_command("unshare") {
        return;
    }
    let bench = Bench::new();
    made(&bench, SMALL, 96 * MIB);
    let started = with_systemd(&bench, &[&RUN[..], &["--detach"]].concat());
    assert_eq!(started.code, 0, "{started:?}");
    assert!(started.err.contains("It runs on its own as bakeoff-"), "{started:?}");
    assert!(started.err.contains("systemctl stop bakeoff-"), "{started:?}");
    let words = |name: &str| fs::read_to_string(bench.path().join(name)).unwrap_or_default();
    assert!(words("run.words").ends_with("\ndisk.img\n--erase\ndisk.img\n"), "{started:?}");
    until("the inhibitor", || words("inhibit.words").ends_with("sleep\ninfinity\n"));
    let inhibitor = words("inhibit.words").lines().next().unwrap().to_string();
    assert!(words("inhibit.words").contains("--what=sleep:idle:handle-lid-switch\n"));
    let stopped = || bench.run(&["runs", "--format", "json"]).out.contains("\"stopped\"");
    until("the end", stopped);
    let blocks = &bench.run(&["runs", "--format", "json"]).json()["runs"][0]["blocks"];
    assert!(blocks.as_u64() >= Some(5), "{}", bench.run(&["show", "last"]).err);
    until("the inhibitor's end", || !Path::new("/proc").join(&inhibitor).exists());
    assert_eq!(left(&bench), Vec::<String>::new());
}
