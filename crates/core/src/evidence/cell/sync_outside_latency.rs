//! L14 sync-outside-latency: a tenth of the time or more is outside the operations with a reported
//! latency.

use crate::evidence::rule::{CELL, Check, R, Rule, When};
use crate::evidence::{finding, of_result};
use crate::model::event::{Cell, Header};
use crate::model::finding::Finding;
use crate::model::thresholds::Thresholds;
use crate::model::workload::Workload;
use crate::scan::ToolResult;

/// The rule.
pub static RULE: Rule = Rule {
    id: "L14",
    slug: "sync-outside-latency",
    when: &[When::Analysis, When::Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "a tenth of the time or more is outside the operations with a reported latency",
    explain: "sysbench 0.4 does not count flushes as events: on an SD card 97 % of the time went \
        into them, and the average latency it printed, 4.9 ms, was that of the other 3 %: the same \
        as on a hard disk 27 times as fast. sysbench 1.0.15 and later count them; bakeoff \
        distinguishes the two.",
    checks: &[Check::Cell(in_cell), Check::Result(in_result)],
};

fn in_cell(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
    let m = &cell.measurement;
    let inside = m.data_ns.saturating_add(m.flush_ns).saturating_add(m.close_ns);
    let share = inside as f64 / m.elapsed_ns.max(1) as f64;
    let is_counted = m.flush_ns > 0 || workload.job.fsync > 0;
    let is_foreign = !workload.driver.is_native() && m.data_ns > 0;
    (is_foreign && is_counted && share < header.protocol.thresholds.covered).then(|| {
        let evidence = format!(
            "{:.1} % of the time is outside operations with a latency",
            (1.0 - share) * 100.0
        );
        let advice =
            "interpret throughput and latency separately, or use driver = \"native\" in a plan";
        finding(header, &RULE, evidence, advice)
    })
}

/// Share of the wall time that sysbench 0.4 spent outside the operations it gives latencies of.
pub(super) fn outside_share(result: &ToolResult) -> Option<f64> {
    if !result.is("sysbench") || result.figure(&["fsync_each_write"]).is_some() {
        return None;
    }
    let total = result.figure(&["total_time"]).filter(|ns| *ns > 0.0)?;
    let inside = result.figure(&["event_execution_time"])?;
    let flushes = result.figure(&["fsyncs", "other"])?;
    let threads = result.figure(&["threads"]).unwrap_or(1.0).max(1.0);
    (flushes > 0.0).then(|| (1.0 - inside / (total * threads)).max(0.0))
}

fn in_result(result: &ToolResult) -> Option<Finding> {
    let share =
        outside_share(result).filter(|share| *share > 1.0 - Thresholds::default().covered)?;
    let evidence =
        format!("{:.1} % of the time is outside the operations with latencies", share * 100.0);
    let advice = "Read throughput and latencies as two different things, or use sysbench 1.0.15 \
                  or later, which counts flushes.";
    Some(of_result(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::fixture::{fires, of_sysbench};

    #[test]
    fn l14_a_quarter_of_the_time_outside_operations_and_a_twentieth() {
        assert!(fires("L14", |h, c| of_sysbench(h, &mut c.measurement, 0.75, 0.10)));
        assert!(!fires("L14", |h, c| of_sysbench(h, &mut c.measurement, 0.75, 0.20)));
    }
}
