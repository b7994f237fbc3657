//! L28 patched-tool: the limits of the tool were changed.

use crate::evidence::observation::Observation;
use crate::evidence::rule::{CELL, Hit, Rule, W, When};
use bakeoff_stats::units;

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
};

/// Largest record of iozone as it is published (iozone.c, `MAXBUFFERSIZE`).
const IOZONE_BYTES: f64 = 16.0 * 1024.0 * 1024.0;

const ADVICE: &str = "State what was changed: results of the original tool are not comparable.";

fn evidence(used: f64, limit: f64) -> String {
    let size = |bytes: f64| units::size_decimal(bytes as u64);
    format!("records of {} with a tool that supports at most {}", size(used), size(limit))
}

/// An output of iozone; a row of a table does not say what the tool supports.
pub fn in_result(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let used = result.figure(&["record_size"]).filter(|_| result.is("iozone"))?;
    let is_output = result.setup.is_empty();
    (is_output && used > IOZONE_BYTES).then(|| Hit::new(evidence(used, IOZONE_BYTES), ADVICE))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::iozone;

    #[test]
    fn l28_records_beyond_what_the_tool_takes_and_records_at_its_limit() {
        let with = |kib: u32| iozone(kib).iter().any(|finding| finding.id == "L28");
        assert!(with(25_600));
        assert!(!with(16_384));
    }
}
