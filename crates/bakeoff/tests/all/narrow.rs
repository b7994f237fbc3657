//! Text on terminals of 40 columns.
//!
//! `script` of util-linux gives the program a terminal; what is wrong with a line is found in what
//! came out of it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::skip;
use crate::stored::Home;

/// Commands whose words do not change from one call to the next.
const STEADY: [&[&str]; 6] = [
    &["runs"],
    &["show", "last"],
    &["show", "last", "--details"],
    &["compare", "0123", "aaaa"],
    &["plan", "sd-card"],
    &["plan"],
];

/// The kept run, and the same on another board under another id.
fn home() -> Home {
    let home = Home::with_run();
    home.add_changed("aaaa456789abcdef", |text| {
        text.replace("\"hostname\":\"pi\"", "\"hostname\":\"pi-2\"")
    });
    home
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ")
}

/// What bakeoff prints on a terminal of so many columns.
fn on_terminal(home: &Home, args: &[&str], columns: u32) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_bakeoff"));
    let store = home.store();
    let path = |path: &Path| path.to_str().unwrap().to_string();
    let mut words = vec![path(program), "--store".to_string(), path(&store)];
    words.extend(args.iter().map(|arg| (*arg).to_string()));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let line = format!("stty cols {columns} rows 24; exec {}", quoted(&words));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(home.dir.path());
    script.env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8").env_remove("SUDO_UID");
    let output = script.stdin(std::process::Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n");
    assert!(!text.contains("panicked"), "{text}");
    text
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}

#[test]
fn forty_columns_break_no_word_and_no_line_is_longer() {
    if skip::lacks_command("script") {
        return;
    }
    let home = home();
    for args in STEADY {
        let narrow = on_terminal(&home, args, 40);
        // Where there is less room some things are said in fewer words.
        let wider = [41, 56, 200].map(|width| on_terminal(&home, args, width)).join("\n");
        for line in narrow.lines() {
            // A path or command longer than a line is left whole, to be copied.
            let is_one_word = line.split_whitespace().count() == 1;
            assert!(line.chars().count() <= 40 || is_one_word, "{args:?}: {line:?}\n{narrow}");
        }
        let known = words(&wider);
        let is_broken = |word: &&str| {
            let is_word = word.len() > 3 && word.chars().all(char::is_alphabetic);
            is_word && !known.contains(word)
        };
        let broken: Vec<&str> = words(&narrow).into_iter().filter(is_broken).collect();
        assert!(broken.is_empty(), "{args:?}: {broken:?}\n{narrow}");
    }
}
