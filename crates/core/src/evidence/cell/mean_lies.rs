//! L26 mean-lies: the mean latency is above the 95th percentile.

use super::latencies;
use crate::evidence::rule::{CELL, Check, Rule, W, When};
use crate::evidence::{finding, of_result};
use crate::model::event::{Cell, Header};
use crate::model::finding::Finding;
use crate::model::workload::Workload;
use crate::scan::ToolResult;
use crate::units;

/// The rule.
pub static RULE: Rule = Rule {
    id: "L26",
    slug: "mean-lies",
    when: &[When::Analysis, When::Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "the mean latency is above the 95th percentile",
    explain: "On one SD card the mean was 4.9 ms and 95 % of the operations took less than 2.3 ms: \
        a few stalls of up to 0.8 s made more than half of the time. Such a mean describes no \
        typical operation; use the percentiles in the report.",
    checks: &[Check::Cell(in_cell), Check::Result(in_result)],
};

fn in_cell(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let (name, latency, p95) = latencies(cell).find_map(|(name, _, l)| {
        let p95 = l.p95.filter(|p| l.mean > *p as f64)?;
        Some((name, l, p95))
    })?;
    let evidence = format!(
        "mean {name} {}, 95th percentile {}",
        units::latency(libm::round(latency.mean) as u64),
        units::latency(p95)
    );
    let advice = "use the percentiles; bakeoff report last draws the whole distribution";
    Some(finding(header, &RULE, evidence, advice))
}

fn in_result(result: &ToolResult) -> Option<Finding> {
    let prefixes = ["", "read.", "write.", "sync."];
    let lie = prefixes.iter().find_map(|prefix| {
        let mean = result.figure(&[&format!("{prefix}latency_avg")])?;
        let p95 = result.figure(&[&format!("{prefix}latency_p95")])?;
        (mean > p95 && p95 > 0.0).then_some((mean, p95))
    });
    let (mean, p95) = lie?;
    let evidence = format!("mean {:.3} ms, 95th percentile {:.3} ms", mean / 1e6, p95 / 1e6);
    let advice = "The slowest operations set the mean: look at the quantiles.";
    Some(of_result(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::fixture::fires;

    #[test]
    fn l26_a_mean_above_the_95th_percentile_and_one_below() {
        assert!(fires("L26", |_, c| {
            let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
            (lat.mean, lat.p95) = (4.91e6, Some(2_320_000));
        }));
        assert!(!fires("L26", |_, c| {
            let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
            (lat.mean, lat.p95) = (2.3e6, Some(2_320_000));
        }));
    }
}
