//! `fit` ([`bakeoff_judge::fit`]) on drives of known truth: how often it says what, and how often
//! that is wrong, over all looks that a run without `--time` has.

use std::collections::BTreeMap;

use crate::latency::{LAWS, LatencyDrive, LatencyLaw};
use bakeoff_judge::fit::{FitSlice, judge, looks};
use bakeoff_model::fit::{FitNeed, FitRating, FitVerdict};
use bakeoff_stats::histogram::Histogram;
use bakeoff_stats::prng::SplitMix64;

const LIMIT_NS: u64 = 10_000_000;
const QUANTILE: f64 = 0.99;
const LATENCY: FitNeed = FitNeed::Latency { quantile: QUANTILE, limit_ns: LIMIT_NS };
const PER_S: f64 = 400.0;
const RATE: FitNeed = FitNeed::Operations { per_s: PER_S };
const SLICE_NS: f64 = 200e6;
const PAUSES_MS: (u64, u64) = (10, 50);
/// At 80 s, where a run ends that more time would have settled.
const LAST_LOOK: usize = looks::PROMISED + 2;
/// True figures in units of the limit. At 1 either answer counts as wrong.
const TRUTHS: [f64; 9] = [0.25, 0.5, 0.7, 0.9, 1.0, 1.1, 1.4, 2.0, 4.0];

/// How often `fit` said what of one drive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitOutcomes {
    pub name: String,
    /// Whether a rate is asked for, and not a quantile of latencies.
    pub is_rate: bool,
    /// The true figure in units of the limit.
    pub truth: f64,
    pub runs: u32,
    pub yes: u32,
    pub no: u32,
    pub too_close: u32,
    pub wrong: u32,
    /// Runs whose interval contains the true figure.
    pub covered: u32,
    /// Mean time until the answer.
    pub seconds: f64,
}

/// Plays each drive `runs` times at each speed.
pub fn all(runs: u32, seed: u64) -> Vec<FitOutcomes> {
    let mut all = of_laws(LATENCY, &LAWS, &TRUTHS, (runs, seed));
    all.extend(of_laws(RATE, &LAWS, &TRUTHS[2..7], (runs, seed)));
    all
}

fn of_laws(
    need: FitNeed,
    laws: &[LatencyLaw],
    truths: &[f64],
    (runs, seed): (u32, u64),
) -> Vec<FitOutcomes> {
    let of = |(i, law): (u64, &LatencyLaw)| {
        let (quantile, mean) = law.truth(QUANTILE);
        let play = |truth: &f64| {
            let usual_ns = match need {
                FitNeed::Operations { per_s } => 1e9 / (per_s * truth * mean),
                _ => truth * LIMIT_NS as f64 / quantile,
            };
            let seed = SplitMix64::derive(seed, &[i, truth.to_bits()]).next_u64();
            of_law(need, *law, (*truth, usual_ns), (runs, seed))
        };
        truths.iter().map(play).collect::<Vec<_>>()
    };
    (0..).zip(laws).flat_map(of).collect()
}

fn of_law(
    need: FitNeed,
    law: LatencyLaw,
    (truth, usual_ns): (f64, f64),
    (runs, seed): (u32, u64),
) -> FitOutcomes {
    let (name, is_rate) = (law.name.to_string(), matches!(need, FitNeed::Operations { .. }));
    let mut found = FitOutcomes { name, is_rate, truth, runs, ..FitOutcomes::default() };
    let figure = truth * if is_rate { PER_S } else { LIMIT_NS as f64 };
    let margin = if is_rate { truth } else { 1.0 / truth };
    for run in 0..runs {
        let seed = SplitMix64::derive(seed, &[run.into()]).next_u64();
        let (rating, look) = play(law, usual_ns, need, seed);
        match rating.verdict {
            FitVerdict::Yes => found.yes += 1,
            FitVerdict::No => found.no += 1,
            FitVerdict::TooClose { .. } => found.too_close += 1,
        }
        found.wrong += u32::from(is_wrong(margin, rating.verdict));
        let is_covered =
            rating.low.unwrap_or(0.0) <= figure && figure <= rating.high.unwrap_or(f64::INFINITY);
        found.covered += u32::from(is_covered);
        found.seconds += looks::due_ns(look) as f64 / 1e9 / f64::from(runs);
    }
    found
}

/// Whether it is wrong of a drive that is so many times better than the limit.
fn is_wrong(margin: f64, verdict: FitVerdict) -> bool {
    match verdict {
        FitVerdict::Yes => margin <= 1.0,
        FitVerdict::No => margin >= 1.0,
        FitVerdict::TooClose { .. } => false,
    }
}

/// One run: what it says when it is settled, and at which look.
fn play(law: LatencyLaw, usual_ns: f64, need: FitNeed, seed: u64) -> (FitRating, usize) {
    let mut drive = LatencyDrive::new(law, seed);
    let mut random = SplitMix64::derive(seed, &[1]);
    let (mut slices, mut settled, start) = (Vec::new(), None, drive.now());
    for look in 0..=LAST_LOOK {
        if look > looks::PROMISED && settled.is_some() {
            break;
        }
        while (drive.now() - start) * usual_ns < looks::due_ns(look) as f64 {
            slices.push(slice(&mut drive, usual_ns));
            let (least, most) = PAUSES_MS;
            let pause_ms = least + random.below(most - least + 1);
            drive.pause(pause_ms as f64 * 1e6 / usual_ns);
        }
        settled = settled.or_else(|| {
            let rating = judge(need, &slices, look);
            let left_ns = looks::due_ns(LAST_LOOK) - looks::due_ns(look);
            let ends = look >= looks::PROMISED && !looks::is_worth_more(&rating, left_ns);
            (ends || looks::is_settled(&rating, look)).then_some((rating, look))
        });
    }
    settled.unwrap_or_else(|| (judge(need, &slices, 0), 0))
}

fn slice(drive: &mut LatencyDrive, usual_ns: f64) -> FitSlice {
    let began = drive.now();
    let mut counts = BTreeMap::new();
    while (drive.now() - began) * usual_ns < SLICE_NS {
        *counts.entry(bucket((drive.operation() * usual_ns) as u64)).or_insert(0) += 1;
    }
    let latencies = Histogram { buckets: counts.into_iter().collect() };
    FitSlice {
        elapsed_ns: ((drive.now() - began) * usual_ns) as u64,
        operations: latencies.total(),
        latencies,
        ..FitSlice::default()
    }
}

/// The middle of one of 128 buckets to each power of two.
fn bucket(ns: u64) -> u64 {
    let shift = (64 - ns.leading_zeros()).saturating_sub(8);
    ((ns >> shift) << shift) + ((1 << shift) >> 1)
}

impl FitOutcomes {
    pub fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.runs.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fit_is_rarely_wrong_and_sure_where_the_drive_is_twice_as_good_or_as_bad() {
        let laws: Vec<LatencyLaw> = LAWS
            .into_iter()
            .filter(|law| ["wide", "bimodal, in phases", "heavy tails"].contains(&law.name))
            .collect();
        let found = of_laws(LATENCY, &laws, &[0.5, 1.0, 2.0], (12, 20_261_120));
        assert_eq!(found.len(), 9);
        for one in found {
            assert!(one.wrong <= 2 && one.covered >= 10, "{one:?}");
            assert_eq!(one.yes + one.no + one.too_close, one.runs);
            let sure = if one.truth < 1.0 { one.yes } else { one.no };
            assert!(one.truth == 1.0 || sure == one.runs, "{one:?}");
        }
    }
}
