//! Each rule over a run: fires, and comes close without firing.

use super::*;
use crate::analyse::analyse;
use crate::model::event::What;
use crate::model::finding::Severity;
use crate::model::protocol::Mode;
use crate::model::verdict::{Analysis, Verdict};
use crate::prng::SplitMix64;
use crate::testing::Version01;

/// Noise of about 1 %, different for every cell.
fn noise(block: u32, candidate: u16) -> f64 {
    let mut g = SplitMix64::derive(11, &[block.into(), candidate.into()]);
    let sum: f64 = (0..12).map(|_| g.below(1 << 40) as f64 / (1u64 << 40) as f64).sum();
    (sum - 6.0) / 100.0
}

fn steady(block: u32, candidate: u16, _: u16) -> f64 {
    1000.0 * libm::exp(noise(block, candidate))
}

fn ids(run: &Run) -> Vec<String> {
    analyse(run).findings.into_iter().map(|f| f.id).collect()
}

#[test]
fn l32_four_blocks_and_five() {
    let four = Version01::stacks(&["a", "b"]).play(4, steady).build();
    let found = analyse(&four);
    assert_eq!(ids(&four), ["L32"]);
    assert_eq!(found.findings[0].evidence, "4 of 5 complete blocks");
    // Too few blocks are no refusal: more of them will tell.
    assert_eq!(found.verdicts[0].verdict, Verdict::NotResolved);
    assert!(ids(&Version01::stacks(&["a", "b"]).play(5, steady).build()).is_empty());
}

fn in_orders(orders: &[[u16; 2]]) -> Run {
    let mut builder = Version01::stacks(&["a", "b"]);
    for order in orders {
        builder.block(order.to_vec(), &mut steady);
    }
    builder.push(What::Looked { blocks: orders.len() as u32, dropped: vec![] });
    builder.build()
}

#[test]
fn l34_always_the_same_way_round_and_once_the_other() {
    let fixed = in_orders(&[[1, 0]; 5]);
    assert_eq!(ids(&fixed), ["L34"]);
    assert_eq!(analyse(&fixed).findings[0].evidence, "b was measured before a in all 5 blocks");
    assert!(ids(&in_orders(&[[1, 0], [1, 0], [0, 1], [1, 0], [1, 0]])).is_empty());
}

#[test]
fn l34_never_fires_on_our_own_orders() {
    for seed in 0..50 {
        let run = Version01::stacks(&["a", "b", "c", "d"]).seed(seed).play(5, steady).build();
        assert!(!ids(&run).contains(&"L34".to_string()), "seed {seed}");
    }
}

fn twins(gap: f64) -> Run {
    let builder = Version01::stacks(&["a", "b", "a again"]);
    let builder = builder.header(|h| h.candidates[2].twin_of = Some("a".to_string()));
    let rate = move |b, c, w| steady(b, c, w) * if c == 2 { 1.0 + gap } else { 1.0 };
    builder.mode(Mode::Precise).play(5, rate).build()
}

#[test]
fn l35_a_twin_that_differs_is_an_error_and_no_refusal() {
    let failed = analyse(&twins(0.10));
    let found = failed.findings.iter().find(|f| f.id == "L35").expect("the control failed");
    assert_eq!(found.severity, Severity::Error);
    assert!(found.evidence.starts_with("a measured twice differs from itself by"));
    assert_ne!(failed.verdicts[0].verdict, Verdict::Refused);
    let passed = analyse(&twins(0.005));
    assert!(!passed.findings.iter().any(|f| f.id == "L35"));
    let told = |analysis: &Analysis| analysis.verdicts[0].control.clone().expect("a twin");
    assert!(told(&failed).ends_with(", so the control failed"), "{}", told(&failed));
    let words = told(&passed);
    assert!(words.starts_with("a measured twice differs from itself by"), "{words}");
    assert!(words.ends_with(", which may be none"), "{words}");
}

/// `b` alone goes up and down slowly.
fn wandering(depth: f64) -> Run {
    let rate = move |block: u32, candidate: u16, w| {
        let wave = if candidate == 1 { depth * libm::sin(f64::from(block) / 3.0) } else { 0.0 };
        steady(block, candidate, w) * libm::exp(wave)
    };
    Version01::stacks(&["a", "b", "c"]).play(18, rate).build()
}

