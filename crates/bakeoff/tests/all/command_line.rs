//! The man pages and completions that `make install` puts beside the program: a real shell
//! completes with them, and groff has nothing to say against the pages.

// Its `main` is for whoever makes the files.
#[allow(dead_code)]
#[path = "../../examples/command_line.rs"]
mod example;

use std::path::Path;
use std::process::Command;

use crate::skip;
use tempfile::TempDir;

fn written() -> TempDir {
    let folder = TempDir::new().unwrap();
    example::write(folder.path()).unwrap();
    folder
}

/// What bash offers for the last of the words.
fn offered(file: &Path, words: &str) -> Vec<String> {
    // As bash calls it: with the command, the word, and the word before.
    let script = format!(
        "source {} && COMP_WORDS=({words}) && COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) \
         && _bakeoff bakeoff \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\" \
         && printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        file.display()
    );
    let done = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_their_words() {
    if skip::lacks_command("bash") {
        return;
    }
    let folder = written();
    let file = folder.path().join("bash/bakeoff.bash");
    assert_eq!(offered(&file, "bakeoff qu"), ["quick"]);
    assert_eq!(offered(&file, "bakeoff run --er"), ["--erase"]);
    assert_eq!(offered(&file, "bakeoff show --format m"), ["markdown"]);
}

#[test]
fn every_command_has_a_page_that_groff_formats_without_a_word() {
    if skip::lacks_command("groff") {
        return;
    }
    let folder = written();
    let all = bakeoff::command();
    for name in all.get_subcommands().map(|one| one.get_name()) {
        let page = folder.path().join(format!("man1/bakeoff-{name}.1"));
        let done = Command::new("groff").args(["-man", "-Tutf8", "-ww"]).arg(&page).output();
        let done = done.unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && said.is_empty(), "{}: {said}", page.display());
        assert!(!done.stdout.is_empty(), "{} is empty", page.display());
    }
    let main = std::fs::read_to_string(folder.path().join("man1/bakeoff.1")).unwrap();
    assert!(main.contains("Exit codes"), "{main}");
}
