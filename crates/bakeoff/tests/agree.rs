//! `bakeoff agree`: what it says about a tool that is there and one that is not, and that it leaves
//! nothing behind.

// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn agree(dir: &Path, store: &Path, tool: &str, path: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .arg("--store")
        .arg(store.join("store.db"))
        .args(["--format", "json", "agree", "--time", "1s", "--tool", tool])
        .arg(dir)
        .env("PATH", path)
        .output()
        .unwrap()
}

#[test]
fn dd_and_bakeoff_take_turns_and_leave_nothing() {
    let (dir, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = std::env::var("PATH").unwrap();
    let output = agree(dir.path(), store.path(), "dd", &path);
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(table["schema"], "bakeoff/agree/1");
    assert!(table["versions"]["dd"].as_str().unwrap().starts_with("coreutils"));
    let rows = table["rows"].as_array().unwrap();
    assert!(rows.len() + table["skipped"].as_array().unwrap().len() >= 4, "{table}");
    let read = rows.iter().find(|row| row["phase"] == "read, cold").unwrap();
    assert!(read["pairs"].as_u64().unwrap() >= 1 && read["ratio"].as_f64().unwrap() > 0.0);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_tool_that_is_missing_is_left_out_with_its_package() {
    let (dir, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let output = agree(dir.path(), store.path(), "fio", "/nowhere");
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(table["rows"], Value::Array(Vec::new()));
    let reason = table["skipped"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("not installed") && reason.contains("fio"), "{reason}");
    assert_eq!(output.status.code(), Some(4), "nothing could be compared");
}
