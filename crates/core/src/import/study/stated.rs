//! Rules that rest on one stated fact each.

use super::{Study, found};
use crate::model::finding::{Finding, Severity};

const W: Severity = Severity::Warn;
const E: Severity = Severity::Error;
const R: Severity = Severity::Refuse;

/// Key and value of the fact, rule, severity, what to do. An empty value stands for any.
const RULES: [(&str, &str, &str, Severity, &str); 19] = [
    ("layout", "copied", "L05", E, "Lay the files out alike on every candidate."),
    ("state", "not restored", "L05", E, "Bring every candidate's flash into the same state first."),
    ("preconditioning", "none", "L06", W, "Overwrite the region first: fresh flash is faster."),
    ("recording", "smr", "L08", W, "Write tens of gigabytes: less lands in the drive's cache."),
    ("system_disk", "", "L10", E, "Measure a disk that the system does not run from."),
    ("sync", "not stated", "L13", R, "Say whether the clock waited for the flush (iozone -e)."),
    ("cache", "not dropped", "L16", E, "Drop the page cache before reads, or read directly."),
    ("repeats", "without figures", "L33", W, "Give every repeat, or their spread."),
    ("order", "fixed", "L34", E, "Measure in random order, several times."),
    ("significance", "no difference", "L39", W, "Correct for the number of comparisons."),
    ("cause", "", "L45", W, "Measure the layers below, one after the other, on the same place."),
    ("last", "", "L51", W, "Change the order: the last candidate meets the warmest drive."),
    ("background", "", "L52", E, "Stop what else uses the disk while it is measured."),
    ("lazy_init", "", "L53", E, "Make ext4 with lazy_itable_init=0, or wait until it is done."),
    ("monitor", "", "L54", W, "Measure without the monitor, or say what it costs."),
    ("swap", "", "L55", E, "Switch swap on the measured disk off."),
    ("unpinned", "", "L60", W, "Give the options of mkfs and mount."),
    ("raw", "", "L64", W, "Publish the tools' output as text."),
    ("unstated", "", "L65", W, "Give board, memory, kernel and device."),
];

/// What the facts alone show.
pub fn findings(study: &Study) -> Vec<Finding> {
    RULES
        .iter()
        .filter_map(|(key, value, id, severity, advice)| {
            let is = |value: &str, fact: &str| value.is_empty() || fact == value;
            let fact = study.facts.all(key).find(|fact| is(value, &fact.value))?;
            Some(found(id, *severity, fact.says.clone(), advice))
        })
        .collect()
}
