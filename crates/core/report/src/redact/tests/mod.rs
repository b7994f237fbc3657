//! Secrets planted in every field of a run and in sentences are found in none afterwards.

mod planted;
mod vocabulary;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::bundle;
use bakeoff_model::event::Event;
use bakeoff_model::run::Run;

const BUNDLE: &str = include_str!("../../../../../../fixtures/bundle/v0.1.0.jsonl");

/// The events of the kept bundle.
fn events() -> Vec<Value> {
    let lines = BUNDLE.lines().map(|line| serde_json::from_str(line).unwrap());
    let all: Vec<Value> = lines.collect();
    all[1..all.len() - 1].to_vec()
}

fn redacted(events: &[Value]) -> (Redactor, Vec<Value>) {
    let mut redactor = Redactor::of_run(crate::bundle::tests::sample::RUN);
    events.iter().for_each(|event| learn(&mut redactor, event));
    let out = events.iter().map(|event| replace(&mut redactor, event)).collect();
    (redactor, out)
}

/// One secret as it is found in the field that carries it, and what must not be left of it.
struct Secret {
    field: (&'static str, Value),
    in_text: String,
    lost: Vec<String>,
}

/// A secret of one of eleven kinds, made of two words and a number that nothing else has.
fn secret(index: usize, (one, two): &(String, String)) -> Secret {
    let number = index as u32 * 65_537 + 7;
    let [a, b, c, d] = number.to_be_bytes();
    let hex = format!("{number:08x}");
    let whole = |key: &'static str, value: String| Secret {
        field: (key, json!(value.clone())),
        in_text: value.clone(),
        lost: vec![value],
    };
    let parts = |key: &'static str, value: String| Secret {
        field: (key, json!(value.clone())),
        in_text: value,
        lost: vec![one.clone(), two.clone()],
    };
    match index % 11 {
        0 => whole("hostname", format!("{one}.{two}.example")),
        1 => whole("serial", format!("{one}{number}")),
        2 => whole("label", format!("{one} {two}")),
        3 => whole("token", format!("{one}-{number}")),
        4 => parts("mount_point", format!("/home/{one}/{two}")),
        5 => parts("by_id", format!("/dev/disk/by-id/usb-{one}_{two}-0:0")),
        6 => Secret {
            field: ("command", json!(["bakeoff", "quick", format!("{one}/{two}"), "--time", "3m"])),
            ..parts("", format!("{one}/{two}"))
        },
        7 => whole("note", format!("{}.{b}.{c}.{d}", 11 + a % 200)),
        8 => whole("note", format!("B8:27:{a:02X}:{b:02X}:{c:02X}:{d:02X}")),
        9 => whole("boot_id", format!("{hex}-1111-4222-8333-4444{hex}")),
        _ => parts("source", format!("{one}:/srv/{two}")),
    }
}

