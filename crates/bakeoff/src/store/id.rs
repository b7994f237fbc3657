//! Run ids, and which run a user means.

use std::fmt;

use bakeoff_model::undo::is_run_id;
use serde::{Deserialize, Serialize};

use super::StoreError;

const NEAR: usize = 3;

/// The id of a run: 16 small hexadecimal digits, so it is safe in a file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

impl RunId {
    /// Reads a whole id; `None` when it is none.
    pub fn parse(text: &str) -> Option<RunId> {
        is_run_id(text).then(|| RunId(text.to_string()))
    }

    /// The 16 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RunId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<RunId, &'static str> {
        RunId::parse(&text).ok_or("not the ID of a run")
    }
}

impl From<RunId> for String {
    fn from(run: RunId) -> String {
        run.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The run that `name` means among `ids`, the latest first.
pub fn resolve(name: &str, ids: &[RunId]) -> Result<RunId, StoreError> {
    let not_found = |near: &[RunId]| StoreError::not_found(name, near);
    if name == "last" {
        return ids.first().cloned().ok_or_else(|| not_found(&[]));
    }
    let wanted = name.to_ascii_lowercase();
    let hits: Vec<_> =
        ids.iter().filter(|id| !wanted.is_empty() && id.0.starts_with(&wanted)).cloned().collect();
    match hits.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(not_found(&nearest(&wanted, ids))),
        _ => Err(StoreError::ambiguous(name, &hits)),
    }
}

/// Ids whose start differs from what was typed in one or two digits, the nearest first.
fn nearest(wanted: &str, ids: &[RunId]) -> Vec<RunId> {
    let wanted: String = wanted.chars().take(16).collect();
    let digits = wanted.chars().count();
    let mut near: Vec<_> = ids
        .iter()
        .map(|id| (strsim::osa_distance(&id.0[..digits], &wanted), id))
        .filter(|(distance, _)| *distance <= 2 && *distance * 2 < digits)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().take(NEAR).map(|(_, id)| id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> Vec<RunId> {
        ["a1b2c3d4e5f60718", "a1b2ffffffffffff", "0123456789abcdef"]
            .into_iter()
            .map(|text| RunId::parse(text).expect("16 digits"))
            .collect()
    }

    #[test]
    fn shortest_unique_prefix_or_last() {
        let ids = ids();
        assert_eq!(resolve("last", &ids).ok(), Some(ids[0].clone()));
        assert_eq!(resolve("0", &ids).ok(), Some(ids[2].clone()));
        assert_eq!(resolve("A1B2F", &ids).ok(), Some(ids[1].clone()));
        assert_eq!(resolve("0123456789abcdef", &ids).ok(), Some(ids[2].clone()));
    }

    #[test]
    fn what_cannot_be_told_is_an_error_with_a_way_on() {
        let message = |name| resolve(name, &ids()).expect_err("no run").to_string();
        assert!(message("a1").contains("a1b2c3d4e5f60718") && message("a1").contains("a1b2ffff"));
        assert!(message("0124").contains("did you mean 0123456789abcdef"), "{}", message("0124"));
        assert!(message("").contains("bakeoff runs"));
        assert!(message("\u{1b}[31mx").contains("\\x1b"));
        assert!(message("üüüüüüüüüüüüüüüüüüü").contains("bakeoff runs"));
        let none = resolve("last", &[]).expect_err("nothing there").to_string();
        assert!(none.contains("bakeoff quick"), "{none}");
    }

    #[test]
    fn only_ids_are_ids() {
        for text in ["", "../../etc/passwd", "0123456789ABCDEF", "0123456789abcdef0", "läst"] {
            assert_eq!(RunId::parse(text), None, "{text}");
        }
    }
}
