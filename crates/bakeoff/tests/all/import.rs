//! `bakeoff import` on texts, directories and what is hostile by its size.

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
fn a_directory_gives_one_document_a_file_with_something_in_it() {
    let place = tempfile::tempdir().unwrap();
    let output =
        bakeoff(&["--format", "json", "import", &fixture("dd")], place.path()).output().unwrap();
    let documents = documents(&output);
    assert!(documents.len() > 15, "{}", documents.len());
    let german = documents
        .iter()
        .find(|d| d["source"].as_str().unwrap().ends_with("de_write_fdatasync.stderr"))
        .unwrap();
    let metric = &german["results"][0]["metrics"][1];
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
    let output = bakeoff(&["import", &busybox], place.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("have no time"));
    let output = bakeoff(&["import", "/nowhere/at/all"], place.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_line_of_a_gigabyte_and_much_noise_take_little_memory() {
    let place = tempfile::tempdir().unwrap();
    let mut child = Command::new("bash")
        .args(["-c", "ulimit -v 80000; exec \"$@\"", "bash"])
        .arg(env!("CARGO_BIN_EXE_bakeoff"))
        .args(["--format", "json", "import", "-"])
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

#[test]
fn a_table_for_people_comes_in_when_its_columns_are_said() {
    let place = tempfile::tempdir().unwrap();
    let page = place.path().join("page.md");
    std::fs::write(&page, "| disk | 104/124 |\n").unwrap();
    let import = |columns: &str| {
        let file = page.to_str().unwrap();
        let args = ["--format", "json", "import", file, "--columns", columns];
        bakeoff(&args, place.path()).output().unwrap()
    };
    let results = &documents(&import("device,write/read MB/s"))[0]["results"];
    assert_eq!(results[1]["metrics"][0]["value"], 124e6);
    assert_eq!(results[1]["setup"]["device"], "disk");
    let wrong = import("colour,write/read MB/s");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("'colour' is not a column"));
}

/// A text without a result had "no findings", and an empty directory nothing at all.
#[test]
fn what_contains_no_result_is_said_and_is_no_success() {
    let place = tempfile::tempdir().unwrap();
    let text = place.path().join("none.txt");
    std::fs::write(&text, "hello world\n").unwrap();
    std::fs::create_dir(place.path().join("empty")).unwrap();
    let empty = place.path().join("empty");
    for (command, what) in [(&["self", "lint"][..], text), (&["import"], empty)] {
        let words = [command, &[what.to_str().unwrap()]].concat();
        let ended = bakeoff(&words, place.path()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{command:?}: {said}");
        assert!(said.contains("supported tool"), "{command:?}: {said}");
    }
}

/// A FIFO that nobody writes to was waited for without an end.
#[test]
fn a_fifo_without_a_writer_ends_with_a_reason() {
    let place = tempfile::tempdir().unwrap();
    let fifo = place.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let ended = bakeoff(&["import", fifo.to_str().unwrap()], place.path()).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(4), "{said}");
    assert!(said.contains("no data within"), "{said}");
}

/// The output of a command that took longer than the limit of an idle FIFO was an error.
#[test]
fn a_pipe_whose_writer_works_for_long_is_read_to_its_end() {
    let place = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_bakeoff");
    let script = format!(
        "{program} --format json import <(sleep 11; \
         echo '21 bytes copied, 2.3427e-05 s, 896 kB/s')"
    );
    let mut command = Command::new("bash");
    let ended = command.arg("-c").arg(script).current_dir(place.path()).output().unwrap();
    assert_eq!(documents(&ended)[0]["results"][0]["metrics"][0]["value"], 21, "{ended:?}");
}
