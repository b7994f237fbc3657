//! A run where systemd runs the machine: a unit of its own, and nothing puts the machine to sleep.
//!
//! systemd itself does not run in a test, so that two programs of it are fakes here that do what
//! the real ones do with the words they get. Whether the real ones know those words is asked of
//! their own parsers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::bench;
use crate::bench::{Bench, Ended, WITHOUT_OTHERS};
use crate::on_image::{MIB, RUN, SMALL, lacks, left, made, runs};
use crate::running::until_so;
use crate::skip;

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
echo $! >"$XDG_DATA_HOME/../run.pid"
"#;

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
    for (name, text) in [("systemd-run", SYSTEMD_RUN), ("systemd-inhibit", SYSTEMD_INHIBIT)] {
        fs::write(programs.join(name), text).unwrap();
        fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
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
fn a_detached_run_is_a_unit_and_keeps_the_machine_awake() {
    if lacks() || skip::lacks_command("unshare") {
        return;
    }
    let bench = Bench::new();
    made(&bench, SMALL, 96 * MIB);
    let started = with_systemd(&bench, &[&RUN[..], &["--detach"]].concat());
    assert_eq!(started.code, 0, "{started:?}");
    assert!(started.err.contains("The run continues in the background as bakeoff-"), "{started:?}");
    assert!(started.err.contains("systemctl stop bakeoff-"), "{started:?}");
    let words = |name: &str| fs::read_to_string(bench.path().join(name)).unwrap_or_default();
    assert!(
        words("run.words").ends_with("\ndisk.img\n--erase\ndisk.img\n--anyway\n"),
        "{started:?}"
    );
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

#[test]
fn systemd_knows_every_word_it_is_told() {
    let is_there =
        || !skip::lacks_command("systemd-run") && !skip::lacks_command("systemd-analyze");
    if lacks() || skip::lacks_command("unshare") || !is_there() {
        return;
    }
    let bench = Bench::new();
    made(&bench, SMALL, 96 * MIB);
    // Waits for a time that is hours away, so that nothing is begun.
    let hour = bench::must(Command::new("date").arg("+%H"));
    let at = if hour.trim() < "12" { "23:00" } else { "11:00" };
    let started = with_systemd(&bench, &[&RUN[..], &["--detach", "--at", at]].concat());
    assert_eq!(started.code, 0, "{started:?}");
    let words = fs::read_to_string(bench.path().join("run.words")).unwrap();
    let options: Vec<&str> = words.lines().take_while(|word| *word != "--").collect();
    // It reads its options in order, and what it does not know before --version is an error.
    let asked = Command::new("systemd-run").args(&options).arg("--version").output().unwrap();
    assert!(asked.status.success(), "{options:?}: {asked:?}");
    // Properties it passes on; a unit file says the same ones.
    let property = |word: &&str| {
        let (name, value) = word.strip_prefix("--")?.split_once('=')?;
        match name {
            "property" => Some(format!("{value}\n")),
            "working-directory" => Some(format!("WorkingDirectory={value}\n")),
            "setenv" => Some(format!("Environment=\"{value}\"\n")),
            _ => None,
        }
    };
    let said: String = options.iter().filter_map(property).collect();
    assert!(said.contains("TimeoutStopSec=") && said.contains("StandardOutput="), "{said}");
    let unit = bench.path().join("bakeoff-1.service");
    let complaints = |text: &str| {
        fs::write(&unit, format!("[Service]\nExecStart=/bin/true\n{text}")).unwrap();
        let verified = Command::new("systemd-analyze").arg("verify").arg(&unit).output().unwrap();
        let all = String::from_utf8_lossy(&verified.stderr).into_owned();
        all.lines().filter(|line| line.contains("bakeoff-1.service")).count()
    };
    assert_eq!(complaints(&said), 0, "{said}");
    assert_eq!(complaints(&said.replace("=30min", "=30minutely")), 1);
    let pid = fs::read_to_string(bench.path().join("run.pid")).unwrap();
    bench::must(Command::new("kill").arg(pid.trim()));
    until_so("the end of the wait", || !Path::new("/proc").join(pid.trim()).exists());
    assert_eq!(runs(&bench), Vec::<String>::new());
}
