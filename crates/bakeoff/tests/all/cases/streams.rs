//! Standard streams that are closed, full, or have nobody at the other end.

use std::fs::File;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::bench::{Bench, Ended};

/// One run in each of several directories at the same time, each with other streams.
#[test]
fn quick_ends_well_whatever_its_streams_are() {
    let bench = Bench::new();
    let quick = |name: &str| {
        let dir = bench.dir(name);
        let mut command = bench.bakeoff();
        command.args(["quick", dir.to_str().unwrap(), "--workload", "randread"]);
        command.args(["--size", "16m", "--time", "20m"]);
        command
    };
    thread::scope(|scope| {
        scope.spawn(|| everything_closed(quick("closed")));
        scope.spawn(|| nobody_reads_stdout(quick("unread")));
        scope.spawn(|| nobody_reads_stderr(quick("unheard")));
        scope.spawn(|| stdout_is_full(quick("full")));
        scope.spawn(|| stderr_is_full(quick("mute")));
    });
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    // All five are in the store, whole, whoever could read what they said.
    let runs = bench.run(&["runs", "--format", "json"]).json();
    let runs = runs["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 5, "{runs:?}");
    assert!(runs.iter().all(|run| run["blocks"].as_u64() >= Some(3)), "{runs:?}");
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// `<&- >&- 2>&-`, as a careless service manager may start it.
fn everything_closed(quick: Command) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$@\" <&- >&- 2>&-", "sh"]);
    shell.arg(quick.get_program()).args(quick.get_args());
    for (name, value) in quick.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    let status = shell.current_dir(quick.get_current_dir().unwrap()).status().unwrap();
    assert_eq!(status.code(), Some(0), "{status:?}");
}

/// `| head -0`
fn nobody_reads_stdout(mut quick: Command) {
    let mut child: Child = quick.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{err}");
    assert!(!err.contains("panicked") && !err.contains("bakeoff: "), "{err}");
}

/// `2>&1 >/dev/null | head -0`
fn nobody_reads_stderr(mut quick: Command) {
    let mut child: Child = quick.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{out}");
    assert!(out.contains("Report: "), "{out}");
}

fn stdout_is_full(mut quick: Command) {
    let output = quick.stdout(full()).stderr(Stdio::piped()).output().unwrap();
    let ended = Ended::from_output(output);
    assert_eq!(ended.code, 4, "{ended:?}");
    for word in ["cannot write the result", "No space left", "bakeoff show"] {
        assert!(ended.err.contains(word), "{word}: {ended:?}");
    }
}

fn stderr_is_full(mut quick: Command) {
    let ended = Ended::from_output(quick.stdout(Stdio::piped()).stderr(full()).output().unwrap());
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("Report: "), "{ended:?}");
}

#[test]
fn results_and_help_that_cannot_be_written_are_an_error() {
    let bench = Bench::new();
    for args in [&["bench", ".", "--size", "1m"][..], &["devices"], &["--help"], &["--version"]] {
        let output = bench.bakeoff().args(args).stdout(full()).output().unwrap();
        let ended = Ended::from_output(output);
        assert_eq!(ended.code, 4, "{args:?}: {ended:?}");
        assert!(ended.err.contains("cannot write the result"), "{args:?}: {ended:?}");
        // A closed pipe is nobody's fault.
        let mut child = bench.bakeoff().args(args).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
    }
    // An error that nobody hears still has its code.
    let silent = bench.bakeoff().args(["quick", "nowhere"]).stderr(full()).output().unwrap();
    assert_eq!(silent.status.code(), Some(2));
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}
