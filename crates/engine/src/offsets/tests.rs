//! What every walk keeps to, and the numbers that a recorded seed stands for.

use proptest::prelude::*;

use super::once::Permutation;
use super::*;

fn job(rw: Rw, offsets: Offsets, seed: u64) -> Job {
    Job { offsets, seed, ..Job::new(rw, 4096, 1 << 20) }
}

fn blocks(cursor: &mut Cursor, n: usize) -> Vec<u64> {
    (0..n).map(|_| cursor.step().block).collect()
}

/// These vectors are the format of a recorded seed: a change breaks every stored run. They come
/// from a second implementation of the module's head, in Python's unbounded integers.
#[test]
fn reference_vectors() {
    let span = Span { base: 0, blocks: 1000, start: 0, turn: 1 };
    let uniform = job(Rw::RandRead, Offsets::Uniform, 42);
    assert_eq!(blocks(&mut Cursor::new(&uniform, span, 0), 8), UNIFORM_42);
    let cases = [
        (Offsets::Once, ONCE_42),
        (Offsets::Zipf { theta_milli: 1200 }, ZIPF_1200_42),
        (Offsets::Zipf { theta_milli: 1000 }, ZIPF_1000_42),
        (Offsets::Zipf { theta_milli: 500 }, ZIPF_500_42),
    ];
    for (offsets, want) in cases {
        let job = job(Rw::RandRead, offsets, 42);
        assert_eq!(blocks(&mut Cursor::new(&job, span, 0), 8), want, "{offsets}");
    }
}
const UNIFORM_42: [u64; 8] = [318, 179, 21, 891, 866, 457, 122, 791];
const ONCE_42: [u64; 8] = [351, 61, 979, 92, 989, 435, 630, 453];
const ZIPF_1200_42: [u64; 8] = [256, 792, 783, 695, 351, 693, 351, 238];
const ZIPF_1000_42: [u64; 8] = [575, 142, 541, 622, 351, 706, 979, 863];
const ZIPF_500_42: [u64; 8] = [478, 352, 423, 203, 825, 4, 770, 862];

/// As fio, which keeps a position for each direction.
#[test]
fn a_sequential_mix_reads_and_writes_each_in_order() {
    let job = Job { rwmixread: 70, ..job(Rw::ReadWrite, Offsets::Uniform, 3) };
    let mut cursor = Cursor::new(&job, Span::of_lane(1000, 0, 1, false), 0);
    let steps: Vec<Step> = (0..900).map(|_| cursor.step()).collect();
    let of = |write: bool| steps.iter().filter(move |step| step.write == write);
    for write in [false, true] {
        let blocks: Vec<u64> = of(write).map(|step| step.block).collect();
        assert!(blocks.iter().copied().eq(0..blocks.len() as u64), "{blocks:?}");
    }
    let reads = of(false).count();
    assert!((560..700).contains(&reads), "{reads}");
}

#[test]
fn sequential_lanes_begin_at_their_share_and_wrap() {
    let job = job(Rw::Read, Offsets::Uniform, 1);
    let span = Span::of_lane(10, 1, 2, false);
    assert_eq!(blocks(&mut Cursor::new(&job, span, 1), 7), [5, 6, 7, 8, 9, 0, 1]);
}

#[test]
fn a_mix_reads_as_often_as_asked() {
    for (percent, offsets) in
        [(0, Offsets::Uniform), (30, Offsets::Uniform), (70, Offsets::Once), (100, Offsets::Once)]
    {
        let job = Job { rwmixread: percent, ..job(Rw::RandRw, offsets, 3) };
        let span = Span { base: 0, blocks: 100_000, start: 0, turn: 1 };
        let mut cursor = Cursor::new(&job, span, 0);
        let reads = (0..100_000).filter(|_| !cursor.step().write).count() as i64;
        // Five standard deviations of a binomial at its widest: 5 x sqrt(100000 / 4).
        let want = i64::from(percent) * 1000;
        assert!((reads - want).abs() < 800, "{percent} %: {reads} reads");
        assert!(percent % 100 != 0 || reads == want, "{percent} % is exact");
    }
}

proptest! {
    #[test]
    fn a_round_of_a_sequence_covers_every_block_once(n in 1u64..500) {
        let job = job(Rw::Write, Offsets::Uniform, 1);
        let mut cursor = Cursor::new(&job, Span::of_lane(n, 0, 1, false), 0);
        for _ in 0..2 {
            let mut round = blocks(&mut cursor, n as usize);
            round.sort_unstable();
            prop_assert!(round.iter().copied().eq(0..n));
        }
    }

    #[test]
    fn lanes_in_turns_cover_every_block_once(n in 1u64..500, lanes in 1u32..9) {
        let lanes = lanes.min(n as u32);
        let job = job(Rw::Write, Offsets::Uniform, 1);
        let mut all = Vec::new();
        for lane in 0..lanes {
            let mut cursor = Cursor::new(&job, Span::in_turns(n, lane, lanes), lane);
            all.extend(blocks(&mut cursor, share(n, lane, lanes) as usize));
        }
        all.sort_unstable();
        prop_assert!(all.iter().copied().eq(0..n));
    }

    #[test]
    fn once_covers_every_block_in_each_pass(
        n in 1u64..3000, seed: u64, start in 0u64..3000, base in 0u64..9
    ) {
        let span = Span { base, blocks: n, start: start % n, turn: 1 };
        let mut cursor = Cursor::new(&job(Rw::RandWrite, Offsets::Once, seed), span, 0);
        for _ in 0..3 {
            let mut pass = blocks(&mut cursor, n as usize);
            pass.sort_unstable();
            prop_assert!(pass.iter().copied().eq(base..base + n));
        }
    }

    #[test]
    fn lanes_together_cover_the_span_exactly_once(n in 1u64..2000, lanes in 1u32..9, seed: u64) {
        for (rw, apart) in [(Rw::Write, false), (Rw::RandWrite, false), (Rw::Write, true)] {
            let mut all = Vec::new();
            for lane in 0..lanes.min(n as u32) {
                let lanes = lanes.min(n as u32);
                let job = job(rw, Offsets::Once, seed);
                let mut cursor = Cursor::new(&job, Span::of_lane(n, lane, lanes, apart), lane);
                all.extend(blocks(&mut cursor, share(n, lane, lanes) as usize));
            }
            all.sort_unstable();
            prop_assert!(all.iter().copied().eq(0..n), "{rw:?} apart {apart}");
        }
    }

    #[test]
    fn uniform_stays_in_range_and_repeats_from_its_seed(
        n in 1u64..u64::MAX / 2, seed: u64, lane in 0u32..4
    ) {
        let span = Span { base: 3, blocks: n, start: 0, turn: 1 };
        let job = job(Rw::RandRead, Offsets::Uniform, seed);
        let first = blocks(&mut Cursor::new(&job, span, lane), 50);
        prop_assert!(first.iter().all(|b| (3..3 + n).contains(b)));
        prop_assert_eq!(first, blocks(&mut Cursor::new(&job, span, lane), 50));
    }

    #[test]
    fn a_huge_permutation_stays_in_range_without_repeats(n in 1u64 << 40..1 << 60, seed: u64) {
        let permutation = Permutation::new(n, seed, 0);
        let mut seen: Vec<u64> = (0..200).map(|i| permutation.at(i * (n / 200))).collect();
        prop_assert!(seen.iter().all(|b| *b < n));
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen.len(), 200);
    }
}
