//! Each of the five studies has the findings that its data, commands and facts show, whatever it
//! is called.

use std::collections::BTreeSet;

use super::facts::Facts;
use crate::import::{Finder, Imported, studies};
use crate::model::finding::Finding;

/// The list of each study.
const EXPECTED: [(&str, &str); 5] = [
    ("mountpoints", "L01 L02 L05 L09 L10 L14 L15 L18 L19 L26 L27 L29 L32 L33 L36 L45 L52 L61"),
    ("usb-stick", "L01 L03 L04 L06 L12 L20 L23 L24 L25 L32 L34 L40 L41 L44 L60 L61 L65"),
    ("journal-scheduler", "L01 L03 L10 L12 L13 L16 L21 L28 L29 L32 L39 L45 L52 L53 L55 L64 L66"),
    (
        "luks-btrfs",
        "L01 L02 L05 L07 L08 L17 L22 L25 L30 L32 L34 L41 L42 L43 L51 L52 L53 L54 L62 L63 L64 L65",
    ),
    ("block-size-sweep", "L01 L02 L13 L16 L20 L22 L27 L32 L34 L35 L41 L42 L45 L52 L53 L64 L65"),
];

fn all(imported: &Imported, facts: &Facts) -> Vec<Finding> {
    let single = imported.results.iter().flat_map(|r| r.findings.clone());
    single.chain(crate::rules::study(imported, facts)).collect()
}

fn ids(imported: &Imported, facts: &Facts) -> String {
    let all = all(imported, facts);
    let ids: BTreeSet<&str> = all.iter().map(|f| f.id.as_str()).collect();
    Vec::from_iter(ids).join(" ")
}

#[test]
fn each_study_triggers_exactly_its_list() {
    for (name, expected) in EXPECTED {
        let study = studies::find(name).unwrap();
        let imported = Finder::all(study.table().as_bytes());
        assert_eq!(ids(&imported, &Facts::parse(study.facts).unwrap()), expected, "{name}");
    }
}

#[test]
fn under_the_name_of_another_study_each_triggers_the_same() {
    for (name, expected) in EXPECTED {
        let study = studies::find(name).unwrap();
        let facts = Facts::parse(study.facts).unwrap();
        let told = all(&Finder::all(study.table().as_bytes()), &facts);
        for other in EXPECTED.map(|row| row.0).into_iter().chain(["nobody"]) {
            let table = study.table().replace(&format!("\n{name},"), &format!("\n{other},"));
            let imported = Finder::all(table.as_bytes());
            assert!(imported.results.iter().all(|r| r.context.as_deref() == Some(other)));
            assert_eq!(all(&imported, &facts), told, "{name} as {other}");
            assert_eq!(ids(&imported, &facts), expected, "{name} as {other}");
        }
    }
}

#[test]
fn without_a_fact_what_rests_on_it_is_gone() {
    for (name, expected) in EXPECTED {
        let study = studies::find(name).unwrap();
        let imported = Finder::all(study.table().as_bytes());
        let facts = Facts::parse(study.facts).unwrap();
        for at in 0..facts.fact.len() {
            let mut fewer = facts.clone();
            let fact = fewer.fact.remove(at);
            let (all, without) = (all(&imported, &facts), all(&imported, &fewer));
            assert_ne!(all, without, "{name}: nothing rests on {fact:?}");
            let left = ids(&imported, &fewer);
            assert!(left.split(' ').all(|id| expected.contains(id)), "{name}: {left}");
        }
        let alone = ids(&imported, &Facts::default());
        assert!(alone.contains("L32") && alone.len() < expected.len(), "{name}: {alone}");
    }
}

#[test]
fn one_tool_s_output_is_no_comparison() {
    let text = include_bytes!("../../../../../fixtures/tools/fio/json_seqread_direct.stdout");
    assert_eq!(crate::rules::study(&Finder::all(text), &Facts::default()), []);
}
