//! Rules over a session: did the disk or the machine change meanwhile?

use super::control::SETTLE;
use super::finding;
use crate::decide::table::Table;
use crate::evidence::registry;
use crate::model::event::{Header, Region};
use crate::model::finding::{Finding, Severity};
use crate::model::protocol::Isolation;
use crate::model::run::Run;
use crate::prepare::region::gradient;
use crate::stats::sample;
use crate::stats::spearman::{Spearman, spearman};
use crate::units;

/// Fewest blocks about whose course anything is said.
const FEWEST: usize = 5;
/// Probability of as strong a correlation by chance.
const ALPHA: f64 = 0.05;

/// Findings about the whole session.
pub fn rules(run: &Run, table: &Table) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        [sentinel(run, table), thermal(run, table)].into_iter().flatten().collect();
    found.extend(run.header.regions().enumerate().filter_map(|(i, of)| zones(run, i, of)));
    found
}

/// L02 as it was seen: the survey of a region that could not be made short enough.
fn zones(run: &Run, index: usize, region: &Region) -> Option<Finding> {
    let candidates = &run.header.candidates;
    let on_it = (0u16..).zip(candidates).find(|(_, c)| usize::from(c.region) == index)?.0;
    let change = gradient(&run.positions(on_it), region.size_bytes);
    (change >= run.header.protocol.thresholds.gradient).then(|| {
        let evidence = format!(
            "{}: reads of the region of {} change by {:.0} % from one end to the other",
            region.target,
            units::size(region.size_bytes),
            change * 100.0
        );
        let advice = "use a smaller [region] size, in the part of the disk that you need";
        finding(&run.header, &registry::ZONE_GRADIENT, evidence, advice)
    })
}

/// L35: the raw read at the start of each block. Drift is common to all and cancels inside blocks,
/// so it is reported where it is large against the margin of the mode, too.
fn sentinel(run: &Run, table: &Table) -> Option<Finding> {
    let reads: Vec<f64> = run
        .complete_blocks()
        .filter(|b| table.blocks().contains(&b.block))
        .filter_map(|b| b.sentinel.filter(|s| *s > 0.0))
        .collect();
    if reads.len() < FEWEST {
        return None;
    }
    let half = reads.len() / 2;
    let early = sample::median(&reads[..half])?;
    let late = sample::median(&reads[reads.len() - half..])?;
    let drift = late / early - 1.0;
    let limit = run.header.protocol.thresholds.sentinel.max(run.header.protocol.tie_margin);
    (drift.abs() > limit && follows_time(run, &reads)).then(|| {
        let evidence = format!(
            "the raw read before each block went from {} to {} ({:+.1} %)",
            units::rate(early),
            units::rate(late),
            drift * 100.0
        );
        let found = finding(&run.header, &registry::DRIFT, evidence, SETTLE);
        // In turns every candidate meets the same drift.
        match run.header.protocol.isolation {
            Isolation::Slices => Finding { severity: found.severity.min(Severity::Warn), ..found },
            Isolation::Visit => found,
        }
    })
}

fn follows_time(run: &Run, series: &[f64]) -> bool {
    let time: Vec<f64> = (0..series.len()).map(|i| i as f64).collect();
    let limit = run.header.protocol.thresholds.correlation;
    spearman(&time, series).is_some_and(|s| s.rho.abs() > limit && s.p < ALPHA)
}

/// What keeps heat out of a run: `run` waits before visits to drives, and nothing else does.
fn cooler(header: &Header) -> &'static str {
    match header.regions().any(|region| !region.is_image) {
        true => {
            "cool the board (for example with a fan), or wait longer before each visit: thresholds \
             = { cool_limit_s = 300 } under [protocol] in the plan"
        }
        false => {
            "cool the board (for example with a fan; check its temperature with: bakeoff watch), \
             then measure again"
        }
    }
}

/// L51: cells in the order they were measured, each against its candidate's mean.
fn thermal(run: &Run, table: &Table) -> Option<Finding> {
    let mut heat = Vec::new();
    let mut rate = Vec::new();
    for (position, block) in
        run.complete_blocks().filter(|b| table.blocks().contains(&b.block)).enumerate()
    {
        for cell in &block.cells {
            let hottest = cell.telemetry.as_ref().and_then(|t| t.hottest_mc());
            let values = table.values(cell.workload, cell.candidate);
            let own: Vec<f64> = values.iter().flatten().copied().collect();
            let mean = sample::mean(&own);
            if let (Some(mc), Some(Some(y)), Some(mean)) = (hottest, values.get(position), mean) {
                heat.push(mc as f64 / 1000.0);
                rate.push(y - mean);
            }
        }
    }
    let limit = run.header.protocol.thresholds.correlation;
    let Spearman { rho, p } = spearman(&heat, &rate)?;
    (heat.len() >= 2 * FEWEST && rho.abs() > limit && p < ALPHA).then(|| {
        let low = heat.iter().copied().fold(f64::MAX, f64::min);
        let high = heat.iter().copied().fold(f64::MIN, f64::max);
        let evidence =
            format!("rank correlation {rho:.2} of rate and temperature, {low:.0} to {high:.0} °C");
        finding(&run.header, &registry::THERMAL_TREND, evidence, cooler(&run.header))
    })
}
