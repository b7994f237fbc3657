//! A secret in every text of a run is in no bundle and no pasted block, and the verdicts stay.

use serde_json::Value;

use super::hostile::show;
use super::sample;
use crate::bundle::public::{KEPT, is_kept};
use crate::bundle::{decode, encode, public};
use crate::paste::paste;
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::testing::RunBuilder;
use bakeoff_model::event::Event;
use bakeoff_model::path::RawPath;
use bakeoff_model::run::Run;

const SECRET: &str = "/home/ada/s3cr3t";

/// Every text of a value: its JSON pointer, and the two names that it is found by.
fn texts(value: &Value, pointer: &str, of: &str, key: &str, out: &mut Vec<[String; 3]>) {
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(at, item)| {
            texts(item, &format!("{pointer}/{at}"), of, key, out);
        }),
        Value::Object(map) => map.iter().for_each(|(name, item)| {
            texts(item, &format!("{pointer}/{name}"), key, name, out);
        }),
        Value::String(_) => out.push([pointer, of, key].map(str::to_string)),
        _ => {}
    }
}

/// The lines with the secret in every text that is not kept.
fn planted() -> Vec<String> {
    let plant = |event: &Event| {
        let mut event = serde_json::to_value(event).unwrap();
        let mut all = Vec::new();
        texts(&event, "", "", "", &mut all);
        for [pointer, of, key] in all.iter().filter(|[_, of, key]| !is_kept(of, key)) {
            let text = event.pointer_mut(pointer).unwrap();
            let before = std::mem::replace(text, Value::from(SECRET));
            // The plain words of the format: ways back without a value.
            if serde_json::from_value::<Event>(event.clone()).is_err() {
                assert_eq!((of.as_str(), key.as_str()), ("step_planned", "undo"));
                *event.pointer_mut(pointer).unwrap() = before;
            }
        }
        event.to_string()
    };
    sample::events().iter().map(plant).collect()
}

fn folded(lines: &[String]) -> Run {
    let events: Vec<Event> = lines.iter().map(|l| serde_json::from_str(l).unwrap()).collect();
    Run::fold(&events).unwrap()
}

#[test]
fn every_field_of_the_list_is_in_a_run() {
    let mut found = Vec::new();
    for event in sample::events() {
        texts(&serde_json::to_value(event).unwrap(), "", "", "", &mut found);
    }
    // No slice of it is void.
    for (of, keys) in KEPT.iter().filter(|(of, _)| *of != "slices") {
        for key in keys.split(' ') {
            assert!(found.iter().any(|[_, a, b]| (a, b) == (&of.to_string(), &key.to_string())));
        }
    }
}

#[test]
fn a_secret_in_every_text_is_in_no_bundle_and_no_paste() {
    let lines = planted();
    let count = lines.iter().map(|line| line.matches(SECRET).count()).sum::<usize>();
    assert!(count > 200, "{count} texts");
    let public = public(&lines).unwrap();
    let head = sample::head();
    let bundle = encode(&head, &public).unwrap();
    for lost in [SECRET, "ada", "/mnt/usb", "/mnt/card"] {
        assert!(!bundle.contains(lost), "{lost} in {bundle}");
    }
    assert_eq!(decode(bundle.as_bytes()), Ok(head));
    show(bundle.as_bytes());
    let block = paste(&folded(&lines), analyse).unwrap();
    assert!(!block.contains("ada") && !block.contains("/mnt"), "{block}");
}

#[test]
fn a_bundle_gives_the_same_verdicts() {
    let rate = |block, c, w| {
        f64::from(1 + u32::from(c)) * (1e6 + f64::from(block % 3) + f64::from(u32::from(w)))
    };
    let directories = RunBuilder::directories(&["/home/ada", "/mnt/s3cr3t on x"]).play(9, rate);
    let directories: Vec<String> =
        directories.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    for original in [
        directories,
        sample::lines(),
        lines(include_str!("../../../../../../fixtures/runs/demo.jsonl")),
        lines(include_str!("../../../../../../fixtures/runs/places.jsonl")),
        lines(include_str!("../../../../../../fixtures/runs/sweep.jsonl")),
    ] {
        let public = public(&original).unwrap();
        assert!(!public.concat().contains("s3cr3t"));
        let [one, other] = [&original, &public].map(|lines| analyse(&folded(lines)));
        assert_eq!(one.verdicts.len(), other.verdicts.len());
        for (one, other) in one.verdicts.iter().zip(&other.verdicts) {
            let ratios = |of: &[bakeoff_model::verdict::Effect]| {
                of.iter().map(|e| (e.ratio, e.low, e.high, e.blocks)).collect::<Vec<_>>()
            };
            assert_eq!((one.verdict, &one.workload), (other.verdict, &other.workload));
            assert_eq!(ratios(&one.effects), ratios(&other.effects));
            let ids = |all: &[bakeoff_model::finding::Finding]| {
                all.iter().map(|f| f.id.clone()).collect::<Vec<_>>()
            };
            assert_eq!(ids(&one.findings), ids(&other.findings));
        }
    }
}

#[test]
fn two_bundles_are_never_of_one_machine() {
    let host = |run: &str| {
        let of = |line: String| line.replace(sample::RUN, run);
        let lines: Vec<String> = sample::lines().into_iter().map(of).collect();
        folded(&public(&lines).unwrap()).header.host.hostname
    };
    assert_eq!(host(sample::RUN), "bundle-01234567");
    assert_ne!(host(sample::RUN), host("fedcba9876543210"));
    let lines = public(&sample::lines()).unwrap();
    let targets: Vec<RawPath> =
        folded(&lines).header.regions().map(|region| region.target.clone()).collect();
    assert_eq!(targets, ["drive 1", "drive 2"].map(RawPath::new));
}
