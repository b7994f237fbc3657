//! `bakeoff self agree`: what it says about tools that are there and one that is not, and that it
//! leaves nothing behind.

use std::path::Path;
use std::process::{Command, Output};

use crate::skip;
use serde_json::Value;

/// One turn of each case of some tools, on files of 16 MiB.
fn agree(dir: &Path, store: &Path, tools: &[&str], format: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command.arg("--store").arg(store.join("store.db")).args(["--format", format, "self", "agree"]);
    command.args(["--time", "1s", "--size", "16m"]);
    command.args(tools.iter().flat_map(|tool| ["--tool", tool]));
    command.arg(dir).output().unwrap()
}

/// The phases that were compared, with what is wrong in none of them.
fn phases<'t>(table: &'t Value, tool: &str) -> Vec<&'t str> {
    let rows = table["rows"].as_array().unwrap();
    let rows = rows.iter().filter(|row| row["tool"] == tool);
    rows.map(|row| {
        assert!(row["pairs"] == 1 && row["ratio"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["rate"].as_f64().unwrap() > 0.0, "{row}");
        row["phase"].as_str().unwrap()
    })
    .collect()
}

#[test]
fn dd_and_sysbench_take_turns_with_their_profiles_and_leave_nothing() {
    if skip::lacks_command("sysbench") {
        return;
    }
    let (dir, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let output = agree(dir.path(), store.path(), &["dd", "sysbench"], "json");
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(table["schema"], "bakeoff/agree/1");
    assert!(table["versions"]["dd"].as_str().unwrap().starts_with("coreutils"));
    assert!(table["versions"]["sysbench"].as_str().is_some_and(|version| !version.is_empty()));
    let dd = phases(&table, "dd");
    assert!(["write", "fdatasync", "fsync", "read"].iter().all(|p| dd.contains(p)), "{dd:?}");
    assert!(
        dd.contains(&"write, blocks of 64") || !table["skipped"].as_array().unwrap().is_empty()
    );
    let modes = ["seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw"];
    assert_eq!(phases(&table, "sysbench"), modes, "{}", table["skipped"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn bonnie_and_fio_are_compared_in_a_page_of_markdown() {
    if skip::lacks_command("bonnie++") || skip::lacks_command("fio") {
        return;
    }
    let (dir, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let output = agree(dir.path(), store.path(), &["bonnie", "fio"], "markdown");
    let page = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(page.starts_with("# Agreement with the classic tools\n"), "{output:?}");
    assert!(page.contains("bonnie 2.") && page.contains("fio 3.") && page.contains("which took"));
    for phase in ["putc", "block-write", "rewrite", "getc", "block-read", "seeks", "seq-create"] {
        let row = page.lines().find(|line| line.starts_with(&format!("| bonnie | {phase} |")));
        // One turn gives no interval: each is listed with its reason.
        assert!(row.is_some_and(|row| row.ends_with("| not judged |")), "{phase}: {page}");
        assert!(page.contains(&format!("\n- bonnie, {phase}: ")), "{phase}: {page}");
    }
    assert!(page.contains("| fio | 4k random reads, direct |") || page.contains("Left out"));
    assert_eq!(output.status.code(), Some(1), "nothing was judged");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_tool_that_is_missing_is_left_out_with_its_package() {
    let (dir, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .arg("--store")
        .arg(store.path().join("store.db"))
        .args([
            "--format", "json", "self", "agree", "--time", "1s", "--size", "16m", "--tool", "fio",
        ])
        .arg(dir.path())
        .env("PATH", "/nowhere")
        .output()
        .unwrap();
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(table["rows"], Value::Array(Vec::new()));
    let reason = table["skipped"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("not installed") && reason.contains("fio"), "{reason}");
    assert_eq!(output.status.code(), Some(4), "nothing could be compared");
}
