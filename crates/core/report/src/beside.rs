//! What companions do, in words: "SQLite commits beside backup: p99 of commits rises from 4 to
//! 58 ms on ext4".

use bakeoff_model::beside::{BesideChange, BesideEffect, BesideQuantity};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::workload::Metric;
use bakeoff_stats::units;

use crate::answer::{self, amount};

/// Share of its pace below which a companion did not keep it.
const KEPT: f64 = 0.95;

/// A sentence or two for each workload with a companion.
pub fn sentences(run: &Run, effects: &[BesideEffect]) -> Vec<String> {
    let metric = |effect: &BesideEffect| {
        let named = run.header.workloads.iter().find(|w| w.name == effect.workload);
        named.map_or(Metric::Iops, |w| w.metric)
    };
    let both = |effect| [changes(effect, metric(effect)), pace(effect)];
    effects.iter().flat_map(both).flatten().collect()
}

fn changes(effect: &BesideEffect, metric: Metric) -> Option<String> {
    let alone = answer::workload_name(effect.alone.as_deref()?);
    let quantity = effect.quantity?;
    let what = match quantity {
        BesideQuantity::Latency { quantile, of } => format!("{quantile} of {of}"),
        BesideQuantity::Figure if metric.less_is_better() => "p99".to_string(),
        BesideQuantity::Figure => "the rate".to_string(),
    };
    let figure = |value: f64| match quantity {
        BesideQuantity::Latency { .. } => units::latency(value as u64),
        BesideQuantity::Figure => metric.figure(value),
    };
    let told = effect.candidates.iter().filter_map(|change| one(change, &figure));
    let told: Vec<String> = told.collect();
    let companion = sanitize(&effect.companion);
    (!told.is_empty()).then(|| format!("{alone} beside {companion}: {what} {}.", told.join("; ")))
}

/// "rises from 4.00 ms to 58.0 ms on ext4 (14 times; 95 % CI: 9.2 to 21)".
fn one(change: &BesideChange, figure: &dyn Fn(f64) -> String) -> Option<String> {
    let (alone, beside) = change.figures?;
    let on = sanitize(&change.candidate);
    let (alone, with) = (figure(alone), figure(beside));
    let Some((ratio, low, high)) = change.ratio else {
        return Some(format!("goes from {alone} to {with} on {on} (one block, no interval)"));
    };
    let interval = format!("95 % CI: {} to {}", times(low), times(high));
    Some(match change.is_certain() {
        true => {
            let verb = if ratio > 1.0 { "rises" } else { "falls" };
            format!("{verb} from {alone} to {with} on {on} ({} times; {interval})", times(ratio))
        }
        false if amount::is_unknown(low, high) => {
            format!("is still uncertain on {on} ({alone} and {with})")
        }
        false => {
            format!("shows no certain difference on {on} ({alone} and {with}; {interval} times)")
        }
    })
}

fn times(ratio: f64) -> String {
    match ratio {
        r if r >= 1000.0 => "over 1000".to_string(),
        r if r >= 9.95 => format!("{r:.0}"),
        r if r >= 1.995 => format!("{r:.1}"),
        r => format!("{r:.2}"),
    }
}

/// Where a companion did not keep its pace, its figures say less of the candidate.
fn pace(effect: &BesideEffect) -> Option<String> {
    let rate = effect.rate as f64;
    let behind = effect.candidates.iter().filter_map(|change| {
        let did = change.companion_did.filter(|did| *did < rate * KEPT)?;
        Some(format!(
            "{} of {} per second on {}",
            units::count(did),
            units::count(rate),
            sanitize(&change.candidate)
        ))
    });
    let behind: Vec<String> = behind.collect();
    let (companion, workload) = (sanitize(&effect.companion), sanitize(&effect.workload));
    (!behind.is_empty())
        .then(|| format!("{companion} did not keep its pace in {workload}: {}.", behind.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::testing::RunBuilder;

    fn change(
        candidate: &str,
        figures: (f64, f64),
        ratio: Option<(f64, f64, f64)>,
    ) -> BesideChange {
        let candidate = candidate.to_string();
        let figures = Some(figures);
        BesideChange { candidate, figures, ratio, blocks: 5, companion_did: Some(250.0) }
    }

    #[test]
    fn a_change_has_its_figures_and_its_interval_and_none_is_said() {
        let mut effect = BesideEffect {
            workload: "randwrite beside backup".to_string(),
            alone: Some("randwrite".to_string()),
            companion: "backup".to_string(),
            rate: 250,
            quantity: Some(BesideQuantity::Latency { quantile: "p99", of: "flushes" }),
            candidates: vec![
                change("ext4", (4e6, 58e6), Some((14.5, 9.2, 21.4))),
                change("f2fs", (3e6, 3.1e6), Some((1.03, 0.9, 1.2))),
                change("btrfs", (3e6, 4e6), Some((1.3, 0.5, 3.0))),
                change("xfs", (3e6, 6e6), None),
            ],
        };
        let run = RunBuilder::stacks(&["ext4"]).build();
        assert_eq!(
            sentences(&run, std::slice::from_ref(&effect)),
            ["random writes beside backup: p99 of flushes rises from 4.00 ms to 58.0 ms on \
              ext4 (14 times; 95 % CI: 9.2 to 21); shows no certain difference on f2fs (3.00 ms \
              and 3.10 ms; 95 % CI: 0.90 to 1.20 times); is still uncertain on btrfs (3.00 ms and \
              4.00 ms); goes from 3.00 ms to 6.00 ms on xfs (one block, no interval)."]
        );
        effect.candidates[0].companion_did = Some(62.4);
        effect.quantity = None;
        assert_eq!(
            sentences(&run, &[effect]),
            ["backup did not keep its pace in randwrite beside backup: 62.4 of 250 per \
              second on ext4."]
        );
    }
}
