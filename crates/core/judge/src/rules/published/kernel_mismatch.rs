//! L63 kernel-mismatch: the compared results use different kernels or tools.

use crate::evidence::rule::{E, Hit, RUN, Rule, W, When};
use bakeoff_model::difference::Difference;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;

pub static RULE: Rule = Rule {
    id: "L63",
    slug: "kernel-mismatch",
    when: &[When::Analysis],
    severity: [W, W, E, E],
    scope: RUN,
    condition: "the compared results use different kernels or tools",
    explain: "Until 2022 btrfs split direct reads into single sectors; a change tripled their \
        speed. Since 2025 it sends direct writes of files with checksums through the page cache. \
        Figures from two kernels include such changes. To compare kernels on purpose, use compare \
        --across kernel.",
};

/// Runs that differ in their kernel, which was not named as what may differ.
pub fn over_runs(header: &Header, kernel: &Difference) -> Finding {
    let advice = "measure on one kernel, or compare kernels with --across kernel";
    Hit::new(kernel.to_string(), advice).finding(header, &RULE)
}
