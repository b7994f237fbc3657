//! Every rule that needs no other fixture: once it fires, and once it comes close and does not.

mod before;
mod machine;
mod session;

use super::*;
use crate::analyse::analyse;
use crate::model::finding::{Scope, Severity};
use crate::model::run::Run;

/// Ids of what is found in a header alone.
fn before(run: &Run) -> Vec<String> {
    plan(&run.header, &[]).into_iter().map(|f| f.id).collect()
}

/// Ids of what is found in the whole run.
fn after(run: &Run) -> Vec<String> {
    analyse(run).findings.into_iter().map(|f| f.id).collect()
}

/// Rules that are about what something is, and not how much: their evidence names it.
const NAMES: [&str; 7] = ["L05", "L20", "L29", "L59", "L60", "L68", "device-error"];

/// Fires on one and not on the other, with evidence that has a number or a name in it.
fn told(found: &[Finding], id: &str) -> Option<Finding> {
    let of = found.iter().find(|f| f.id == id).cloned();
    if let Some(f) = &of {
        assert!(!f.evidence.is_empty() && !f.advice.is_empty(), "{f:?}");
        let has_number = f.evidence.contains(|c: char| c.is_ascii_digit());
        assert!(has_number || NAMES.contains(&f.id.as_str()), "{}: {}", f.id, f.evidence);
        assert!(!f.advice.ends_with('.') && !f.evidence.ends_with('.'), "{f:?}");
    }
    of
}
