//! Texts and tables of others for the tests of rules.

use std::collections::BTreeSet;

use crate::import;
use bakeoff_model::finding::Finding;

pub fn ids(text: &str) -> Vec<String> {
    printed(text).into_iter().map(|f| f.id).collect()
}

/// What is found in the outputs of tools.
pub fn printed(text: &str) -> Vec<Finding> {
    let imported = import::all(text.as_bytes());
    assert!(!imported.results.is_empty(), "{text}");
    imported.results.into_iter().flat_map(|r| r.findings).collect()
}

macro_rules! study {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../../../fixtures/studies/", $name, ".csv")))
    };
}

#[test]
fn the_studies_trigger_what_their_figures_show() {
    for ((name, table), expected) in [
        (study!("mountpoints"), &["L14", "L19", "L26"][..]),
        (study!("usb-stick"), &[]),
        (study!("block-size-sweep"), &["L22"]),
        (study!("luks-btrfs"), &[]),
        (study!("journal-scheduler"), &[]),
    ] {
        let table = table.replace(&format!("\n{name},"), "\nrenamed,");
        let found: BTreeSet<String> = ids(&table).into_iter().collect();
        assert_eq!(found, expected.iter().map(|id| (*id).to_string()).collect(), "{name}");
    }
}
