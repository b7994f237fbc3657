//! How severe each rule is, by what is claimed: the one table.
//!
//! A comparison of places as they are claims less than one of stacks, and a first look on an image
//! less than a published figure; the same observation therefore weighs differently.

use crate::model::event::Header;
use crate::model::finding::Severity;
use crate::model::protocol::Isolation;
use crate::model::setting::Setting;

const I: Severity = Severity::Info;
const W: Severity = Severity::Warn;
const E: Severity = Severity::Error;
const R: Severity = Severity::Refuse;

/// Rule; severity for places, an image, decide, precise.
pub const TABLE: &[(&str, [Severity; 4])] = &[
    ("L01", [W, R, R, R]),
    ("L02", [W, W, E, E]),
    ("L03", [W, W, W, E]),
    ("L04", [E, E, E, E]),
    ("L05", [W, W, E, E]),
    ("L06", [W, W, W, E]),
    ("L07", [W, W, W, E]),
    ("L08", [W, W, W, E]),
    ("L09", [W, W, W, W]),
    ("L10", [W, W, E, E]),
    ("L11", [R, R, R, R]),
    ("L12", [E, E, E, E]),
    ("L13", [R, R, R, R]),
    ("L14", [R, R, R, R]),
    ("L15", [R, R, R, R]),
    ("L16", [R, R, R, R]),
    ("L17", [W, E, E, E]),
    ("L18", [W, R, R, R]),
    ("L19", [W, W, W, W]),
    ("L20", [W, W, E, E]),
    ("L21", [R, R, R, R]),
    ("L22", [W, W, W, E]),
    ("L23", [W, W, W, W]),
    ("L24", [E, E, E, E]),
    ("L25", [E, E, E, E]),
    ("L26", [W, W, W, W]),
    ("L27", [W, W, W, W]),
    ("L28", [W, W, W, W]),
    ("L29", [W, W, W, W]),
    ("L30", [W, W, W, E]),
    ("L31", [W, W, W, W]),
    ("L32", [R, R, R, R]),
    ("L33", [W, W, W, W]),
    ("L34", [E, E, E, E]),
    ("L35", [E, E, E, E]),
    ("L36", [R, R, R, R]),
    ("L37", [W, W, W, E]),
    ("L38", [W, W, W, E]),
    ("L39", [W, W, W, E]),
    ("L40", [W, W, R, R]),
    ("L41", [W, W, W, W]),
    ("L42", [I, I, I, I]),
    ("L43", [E, E, E, E]),
    ("L44", [R, R, R, R]),
    ("L45", [I, I, I, I]),
    ("L46", [W, W, W, W]),
    ("L47", [E, E, E, E]),
    ("L48", [W, W, E, E]),
    ("L49", [R, R, R, R]),
    ("L50", [W, W, W, W]),
    ("L51", [W, W, W, E]),
    ("L52", [W, E, E, E]),
    ("L53", [W, E, E, E]),
    ("L54", [W, W, W, E]),
    ("L55", [R, R, R, R]),
    ("L56", [W, E, E, E]),
    ("L57", [W, W, E, E]),
    ("L58", [W, W, W, W]),
    ("L59", [W, W, W, W]),
    ("L60", [W, W, W, E]),
    ("L61", [W, E, E, E]),
    ("L62", [W, W, W, E]),
    ("L63", [W, W, E, E]),
    ("L64", [W, W, W, W]),
    ("L65", [W, W, W, W]),
    ("L66", [W, W, W, W]),
    ("L67", [I, I, I, I]),
    ("L68", [W, E, E, E]),
    ("cache-unknown", [W, W, E, E]),
    ("carry-over", [E, E, E, E]),
    ("control-found", [I, I, I, I]),
    ("control-missed", [W, W, E, E]),
    ("device-error", [R, R, R, R]),
    ("loop-not-direct", [W, E, E, E]),
    ("memory", [W, E, R, R]),
    ("methods-disagree", [W, W, W, W]),
    ("no-progress", [R, R, R, R]),
    ("rewritten", [W, W, W, W]),
    ("runs-differ", [R, R, R, R]),
    ("suspended", [R, R, R, R]),
    ("tool-share", [W, E, E, E]),
    ("unmeasured", [W, W, E, E]),
];

/// Rules about what others do on the machine. Candidates that are measured in turns meet it alike,
/// and their intervals say what it cost.
const SHARED: [&str; 2] = ["L52", "L53"];

/// Severity of rule `id` for the claims of a run; `None` when there is no such rule.
pub fn in_run(id: &str, header: &Header) -> Option<Severity> {
    let is_shared = SHARED.contains(&id) && header.protocol.isolation == Isolation::Slices;
    let severity = of(id, Setting::of(header))?;
    Some(if is_shared { severity.min(W) } else { severity })
}

/// Severity of rule `id`; `None` when there is no such rule.
pub fn of(id: &str, setting: Setting) -> Option<Severity> {
    TABLE.iter().find(|row| row.0 == id).map(|row| row.1[setting as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_row_and_every_row_a_rule() {
        let mut rows: Vec<&str> = TABLE.iter().map(|r| r.0).collect();
        let mut rules: Vec<&str> = super::super::registry::all().iter().map(|r| r.id).collect();
        rows.sort_unstable();
        rules.sort_unstable();
        assert_eq!(rows, rules);
    }

    #[test]
    fn a_directory_beside_the_system_is_a_warning_and_a_device_an_error() {
        assert_eq!(of("L10", Setting::Places), Some(W));
        assert_eq!(of("L10", Setting::Decide), Some(E));
        assert_eq!(of("L99", Setting::Decide), None);
    }

    #[test]
    fn more_is_claimed_the_further_right() {
        for (id, row) in TABLE {
            assert!(row.is_sorted(), "{id}");
        }
    }
}
