//! runs-differ: the compared runs differ in more than the one named factor.

use crate::evidence::rule::{Check, R, RUN, Rule, When};

/// The rule.
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
    checks: &[Check::Elsewhere("compare")],
};
