//! Finding, naming and following stored runs, as a user does.

use crate::stored::{Home, RUN, json};
use serde_json::Value;

/// The drive of the kept run.
const DRIVE: &str = "4C5300";

fn listed(home: &Home, options: &[&str]) -> Vec<String> {
    let args = [&["runs", "--format", "json"], options].concat();
    let (code, out, err) = home.run(&args);
    assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
    let runs = json(&out)["runs"].as_array().unwrap().clone();
    runs.iter().map(|run| run["run"].as_str().unwrap().to_string()).collect()
}

#[test]
fn runs_are_found_by_a_part_of_what_is_known_of_them() {
    let home = Home::with_run();
    let other = "fedcba9876543210";
    home.add_changed(other, |text| {
        text.replace("\"hostname\":\"pi\"", "\"hostname\":\"attic\"").replace(DRIVE, "FFFF00")
    });
    assert_eq!(home.run(&["runs", "label", "fedc", "spare stick"]).0, 0);
    let (one, two) = (vec![RUN.to_string()], vec![other.to_string()]);
    // Once from the events, once from what the first search kept.
    for _ in 0..2 {
        for (text, found) in [("4c53", &one), ("ffff00", &two), ("ATTIC", &two), ("STICK", &two)] {
            assert_eq!(listed(&home, &[text]), *found, "{text}");
        }
        assert_eq!(listed(&home, &["FEDC"]), two);
        assert_eq!(listed(&home, &["/mnt/usb"]).len(), 2);
        assert_eq!(listed(&home, &["100%_sure"]), Vec::<String>::new());
    }
    let (code, out, _) = home.run(&["runs", "nowhere"]);
    assert!(code == 0 && out.contains("No stored run matches"), "{out}");
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
