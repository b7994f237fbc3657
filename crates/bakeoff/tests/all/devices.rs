//! `bakeoff` and `bakeoff devices` as a user meets them, on the machine the tests run on.

use std::process::Command;

fn bakeoff() -> Command {
    Command::new(env!("CARGO_BIN_EXE_bakeoff"))
}

fn stdout(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn without_a_command_the_drives_and_what_to_type_next() {
    let text = stdout(&mut bakeoff());
    let (_, next) = text.split_once("Next:\n  ").unwrap();
    // One command and what it does, at the end.
    let (command, why) = next.split_once('\n').unwrap();
    assert!(command.contains("bakeoff "), "{text}");
    assert!(why.lines().all(|line| line.starts_with("    ")), "{text}");
    assert!(text.contains("bakeoff quick "), "{text}");
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn json_is_one_document_that_names_its_schema() {
    let text = stdout(bakeoff().args(["devices", "--format", "json"]));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], "bakeoff/devices/1");
    for drive in value["drives"].as_array().unwrap() {
        let is_safe = drive["safe_to_erase"].as_bool().unwrap();
        assert_eq!(is_safe, drive["reasons"].as_array().unwrap().is_empty(), "{drive}");
        // Without root nobody may read the contents, which are part of the token.
        let has_token = is_safe && rustix::process::geteuid().is_root();
        assert_eq!(has_token, drive["erase_token"].is_string(), "{drive}");
    }
}
