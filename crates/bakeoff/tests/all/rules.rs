//! The texts of rules name options and commands that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::bench;
use bakeoff_judge::evidence::advice::SETTINGS;
use bakeoff_model::verb::Verb;

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
    for (option, have) in SETTINGS {
        let in_bench = bench.contains(option);
        assert!(in_bench || !have.is_empty(), "no command has --{option}");
        for command in [Verb::Run, Verb::Quick, Verb::Demo] {
            let has = options_of(command.word()).contains(option);
            assert_eq!(has, have.contains(&command), "{command} --{option}");
        }
    }
}

/// Options of programs that are not ours, as advice and the outputs in tests of rules spell them.
const FOREIGN: [&str; 8] = [
    "direct-io",
    "disable_clat",
    "dump",
    "file-fsync-freq",
    "gtod_cpu",
    "gtod_reduce",
    "ioengine",
    "name",
];

/// What advice names is there: every option belongs to a command, and what stands as a command
/// after the program's name is one, in each text of the rules that is no prose.
#[test]
fn options_and_commands_in_the_texts_of_rules_exist() {
    let commands = ["run", "quick", "demo", "bench", "resume", "plan", "compare"];
    let commands = commands.into_iter().chain(["show", "probe"]);
    let commands = commands.chain(["devices", "watch", "clean"]);
    let commands: BTreeSet<&str> = commands.chain(["runs"]).collect();
    let help = bench::Bench::new().run(&["--help"]).out;
    let all = commands.iter().flat_map(|c| options_of(c)).chain(words_after(&help, "--"));
    let all: BTreeSet<String> = all.collect();
    let mut known: BTreeSet<&str> = all.iter().map(String::as_str).collect();
    known.extend(FOREIGN);
    let core = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/judge/src"));
    let text = ["evidence", "rules"].map(|folder| sources(&core.join(folder))).concat();
    let text = text + include_str!("../../../core/judge/data/rules.toml");
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
