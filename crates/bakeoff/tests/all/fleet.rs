//! `bakeoff fleet` over a store with imported runs, as a user calls it.

use crate::stored::{Home, RUN, bundle_text};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// A run of board `at`, labelled, changed in its text.
fn board(home: &Home, at: u32, change: impl FnOnce(String) -> String) -> String {
    let run = format!("{at:04x}456789abcdef");
    let text = change(bundle_text().replace(RUN, &run))
        .replace("\"hostname\":\"pi\"", &format!("\"hostname\":\"pi-{at}\""));
    let lines: Vec<String> = text.lines().map(str::to_string).collect();
    let mut head: bakeoff_report::bundle::Head = serde_json::from_str(&lines[0]).unwrap();
    head.label = Some("cards".to_string());
    let sealed = bakeoff_report::bundle::encode(&head, &lines[1..lines.len() - 1]).unwrap();
    let file = home.file(&format!("{at}.jsonl"), sealed);
    let (code, _, err) = home.run(&["import", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{err}");
    run
}

#[test]
fn one_answer_over_boards_by_label_and_by_name() {
    let home = Home::new();
    let runs: Vec<String> = (1..=4).map(|at| board(&home, at, |text| text)).collect();
    let (code, out, err) = home.run(&["fleet", "report", "--label", "cards"]);
    assert_eq!(err, "");
    assert!(code == 0 || code == 1, "{out}");
    let said = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.starts_with("Across 4 boards:"), "{out}");
    assert!(said.contains("95 % prediction"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let named: Vec<&str> = runs.iter().map(String::as_str).collect();
    let args = [&["fleet", "report", "--format", "json"], &named[..]].concat();
    let document = json(&home.run(&args).1);
    assert_eq!(document["schema"], "bakeoff/fleet/1");
    assert_eq!(document["boards"].as_array().unwrap().len(), 4);
    assert_eq!(document["answers"][0]["effects"][0]["boards"].as_array().unwrap().len(), 4);
    let (_, markdown, _) =
        home.run(&["fleet", "report", "--label", "cards", "--format", "markdown"]);
    assert!(markdown.contains("| against | next board"), "{markdown}");
    let (_, listed, _) = home.run(&["fleet", "list"]);
    assert!(listed.contains(" pi-3 ") && listed.contains("cards"), "{listed}");
    assert_eq!(json(&home.run(&["fleet", "list", "--format", "json"]).1)["boards"][0]["runs"], 1);
}

#[test]
fn one_board_twice_a_bundle_twice_and_a_run_named_twice_count_once() {
    let home = Home::new();
    let first = board(&home, 1, |text| text);
    let file = home.dir.path().join("1.jsonl");
    let (code, out, _) = home.run(&["import", file.to_str().unwrap()]);
    assert!(code == 0 && out.contains("already in the store"), "{out}");
    let (code, _, err) = home.run(&["fleet", "report", &first, &first]);
    assert!(code == 2 && err.contains("is named twice") && err.contains("a single board"), "{err}");
    // Measured again on the same board, and on a second one.
    let again =
        board(&home, 0x0a, |text| text.replace("\"hostname\":\"pi\"", "\"hostname\":\"pi-1\""));
    let other = board(&home, 2, |text| text);
    let (_, out, _) = home.run(&["fleet", "report", &first, &again, &other, "--format", "json"]);
    let document = json(&out);
    assert_eq!(document["boards"].as_array().unwrap().len(), 2, "{out}");
    assert_eq!(document["answers"][0]["claim"], "too_few_boards");
    let notes = document["notes"].as_array().unwrap();
    let has_no_id = |note: &Value| note.as_str().unwrap().contains("have no board ID");
    assert!(notes.iter().any(has_no_id), "{notes:?}");
}

#[test]
fn two_boards_with_one_name_and_a_clock_that_was_not_set_are_said() {
    let home = Home::new();
    for at in 1..=3 {
        board(&home, at, |text| {
            // Two of them have the name of the kept run's board, and an id each.
            let id =
                format!("\"hostname\":\"same\",\"board_id\":\"{at}{at}{at}{at}{at}{at}{at}{at}\"");
            text.replace("\"hostname\":\"pi\"", &id)
        });
    }
    let (_, out, err) = home.run(&["fleet", "report", "--label", "cards"]);
    let said = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("3 boards have the host name same."), "{out}{err}");
    assert!(said.contains("same (111111)") && said.contains("same (333333)"), "{out}");
}

#[test]
fn unlike_plans_are_refused_and_wrong_words_have_a_way_on() {
    let home = Home::new();
    let one = board(&home, 1, |text| text);
    let two = board(&home, 2, |text| text.replace("\"bs\":4096", "\"bs\":8192"));
    let (code, out, _) = home.run(&["fleet", "report", &one, &two]);
    assert!(code == 1 && out.starts_with("No answer for these 2 boards"), "{out}");
    for (args, says) in [
        (&["fleet", "report", "--label", "none"][..], "bakeoff runs label"),
        (&["fleet", "report"], "<RUN>"),
        (&["fleet", "report", "ffff"], "no run 'ffff'"),
        (&["fleet", "report", &one, &two, "--format", "csv"], "text, json or markdown"),
        (&["fleet", "list", "--format", "csv"], "text, json or markdown"),
    ] {
        let (code, _, err) = home.run(args);
        assert!(code == 2 && err.contains(says), "{args:?}: {err}");
    }
    let (code, out, _) = Home::new().run(&["fleet", "list"]);
    assert!(code == 0 && out.contains("bakeoff import"), "{out}");
}

/// Redacted bundles of different boards had one host name and one serial number between them.
#[test]
fn redacted_bundles_are_never_one_board_or_one_drive() {
    let (there, here) = (Home::new(), Home::new());
    let ids: Vec<String> = (1..=3).map(|at| board(&there, at, |text| text)).collect();
    for (at, id) in ids.iter().enumerate() {
        let file = format!("redacted-{at}.jsonl");
        assert_eq!(there.run(&["show", id, "--format", "bundle", "-o", &file]).0, 0);
        let file = there.dir.path().join(file);
        let (code, _, err) = here.run(&["import", file.to_str().unwrap()]);
        assert_eq!(code, 0, "{err}");
    }
    let named: Vec<&str> = ids.iter().map(String::as_str).collect();
    for over in ["board", "device"] {
        let args = [&["fleet", "report", "--over", over], &named[..]].concat();
        let (code, out, err) = here.run(&args);
        assert!(code < 2, "{out}{err}");
        let said = out.split_whitespace().collect::<Vec<_>>().join(" ");
        let note = format!("3 runs are redacted, so bakeoff cannot recognise the {over}");
        let note = note.replace("device", "drive");
        assert!(said.contains(&note) && said.contains("name only one of its runs"), "{out}");
        let document = json(&here.run(&[&args[..], &["--format", "json"]].concat()).1);
        assert_eq!(document["boards"].as_array().unwrap().len(), 3, "{document}");
        assert!(document["notes"].to_string().contains("3 runs are redacted,"));
    }
    let listed = here.run(&["fleet", "list"]).1;
    assert!(listed.contains("host-1-00014567") && listed.contains("host-1-00034567"), "{listed}");
    // The same serial number was on all of them; here each is a drive of its own.
    let (code, _, err) = here.run(&["runs", "trend", "Ultra serial"]);
    assert!(code == 2 && err.contains("matches 3 drives"), "{err}");
    // The run itself and its redacted bundle have one ID, and neither replaces the other.
    let whole = there.dir.path().join("1.jsonl");
    let (code, _, err) = here.run(&["import", whole.to_str().unwrap()]);
    assert!(code == 3 && err.contains("bakeoff runs rm") && err.contains("redacted"), "{err}");
}
