//! unsettled: the rate of a candidate still changes along its slices, or a longer slice has another
//! rate, so that its figure is not that of a drive it has for itself.

use super::ComparedRun;
use crate::decide::compare::Comparison;
use crate::decide::settled::{self, SettledSlices};
use crate::evidence::rule::Hit;
use bakeoff_model::calibration;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::run::Run;
use bakeoff_model::slice_length;
use bakeoff_stats::phrases;

pub const ID: &str = "unsettled";

const ALPHA: f64 = 0.01;

pub fn of_workload(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let all = settled::of_workload(run, table, workload);
    let tests = all.len() * run.header.workloads.len();
    let tolerance = slice_length::tolerance(run.header.protocol.tie_margin);
    let bound = libm::log1p(tolerance);
    let found: Vec<(&SettledSlices, f64)> = all
        .iter()
        .filter_map(|of| Some((of, of.error(ALPHA / tests.max(1) as f64)?)))
        .filter(|(_, (least, _))| least.abs() > bound)
        .map(|(of, (_, estimate))| (of, estimate))
        .collect();
    let lacks_time = run
        .calibration(workload)
        .is_some_and(|known| known.settled == calibration::Settled::NoTime);
    if found.is_empty() && !lacks_time {
        return None;
    }
    let turns = turns_ranking(compared, &found);
    let advice = match (lacks_time, turns) {
        (true, _) => {
            "allow more time (--time), or measure one candidate after the other: set \
                      isolation = \"visit\" in the plan"
        }
        (false, _) => {
            "measure one candidate after the other: set isolation = \"visit\" in the plan"
        }
    };
    Some(Hit { refuses: turns, ..Hit::new(evidence(run, &found), advice) })
}

fn turns_ranking(comparison: &Comparison, found: &[(&SettledSlices, f64)]) -> bool {
    let error = |candidate: CandidateIx| {
        found.iter().find(|(of, _)| of.candidate == candidate).map_or(0.0, |(_, error)| *error)
    };
    let Some(&leader) = comparison.ranked.first() else { return false };
    let own = comparison.pairs.iter().filter(|pair| pair.a == leader);
    own.filter_map(|pair| Some((pair, pair.paired?)))
        .any(|(pair, paired)| paired.mean + error(leader) - error(pair.b) < 0.0)
}

fn evidence(run: &Run, found: &[(&SettledSlices, f64)]) -> String {
    if found.is_empty() {
        return "the rate still changed with the longest slices that the time limit allows"
            .to_string();
    }
    let of = |(of, error): &(&SettledSlices, f64)| {
        let name = &run.header.candidates[of.candidate].name;
        let percent = libm::expm1(error.abs()) * 100.0;
        let than = if *error > 0.0 { "faster" } else { "slower" };
        format!("{name} (about {percent:.0} % {than} once it has settled)")
    };
    let names: Vec<String> = found.iter().map(of).collect();
    format!("the rate still changes along the slices of {}", phrases::list(&names))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::stalls::tests::{clean, sliced};
    use super::*;
    use crate::analyse::analyse;
    use crate::rules::tests::told;
    use bakeoff_model::finding::Severity;
    use bakeoff_model::slice::Stretch;

    /// Slices of which one in each cell is twice as long, with a cost at the start of each, as a
    /// share of a usual one.
    pub(crate) fn with_cost(seed: u64, blocks: u32, noise: f64, cost: impl Fn(u16) -> f64) -> Run {
        let mut run = sliced(2, blocks, clean(seed, noise));
        for cell in run.blocks.iter_mut().flat_map(|block| &mut block.cells) {
            let share = cost(cell.candidate.number());
            for slice in &mut cell.slices {
                let twice = slice.round == 3;
                let units = if twice { 2 } else { 1 };
                let lost_ns = (slice.elapsed_ns as f64 * share) as u64;
                let half = Stretch {
                    elapsed_ns: units * slice.elapsed_ns / 2,
                    ios: units * slice.ios / 2,
                    bytes: units * slice.bytes / 2,
                    ..Stretch::default()
                };
                slice.along = vec![Stretch { elapsed_ns: half.elapsed_ns + lost_ns, ..half }, half];
                slice.elapsed_ns = units * slice.elapsed_ns + lost_ns;
                (slice.ios, slice.bytes) = (units * slice.ios, units * slice.bytes);
                (slice.times, slice.flushes) = (units as u8, 100);
            }
        }
        run
    }

    /// A cost that is the same after everybody was invisible, and turned a ranking.
    #[test]
    fn a_cost_of_each_turn_is_found_and_refuses_a_ranking_that_it_turns() {
        // The second is 10 % faster, and pays so much for its turns that it is slower.
        let run = with_cost(7, 10, 0.01, |candidate| f64::from(candidate) * 0.3);
        let found = told(&analyse(&run).findings, "unsettled").unwrap();
        assert_eq!(found.severity, Severity::Refuse, "{found:?}");
        assert!(
            found.evidence.contains("/d1 (about") && !found.evidence.contains("/d0"),
            "{found:?}"
        );
        let run = with_cost(7, 10, 0.01, |_| 0.3);
        let found = told(&analyse(&run).findings, "unsettled").unwrap();
        assert_eq!(found.severity, Severity::Warn, "all pay alike: {found:?}");
    }

    #[test]
    fn candidates_that_settle_are_not_named() {
        let mut fired = 0;
        for seed in 0..200 {
            let run = with_cost(seed, 8, 0.05, |_| 0.0);
            fired += u32::from(told(&analyse(&run).findings, "unsettled").is_some());
        }
        assert!(fired <= 4, "{fired} of 200");
    }
}
