//! Every rule of the registry is tested: once it fires, and once it comes close and does not.

// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use bakeoff_core::lint::{advice, registry};

#[path = "support/bench.rs"]
mod bench;

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

/// The options in the help of a command.
fn options_of(command: &str) -> BTreeSet<String> {
    let help = bench::Bench::new().run(&[command, "--help"]).out;
    words_after(&help, "--")
}

/// What follows `prefix` in a text, as far as an option's name goes.
fn words_after(text: &str, prefix: &str) -> BTreeSet<String> {
    let ends = |c: char| !(c.is_ascii_lowercase() || c == '_' || c == '-');
    let names = text.split(prefix).skip(1).map(|rest| rest.split(ends).next().unwrap_or(""));
    names.filter(|name| !name.is_empty()).map(str::to_string).collect()
}

#[test]
fn advice_is_spelled_for_the_options_that_each_command_has() {
    let bench = options_of("bench");
    for (option, have) in advice::options() {
        let in_bench = bench.contains(option);
        assert!(in_bench || !have.is_empty(), "no command has --{option}");
        for command in ["run", "quick", "demo"] {
            let has = options_of(command).contains(option);
            assert_eq!(has, have.contains(&command), "{command} --{option}");
        }
    }
}

/// Options of programs that are not ours, as advice spells them.
const FOREIGN: [&str; 3] = ["direct-io", "dump", "file-fsync-freq"];

/// What advice names is there: every option belongs to a command, and what stands as a command
/// after the program's name is one, in each text of the rules that is no prose.
#[test]
fn options_and_commands_in_the_texts_of_rules_exist() {
    let commands = ["run", "quick", "demo", "bench", "resume", "plan", "compare", "check"];
    let commands = commands.into_iter().chain(["report", "show", "lint", "probe", "import"]);
    let commands = commands.chain(["devices", "export", "watch", "agree", "simulate", "clean"]);
    let commands: BTreeSet<&str> = commands.chain(["runs", "rm"]).collect();
    let all: BTreeSet<String> = commands.iter().flat_map(|c| options_of(c)).collect();
    let spelled = advice::options().map(|(name, _)| name);
    let mut known: BTreeSet<&str> = all.iter().map(String::as_str).chain(spelled).collect();
    known.extend(FOREIGN);
    let lint = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/src/lint"));
    let text = sources(lint);
    let literals = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let literals: String = literals.collect::<Vec<_>>().join("\n");
    let used = words_after(&literals, "--");
    assert!(used.len() > 15, "{used:?}");
    let unknown: Vec<&String> = used.iter().filter(|o| !known.contains(o.as_str())).collect();
    assert!(unknown.is_empty(), "no command has {unknown:?}");
    // "with: bakeoff resume", "`bakeoff show last`": what follows a colon or a backtick is typed.
    for typed in [": bakeoff ", "`bakeoff "] {
        for command in words_after(&literals, typed) {
            assert!(commands.contains(command.as_str()), "bakeoff {command}");
        }
    }
}
