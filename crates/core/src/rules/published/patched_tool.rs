//! L28 patched-tool: the limits of the tool were changed.

use crate::evidence::of_study;
use crate::evidence::rule::{CELL, Check, Rule, W, When};
use crate::model::finding::Finding;
use crate::study::Study;
use crate::units;

/// The rule.
pub static RULE: Rule = Rule {
    id: "L28",
    slug: "patched-tool",
    when: &[When::Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "the limits of the tool were changed",
    explain: "iozone refuses records above 16 MB; a study changed its source to use 100 MB on a \
        board with 256 MB of memory. The figures are not comparable with other results. Stay \
        within the tool's limits, or state what was changed.",
    checks: &[Check::Study(in_study)],
};

fn in_study(study: &Study) -> Option<Finding> {
    let limit = study.configured("stock_max_record_size").into_iter().reduce(f64::min)?;
    let used = study.configured("record_size").into_iter().reduce(f64::max)?;
    let size = |bytes: f64| units::size_decimal(bytes as u64);
    let evidence = format!("records of {} in a tool that stops at {}", size(used), size(limit));
    let advice = "Say what was changed: it is no longer what others measure with.";
    (used > limit).then(|| of_study(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l28_records_beyond_what_the_tool_takes_and_records_at_its_limit() {
        let with = |record: u32| {
            let used = format!("ext4,none,iozone 3.465,configuration,,record_size,{record},MB,");
            let limit = "ext4,none,iozone 3.465,configuration,,stock_max_record_size,16,MB,";
            fires("L28", &[TWO[0], TWO[1], &used, limit], "")
        };
        assert!(with(100) && !with(16));
    }
}
