//! L19 fsync-cadence: over 30 % of the time is spent flushing at an interval that the tool chose.

use super::sync_outside_latency::outside_share;
use crate::evidence::rule::{CELL, Check, Rule, W, When};
use crate::evidence::{finding, of_result};
use crate::model::event::{Cell, Header};
use crate::model::finding::Finding;
use crate::model::thresholds::Thresholds;
use crate::model::workload::Workload;
use crate::scan::ToolResult;

/// The rule.
pub static RULE: Rule = Rule {
    id: "L19",
    slug: "fsync-cadence",
    when: &[When::Analysis, When::Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "over 30 % of the time is spent flushing at an interval that the tool chose",
    explain: "sysbench flushes all 128 files after every 100 requests unless told otherwise; on an \
        SD card one such round took 17.6 s and was nearly the whole result. A different interval \
        gives a different ratio between candidates. Set --file-fsync-freq to match your own work.",
    checks: &[Check::Cell(in_cell), Check::Result(in_result)],
};

fn in_cell(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
    let m = &cell.measurement;
    let share = m.flush_ns as f64 / m.elapsed_ns.max(1) as f64;
    let is_theirs = !workload.driver.is_native() && workload.job.fsync == 0;
    (is_theirs && share > header.protocol.thresholds.flushing).then(|| {
        let evidence = format!(
            "{:.0} % of the time is spent flushing, at an interval chosen by {}",
            share * 100.0,
            workload.driver.name()
        );
        finding(
            header,
            &RULE,
            evidence,
            "set the flush interval of your own work: fsync = 1 in the workload of a plan",
        )
    })
}

fn in_result(result: &ToolResult) -> Option<Finding> {
    let share = outside_share(result).filter(|share| *share > Thresholds::default().flushing)?;
    let every = result.figure(&["fsync_every"]).filter(|every| *every == 100.0)?;
    // 0.4 says so in sequential modes too, and flushes each file once at the end.
    let flushes = result.figure(&["fsyncs", "other"])?;
    result.figure(&["file_count"]).is_none_or(|files| flushes > files).then_some(())?;
    let evidence = format!(
        "{:.1} % of the time is flushing all files after every {every} requests, the default",
        share * 100.0
    );
    let advice = "Say with --file-fsync-freq how often your own work flushes.";
    Some(of_result(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::fixture::{fires, of_sysbench};

    #[test]
    fn l19_a_third_of_the_time_in_flushes_and_a_quarter() {
        assert!(fires("L19", |h, c| of_sysbench(h, &mut c.measurement, 0.60, 0.35)));
        assert!(!fires("L19", |h, c| of_sysbench(h, &mut c.measurement, 0.70, 0.25)));
    }
}
