//! Texts of others for the tests of rules.

use crate::import;
use bakeoff_model::finding::Finding;

/// What is found in the outputs of tools.
pub fn printed(text: &str) -> Vec<Finding> {
    let imported = import::all(text.as_bytes());
    assert!(!imported.results.is_empty(), "{text}");
    imported.results.into_iter().flat_map(|r| r.findings).collect()
}
