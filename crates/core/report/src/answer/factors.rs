//! Which factor matters, in words: "Scheduler matters most for random writes: none is 30 % faster
//! than bfq (95 % CI: 20 to 42 %)."

use super::{amount, names};
use bakeoff_model::factors::{CandidateFactor, FactorEffect, FactorOutcome, FactorRatio, Factors};
use bakeoff_model::path::sanitize;
use bakeoff_stats::phrases;

/// One sentence or two for each factor, over all workloads that were measured often enough.
pub fn over_workloads(all: &[Factors]) -> Vec<String> {
    let factors = CandidateFactor::ALL.into_iter();
    factors.filter_map(|factor| over_workloads_of(factor, all)).collect()
}

fn over_workloads_of(factor: CandidateFactor, all: &[Factors]) -> Option<String> {
    let of = |one: &'_ Factors| one.effects.iter().find(|e| e.factor == factor).cloned();
    let each: Vec<(&Factors, FactorEffect)> =
        all.iter().filter_map(|one| Some((one, of(one)?))).collect();
    let with = |outcome: FactorOutcome| -> Vec<&(&Factors, FactorEffect)> {
        each.iter().filter(|(_, effect)| effect.outcome == outcome).collect()
    };
    let workloads = |some: &[&(&Factors, FactorEffect)]| {
        let names: Vec<String> = some.iter().map(|(of, _)| names::workload(&of.workload)).collect();
        phrases::list(&names)
    };
    let mut certain = with(FactorOutcome::Matters);
    certain.sort_by(|x, y| y.1.ratio.ratio.total_cmp(&x.1.ratio.ratio));
    let (none, open) = (with(FactorOutcome::NoDifference), with(FactorOutcome::Open));
    let label = phrases::capital(factor.label());
    let mut said = Vec::new();
    match certain.as_slice() {
        [] if open.is_empty() => {
            let (one, _) = each.first()?;
            return Some(format!("{label}: no difference of {}.", amount::share(one.margin)));
        }
        [] if none.is_empty() => {
            return Some(format!("{label}: not certain yet whether it matters."));
        }
        [] => {}
        [(of, effect)] => {
            said.push(format!("matters for {}: {}.", names::workload(&of.workload), ahead(effect)));
        }
        [(of, effect), rest @ ..] => said.push(format!(
            "matters most for {}: {}; also for {}.",
            names::workload(&of.workload),
            ahead(effect),
            workloads(rest)
        )),
    }
    if !none.is_empty() {
        let margin = amount::share(none[0].0.margin);
        said.push(format!("no difference of {margin} for {}.", workloads(&none)));
    }
    if !open.is_empty() {
        said.push(format!("not certain yet for {}.", workloads(&open)));
    }
    let (first, rest) = said.split_first()?;
    let rest = rest.iter().map(|part| format!(" {}", phrases::capital(part)));
    let joint = if first.starts_with("matters") { " " } else { ": " };
    Some(format!("{label}{joint}{first}{}", rest.collect::<String>()))
}

fn ahead(effect: &FactorEffect) -> String {
    let (fast, slow) = (sanitize(&effect.fast), sanitize(&effect.slow));
    let FactorRatio { ratio, low, high } = effect.ratio;
    if amount::is_unknown(low, high) {
        return format!("{fast} is faster than {slow}, by an unknown amount");
    }
    let ends = if ratio >= 2.0 {
        format!("{} to {}", amount::times(low - 1.0), amount::times(high - 1.0))
    } else {
        format!("{:.0} to {:.0} %", (low - 1.0) * 100.0, (high - 1.0) * 100.0)
    };
    format!("{fast} is {} {slow} (95 % CI: {ends})", by(ratio))
}

/// `30 % faster than`, `2.4 times as fast as`, `5 % slower than`.
fn by(ratio: f64) -> String {
    match ratio {
        r if r >= 2.0 => format!("{} times as fast as", amount::times(r - 1.0)),
        r if r >= 1.0 => format!("{} faster than", amount::share(r - 1.0)),
        r => format!("{} slower than", amount::share(1.0 - r)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(
        factor: CandidateFactor,
        outcome: FactorOutcome,
        [ratio, low, high]: [f64; 3],
    ) -> FactorEffect {
        let (fast, slow) = match factor {
            CandidateFactor::Scheduler => ("none", "bfq"),
            _ => ("ext4", "ext4 no journal"),
        };
        let ratio = FactorRatio { ratio, low, high };
        FactorEffect { factor, outcome, fast: fast.into(), slow: slow.into(), ratio }
    }

    fn factors(workload: &str, scheduler: [f64; 3]) -> Factors {
        let is_large = scheduler[0] > 1.1;
        let outcome = if is_large { FactorOutcome::Matters } else { FactorOutcome::NoDifference };
        let filesystem =
            effect(CandidateFactor::Filesystem, FactorOutcome::NoDifference, [1.0, 0.98, 1.02]);
        Factors {
            workload: workload.into(),
            blocks: 5,
            margin: 0.03,
            effects: vec![filesystem, effect(CandidateFactor::Scheduler, outcome, scheduler)],
        }
    }

    #[test]
    fn which_factor_matters_is_said_once_for_all_workloads() {
        let all = [
            factors("randread", [1.3, 1.2, 1.42]),
            factors("randwrite", [2.44, 2.1, 2.9]),
            factors("smallfiles", [1.01, 0.99, 1.02]),
        ];
        let said = over_workloads(&all);
        assert_eq!(
            said,
            [
                "Filesystem: no difference of 3 %.",
                "Scheduler matters most for random writes: none is 2.4 times as fast as bfq (95 % \
                 CI: 2.1 to 2.9); also for random reads. No difference of 3 % for small files."
            ]
        );
    }
}
