//! runs, show, rm, report, export and add as a user calls them, with good input and bad.

// Unwrapping in a test is an assertion.

use std::fs;

use crate::stored::{Home, RUN, answer, bundle_of, bundle_path, bundle_text, json};
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

#[test]
fn nothing_stored_is_no_error_and_makes_nothing() {
    let home = Home::new();
    let (code, out, _) = home.run(&["runs"]);
    assert!(code == 0 && out.contains("bakeoff quick"), "{out}");
    assert_eq!(json(&home.run(&["runs", "--format", "json"]).1)["runs"], Value::Array(vec![]));
    let (code, _, err) = home.run(&["show", "last"]);
    assert!(code == 2 && err.contains("bakeoff quick"), "{err}");
    assert_eq!(fs::read_dir(home.dir.path()).unwrap().count(), 0);
}

#[test]
fn a_bundle_is_the_same_run_on_another_machine() {
    let (here, there) = (Home::with_run(), Home::new());
    assert_eq!(here.run(&["show", "last", "-o", "run.bundle"]).0, 0);
    let file = here.dir.path().join("run.bundle");
    let exported = fs::read_to_string(&file).unwrap();
    for lost in ["4C5300", "SanDisk_Ultra", "before the new power supply", "6f1c", "/mnt/usb"] {
        assert!(bundle_text().contains(lost) && !exported.contains(lost), "{lost}");
    }
    let (code, out, _) = there.run(&["runs", "add", file.to_str().unwrap()]);
    assert!(code == 0 && out.starts_with(&format!("added run {RUN} from ")), "{out}");
    let verdicts = |home: &Home| {
        let value = json(&home.run(&["show", RUN, "--format", "json"]).1);
        let all = value["verdicts"].as_array().unwrap().iter();
        all.map(|v| (v["verdict"].clone(), v["effects"][0]["ratio"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&here), verdicts(&there));
    let again = there.run(&["runs", "add", file.to_str().unwrap()]);
    assert!(again.0 == 0 && again.1.contains("nothing was changed"), "{again:?}");
    let piped =
        there.cmd(&["runs", "add", "-"]).stdin(fs::File::open(&file).unwrap()).output().unwrap();
    assert!(piped.status.success());
}

#[test]
fn the_list_has_each_run_with_its_verdict() {
    let home = Home::with_run();
    let file = home.file("b.jsonl", bundle_of("0123ffff00000000", 30));
    assert_eq!(home.run(&["runs", "add", file.to_str().unwrap()]).0, 0);
    // Read once from the events and once from what the first listing kept.
    let first = home.run(&["runs"]);
    assert_eq!(first, home.run(&["runs"]));
    let (code, out, _) = first;
    assert_eq!(code, 0);
    let lines: Vec<_> = out.lines().collect();
    assert!(lines[1].contains("0123f") && lines[1].contains("(interrupted)"), "{out}");
    assert!(lines[2].contains("01234") && lines[2].contains("ext4 is fastest in all 2"), "{out}");
    assert!(home.run(&["runs", "--format", "csv"]).1.starts_with("run,created_unix_ns,"));
    assert!(home.run(&["runs", "--format", "markdown"]).1.starts_with("| run |"));
    let rows = json(&home.run(&["runs", "--format", "json"]).1);
    assert_eq!(
        (&rows["runs"][0]["state"], &rows["runs"][1]["blocks"]),
        (&"dead".into(), &5.into())
    );
    let (code, _, err) = home.run(&["show", "0123"]);
    assert!(code == 2 && err.contains("0123ffff00000000 or 0123456789abcdef"), "{err}");
    let (code, _, err) = home.run(&["show", "0124"]);
    assert!(code == 2 && err.contains("did you mean"), "{err}");
}

#[test]
fn a_run_that_goes_on_or_was_interrupted_is_called_so() {
    let home = Home::new();
    let file = home.file("b.jsonl", bundle_of(RUN, 30));
    home.run(&["runs", "add", file.to_str().unwrap()]);
    let (code, out, err) = home.run(&["show", "last"]);
    assert!(code == 1 && !out.is_empty() && err.contains("was interrupted"), "{err}");
    let locks = home.dir.path().join("bakeoff.db.locks");
    fs::create_dir_all(&locks).unwrap();
    let lock = fs::File::create(locks.join(RUN)).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    assert!(home.run(&["show", "last"]).2.contains("is in progress"));
    assert!(home.run(&["runs"]).1.contains("(running)"));
    let (code, _, err) = home.run(&["runs", "rm", "last"]);
    assert!(code == 3 && err.contains("still in progress"), "{err}");
    drop(lock);
    let (code, out, _) = home.run(&["runs", "rm", "last"]);
    assert!(code == 0 && out.starts_with(&format!("removed run {RUN} ")), "{out}");
    assert!(home.run(&["runs"]).1.contains("No runs"));
}

#[test]
fn what_a_run_left_on_the_system_keeps_its_record() {
    let home = Home::new();
    let file = home.file("b.jsonl", bundle_of(RUN, 10));
    home.run(&["runs", "add", file.to_str().unwrap()]);
    let raw = rusqlite::Connection::open(home.store()).unwrap();
    // As if it had been measured here.
    raw.execute("UPDATE runs SET is_imported = 0", []).unwrap();
    let (code, _, err) = home.run(&["runs", "rm", "last"]);
    assert!(code == 3 && err.contains("bakeoff clean"), "{err}");
    let kept = "SELECT count(*) FROM events";
    assert_eq!(raw.query_row(kept, [], |row| row.get::<_, i64>(0)), Ok(10));
}

#[test]
fn bad_bundles_are_named_with_their_line_and_change_nothing() {
    let home = Home::with_run();
    let before = home.run(&["runs"]);
    let mut cut = bundle_text();
    cut.truncate(cut.len() / 2);
    let other = bundle_of(RUN, 20);
    for (content, code, words) in
        [(&cut, 2, "is truncated; copy it again"), (&other, 3, "with different content")]
    {
        let file = home.file("bad.jsonl", content);
        let (got, out, err) = home.run(&["runs", "add", file.to_str().unwrap()]);
        assert_eq!((got, out.as_str()), (code, ""), "{err}");
        assert!(err.contains(words) && err.contains("bad.jsonl"), "{words}: {err}");
    }
    let text = home.file("hello.txt", "hello");
    let hello = || fs::File::open(&text).unwrap();
    let (code, _, err) = home.run(&["runs", "add", "/no/such/file"]);
    assert!(code == 2 && err.contains("/no/such/file"), "{err}");
    let (code, _, err) = answer(home.cmd(&["runs", "add", "-"]).stdin(hello()));
    assert!(code == 2 && err.contains("not a bundle"), "{err}");
    // A text without anything in it is no damage, but an answer to nothing.
    let (code, out, _) = answer(home.cmd(&["show", "-"]).stdin(hello()));
    assert!(code == 1 && out.contains("0 results"), "{out}");
    let bundle = bundle_path();
    let (code, _, err) = home.run(&["show", bundle.to_str().unwrap()]);
    assert!(code == 2 && err.contains("bakeoff runs add"), "{err}");
    assert_eq!(home.run(&["runs"]), before);
}

#[test]
fn one_bad_file_does_not_keep_the_others_out() {
    let home = Home::new();
    let bad = home.file("bad.jsonl", &bundle_text()[..999]);
    let good = bundle_path();
    let args = ["runs", "add", bad.to_str().unwrap(), good.to_str().unwrap()];
    let (code, out, err) = home.run(&args);
    assert!(code == 2 && out.contains("added run") && err.contains("bad.jsonl"), "{out}{err}");
}

#[test]
fn a_file_has_the_format_of_its_ending() {
    let home = Home::with_run();
    let (code, _, err) = home.run(&["show", "-o", "out file"]);
    assert!(code == 2 && err.contains(".html, .svg, .md, .json, .csv, .gp, .bundle"), "{err}");
    assert_eq!(home.run(&["show", "-o", "a.csv", "--format", "json"]).0, 2);
    let (code, out, err) = home.run(&["show", "-o", "a.csv", "-o", "a.svg", "-o", "a.json"]);
    assert_eq!((code, out.as_str()), (0, "a.csv\na.svg\na.json\n"), "{err}");
    let written = |name: &str| fs::read_to_string(home.dir.path().join(name)).unwrap();
    assert!(written("a.svg").starts_with("<svg"));
    for (format, name) in [("csv", "a.csv"), ("json", "a.json")] {
        assert_eq!(home.run(&["show", "--format", format]).1, written(name), "{format}");
    }
}
