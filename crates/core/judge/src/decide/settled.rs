//! Whether the slices of a candidate are long enough: does a longer one have the same rate, and
//! does the rate still change along the part that counts?
//!
//! A turn costs some drives something at the beginning of each slice, whoever came before, so that
//! the balance of predecessors does not show it. Cells are the units, because slices of one cell
//! are not independent. All are differences of logarithms.

use super::table::ScoreTable;
use crate::evidence;
use bakeoff_model::event::Cell;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::job::Rw;
use bakeoff_model::run::Run;
use bakeoff_model::slice::{Slice, Stretch};
use bakeoff_model::slice_length::VISIT_TIMES;
use bakeoff_model::workload::Metric;
use bakeoff_stats::paired::Paired;
use bakeoff_stats::sample;

/// Flushes of a slice from which on they are spread over it: fewer are lumps that a slope takes for
/// a change of the rate.
const SPREAD_FLUSHES: u32 = 16;
const USUAL: usize = 1;
/// Share of the error of a usual slice that shows in one twice as long: a cost at the beginning is
/// divided by twice the work.
const SEEN_BY_TWICE: f64 = 0.5;
/// Share that shows in the change from the first half to the second: all of it, and half of the
/// work carries it.
const SEEN_BY_SLOPE: f64 = 2.0;

/// What the slices of a candidate show.
#[derive(Clone, Debug, PartialEq)]
pub struct SettledSlices {
    pub candidate: CandidateIx,
    pub twice: Option<Paired>,
    pub visits: Option<Paired>,
    /// The second half of the part that counts against the first.
    pub slope: Option<Paired>,
}

impl SettledSlices {
    pub fn has_any(&self) -> bool {
        [&self.twice, &self.visits, &self.slope].iter().any(|of| of.is_some())
    }

    /// How far the figure is from that of a settled drive for certain, at `alpha`, and as
    /// estimated; `None` where nothing says that it is off.
    pub fn error(&self, alpha: f64) -> Option<(f64, f64)> {
        let visits = self.visits.as_ref().map(|visits| (visits, 1.0));
        let twice = self.twice.as_ref().map(|twice| (twice, 1.0 / SEEN_BY_TWICE));
        let slope = self.slope.as_ref().map(|slope| (slope, 1.0 / SEEN_BY_SLOPE));
        let seen = [visits, twice, slope].into_iter().flatten();
        let certain = seen.filter(|(paired, _)| paired.blocks > 2).map(|(paired, factor)| {
            let interval = paired.interval(alpha);
            let least = if interval.low > 0.0 { interval.low } else { interval.high.min(0.0) };
            (least * factor, paired.mean * factor)
        });
        let largest = certain.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        largest.filter(|(least, _)| *least != 0.0)
    }
}

/// What the slices of each candidate show on a workload; nothing of those without slices.
pub fn of_workload(run: &Run, table: &ScoreTable, workload: WorkloadIx) -> Vec<SettledSlices> {
    let metric = run.header.workloads[workload].metric;
    let all: Vec<&Cell> = table
        .blocks_of(run)
        .flat_map(|block| &block.cells)
        .filter(|cell| cell.workload == workload && !cell.slices.is_empty())
        .filter(|cell| !evidence::is_invalid(&run.header, cell))
        .collect();
    let of = |candidate: CandidateIx| {
        let cells = || all.iter().filter(|cell| cell.candidate == candidate);
        let paired = |values: Vec<f64>| Paired::from_differences(&values);
        let longer = |times| {
            paired(cells().filter_map(|cell| against_others(cell, metric, times)).collect())
        };
        SettledSlices {
            candidate,
            twice: longer(2),
            visits: longer(VISIT_TIMES),
            slope: paired(cells().filter_map(|cell| slope(cell, metric)).collect()),
        }
    };
    let candidates = CandidateIx::all(run.header.candidates.len());
    candidates.filter(|c| all.iter().any(|cell| cell.candidate == *c)).map(of).collect()
}

fn against_others(cell: &Cell, metric: Metric, times: u8) -> Option<f64> {
    let scores = |times: u8| -> Vec<f64> {
        let own = cell.slices.iter().filter(|slice| slice.is_valid() && slice.times == times);
        own.filter_map(|slice| Some(metric.to_score(slice.figure(metric)?))).collect()
    };
    let usual = scores(1);
    let longer = sample::mean(&scores(times))?;
    // A stall in one of them would outweigh what is looked for.
    (usual.len() >= USUAL).then(|| Some(longer - sample::median(&usual)?))?
}

