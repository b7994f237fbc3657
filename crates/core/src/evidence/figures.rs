//! Rules over the figures of one cell: is each of them what its name says?

use super::finding;
use super::registry;
use crate::model::event::{Cell, Header};
use crate::model::finding::Finding;
use crate::model::measurement::{Latency, OpStats};
use crate::model::workload::{Metric, Workload};
use crate::units;

/// The rules, as [`super::cell::cell`] applies them.
pub(super) const RULES: [super::cell::CellRule; 6] =
    [damaged, outside_latency, cadence, mean_lies, thin_tail, closed_loop];

/// L11: what was read back is not what was written; the engine counts it.
fn damaged(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let m = &cell.measurement;
    let seen = m.findings.iter().find(|f| f.id == "verify-mismatch" || f.id == "L11")?;
    let advice = "back up the disk, then run: bakeoff probe";
    Some(finding(header, &registry::FAKE_CAPACITY, seen.evidence.clone(), advice))
}

fn outside_latency(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
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
        finding(header, &registry::SYNC_OUTSIDE_LATENCY, evidence, advice)
    })
}

fn cadence(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
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
            &registry::FSYNC_CADENCE,
            evidence,
            "set the flush interval of your own work: fsync = 1 in the workload of a plan",
        )
    })
}

/// The kinds of operation with their latencies.
fn latencies(cell: &Cell) -> impl Iterator<Item = (&'static str, &OpStats, &Latency)> {
    cell.measurement.ops().map(|(name, stats)| (name, stats, &stats.lat_ns))
}

fn mean_lies(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
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
    Some(finding(header, &registry::MEAN_LIES, evidence, advice))
}

fn thin_tail(header: &Header, _: &Workload, cell: &Cell) -> Option<Finding> {
    let (name, count, quantile) = latencies(cell).find_map(|(name, stats, l)| {
        let quantiles = [(0.95, l.p95), (0.99, l.p99), (0.999, l.p99_9), (0.9999, l.p99_99)];
        let thin = quantiles.into_iter().find(|(q, value)| {
            value.is_some() && (stats.total_ios as f64) < 10.0 / (1.0 - q) - 1e-6
        })?;
        Some((name, stats.total_ios, thin.0))
    })?;
    let evidence = format!("the {} percentile of {count} {name} operations", quantile * 100.0);
    let advice = "measure longer: --runtime 60s, or use a percentile they support";
    Some(finding(header, &registry::THIN_TAIL, evidence, advice))
}

fn closed_loop(header: &Header, workload: &Workload, cell: &Cell) -> Option<Finding> {
    // Profiles that are judged by a latency have arrivals of their own.
    let is_open = workload.job.rate_iops.is_some() || workload.profile.is_some();
    let is_closed = workload.metric == Metric::LatencyP99 && !is_open;
    let limit = header.protocol.thresholds.stall;
    let (name, l, p50) = latencies(cell).filter(|_| is_closed).find_map(|(name, _, l)| {
        let p50 = l.p50.filter(|p| l.max as f64 > limit * *p as f64)?;
        Some((name, l, p50))
    })?;
    let evidence = format!(
        "a {name} took {} (median: {}), and no requests were sent meanwhile",
        units::latency(l.max),
        units::latency(p50)
    );
    finding(header, &registry::COORDINATED_OMISSION, evidence, "send at a fixed rate: --rate_iops")
        .into()
}
