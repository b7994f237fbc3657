//! L28 patched-tool: the limits of the tool were changed.

use crate::evidence::rule::{CELL, Check, Rule, W, When};
use crate::evidence::{of_result, of_study};
use crate::model::finding::Finding;
use crate::scan::ToolResult;
use crate::study::Study;
use crate::units;

pub static RULE: Rule = Rule {
    id: "L28",
    slug: "patched-tool",
    when: &[When::Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "the limits of the tool were changed, or a figure is beyond them",
    explain: "iozone refuses records above 16 MB; a study changed its source to use 100 MB on a \
        board with 256 MB of memory. The figures are not comparable with other results. Stay \
        within the tool's limits, or state what was changed.",
    checks: &[Check::Result(in_result), Check::Study(in_study)],
};

/// Largest record of iozone as it is published (iozone.c, `MAXBUFFERSIZE`).
const IOZONE_BYTES: f64 = 16.0 * 1024.0 * 1024.0;

const ADVICE: &str = "State what was changed: results of the original tool are not comparable.";

fn evidence(used: f64, limit: f64) -> String {
    let size = |bytes: f64| units::size_decimal(bytes as u64);
    format!("records of {} with a tool that supports at most {}", size(used), size(limit))
}

/// An output of iozone; rows of a table are the study's.
fn in_result(result: &ToolResult) -> Option<Finding> {
    let used = result.figure(&["record_size"]).filter(|_| result.is("iozone"))?;
    let is_output = result.setup.is_empty();
    (is_output && used > IOZONE_BYTES)
        .then(|| of_result(&RULE, evidence(used, IOZONE_BYTES), ADVICE))
}

fn in_study(study: &Study) -> Option<Finding> {
    let stated = study.configured("stock_max_record_size").into_iter().reduce(f64::min);
    let of_iozone = study.cells.iter().filter(|cell| cell.is_of("iozone"));
    let blocks = of_iozone.map(|cell| cell.block as f64);
    let own = blocks.reduce(f64::max).map(|used| (used, IOZONE_BYTES));
    let configured = study.configured("record_size").into_iter().reduce(f64::max);
    let (used, limit) = configured.zip(stated).or(own)?;
    (used > limit).then(|| of_study(&RULE, evidence(used, limit), ADVICE))
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