#[test]
fn l36_one_that_wanders_is_refused_and_one_that_only_scatters_is_not() {
    let found = analyse(&wandering(0.2));
    assert_eq!(found.verdicts[0].verdict, Verdict::Refused, "{}", found.verdicts[0].sentence);
    assert!(found.verdicts[0].sentence.contains("(L36)"), "{}", found.verdicts[0].sentence);
    assert!(found.verdicts[0].tiers.is_empty() && found.verdicts[0].winner.is_none());
    assert!(!ids(&wandering(0.002)).contains(&"L36".to_string()));
}

#[test]
fn a_run_that_suspects_one_of_wandering_goes_on() {
    // `b` is far ahead and the first look would tell, but it speeds up from block to block.
    let rate = |block: u32, candidate: u16, w| {
        let gain = if candidate == 1 { 0.5 + 0.04 * f64::from(block.min(4)) } else { 0.0 };
        steady(block, candidate, w) * libm::exp(gain)
    };
    let run = Version01::stacks(&["a", "b"]).play(99, rate).build();
    assert!(run.looks.len() > 1, "{:?}", run.looks);
}

#[test]
fn a_run_in_which_one_scatters_more_than_the_others_goes_on() {
    // Without order, so that only its size is suspicious; `b` is far ahead all the same.
    let rate = |block: u32, candidate: u16, w| {
        let scatter = [0.0, 0.12, 0.05, -0.09, 0.11][(block % 5) as usize];
        let gain = if candidate == 1 { 0.8 + scatter } else { 0.0 };
        steady(block, candidate, w) * libm::exp(gain)
    };
    let run = Version01::stacks(&["a", "b", "c"]).play(99, rate).build();
    assert!(run.looks.len() > 1, "{:?}", run.looks);
    let even = |block: u32, candidate: u16, w| {
        steady(block, candidate, w) * if candidate == 1 { libm::exp(0.8) } else { 1.0 }
    };
    let run = Version01::stacks(&["a", "b", "c"]).play(99, even).build();
    assert_eq!(run.looks, [5]);
}

#[test]
fn l36_a_winner_by_blocks_that_resemble_each_other_is_refused_after_the_last_one() {
    // A lead just large enough, in a wave too weak to be refused by itself.
    let run = |lead: f64, wave: f64| {
        let rate = move |block: u32, candidate: u16, w| {
            let b = f64::from(block);
            let noise = 0.05 * libm::sin(b * b * 1.7) + wave * libm::sin(b / 1.6);
            let gain = if candidate == 1 { lead + noise } else { 0.0 };
            steady(block, candidate, w) * libm::exp(gain)
        };
        analyse(&Version01::stacks(&["a", "b"]).play(99, rate).build())
    };
    let narrow = run(0.019, 0.04);
    let refused = &narrow.verdicts[0];
    assert_eq!(refused.verdict, Verdict::Refused, "{}", refused.sentence);
    let told = refused.findings.iter().find(|f| f.id == "L36").expect("L36");
    assert!(told.evidence.contains("only if blocks are independent"), "{}", told.evidence);
    assert_eq!(run(0.3, 0.04).verdicts[0].verdict, Verdict::Beats);
}

#[test]
fn l36_a_wave_all_have_in_common_is_no_finding() {
    let rate = |block: u32, candidate: u16, w| {
        steady(block, candidate, w) * libm::exp(0.3 * libm::sin(f64::from(block) / 3.0))
    };
    let run = Version01::stacks(&["a", "b", "c"]).play(18, rate).build();
    assert!(!ids(&run).contains(&"L36".to_string()), "{:?}", ids(&run));
}

#[test]
fn a_candidate_whose_every_cell_is_thrown_away_is_named() {
    let builder = Version01::directories(&["/a", "/b", "/c"]);
    let run = builder
        .cells(|c| c.truth.suspended_ns = if c.candidate == 2 { 3_000_000_000 } else { 0 })
        .play(5, steady)
        .build();
    let found = analyse(&run);
    let named = found.findings.iter().find(|f| f.id == "unmeasured").expect("a finding");
    assert_eq!(named.candidate.as_deref(), Some("/c"));
    let told = found.findings.iter().find(|f| f.id == "suspended").expect("a finding");
    assert!(told.evidence.contains("in 5 of 5 cells; first: discarded"), "{}", told.evidence);
    assert_eq!((found.cells, found.void_cells), (10, 5));
    assert_eq!(found.verdicts[0].standings.len(), 2);
}
