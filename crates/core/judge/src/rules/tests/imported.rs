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

/// An output of iozone with records of so many KiB.
pub fn iozone(kib: u32) -> Vec<Finding> {
    printed(&format!(
        "Command line used: iozone -s 1000m -r {kib}k -e\n\tOutput is in kBytes/sec\n\
         \x20             kB  reclen    write  rewrite    read    reread\n\
         \x20        1024000   {kib}    10000    10000    18000    18000\n"
    ))
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
        (study!("usb-stick"), &["L23", "L24"]),
        (study!("block-size-sweep"), &["L22"]),
        (study!("luks-btrfs"), &[]),
        (study!("journal-scheduler"), &[]),
    ] {
        let table = table.replace(&format!("\n{name},"), "\nrenamed,");
        let found: BTreeSet<String> = ids(&table).into_iter().collect();
        assert_eq!(found, expected.iter().map(|id| (*id).to_string()).collect(), "{name}");
    }
}

const HEAD: &str = "study,host,device,filesystem,encryption,tool,test,block_size_bytes,metric,\
                    value,unit,note\n";

/// Findings of a table of `rows` (from the filesystem on) about one stick.
pub fn found(rows: &[&str]) -> Vec<Finding> {
    let rows = rows.iter().map(|row| format!("somebody,Pi 3,a stick,{row}\n"));
    printed(&(HEAD.to_string() + &rows.collect::<String>()))
}

pub fn fires(id: &str, rows: &[&str]) -> bool {
    let found = found(rows);
    let of = found.iter().find(|f| f.id == id);
    assert!(of.is_none_or(|f| !f.evidence.is_empty() && f.advice.ends_with('.')), "{of:?}");
    of.is_some()
}
