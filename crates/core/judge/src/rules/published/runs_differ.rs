//! runs-differ: the compared runs differ in more than the one named factor.

use crate::evidence::rule::Hit;
use bakeoff_model::difference::Difference;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_stats::phrases;

pub const ID: &str = "runs-differ";

/// Most differences that are named in one sentence.
const NAMED_LIMIT: usize = 4;

pub fn over_runs(header: &Header, unlike: &[&Difference]) -> Finding {
    let advice = "measure again with only one change, and specify it with --across";
    Hit::new(named(unlike), advice).finding(header, ID)
}

/// The first few in words, and how many more there are: all of them are listed besides.
pub fn named(differences: &[&Difference]) -> String {
    let mut all: Vec<String> =
        differences.iter().take(NAMED_LIMIT).map(ToString::to_string).collect();
    match differences.len().saturating_sub(NAMED_LIMIT) {
        0 => {}
        1 => all.push("one more property".to_string()),
        more => all.push(format!("{more} more properties")),
    }
    phrases::list(&all)
}
