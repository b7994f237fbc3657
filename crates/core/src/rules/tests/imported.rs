//! Texts and tables of others for the tests of rules.

use std::collections::BTreeSet;

use crate::import::{Finder, studies};
use crate::model::finding::Finding;
use crate::rules;
use crate::study::facts::Facts;

pub(crate) fn ids(text: &str) -> Vec<String> {
    printed(text).into_iter().map(|f| f.id).collect()
}

/// What is found in the outputs of tools.
pub(crate) fn printed(text: &str) -> Vec<Finding> {
    let imported = Finder::all(text.as_bytes());
    assert!(!imported.results.is_empty(), "{text}");
    imported.results.into_iter().flat_map(|r| r.findings).collect()
}

#[test]
fn the_studies_trigger_what_their_figures_show() {
    for (name, expected) in [
        ("mountpoints", &["L14", "L19", "L26"][..]),
        ("usb-stick", &["L23", "L24"]),
        ("block-size-sweep", &["L22"]),
        ("luks-btrfs", &[]),
        ("journal-scheduler", &[]),
    ] {
        let table = studies::find(name).unwrap().table();
        let table = table.replace(&format!("\n{name},"), "\nrenamed,");
        let found: BTreeSet<String> = ids(&table).into_iter().collect();
        assert_eq!(found, expected.iter().map(|id| (*id).to_string()).collect(), "{name}");
    }
}

const HEAD: &str = "study,host,device,filesystem,encryption,tool,test,block_size_bytes,metric,\
                    value,unit,note\n";

/// Findings of a table of `rows` (from the filesystem on) about one stick, with facts beside.
pub(crate) fn found(rows: &[&str], facts: &str) -> Vec<Finding> {
    let rows: Vec<String> = rows.iter().map(|row| format!("Pi 3,a stick,{row}")).collect();
    compared(&rows.iter().map(String::as_str).collect::<Vec<_>>(), facts)
}

/// The same with the host and the device in each row. Facts: `key=value`, separated by `; `, those
/// about one filesystem as `key@ext4=value`.
pub(crate) fn compared(rows: &[&str], facts: &str) -> Vec<Finding> {
    let rows = rows.iter().map(|row| format!("somebody,{row}\n"));
    let text = HEAD.to_string() + &rows.collect::<String>();
    let imported = Finder::all(text.as_bytes());
    assert!(!imported.results.is_empty(), "{:?}", imported.unread);
    let facts: String =
        facts.split("; ").filter_map(|fact| fact.split_once('=')).map(fact).collect();
    let facts = Facts::parse(&facts).unwrap();
    let single = imported.results.iter().flat_map(|r| r.findings.clone());
    single.chain(rules::study(&imported, &facts)).collect()
}

fn fact((key, value): (&str, &str)) -> String {
    let (key, candidate) = key.split_once('@').unwrap_or((key, ""));
    format!(
        "[[fact]]\nkey = \"{key}\"\ncandidate = \"{candidate}\"\nvalue = \"{value}\"\n\
         says = \"it says {value}\"\n"
    )
}

pub(crate) fn fires(id: &str, rows: &[&str], fact: &str) -> bool {
    let found = found(rows, fact);
    let of = found.iter().find(|f| f.id == id);
    assert!(of.is_none_or(|f| !f.evidence.is_empty() && f.advice.ends_with('.')), "{of:?}");
    of.is_some()
}

/// Two candidates, the second at so many MB/s.
pub(crate) const TWO: [&str; 2] = [
    "ext4,none,dd,sequential write,1048576,throughput,10,MB/s,",
    "xfs,none,dd,sequential write,1048576,throughput,11,MB/s,",
];
