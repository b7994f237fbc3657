//! `--version --verbose`, and what `show -o` replaces, as a user meets them.

use std::fs;

use serde_json::Value;

use crate::stored::{Home, RUN, answer, bundle_path};

#[test]
fn version_tells_what_the_program_is_and_where_its_store_is() {
    let home = Home::with_run();
    let (code, short, _) = home.run(&["--version"]);
    assert_eq!((code, short.lines().count()), (0, 1), "{short}");
    let (code, text, err) = home.run(&["--version", "--verbose"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(text.starts_with(&short), "{text}");
    let store = home.store().display().to_string();
    for part in ["target", "-linux-", "features", "SQLite 3.", "clap 4.", "layout 4", "1 run"] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    let joined: String = text.split_whitespace().collect();
    assert!(joined.contains(&store), "{store} is missing:\n{text}");
    // Libraries of the tests are not in the program.
    assert!(!text.contains("insta ") && !text.contains("assert_cmd"), "{text}");
    let (_, json, _) = home.run(&["--verbose", "--format", "json", "--version"]);
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["store"]["runs"], 1, "{json}");
    assert_eq!(home.run(&["--verbose"]).0, 2);
}

#[test]
fn a_newer_store_is_named_by_the_version_and_takes_nothing_from_it() {
    let home = Home::with_run();
    let raw = rusqlite::Connection::open(home.store()).unwrap();
    raw.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(raw);
    let (code, text, _) = home.run(&["--version", "--verbose"]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(code == 0 && words.contains("layout 99"), "{text}");
}

#[test]
fn a_redacted_bundle_imports_and_shows_the_same_answer() {
    let home = Home::with_run();
    let args = ["show", RUN, "--format", "bundle", "-o", "shared.jsonl"];
    let (code, out, err) = home.run(&args);
    assert_eq!((code, out.as_str()), (0, "shared.jsonl\n"), "{err}");
    // What was replaced is shown.
    for part in
        ["Replaced ", "--no-redact", "serial-1-01234567", "for 4C5300", "host-1-", "label-1-"]
    {
        assert!(err.contains(part), "{part} is missing:\n{err}");
    }
    let shared = fs::read_to_string(home.dir.path().join("shared.jsonl")).unwrap();
    for lost in ["4C5300", "SanDisk_Ultra", "before the new power supply", "6f1c", "/mnt/usb"] {
        assert!(fs::read_to_string(bundle_path()).unwrap().contains(lost), "{lost}");
        assert!(!shared.contains(lost), "{lost} is still there");
    }
    let other = Home::new();
    let (code, _, err) =
        answer(other.cmd(&["runs", "add"]).arg(home.dir.path().join("shared.jsonl")));
    assert_eq!(code, 0, "{err}");
    let verdicts = |home: &Home| {
        let (_, json, _) = home.run(&["show", RUN, "--format", "json"]);
        let value: Value = serde_json::from_str(&json).unwrap();
        let words = value["verdicts"].as_array().unwrap().iter();
        words.map(|v| (v["verdict"].clone(), v["effects"][0]["ratio"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&home), verdicts(&other));
}

#[test]
fn every_format_is_redacted_unless_values_are_kept() {
    let home = Home::with_run();
    for format in ["json", "csv", "jsonl", "bundle", "fio-json", "gnuplot"] {
        let args = ["show", RUN, "--format", format, "-o", "-"];
        let (code, out, err) = home.run(&args);
        assert_eq!(code, 0, "{format}: {err}");
        assert!(err.starts_with("Replaced "), "{format}: {err}");
        assert!(err.lines().count() < 20, "{err}");
        assert!(
            !out.is_empty() && !out.contains("4C5300") && !out.contains("/mnt/usb"),
            "{format}"
        );
        let quiet = home.run(&[&args[..], &["--quiet"]].concat());
        assert_eq!(quiet, (0, out.clone(), String::new()), "{format}");
        let (code, kept, err) = home.run(&[&args[..], &["--no-redact"]].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{format}");
        assert!(kept != out && kept.contains("/mnt/usb"), "{format}: {kept}");
    }
}

#[test]
fn redact_lists_every_value_and_contradictions_are_refused() {
    let home = Home::with_run();
    let args = ["show", RUN, "--format", "json", "--redact", "--quiet", "-o", "shared.json"];
    let (code, _, err) = home.run(&args);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("Read them before you") && !err.contains(" more"), "{err}");
    let json = ["show", RUN, "--format", "json", "-o", "-"];
    assert_eq!(home.run(&[&json[..], &["--yes"]].concat()).0, 2);
    assert_eq!(home.run(&[&json[..], &["--redact", "--no-redact"]].concat()).0, 2);
}

/// Nothing that cannot be read can be redacted: it is kept, or not written.
#[test]
fn a_damaged_run_is_written_only_as_it_is() {
    let home = Home::with_run();
    let raw = rusqlite::Connection::open(home.store()).unwrap();
    raw.execute("UPDATE events SET json = '{\"seq\":' WHERE seq = 3", []).unwrap();
    drop(raw);
    let (code, out, err) = home.run(&["show", RUN, "--format", "jsonl"]);
    assert_eq!((code, out.as_str()), (4, ""), "{err}");
    assert!(err.contains("event 3 of run") && err.contains("add --no-redact"), "{err}");
    let (code, out, err) = home.run(&["show", RUN, "--format", "jsonl", "--no-redact"]);
    assert!(code == 0 && out.contains("4C5300"), "{err}");
}

#[test]
fn a_page_is_the_owners_unless_it_is_for_others() {
    let home = Home::with_run();
    let written = |args: &[&str]| {
        let (code, _, err) = home.run(&[&["show", RUN], args].concat());
        assert_eq!(code, 0, "{err}");
        (fs::read_to_string(home.dir.path().join(args[args.len() - 1])).unwrap(), err)
    };
    for (args, file, secret) in [
        (&["-o"][..], "page.html", "4C5300"),
        (&["--format", "markdown", "-o"], "post.md", "/mnt/usb"),
        (&["-o"], "card.svg", "/mnt/usb"),
    ] {
        let (whole, err) = written(&[args, &[file]].concat());
        assert!(whole.contains(secret) && err.is_empty(), "{args:?}: {err}");
        let shared = format!("for-others-{file}");
        let (redacted, err) = written(&[&["--redact"], args, &[&shared]].concat());
        assert!(!redacted.contains(secret) && err.starts_with("Replaced "), "{args:?}: {err}");
        assert!(redacted.contains("49.5") == whole.contains("49.5"), "{args:?}");
    }
}

/// Each word of the command line is either known to the redaction or not printed by it: a command
/// that it did not know became "name-1".
#[test]
fn the_redaction_knows_every_command() {
    let all = bakeoff::command();
    let nested = all.get_subcommands().flat_map(|one| one.get_subcommands());
    for name in all.get_subcommands().chain(nested).map(|one| one.get_name()) {
        let mut redactor = bakeoff_report::redact::Redactor::default();
        let command = serde_json::json!({ "command": ["bakeoff", name] });
        let said = bakeoff_report::redact::replace(&mut redactor, &command);
        assert_eq!(said, command);
    }
}

/// The picture of a demo in README.md and the answer beside it are of one and the same demo.
#[test]
fn the_recording_ends_with_the_answer_in_the_readme() {
    let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(top.join("README.md")).unwrap();
    let (_, answer) = readme.split_once("<!-- answer -->\n```\n").unwrap();
    let (answer, _) = answer.split_once("```\n").unwrap();
    let picture = fs::read_to_string(top.join("docs/images/demo.svg")).unwrap();
    assert!(picture.len() < 300_000 && !picture.contains("<script"), "{}", picture.len());
    // In the picture each run of characters of one colour is a text of its own.
    let plain = |text: &str| {
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("&#8230;", "…")
    };
    let texts: String = picture
        .split('>')
        .filter_map(|part| Some(part.split_once('<')?.0))
        .map(|text| plain(text).split_whitespace().collect::<String>())
        .collect();
    for line in answer.lines().filter(|line| !line.is_empty()) {
        let line: String = line.split_whitespace().collect();
        assert!(texts.contains(&line), "{line} is not in the picture");
    }
    assert!(answer.contains("bakeoff demo") && answer.contains("Report: "), "{answer}");
}