fn even(cell: &Cell) -> impl Iterator<Item = &Slice> {
    let writes = cell.measurement.job.rw.writes() || cell.measurement.job.rw == Rw::SmallFiles;
    let is_even = move |slice: &&Slice| !writes || slice.flushes >= SPREAD_FLUSHES;
    cell.slices.iter().filter(|slice| slice.is_valid()).filter(is_even)
}

/// The change of the rate from the first half to the second, on average of a cell's slices.
fn slope(cell: &Cell, metric: Metric) -> Option<f64> {
    let slopes: Vec<f64> = even(cell).filter_map(|slice| of_halves(&slice.along, metric)).collect();
    sample::median(&slopes)
}

pub const PARTS: usize = 4;

/// The rate along the slices of a candidate as a share of their figures, in the middle: of the part
/// in which the drive settles, then of what counts. `None` where no slice can tell.
pub fn course(run: &Run, workload: WorkloadIx, candidate: CandidateIx) -> Option<Vec<Option<f64>>> {
    let metric = run.header.workloads[workload].metric;
    let is_own = |cell: &&Cell| (cell.candidate, cell.workload) == (candidate, workload);
    let mut shares: Vec<Vec<f64>> = vec![Vec::new(); 2 * PARTS];
    for slice in run.complete_cells().filter(is_own).flat_map(even) {
        let Some(figure) = slice.figure(metric) else { continue };
        for (first, stretches) in [(0, &slice.settling), (PARTS, &slice.along)] {
            let total_ns = Stretch::sum(stretches).elapsed_ns.max(1);
            let mut passed_ns = 0u64;
            for stretch in stretches.iter() {
                let middle_ns = passed_ns.saturating_add(stretch.elapsed_ns / 2);
                let part = u128::from(middle_ns) * PARTS as u128 / u128::from(total_ns);
                let at = first + (part as usize).min(PARTS - 1);
                shares[at].extend(stretch.rate(metric).map(|rate| rate / figure));
                passed_ns = passed_ns.saturating_add(stretch.elapsed_ns);
            }
        }
    }
    let known = shares.iter().filter(|shares| !shares.is_empty()).count();
    // One stretch is the figure itself.
    (known > 1).then(|| shares.iter().map(|shares| sample::median(shares)).collect())
}

fn of_halves(along: &[Stretch], metric: Metric) -> Option<f64> {
    let total_ns = Stretch::sum(along).elapsed_ns;
    let (mut first, mut second) = (Stretch::default(), Stretch::default());
    for stretch in along {
        // Where the middle is within a stretch, its larger part decides.
        let middle_ns = first.elapsed_ns.saturating_add(stretch.elapsed_ns / 2);
        let is_first = second.elapsed_ns == 0 && middle_ns <= total_ns / 2;
        if is_first { first.add(stretch) } else { second.add(stretch) }
    }
    let rate = |half: Stretch| half.rate(metric).map(libm::log);
    Some(rate(second)? - rate(first)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(ms: u64, ios: u64) -> Stretch {
        Stretch { elapsed_ns: ms * 1_000_000, ios, ..Stretch::default() }
    }

    #[test]
    fn the_slope_is_the_change_from_the_first_half_to_the_second() {
        let even = [stretch(10, 5), stretch(10, 5), stretch(10, 10), stretch(10, 10)];
        let slope = of_halves(&even, Metric::Iops).unwrap();
        assert!((slope - libm::log(2.0)).abs() < 1e-9, "{slope}");
        let odd = [stretch(10, 5), stretch(10, 5), stretch(10, 5)];
        assert!(of_halves(&odd, Metric::Iops).unwrap().abs() < 1e-9);
        assert_eq!(of_halves(&odd[..1], Metric::Iops), None, "one stretch has no slope");
    }

    #[test]
    fn an_error_is_what_is_certain_of_the_worst_sign() {
        let paired = |mean: f64| Paired { blocks: 10, mean, sd: 0.01 };
        let settled = |twice: f64, slope: f64| SettledSlices {
            candidate: CandidateIx::FIRST,
            twice: Some(paired(twice)),
            visits: None,
            slope: Some(paired(slope)),
        };
        assert_eq!(settled(0.001, 0.001).error(0.05), None);
        let (least, estimate) = settled(0.1, 0.02).error(0.05).unwrap();
        assert!(least > 0.18 && least < estimate && (estimate - 0.2).abs() < 1e-9);
        let (least, _) = settled(0.0, -0.2).error(0.05).unwrap();
        assert!((-0.1..-0.09).contains(&least), "{least}");
    }
}
