//! L28 patched-tool: the limits of the tool were changed.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;
use bakeoff_stats::units;

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
