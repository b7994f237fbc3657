//! Runs for the tests of rules over a whole run.

use super::*;
use crate::testing::RunBuilder;
use bakeoff_model::event::{Cell, What};
use bakeoff_model::index::BlockIx;
use bakeoff_model::measurement::Window;
use bakeoff_model::protocol::Mode;
use bakeoff_stats::prng::NormalDeviates;
use bakeoff_stats::prng::SplitMix64;

/// Noise of one percent, another one for every cell.
pub fn noise(block: u32, candidate: u16, workload: u16) -> f64 {
    let words = [block.into(), candidate.into(), workload.into()];
    0.01 * NormalDeviates(SplitMix64::derive(23, &words)).deviate()
}

pub fn at(rates: &'static [f64]) -> impl Fn(u32, u16, u16) -> f64 {
    move |b, c, w| rates[usize::from(c)] * libm::exp(noise(b, c, w))
}

pub fn has(id: &str, run: &Run) -> bool {
    told(&analyse(run).findings, id).is_some()
}

/// A run of five blocks whose sentinel reads `sentinel(block)` bytes a second.
pub(crate) fn sentinels(sentinel: impl Fn(u32) -> f64) -> Run {
    let mut builder = RunBuilder::stacks(&["a", "b"]);
    for block in 0..8 {
        let order = if block % 2 == 0 { vec![0, 1] } else { vec![1, 0] };
        builder.block(order, &mut at(&[1000.0, 1000.0]));
        let bytes_per_s = sentinel(block);
        builder.push(What::Sentinel { block: BlockIx::new(block as usize), bytes_per_s });
    }
    builder.build()
}

/// A precise run of `a`, `b` and a twin of `a` that is `off` away from it.
pub fn twins(lead: f64, off: f64) -> Run {
    let rate = move |b, c: u16, w| {
        let speed = [1.0, 1.0 + lead, 1.0 + off][usize::from(c)];
        1000.0 * speed * libm::exp(0.1 * noise(b, c, w))
    };
    RunBuilder::stacks(&["a", "b", "a again"])
        .header(|h| h.candidates[2].twin_of = Some("a".to_string()))
        .mode(Mode::Precise)
        .play(5, rate)
        .build()
}

/// Bytes of a window.
pub type Rate = fn(usize) -> u64;

type Change = fn(&mut Cell);

/// Windows of every cell: `rate(i)` of forty.
pub fn windows(rate: Rate) -> Run {
    fn set(c: &mut Cell, rate: Rate) {
        c.measurement.windows = (0..41)
            .map(|i| Window {
                start_ns: i as u64 * 100_000_000,
                len_ns: 100_000_000,
                write_bytes: rate(i) + (i as u64 * 7919) % 100,
                ..Window::default()
            })
            .collect();
    }
    let changes: [(Rate, Change); 6] = [
        (flat, |c| set(c, flat)),
        (falls, |c| set(c, falls)),
        (dips, |c| set(c, dips)),
        (climbs, |c| set(c, climbs)),
        (steps_late, |c| set(c, steps_late)),
        (steps_less, |c| set(c, steps_less)),
    ];
    let is_it = |(f, _): &&(Rate, Change)| std::ptr::fn_addr_eq(*f, rate);
    let change = changes.iter().find(is_it).expect("one of them").1;
    let builder = RunBuilder::stacks(&["a", "b"]).workloads(&["seqwrite"]).cells(change);
    builder.play(5, at(&[1e6, 1e6])).build()
}

pub fn flat(_: usize) -> u64 {
    10_000
}

pub fn falls(i: usize) -> u64 {
    if i < 25 { 10_000 } else { 4_000 }
}

pub(crate) fn dips(i: usize) -> u64 {
    if (18..21).contains(&i) { 9_000 } else { 10_000 }
}

pub(crate) fn climbs(i: usize) -> u64 {
    8_000 + 100 * i as u64
}

/// Too late for five rounds to be unsteady: 12 % is more than a steady trend may be.
pub(crate) fn steps_late(i: usize) -> u64 {
    if i < 33 { 10_000 } else { 8_800 }
}

pub(crate) fn steps_less(i: usize) -> u64 {
    if i < 33 { 10_000 } else { 9_150 }
}

#[test]
fn a_clean_run_has_nothing_said_against_it() {
    let run = RunBuilder::stacks(&["a", "b", "c"]).play(99, at(&[1000.0, 1100.0, 1300.0])).build();
    assert_eq!(after(&run), Vec::<String>::new());
}