/// Puts a sentence with a secret behind every string, and counts them.
fn plant(value: &mut Value, secrets: &[Secret], next: &mut usize) {
    match value {
        Value::String(text) => {
            let secret = &secrets[*next % secrets.len()];
            *text = format!("{text} failed on {}: retry", secret.in_text);
            *next += 1;
        }
        Value::Array(list) => list.iter_mut().for_each(|item| plant(item, secrets, next)),
        Value::Object(map) => map.values_mut().for_each(|item| plant(item, secrets, next)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn two_hundred_planted_secrets_are_gone_from_every_field(
        words in proptest::collection::btree_map("[a-z]{2}[A-Z0-9]{7}[a-z]{2}", "[A-Z]{3}[a-z0-9]{8}", 200)
    ) {
        let words: Vec<(String, String)> = words.into_iter().collect();
        let secrets: Vec<Secret> = words.iter().enumerate().map(|(i, w)| secret(i, w)).collect();
        let mut all = events();
        let mut planted = 0;
        all.iter_mut().for_each(|event| plant(event, &secrets, &mut planted));
        prop_assert!(planted > secrets.len(), "only {planted} fields");
        all.extend(secrets.iter().map(|secret| {
            let (key, value) = &secret.field;
            json!({ *key: value, "evidence": secret.in_text })
        }));
        let (_, out) = redacted(&all);
        let text = serde_json::to_string(&out).unwrap().to_ascii_lowercase();
        for lost in secrets.iter().flat_map(|secret| &secret.lost) {
            prop_assert!(!text.contains(&lost.to_ascii_lowercase()), "{lost} is still there");
        }
    }

    #[test]
    fn any_text_is_taken_and_redacting_twice_changes_nothing(text in "\\PC{0,80}") {
        let mut redactor = Redactor::default();
        redactor.learn(Kind::Host, "atlas9");
        let once = redactor.text(&text);
        let again = redactor.text(&once);
        prop_assert_eq!(once, again);
    }
}

#[test]
fn a_redacted_run_folds_and_says_the_same() {
    let (redactor, out) = redacted(&events());
    let read = |all: &[Value]| -> Run {
        let all: Vec<Event> =
            all.iter().map(|e| serde_json::from_value(e.clone()).unwrap()).collect();
        Run::fold(&all).unwrap()
    };
    let (before, after) = (read(&events()), read(&out));
    let figures = |run: &Run| {
        let cells = run.blocks.iter().flat_map(|block| &block.cells);
        cells.map(|cell| (cell.began_ns, cell.measurement.elapsed_ns)).collect::<Vec<_>>()
    };
    assert_eq!(figures(&before), figures(&after));
    assert_eq!(before.header.run, after.header.run);
    assert_eq!(after.header.host.hostname, "host-1-01234567");
    assert_eq!(after.header.host.model, before.header.host.model);
    let originals: Vec<String> = redactor.replaced().into_iter().map(|r| r.original).collect();
    for lost in ["4C5300", "usb-SanDisk_Ultra", "6f1c"] {
        assert!(originals.iter().any(|o| o == lost), "{lost}: {originals:?}");
        assert!(!serde_json::to_string(&out).unwrap().contains(lost), "{lost}");
    }
    let lines: Vec<String> = out.iter().map(|e| e.to_string()).collect();
    let head = serde_json::from_str(BUNDLE.lines().next().unwrap()).unwrap();
    bundle::encode(&head, &lines).unwrap();
}

#[test]
fn one_value_has_one_pseudonym_everywhere() {
    let mut redactor = Redactor::default();
    redactor.learn(Kind::Serial, "S4B2NJ0M1234");
    redactor.learn(Kind::Label, "My Disk");
    assert_eq!(redactor.field(Kind::Serial, "S4B2NJ0M1234"), "serial-1");
    assert_eq!(
        redactor.text("usb-Samsung_s4b2nj0m1234-0:0 and 'S4B2NJ0M1234' on My Disk, My_Disk"),
        "usb-Samsung_serial-1-0:0 and 'serial-1' on label-1, label-1"
    );
    assert_eq!(
        redactor.text("/home/ada/x and /home/ada/y"),
        "/home/user-1/name-1 and /home/user-1/name-2"
    );
    let times: Vec<u64> = redactor.replaced().iter().map(|r| r.times).collect();
    assert_eq!(times.iter().sum::<u64>(), 9);
}

/// A user called pi made every Raspberry Pi unreadable, and a directory called ext4 every answer.
#[test]
fn common_words_and_short_names_stay_in_sentences() {
    let mut redactor = Redactor::default();
    for word in ["pi", "ext4", "root", "demo", "42", "0000"] {
        redactor.learn(Kind::User, word);
    }
    redactor.learn_path("/home/pi/ext4");
    let text = "Raspberry Pi 4: ext4 is fastest in demo 42, started by root at 300 MB/s";
    assert_eq!(redactor.text(text), text);
    assert_eq!(redactor.text("on /home/pi/ext4"), "on /home/user-1/name-1");
}

/// No run of the engine could be exported: the word for its clock was taken for a mount's source.
#[test]
fn the_source_of_the_time_is_no_name() {
    let cell = json!({"clock": {"source": "counter"}, "mount": {"source": "tank/private"}});
    let (_, out) = redacted(&[cell]);
    assert_eq!(out[0]["clock"]["source"], "counter");
    assert!(!out[0]["mount"]["source"].to_string().contains("tank"), "{out:?}");
}

/// A run on /dev/shm was on "name-1": the kernel's word for its source was taken for a pool's.
#[test]
fn filesystems_without_a_device_keep_their_names() {
    let place = json!({"source": "tmpfs", "fs": "tmpfs", "mount_point": "/dev/shm"});
    assert_eq!(redacted(std::slice::from_ref(&place)).1, [place]);
}

#[test]
fn the_parts_of_a_far_end_are_known_alone() {
    let place = json!({"source": "ada9@atlas9.example:/srv", "title": "atlas9 of ada9"});
    let (_, out) = redacted(&[place]);
    assert!(!out[0].to_string().contains("atlas9") && !out[0].to_string().contains("ada9"));
}
