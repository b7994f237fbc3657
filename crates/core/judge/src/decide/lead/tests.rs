//! The lead on tables of rates.

use super::*;
use crate::testing::RunBuilder;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::protocol::Mode;
use proptest::prelude::*;

/// A run of eight blocks, whether it was over before or not.
fn eight(k: usize, rate: impl Fn(u32, u16) -> f64) -> Run {
    let names: Vec<String> = (0..k).map(|i| format!("fs{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut run = RunBuilder::stacks(&names).mode(Mode::Decide);
    for _ in 0..8 {
        run.block((0..k as u16).collect(), &mut |block, candidate, _| rate(block, candidate));
    }
    run.build()
}

fn lead_of(run: &Run, divisor: usize) -> (Comparison, DecidedLead) {
    let table = ScoreTable::from_evidence(run);
    let compared = Comparison::new(run, &table, WorkloadIx::FIRST, schedule::alpha_pair(run));
    let lead = DecidedLead::new(run, &table, &compared, divisor);
    (compared, lead)
}

fn tables() -> impl Strategy<Value = (Vec<f64>, f64, Vec<f64>)> {
    (2usize..=5).prop_flat_map(|k| {
        let means = prop::collection::vec(-0.1..0.1f64, k);
        (means, 0.001..0.05f64, prop::collection::vec(-1.0..1.0f64, k * 8))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn is_above_zero_where_every_lower_bound_is_and_only_there((means, noise, cells) in tables()) {
        let k = means.len();
        let at = |block: u32, c: u16| cells[block as usize % 8 * k + usize::from(c)];
        let run = eight(k, |b, c| 1e6 * libm::exp(means[usize::from(c)] + noise * at(b, c)));
        let (compared, lead) = lead_of(&run, 1);
        let value = lead.value().unwrap();
        prop_assert_eq!(value > 0.0, lead.against.iter().all(|a| a.interval.low > 0.0));
        prop_assert_eq!(lead.against.len(), k - 1);
        prop_assert_eq!(lead.leader, compared.ranked.first().copied());
        prop_assert!(lead.against.iter().all(|a| a.interval.low >= value));
        // Stricter for all workloads together, and never the other way round.
        let (_, for_all) = lead_of(&run, 6);
        prop_assert!(for_all.value().unwrap() <= value);
        prop_assert!(for_all.verdict(0.03) >= lead.verdict(0.03));
        // Who is ahead of everybody is so from nobody else's view.
        let table = ScoreTable::from_run(&run, 8);
        let others = compared.ranked.iter().skip(1);
        let views = others.map(|c| DecidedLead::from(&run, &table, &compared, *c, 1));
        prop_assert!(value <= 0.0 || views.into_iter().all(|l| l.value().unwrap() < 0.0));
    }

    #[test]
    fn does_not_depend_on_the_order_or_the_unit((means, noise, cells) in tables(), turn in 1usize..4) {
        let k = means.len();
        let at = |block: u32, c: usize| cells[block as usize % 8 * k + c];
        let run = |turn: usize, unit: f64| {
            eight(k, |b, c| {
                let c = (usize::from(c) + turn) % k;
                unit * libm::exp(means[c] + noise * at(b, c))
            })
        };
        let (plain, turned) = (lead_of(&run(0, 1e6), 1).1, lead_of(&run(turn, 5e6), 1).1);
        let leader = (usize::from(turned.leader.unwrap()) + turn) % k;
        prop_assert_eq!(usize::from(plain.leader.unwrap()), leader);
        prop_assert!((plain.value().unwrap() - turned.value().unwrap()).abs() < 1e-6);
    }
}

#[test]
fn has_no_lead_before_the_first_look_and_with_nobody_else() {
    let mut run = RunBuilder::stacks(&["a", "b"]);
    run.block(vec![0, 1], &mut |_, c, _| 1e6 + f64::from(c));
    run.block(vec![1, 0], &mut |_, c, _| 1e6 + f64::from(c));
    let (_, lead) = lead_of(&run.build(), 1);
    assert_eq!((lead.value(), lead.verdict(0.03)), (None, Verdict::Leads));
    let (_, alone) = lead_of(&eight(1, |_, _| 1e6), 1);
    assert_eq!((alone.leader, alone.value()), (Some(CandidateIx::FIRST), None));
}

#[test]
fn who_is_dropped_stays_behind_at_the_alpha_of_that_look() {
    // Noise by which a later look, with less alpha, would take the certainty back.
    let noisy = |b: u32, c: u16, _| {
        let wave = [0.9, 1.1, 1.0, 0.95, 1.05][(b as usize + usize::from(c) * 2) % 5];
        1e6 * wave * if c == 2 { 0.3 } else { 1.0 }
    };
    let run = RunBuilder::stacks(&["a", "b", "slow"]).play(12, noisy).build();
    assert!(run.dropped.iter().any(|d| d.0.number() == 2), "{:?} {:?}", run.dropped, run.looks);
    let (_, lead) = lead_of(&run, 1);
    let slow = lead.against.iter().find(|a| a.other.number() == 2).unwrap();
    assert!(slow.interval.low > 0.0, "{lead:?}");
}

#[test]
fn a_run_over_several_workloads_ends_only_when_its_headline_is_settled() {
    // The run stopped when each workload was settled alone, and the headline was not.
    let wave = |b: u32, c: u16, w: u16| {
        let noise = [0.02, -0.03, 0.01, -0.02, 0.03, -0.01, 0.0];
        let at = (b as usize * 3 + usize::from(c) * 2 + usize::from(w)) % noise.len();
        1e6 * libm::exp(noise[at] + if c == 0 { 0.06 } else { 0.0 })
    };
    let names = ["randwrite", "randread", "seqread", "smallfiles"];
    let run = RunBuilder::stacks(&["a", "b", "c"]).workloads(&names);
    let run = run.header(|h| h.protocol.time_ns = None).play(99, wave).build();
    let (reason, note) = run.stopped.as_ref().unwrap();
    let settled = crate::decide::is_decided(&run);
    let decided = *reason == bakeoff_model::event::StopReason::Decided;
    assert_eq!(decided, settled, "{note}");
    assert!(decided, "{:?} {note}", run.looks);
}
