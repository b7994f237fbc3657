//! two-speeds: a candidate has two speeds, one at least twice the other, and no middle.

use super::pieces::hits;
use crate::evidence::rule::Hit;
use bakeoff_model::run::Run;
use bakeoff_model::workload::Metric;
use bakeoff_stats::phrases;
use bakeoff_stats::sample::median;
use bakeoff_stats::two_groups::{TwoGroups, two_groups};
use bakeoff_stats::units;

/// Fewest pieces that can be called two groups, and fewest blocks where each has one speed.
const FEWEST: usize = 20;
const FEWEST_BLOCKS: usize = 8;
const TIMES: f64 = 2.0;
/// The smaller group has at least this share; fewer slow pieces are stalls.
const LEAST_SHARE: f64 = 0.1;
const ONE_SPEED: f64 = 0.9;

pub fn check(run: &Run) -> Vec<Hit> {
    let advice = "check the slices in the report; run longer, and stop other programs on the drive";
    hits(run, advice, |course, _| {
        let cells = course.pieces();
        let all: Vec<f64> = cells.iter().flatten().copied().collect();
        let of = groups(&all).filter(|_| all.len() >= FEWEST)?;
        let whole = cells.iter().filter(|cell| has_one_speed(cell, &of)).count();
        if 2 * whole > cells.len() && !are_two_blocks(&cells) {
            return None;
        }
        Some(evidence(course.of.metric, &of, (whole, cells.len())))
    })
}

fn groups(scores: &[f64]) -> Option<TwoGroups> {
    let groups = two_groups(scores)?;
    let is_far = groups.high - groups.low >= libm::log(TIMES);
    let is_both = groups.smaller_share() >= LEAST_SHARE;
    (is_far && is_both && groups.are_two()).then_some(groups)
}

fn are_two_blocks(cells: &[Vec<f64>]) -> bool {
    let medians: Vec<f64> = cells.iter().filter_map(|cell| median(cell)).collect();
    medians.len() >= FEWEST_BLOCKS && groups(&medians).is_some()
}

fn has_one_speed(cell: &[f64], of: &TwoGroups) -> bool {
    let slow = cell.iter().filter(|score| **score < of.border).count() as f64;
    let share = slow / cell.len().max(1) as f64;
    share >= ONE_SPEED || share <= 1.0 - ONE_SPEED
}

fn evidence(metric: Metric, of: &TwoGroups, (whole, cells): (usize, usize)) -> String {
    let figure = |score: f64| match metric {
        Metric::Bandwidth => units::rate(metric.from_score(score)),
        Metric::LatencyP99 => units::latency(metric.from_score(score) as u64),
        Metric::Iops => format!("{} IOPS", units::count(metric.from_score(score))),
        Metric::FilesPerSecond | Metric::TransactionsPerSecond => {
            format!("{}/s", units::count(metric.from_score(score)))
        }
    };
    let all = of.low_count + of.high_count;
    let share = |count: usize| count as f64 * 100.0 / all.max(1) as f64;
    let when = match 2 * whole > cells {
        true => {
            let cells = phrases::count(cells, "block");
            format!("the speed changes between blocks ({whole} of {cells} have one speed)")
        }
        false => "the speed changes within blocks".to_string(),
    };
    format!(
        "two speeds: {} in {:.0} % of {all} slices and {} in {:.0} %; {when}",
        figure(of.low),
        share(of.low_count),
        figure(of.high),
        share(of.high_count)
    )
}

#[cfg(test)]
mod tests {
    use super::super::pieces::tests::{clean, fired_percent, sliced};
    use super::*;
    use crate::analyse::analyse;
    use crate::rules::tests::told;

    #[test]
    fn a_candidate_of_220_and_3700_iops_has_two_speeds() {
        let mut noise = clean(1, 0.05);
        let within = sliced(1, 12, |block, c, slice| {
            let speed = if (block * 8 + u32::from(slice)) % 3 == 0 { 3.7 } else { 0.22 };
            noise(block, c, slice) * speed
        });
        let found = told(&analyse(&within).findings, "two-speeds").unwrap();
        assert!(found.evidence.contains("67 % of 96 slices"), "{found:?}");
        assert!(found.evidence.contains("within blocks"), "{found:?}");
        let mut noise = clean(2, 0.05);
        let between = sliced(1, 12, |block, c, slice| {
            noise(block, c, slice) * if block < 4 { 3.0 } else { 0.5 }
        });
        let found = told(&analyse(&between).findings, "two-speeds").unwrap();
        assert!(found.evidence.contains("12 of 12 blocks have one speed"), "{found:?}");
        assert_eq!(found.candidate.as_deref(), Some("/d0"));
    }

    #[test]
    fn less_than_twice_as_fast_or_rarely_slow_is_one_speed() {
        let mut noise = clean(3, 0.05);
        let near = sliced(1, 12, |b, c, s| noise(b, c, s) * if s % 2 == 0 { 1.7 } else { 1.0 });
        assert!(check(&near).is_empty());
        let mut noise = clean(4, 0.05);
        let rare =
            sliced(1, 12, |b, c, s| noise(b, c, s) * if s == 3 && b < 6 { 0.1 } else { 1.0 });
        assert!(check(&rare).is_empty());
        let mut noise = clean(5, 0.05);
        let few = sliced(1, 2, |b, c, s| noise(b, c, s) * if s % 2 == 0 { 9.0 } else { 1.0 });
        assert!(check(&few).is_empty(), "16 slices are too few");
        let mut noise = clean(6, 0.05);
        let blocks = sliced(1, 6, |b, c, s| noise(b, c, s) * if b < 3 { 9.0 } else { 1.0 });
        assert!(check(&blocks).is_empty(), "6 blocks of one speed each are too few");
    }

    #[test]
    fn clean_input_fires_in_at_most_one_run_of_a_hundred() {
        let percent = fired_percent(check);
        assert!(percent <= 1.0, "{percent} %");
    }
}
