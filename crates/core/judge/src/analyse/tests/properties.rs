//! What holds for every run: names do not matter, units do not matter, and no winner is named
//! whose interval contains "the same".

use crate::analyse::*;
use crate::testing::RunBuilder;
use bakeoff_model::protocol::Mode;
use proptest::prelude::*;

const NAMES: [&str; 4] = ["ext4", "xfs", "f2fs", "btrfs"];

/// `ln` of each candidate's speed, the noise, and a deviate for every cell of 8 blocks.
pub fn tables() -> impl Strategy<Value = (Vec<f64>, f64, Vec<f64>)> {
    (2usize..=4).prop_flat_map(|k| {
        let means = prop::collection::vec(-0.1..0.1f64, k);
        (means, 0.0..0.05f64, prop::collection::vec(-1.0..1.0f64, k * 8))
    })
}

/// A quick run over stacks in which the candidate named `NAMES[order[i]]` stands at `i`.
pub fn run(order: &[usize], means: &[f64], noise: f64, cells: &[f64], scale: f64) -> Run {
    let names: Vec<&str> = order.iter().map(|i| NAMES[*i]).collect();
    let rate = |block: u32, candidate: u16, _| {
        let i = order[usize::from(candidate)];
        let deviate = cells[(block as usize % 8) * means.len() + i];
        1e6 * scale * libm::exp(means[i] + noise * deviate)
    };
    RunBuilder::stacks(&names).mode(Mode::Quick).play(99, rate).build()
}

pub fn in_order(k: usize) -> Vec<usize> {
    (0..k).collect()
}

/// What was answered, without figures: verdict and winner.
fn answer(run: &Run) -> Vec<(Verdict, Option<String>)> {
    let verdicts = analyse(run).verdicts;
    verdicts.into_iter().map(|v| (v.verdict, v.winner)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn permuting_candidates_permutes_nothing_else(
        (means, noise, cells) in tables(),
        turn in 1usize..4,
    ) {
        let k = means.len();
        let mut turned = in_order(k);
        turned.rotate_left(turn % k);
        let plain = run(&in_order(k), &means, noise, &cells, 1.0);
        let other = run(&turned, &means, noise, &cells, 1.0);
        prop_assert_eq!(answer(&plain), answer(&other));
        let (a, b) = (analyse(&plain), analyse(&other));
        for (x, y) in a.verdicts[0].effects.iter().zip(&b.verdicts[0].effects) {
            prop_assert_eq!((&x.a, &x.b), (&y.a, &y.b));
            prop_assert!((x.ratio - y.ratio).abs() < 1e-6);
        }
    }

    #[test]
    fn scaling_every_rate_changes_nothing((means, noise, cells) in tables()) {
        let order = in_order(means.len());
        let plain = run(&order, &means, noise, &cells, 1.0);
        let scaled = run(&order, &means, noise, &cells, 7.0);
        prop_assert_eq!(answer(&plain), answer(&scaled));
        let (a, b) = (analyse(&plain), analyse(&scaled));
        for (x, y) in a.verdicts[0].effects.iter().zip(&b.verdicts[0].effects) {
            prop_assert!((x.ratio - y.ratio).abs() < 1e-5 && (x.low - y.low).abs() < 1e-5);
        }
        let mean = |a: &Analysis| a.verdicts[0].standings[0].mean;
        prop_assert!((mean(&b) / mean(&a) - 7.0).abs() < 1e-4);
    }

    #[test]
    fn identical_data_ties((_, noise, cells) in tables()) {
        let rate = |block: u32, _, _| 1e6 * libm::exp(noise * cells[block as usize % 8]);
        let run = RunBuilder::stacks(&NAMES).mode(Mode::Quick).play(99, rate).build();
        let verdict = &analyse(&run).verdicts[0];
        prop_assert_eq!(verdict.verdict, Verdict::AsFast);
        prop_assert!(verdict.effects.iter().all(|e| e.ratio == 1.0 && e.low == 1.0));
    }

    #[test]
    fn a_winner_is_certain_of_everyone_and_a_tie_lies_inside_the_margin(
        (means, noise, cells) in tables()
    ) {
        let run = run(&in_order(means.len()), &means, noise, &cells, 1.0);
        let verdict = &analyse(&run).verdicts[0];
        let margin = 1.0 + run.header.protocol.tie_margin;
        for e in &verdict.effects {
            prop_assert!(e.low <= e.ratio && e.ratio <= e.high);
        }
        match verdict.verdict {
            Verdict::Fastest => {
                let winner = verdict.winner.as_deref().unwrap();
                // Against the next best directly; against the rest at least through a chain.
                let is_ahead = verdict.effects.iter().any(|e| e.a == winner && e.low > 1.0);
                prop_assert!(is_ahead, "{:?}", verdict.effects);
            }
            Verdict::AsFast => {
                let equals = &verdict.lead.as_ref().unwrap().equals;
                let is_among = |e: &&Effect| equals.contains(&e.a) && equals.contains(&e.b);
                for e in verdict.effects.iter().filter(is_among) {
                    prop_assert!(e.high < margin && e.low > 1.0 / margin, "{e:?}");
                }
            }
            Verdict::Leads | Verdict::Refused | Verdict::Alone => {
                prop_assert!(verdict.winner.is_none())
            }
        }
    }
}
