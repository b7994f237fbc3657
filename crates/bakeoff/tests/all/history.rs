//! Finding, naming and following stored runs, as a user does.

use crate::stored::{Home, RUN, bundle_text};
use serde_json::Value;

/// The drive of the kept run.
const DRIVE: &str = "4C5300";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Imports the kept run under another id, changed in its text.
fn import(home: &Home, run: &str, change: impl FnOnce(String) -> String) {
    let lines: Vec<String> =
        change(bundle_text().replace(RUN, run)).lines().map(str::to_string).collect();
    let head = serde_json::from_str(&lines[0]).unwrap();
    let sealed = bakeoff_report::bundle::encode(&head, &lines[1..lines.len() - 1]).unwrap();
    let file = home.file("changed.jsonl", sealed);
    let (code, _, err) = home.run(&["import", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{err}");
}

fn listed(home: &Home, options: &[&str]) -> Vec<String> {
    let args = [&["runs", "--format", "json"], options].concat();
    let (code, out, err) = home.run(&args);
    assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
    let runs = json(&out)["runs"].as_array().unwrap().clone();
    runs.iter().map(|run| run["run"].as_str().unwrap().to_string()).collect()
}

#[test]
fn runs_are_found_by_drive_host_plan_label_and_time() {
    let home = Home::with_run();
    let other = "fedcba9876543210";
    import(&home, other, |text| {
        text.replace("\"hostname\":\"pi\"", "\"hostname\":\"attic\"").replace(DRIVE, "FFFF00")
    });
    let (one, two) = (vec![RUN.to_string()], vec![other.to_string()]);
    // Once from the events, once from what the first search kept.
    for _ in 0..2 {
        assert_eq!(listed(&home, &["--drive", "4c53"]), one);
        assert_eq!(listed(&home, &["--drive", "ffff00"]), two);
        assert_eq!(listed(&home, &["--host", "ATTIC"]), two);
        assert_eq!(listed(&home, &["--plan", "/mnt/usb"]).len(), 2);
    }
    assert_eq!(home.run(&["runs", "label", "fedc", "spare stick"]).0, 0);
    assert_eq!(listed(&home, &["--label", "STICK"]), two);
    assert_eq!(listed(&home, &["--since", "2200-01-01"]), Vec::<String>::new());
    assert_eq!(listed(&home, &["--since", "1970-01-01"]).len(), 2);
    assert_eq!(listed(&home, &["--drive", "4c53", "--host", "attic"]), Vec::<String>::new());
    let (code, out, _) = home.run(&["runs", "--host", "nowhere"]);
    assert!(code == 0 && out.contains("No stored run matches"), "{out}");
    let (code, _, err) = home.run(&["runs", "--since", "yesterday"]);
    assert!(code == 2 && err.contains("7d"), "{err}");
}

#[test]
fn a_try_that_measured_nothing_is_listed_only_when_asked_for() {
    let home = Home::with_run();
    let nothing = "eeee456789abcdef";
    let file = home.file("b.jsonl", crate::stored::bundle_of(nothing, 3));
    assert_eq!(home.run(&["import", file.to_str().unwrap()]).0, 0);
    assert_eq!(home.run(&["runs", "label", "eeee", "--remove"]).0, 0);
    assert_eq!(listed(&home, &[]), [RUN]);
    assert_eq!(listed(&home, &["--all"]).len(), 2);
    let out = home.run(&["runs"]).1;
    assert!(out.contains("1 run that measured nothing is not listed (--all lists it)"), "{out}");
    assert_eq!(home.run(&["runs", "label", "eeee", "power cut"]).0, 0);
    assert_eq!(listed(&home, &[]).len(), 2, "somebody gave it a name");
}

#[test]
fn a_list_has_a_limit_and_says_what_is_beyond_it() {
    let home = Home::new();
    let runs: Vec<String> = (0..3).map(|n| format!("{n}123456789abcdef")).collect();
    for run in &runs {
        import(&home, run, |text| text);
    }
    let latest: Vec<String> = runs.iter().rev().cloned().collect();
    assert_eq!(listed(&home, &[]), latest);
    assert_eq!(listed(&home, &["--limit", "0"]), latest);
    assert_eq!(listed(&home, &["--limit", "2"]), latest[..2]);
    // Whether what a list shows was kept before or not.
    let forget = || {
        let store = rusqlite::Connection::open(home.store()).unwrap();
        store.execute("DELETE FROM digests", []).unwrap();
    };
    forget();
    let (_, out, _) = home.run(&["runs", "--limit", "1"]);
    let note = "1 run\n2 earlier runs are not listed (--limit 0 lists all)\n";
    assert!(out.ends_with(note), "{out}");
    let (_, out, _) = home.run(&["runs", "--limit", "1", "--format", "json"]);
    assert_eq!(json(&out)["more"], 2, "{out}");
    let (_, out, _) = home.run(&["runs", "--format", "markdown", "--limit", "2"]);
    assert!(out.ends_with("\n1 earlier run is not listed (--limit 0 lists all)\n"), "{out}");
    // The list of boards, from what was kept and from the events.
    let boards = home.run(&["fleet", "list", "--format", "json"]);
    forget();
    assert_eq!(home.run(&["fleet", "list", "--format", "json"]), boards);
    assert_eq!(json(&boards.1)["boards"][0]["runs"], 3, "{}", boards.1);
    assert_eq!(home.run(&["runs", "--limit", "many"]).0, 2);
}

#[test]
fn a_label_is_set_shown_exported_and_removed() {
    let home = Home::with_run();
    let label =
        |home: &Home| json(&home.run(&["runs", "--format", "json"]).1)["runs"][0]["label"].clone();
    let (code, out, err) = home.run(&["runs", "label", "last", "x\u{1b}[2J, ü"]);
    assert!(code == 0 && !out.contains('\u{1b}') && out.contains("ü"), "{out}{err}");
    assert_eq!(label(&home), "x\u{1b}[2J, ü");
    assert!(!home.run(&["runs"]).1.contains('\u{1b}'));
    assert!(home.run(&["show", "last", "--format", "bundle", "--no-redact"]).1.contains("[2J, ü"));
    let out = home.run(&["runs", "label", "last", "b", "--format", "json"]).1;
    assert_eq!(json(&out)["labelled"]["label"], "b");
    assert_eq!(home.run(&["runs", "label", "last", "--remove"]).0, 0);
    assert_eq!(label(&home), Value::Null);
    for args in [
        &["runs", "label", "last"][..],
        &["runs", "label", "last", " "],
        &["runs", "label", "ffff", "a"],
    ] {
        assert_eq!(home.run(args).0, 2, "{args:?}");
    }
    assert_eq!(home.run(&["runs", "label", "last", &"x".repeat(201)]).0, 2);
}

#[test]
fn a_drive_has_one_history_over_runs_that_are_alike() {
    let home = Home::with_run();
    import(&home, "aaaa456789abcdef", |text| text);
    import(&home, "bbbb456789abcdef", |text| text.replace("6.12.47+rpt-rpi-v8", "6.18.1"));
    let (code, out, err) = home.run(&["runs", "trend", "4c5300"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let said = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("4C5300: 3 runs"), "{out}");
    assert!(said.contains("Not joined with the runs above: kernel (6.12.47"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let points = |across: &[&str]| -> Vec<usize> {
        let args = [&["runs", "trend", DRIVE, "--format", "json"], across].concat();
        let trend = json(&home.run(&args).1);
        assert_eq!(trend["schema"], "bakeoff/trend/1");
        let series = trend["series"].as_array().unwrap().clone();
        series.iter().map(|s| s["points"].as_array().unwrap().len()).collect()
    };
    assert!(points(&[]).iter().all(|n| *n == 2 || *n == 1));
    assert!(points(&["--across", "kernel"]).iter().all(|n| *n == 3));
    let csv = home.run(&["runs", "trend", DRIVE, "--format", "csv"]).1;
    assert!(csv.starts_with("drive,workload,candidate,"), "{csv}");
    for (args, says) in [
        (&["runs", "trend", "no such drive"][..], "bakeoff runs"),
        (&["runs", "trend", ""], "no drive given"),
        (&["runs", "trend", "/no/such/path"], "/no/such/path"),
        (&["runs", "trend", DRIVE, "--format", "jsonl"], "csv or markdown"),
    ] {
        let (code, _, err) = home.run(args);
        assert!(code == 2 && err.contains(says), "{args:?}: {err}");
    }
}

#[test]
fn a_name_that_several_drives_share_is_not_guessed() {
    let home = Home::with_run();
    import(&home, "aaaa456789abcdef", |text| text.replace(DRIVE, "4C5301"));
    let (code, _, err) = home.run(&["runs", "trend", "4C53"]);
    assert!(code == 2 && err.contains("4C5300'") && err.contains("4C5301'"), "{err}");
    assert_eq!(home.run(&["runs", "trend", "4C5301"]).0, 0);
}
