//! The child process as its parent sees it: the engine by itself, asked over its pipes.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use bakeoff_model::job::{Job, Rw};
use bakeoff_model::path::RawPath;
use bakeoff_tools::native::{FailureKind, NativeTask, Reply, TargetKind};

fn child() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_engine"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn ask(stdin: &[u8]) -> (Reply, Output) {
    let mut child = child().spawn().unwrap();
    // A child that refuses the task early closes its end.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    (Reply::parse(&output.stdout).unwrap(), output)
}

fn task(path: &std::path::Path, target_kind: TargetKind) -> NativeTask {
    let job = Job { fsync: 1, ..Job::new(Rw::Write, 4096, 40960) };
    NativeTask {
        parent_pid: Some(std::process::id()),
        ..NativeTask::new(job, RawPath::new(path), target_kind)
    }
}

fn ask_task(task: &NativeTask) -> Reply {
    ask(&serde_json::to_vec(task).unwrap()).0
}

fn kind_of(reply: Reply) -> FailureKind {
    reply.into_result().unwrap_err().kind
}

#[test]
fn a_task_gives_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a b\n\u{fc}");
    let measurement = ask_task(&task(&path, TargetKind::File)).into_result().unwrap().remove(0);
    assert_eq!(measurement.total_ios(), 20);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 40960);
}

#[test]
fn failures_keep_their_kind() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("none").join("file");
    assert_eq!(kind_of(ask_task(&task(&missing, TargetKind::File))), FailureKind::NotFound);
    let file = dir.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert_eq!(kind_of(ask_task(&task(&file, TargetKind::Block))), FailureKind::Invalid);
    assert_eq!(kind_of(ask_task(&task(dir.path(), TargetKind::File))), FailureKind::Invalid);
    let closed = NativeTask { live_fd: Some(987), ..task(&file, TargetKind::File) };
    assert_eq!(kind_of(ask_task(&closed)), FailureKind::Protocol);
    assert_eq!(std::fs::read(&file).unwrap(), b"x", "a refused task changes nothing");
}

#[test]
fn a_broken_task_is_answered_too() {
    for stdin in [&b""[..], b"{", b"{\"job\":1}", &[b' '; 200_000]] {
        assert_eq!(kind_of(ask(stdin).0), FailureKind::Protocol);
    }
}

#[test]
fn a_task_of_a_dead_parent_is_not_done() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let orphan = NativeTask { parent_pid: Some(1), ..task(&path, TargetKind::File) };
    assert_eq!(kind_of(ask_task(&orphan)), FailureKind::Protocol);
    assert!(!path.exists());
}

/// A shell starts the child in the background and is killed; the child must not survive it.
#[test]
fn the_child_dies_with_its_parent() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let long = Job { runtime_ns: Some(3_600_000_000_000), ..Job::new(Rw::Write, 4096, 40960) };
    let task = NativeTask { job: long, parent_pid: None, ..task(&path, TargetKind::File) };
    std::fs::write(dir.path().join("task"), serde_json::to_vec(&task).unwrap()).unwrap();
    let mut shell = Command::new("sh")
        .arg("-c")
        .arg("\"$1\" < task > reply & echo $!; wait")
        .arg("sh")
        .arg(env!("CARGO_BIN_EXE_engine"))
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pid = String::new();
    let mut stdout = std::io::BufReader::new(shell.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut stdout, &mut pid).unwrap();
    let alive = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    let wait_for = |what: &dyn Fn() -> bool| {
        // Ten minutes: a busy machine may be slow, a hang is a failure.
        (0..60_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            what()
        })
    };
    assert!(wait_for(&|| path.exists()), "the child began to write");
    assert!(alive(&pid));
    shell.kill().unwrap();
    shell.wait().unwrap();
    assert!(wait_for(&|| !alive(&pid)), "the child outlived its parent");
}
