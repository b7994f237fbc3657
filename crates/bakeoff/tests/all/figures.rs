//! `bakeoff show FILE` on texts, and on what is hostile by its size.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn bakeoff(args: &[&str], store: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command.arg("--store").arg(store.join("store.db")).args(args);
    command
}

fn fixture(path: &str) -> String {
    format!("{}/../../fixtures/tools/{path}", env!("CARGO_MANIFEST_DIR"))
}

fn documents(output: &Output) -> Vec<serde_json::Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_file_gives_a_document() {
    let place = tempfile::tempdir().unwrap();
    let files = [fixture("dd/c_read.stderr"), fixture("dd/de_write_fdatasync.stderr")];
    let words = ["--format", "json", "show", &files[0], &files[1]];
    let output = bakeoff(&words, place.path()).output().unwrap();
    let documents = documents(&output);
    assert_eq!(documents.len(), 2);
    assert_eq!(documents[0]["schema"], "bakeoff/figures/1");
    let metric = &documents[1]["results"][0]["metrics"][1];
    assert_eq!(metric["name"], "elapsed");
    assert_eq!(metric["value"], 5_392_510);
    assert_eq!(metric["unit"], "ns");
    assert_eq!(metric["raw"], "0,00539251 s");
    assert_eq!(metric["line"], 3);
    assert!(!place.path().join("store.db").exists(), "a text needs no store");
}

#[test]
fn a_file_without_a_result_is_said_and_a_missing_one_is_a_mistake() {
    let place = tempfile::tempdir().unwrap();
    let busybox = fixture("dd/busybox_read.stderr");
    let output = bakeoff(&["show", &busybox], place.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("have no time"));
    let output = bakeoff(&["show", &busybox, "/nowhere/at/all"], place.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_line_of_a_gigabyte_and_much_noise_take_little_memory() {
    let place = tempfile::tempdir().unwrap();
    let mut child = Command::new("bash")
        .args(["-c", "ulimit -v 80000; exec \"$@\"", "bash"])
        .arg(env!("CARGO_BIN_EXE_bakeoff"))
        .args(["--format", "json", "show", "-"])
        .env("XDG_DATA_HOME", place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let noise = "noise 12+0 of (4,2 MB) copied, 3 s, reads/s: x\n".repeat(20_000);
        // Kept with their addresses, half a million lines would take as much as all may take.
        for _ in 0..25 {
            stdin.write_all(noise.as_bytes()).unwrap();
        }
        let megabyte = vec![b'x'; 1 << 20];
        for _ in 0..1024 {
            stdin.write_all(&megabyte).unwrap();
        }
        stdin.write_all(b"\n21 bytes copied, 2.3427e-05 s, 896 kB/s\n").unwrap();
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let document = &documents(&output)[0];
    assert_eq!(document["results"][0]["first_line"], 500_002);
    let unread = document["unread"].as_array().unwrap();
    let long = unread.iter().find(|u| u["first_line"] == 500_001).unwrap();
    assert!(long["why"].as_str().unwrap().contains("1073741824 bytes"));
}
