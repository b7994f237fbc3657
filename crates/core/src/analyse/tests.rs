//! Verdicts and sentences on tables of rates.

use super::*;
use crate::testing::RunBuilder;

/// Candidate c runs at `rates[c]`, with noise of about `noise` that differs between candidates.
fn steady(rates: &'static [f64], noise: f64) -> impl Fn(u32, u16, u16) -> f64 {
    move |block, candidate, workload| {
        let mut g =
            crate::prng::SplitMix64::derive(5, &[block.into(), candidate.into(), workload.into()]);
        let sum: f64 = (0..12).map(|_| g.below(1 << 40) as f64 / (1u64 << 40) as f64).sum();
        rates[usize::from(candidate)] * libm::exp(noise * (sum - 6.0))
    }
}

fn sentence(run: &Run) -> String {
    analyse(run).verdicts[0].sentence.clone()
}

#[test]
fn a_winner_in_words() {
    let run = RunBuilder::stacks(&["ext4", "f2fs"]).play(99, steady(&[1000.0, 1060.0], 0.01));
    insta::assert_snapshot!(sentence(&run.build()), @"f2fs is 7 % faster than ext4 (95 % CI 5 to 9 %), by at least the 3 % that count here, 8 paired blocks, 4k random writes, each flushed, fresh filesystems on a 4 GiB image on Disk A (sda), Raspberry Pi 4 Model B, kernel 6.12.1. This ranks filesystem software over an image on this disk.");
}
