//! `--version --verbose` as a user meets it.

use std::fs;

use crate::stored::Home;

#[test]
fn version_tells_what_a_bug_report_needs() {
    let home = Home::with_run();
    let (code, short, _) = home.run(&["--version"]);
    assert_eq!((code, short.lines().count()), (0, 1), "{short}");
    let (code, text, err) = home.run(&["--version", "--verbose"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(text.starts_with(&short), "{text}");
    for part in ["target", "-linux-", "kernel   Linux ", "SQLite   3.", "bakeoff.db"] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    assert_eq!(home.run(&["--verbose"]).0, 2);
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
