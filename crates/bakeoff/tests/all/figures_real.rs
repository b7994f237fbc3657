//! What the tools installed here print today is read: every format, with the figures that were
//! asked for. iozone is not in Debian's main archive, so its samples in fixtures/tools are all.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::skip;
use serde_json::Value;

/// Runs a program in `place` and gives all it printed.
fn output(place: &Path, program: &str, args: &[&str]) -> Vec<u8> {
    let output = Command::new(program).args(args).current_dir(place).output().unwrap();
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
    [output.stdout, output.stderr].concat()
}

/// Imports a text.
fn import(text: &[u8]) -> Value {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args(["--format", "json", "show", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A figure of the only result.
fn figure(document: &Value, name: &str) -> f64 {
    let results = document["results"].as_array().unwrap();
    assert_eq!((results.len(), &document["unread"]), (1, &serde_json::json!([])), "{document}");
    let metrics = results[0]["metrics"].as_array().unwrap();
    let metric = metrics.iter().find(|metric| metric["name"] == name);
    metric.unwrap_or_else(|| panic!("no {name}: {document}"))["value"].as_f64().unwrap()
}

#[test]
fn dd_in_the_languages_that_are_installed() {
    let place = tempfile::tempdir().unwrap();
    for locale in ["C", "C.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8"] {
        let text = Command::new("dd")
            .args(["if=/dev/zero", "of=t", "bs=64k", "count=64"])
            .env("LC_ALL", locale)
            .current_dir(place.path())
            .output()
            .unwrap()
            .stderr;
        let document = import(&text);
        assert_eq!(figure(&document, "bytes"), 4_194_304.0);
        assert_eq!(figure(&document, "block_size"), 65_536.0);
    }
}

#[test]
fn fio_in_every_format() {
    if skip::lacks_command("fio") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let job = ["--name=job", "--filename=t", "--rw=randwrite", "--bs=16k", "--size=8m"];
    let formats: [&[&str]; 6] = [
        &["--output-format=normal"],
        &["--output-format=json"],
        &["--output-format=json+"],
        &["--minimal"],
        &["--output-format=terse", "--terse-version=4"],
        &["--output-format=terse", "--terse-version=5"],
    ];
    for format in formats {
        let text = output(place.path(), "fio", &[&job[..], format].concat());
        let document = import(&text);
        assert_eq!(figure(&document, "write.bytes"), 8_388_608.0, "{format:?}");
        assert!(figure(&document, "write.latency_p99") > 0.0, "{format:?}");
        assert_eq!(document["results"][0]["test"], "job");
    }
}

#[test]
fn sysbench_in_its_modes() {
    if skip::lacks_command("sysbench") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let files = ["fileio", "--file-num=4", "--file-total-size=4M"];
    let prepared = output(place.path(), "sysbench", &[&files[..], &["prepare"]].concat());
    assert_eq!(figure(&import(&prepared), "prepared_bytes"), 4_194_304.0);
    for mode in ["seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw"] {
        let test = format!("--file-test-mode={mode}");
        let run = [&files[..], &[&test, "--time=1", "run"]].concat();
        let document = import(&output(place.path(), "sysbench", &run));
        assert!(figure(&document, "events") > 0.0);
        assert_eq!(figure(&document, "block_size"), 16_384.0);
        assert_eq!(document["results"][0]["test"], mode);
    }
}

#[test]
fn bonnie_with_its_table_and_its_csv() {
    if skip::lacks_command("bonnie++") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let user = String::from_utf8(output(place.path(), "id", &["-u"])).unwrap();
    let args = ["-d", ".", "-u", user.trim(), "-s", "16", "-r", "0", "-n", "1", "-m", "here"];
    let output = Command::new("bonnie++").args(args).current_dir(place.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let document = import(&output.stdout);
    assert_eq!(figure(&document, "file_size"), 16_777_216.0);
    assert_eq!(figure(&document, "files"), 1024.0);
    assert!(figure(&document, "random_seeks.latency_max") > 0.0);
    assert_eq!(document["results"][0]["test"], "here");
}
