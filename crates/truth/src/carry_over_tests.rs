//! The estimate of what a candidate leaves behind, on slices whose truth is known.

use bakeoff_judge::decide::turns::turns;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_stats::carry_over::{CarriedSlice, estimate};
use bakeoff_stats::prng::{NormalDeviates, SplitMix64};

/// Slices of 12 blocks of 8 rounds of `effects.len()` candidates, at this noise of a slice.
fn slices(effects: &[f64], noise: f64, seed: u64) -> Vec<CarriedSlice> {
    let k = effects.len() as u16;
    let standing: Vec<CandidateIx> = CandidateIx::all(effects.len()).collect();
    let mut normal = NormalDeviates(SplitMix64::new(seed));
    let mut all = Vec::new();
    for block in 0..12 {
        let level: Vec<f64> = (0..k).map(|c| f64::from(c) + 0.3 * normal.deviate()).collect();
        for round in 0..8 {
            let order =
                turns(seed, BlockIx::new(block as usize), WorkloadIx::FIRST, round, &standing);
            for pair in order.windows(2) {
                let (predecessor, candidate) = (pair[0].number(), pair[1].number());
                let ln_rate = level[usize::from(candidate)]
                    + effects[usize::from(predecessor)]
                    + noise * normal.deviate();
                all.push(CarriedSlice { block, ln_rate, candidate, predecessor });
            }
        }
    }
    all
}

#[test]
fn finds_one_that_slows_down_whoever_follows_it() {
    for k in [3usize, 4, 7, 12] {
        let mut effects = vec![0.0; k];
        effects[1] = libm::log(0.9);
        let found = estimate(&slices(&effects, 0.05, 3), k as u16, 0.01).unwrap();
        assert_eq!(found.pair.0, 1, "{found:?}");
        let apart = found.effects[0] - found.effects[1];
        assert!((apart + libm::log(0.9)).abs() < 0.03, "{k}: {found:?}");
        let bias = -libm::log(0.9) / (k as f64 - 1.0);
        assert!((found.interval.low..=found.interval.high * 1.2).contains(&bias), "{found:?}");
        assert!(found.exceeds(bias / 3.0), "{found:?}");
    }
}

#[test]
fn is_quiet_where_nothing_is_left_behind() {
    let fired = (0..200).filter(|seed| {
        let found = estimate(&slices(&[0.0; 5], 0.1, *seed), 5, 0.05).unwrap();
        found.exceeds(0.0)
    });
    assert!(fired.count() <= 14, "5 % over all pairs");
}

#[test]
fn knows_what_it_cannot_tell() {
    assert_eq!(estimate(&[], 4, 0.05), None);
    assert_eq!(estimate(&slices(&[0.0, -0.2], 0.01, 1), 2, 0.05), None);
    let few = &slices(&[0.0; 4], 0.01, 1)[..5];
    assert_eq!(estimate(few, 4, 0.05), None);
}

#[test]
fn what_all_leave_behind_alike_is_no_bias() {
    let found = estimate(&slices(&[-0.3; 4], 0.02, 9), 4, 0.01).unwrap();
    assert!(found.bias < 0.01 && !found.exceeds(0.003), "{found:?}");
}
