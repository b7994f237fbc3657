//! How severe each rule is, by what is claimed: the one table.
//!
//! A comparison of places as they are claims less than one of stacks, and a first look on an image
//! less than a published figure; the same observation therefore weighs differently.

use crate::model::candidate::Kind;
use crate::model::event::Header;
use crate::model::finding::Severity;
use crate::model::protocol::Mode;

/// What the claims of a run are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Places as they are: directories.
    Places,
    /// Stacks on an image file.
    Image,
    /// Stacks on a device, to choose one.
    Decide,
    /// Stacks on a device, to publish.
    Precise,
}

impl Setting {
    /// The setting of a run.
    pub fn of(header: &Header) -> Setting {
        let is_directory = |kind: &Kind| matches!(kind, Kind::Directory { .. });
        if header.candidates.iter().all(|c| is_directory(&c.kind)) {
            Setting::Places
        } else if header.region.as_ref().is_some_and(|r| r.is_image) {
            Setting::Image
        } else if header.protocol.mode == Mode::Precise {
            Setting::Precise
        } else {
            Setting::Decide
        }
    }
}

const W: Severity = Severity::Warn;
const E: Severity = Severity::Error;
const R: Severity = Severity::Refuse;

/// Rule; severity for places, an image, decide, precise.
pub const TABLE: &[(&str, [Severity; 4])] = &[
    ("L10", [W, W, E, E]),
    ("L12", [E, E, E, E]),
    ("L15", [R, R, R, R]),
    ("L16", [R, R, R, R]),
    ("L17", [W, E, E, E]),
    ("L18", [W, R, R, R]),
    ("L25", [E, E, E, E]),
    ("L32", [R, R, R, R]),
    ("L34", [E, E, E, E]),
    ("L35", [E, E, E, E]),
    ("L36", [R, R, R, R]),
    ("L52", [W, E, E, E]),
    ("L55", [R, R, R, R]),
    ("L61", [W, E, E, E]),
    ("cache-unknown", [W, W, E, E]),
    ("loop-not-direct", [W, E, E, E]),
    ("memory", [W, E, R, R]),
    ("no-progress", [R, R, R, R]),
    ("suspended", [R, R, R, R]),
    ("tool-share", [W, E, E, E]),
    ("unmeasured", [W, W, E, E]),
];

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
        let mut rules: Vec<&str> = super::super::RULES.iter().map(|r| r.id).collect();
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
