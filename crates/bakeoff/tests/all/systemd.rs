//! A run where systemd runs the machine: nothing puts the machine to sleep.
//!
//! systemd itself does not run in a test, so that its program is a fake here that does what the real
//! one does with the words it gets.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, Ended, WITHOUT_OTHERS};
use crate::on_image::{MIB, RUN, SMALL, lacks, left, made};
use crate::running::until_so;
use crate::skip;

/// Does what follows its options, and says what it was told and who it is.
const SYSTEMD_INHIBIT: &str = r#"#!/bin/sh
printf '%s\n' $$ "$@" >"$XDG_DATA_HOME/../inhibit.words"
while [ "${1#--}" != "$1" ]; do shift; done
exec "$@"
"#;

/// What makes systemd seem to run.
const SYSTEMD_RUNS: &str = r#"
mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && exec "$@"
"#;

/// In a namespace in which systemd seems to run.
fn with_systemd(bench: &Bench, args: &[&str]) -> Ended {
    let programs = bench.dir("programs");
    let inhibit = programs.join("systemd-inhibit");
    fs::write(&inhibit, SYSTEMD_INHIBIT).unwrap();
    fs::set_permissions(&inhibit, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("unshare");
    let script = [WITHOUT_OTHERS, SYSTEMD_RUNS].concat();
    command.args(["--mount", "sh", "-c", &script, "sh"]);
    command.arg(env!("CARGO_BIN_EXE_bakeoff")).args(args);
    command.current_dir(bench.path()).env("PATH", path);
    command.env("XDG_DATA_HOME", bench.path().join("data"));
    command.env_remove("SUDO_UID").env_remove("SUDO_GID");
    Ended::from_output(command.output().unwrap())
}

#[test]
fn a_detached_run_keeps_the_machine_awake() {
    if lacks() || skip::lacks_command("unshare") {
        return;
    }
    let bench = Bench::new();
    made(&bench, SMALL, 96 * MIB);
    let started = with_systemd(&bench, &[&RUN[..], &["--detach"]].concat());
    assert_eq!(started.code, 0, "{started:?}");
    let said = "The run continues in the background as process ";
    assert!(started.err.contains(said), "{started:?}");
    let words = |name: &str| fs::read_to_string(bench.path().join(name)).unwrap_or_default();
    until_so("the inhibitor", || words("inhibit.words").ends_with("sleep\ninfinity\n"));
    let inhibitor = words("inhibit.words").lines().next().unwrap().to_string();
    assert!(words("inhibit.words").contains("--what=sleep:idle:handle-lid-switch\n"));
    let stopped = || bench.run(&["runs", "--format", "json"]).out.contains("\"stopped\"");
    until_so("the end", stopped);
    let blocks = &bench.run(&["runs", "--format", "json"]).json()["runs"][0]["blocks"];
    // `quick` decides after three at the earliest.
    assert!(blocks.as_u64() >= Some(3), "{}", bench.run(&["show", "last"]).out);
    until_so("the inhibitor's end", || !Path::new("/proc").join(&inhibitor).exists());
    assert_eq!(left(&bench), Vec::<String>::new());
}
