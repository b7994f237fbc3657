//! Every rule of the registry is tested: once it fires, and once it comes close and does not.

// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use bakeoff_core::lint::registry;

/// The sources below a folder, as one text.
fn sources(folder: &Path) -> String {
    let read = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false if path.extension().is_some_and(|e| e == "rs") => fs::read_to_string(path).unwrap(),
        false => String::new(),
    };
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| read(entry.unwrap().path())).collect()
}

/// A rule is in the name of the test that makes it fire and come close, or one of the published
/// studies has it and another, under the same test, has not.
#[test]
fn every_rule_has_a_test_that_is_called_after_it() {
    let all = sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/src")));
    let names: Vec<&str> = all.lines().filter_map(|l| l.trim().strip_prefix("fn ")).collect();
    let studies: Vec<&str> = include_str!("../../core/src/import/study/tests.rs")
        .split('"')
        .filter(|text| text.starts_with('L') && text.split(' ').count() > 5)
        .collect();
    assert_eq!(studies.len(), 5, "{studies:?}");
    for rule in registry::all().into_iter().filter(|rule| rule.id.starts_with('L')) {
        let word = rule.id.to_lowercase();
        let is_named = names.iter().any(|n| n.split(['_', '(']).any(|part| part == word));
        let in_some = studies.iter().any(|list| list.contains(rule.id));
        let in_all = studies.iter().all(|list| list.contains(rule.id));
        assert!(is_named || (in_some && !in_all), "no test is called after {}", rule.id);
    }
}
