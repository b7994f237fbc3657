//! runs-differ: the compared runs differ in more than the one named factor.

use crate::evidence::rule::{Hit, R, RUN, Rule, When};
use bakeoff_model::difference::Difference;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;
use bakeoff_stats::phrases;

pub static RULE: Rule = Rule {
    id: "runs-differ",
    slug: "runs-differ",
    when: &[When::Analysis],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "the compared runs differ in more than the one named factor",
    explain: "A Pi 4 with a new kernel and a new card is faster than the old one, and the cause \
        could be any of the three. bakeoff compare ranks runs only if all recorded properties are \
        equal, or differ only in the factor named with --across: host, device, kernel or time.",
};

/// Most differences that are named in one sentence.
const NAMED_LIMIT: usize = 4;

pub fn over_runs(header: &Header, unlike: &[&Difference]) -> Finding {
    let advice = "measure again with only one change, and specify it with --across";
    Hit::new(named(unlike), advice).finding(header, &RULE)
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
