//! L31 tool-version: tools of different versions or defaults between candidates.

use crate::evidence::rule::{Check, RUN, Rule, W, When};

/// The rule.
pub static RULE: Rule = Rule {
    id: "L31",
    slug: "tool-version",
    when: &[When::Analysis, When::Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "tools of different versions or defaults between candidates",
    explain: "sysbench 0.4 leaves flushes out of its latencies and 1.0.15 counts them; fio 2 and 3 \
        count kilobytes differently. Candidates measured with different versions differ by the \
        tool as well. Use one version for all.",
    checks: &[Check::Elsewhere("compare")],
};
