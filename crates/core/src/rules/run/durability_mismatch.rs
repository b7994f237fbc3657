//! L18 durability-mismatch: candidates give different guarantees after fsync, and the verdict does
//! not mention it.

use std::collections::BTreeSet;

use crate::evidence::of_study;
use crate::evidence::rule::{Check, R, Rule, STACK, W, When};
use crate::model::finding::Finding;
use crate::rules::unlike_promises::promise;
use crate::scan::ToolResult;
use crate::study::Study;

pub static RULE: Rule = Rule {
    id: "L18",
    slug: "durability-mismatch",
    when: &[When::Analysis, When::Import],
    severity: [W, R, R, R],
    scope: STACK,
    condition: "candidates give different guarantees after fsync, and the verdict does not mention \
        it",
    explain: "A filesystem does less work, and is therefore faster, if it has no journal, if its \
        barriers are off, or if its fsync covers less than that of the others. One study compared \
        ext4, ntfs and vfat with a test that flushes. You can include such a candidate if the \
        verdict states what it does not guarantee.",
    checks: &[Check::Elsewhere("rules::claim"), Check::Study(in_study)],
};

/// Where flushes are most of the time, what candidates promise after a flush is what is compared.
fn in_study(study: &Study) -> Option<Finding> {
    let is_flushing = |r: &ToolResult| r.findings.iter().any(|f| f.id == "L19");
    let filesystems: BTreeSet<&str> = study.cells.iter().map(|cell| cell.fs).collect();
    let evidence = format!(
        "flushes on {}: with and without a journal, on drives that may or may not honour them",
        Vec::from_iter(filesystems.iter().copied()).join(", ")
    );
    let advice = "State what each one guarantees after fsync, and compare like with like.";
    // A filesystem that nothing is known of may promise anything.
    let promises: BTreeSet<_> = filesystems.iter().map(|fs| promise(fs)).collect();
    let is_unlike = promises.len() > 1 || filesystems.len() > 1 && promises.contains(&None);
    (study.results.iter().any(is_flushing) && is_unlike).then(|| of_study(&RULE, evidence, advice))
}
