//! What the generator costs on this machine, part by part: `check --engine`.
//!
//! Each part runs by itself, without a drive, a few times; the best counts, because others are
//! disturbed and not different. All of it takes about half a second.

use std::hint::black_box;

use bakeoff_model::job::{EngineName, Job, Mem, Offsets, Rw};
use bakeoff_model::own_cost::{OwnCost, PartCost};

use crate::buffer::Buffers;
use crate::clock::Clock;
use crate::data::{Content, Tag};
use crate::engine::uring;
use crate::error::EngineError;
use crate::histogram::Buckets;
use crate::measure::measure;
use crate::offsets::{Cursor, Span};
use crate::verify;

const TRIES: usize = 7;
/// Operations of a repeat of something small.
const SMALL: u64 = 100_000;
/// Bytes of a block of data, and blocks of a repeat.
const BLOCK_BYTES: usize = 1 << 20;
const BLOCKS: u64 = 16;
/// Operations of a whole loop.
const LOOP_IOS: u64 = 300_000;

/// Measures every part.
///
/// # Errors
/// Those of [`measure`]; too little memory for a buffer of a megabyte.
pub fn own_cost() -> Result<OwnCost, EngineError> {
    let clock = Clock::find();
    let mut memory = Buffers::new(BLOCK_BYTES, 1, Mem::Malloc)?;
    let block = memory.block_mut(0);
    let content = Content::new(1, 0);
    let block_bytes = BLOCK_BYTES as f64;
    let fill_ns = best(&clock, BLOCKS, |op| {
        content.fill(Tag::fresh(op), op << 20, black_box(block));
    });
    content.fill(Tag::fresh(7), 0, block);
    let job = Job::new(Rw::Write, BLOCK_BYTES as u64, BLOCK_BYTES as u64);
    let verify_ns = best(&clock, BLOCKS, |_| {
        black_box(verify::is_as_written(&job, black_box(block), 7, 0));
    });
    Ok(OwnCost {
        clock: clock.source(),
        clock_read_ns: best(&clock, SMALL, |_| _ = black_box(clock.now_ns())),
        histogram_ns: histogram_ns(&clock),
        offsets: offsets(&clock),
        loops: loops()?,
        fill_bytes_per_s: block_bytes * 1e9 / fill_ns,
        verify_bytes_per_s: block_bytes * 1e9 / verify_ns,
        clock_error_ppm: clock.error_ppm(),
    })
}

/// Nanoseconds of one of `count` calls.
fn best(clock: &Clock, count: u64, mut call: impl FnMut(u64)) -> f64 {
    let mut least_ns = u64::MAX;
    for _ in 0..TRIES {
        let start_ns = clock.now_ns();
        (0..count).for_each(&mut call);
        least_ns = least_ns.min(clock.now_ns().saturating_sub(start_ns));
    }
    least_ns.max(1) as f64 / count as f64
}

/// Latencies of a microsecond and more, as many different ones as a cell has.
fn histogram_ns(clock: &Clock) -> f64 {
    let mut buckets = Buckets::new();
    let mut slots = buckets.slots();
    best(clock, SMALL, |op| slots.record(black_box(1000 + (op & 0xfff))))
}

fn offsets(clock: &Clock) -> Vec<PartCost> {
    let zipf = Offsets::Zipf { theta_milli: 1200 };
    let hot = Offsets::Hot { percent: 90, span_percent: 10 };
    let ways = [
        (Rw::Read, Offsets::Uniform, "sequential".to_string()),
        (Rw::RandRead, Offsets::Uniform, Offsets::Uniform.to_string()),
        (Rw::RandRead, Offsets::Once, Offsets::Once.to_string()),
        (Rw::RandRead, hot, hot.to_string()),
        (Rw::RandRead, zipf, zipf.to_string()),
    ];
    let cost = |(rw, offsets, name)| {
        let job = Job { offsets, ..Job::new(rw, 4096, 1 << 40) };
        let mut cursor = Cursor::new(&job, Span::of_lane(1 << 28, 0, 1, false), 0);
        PartCost { name, ns: best(clock, SMALL, |_| _ = black_box(cursor.step())) }
    };
    ways.into_iter().map(cost).collect()
}

/// Whole loops, with the clock and the histogram, of engines that move no data.
fn loops() -> Result<Vec<PartCost>, EngineError> {
    let mut ways = vec![(EngineName::Null, 1), (EngineName::Null, 32)];
    if uring::try_out().is_ok() {
        ways.extend([(EngineName::Nop, 1), (EngineName::Nop, 32)]);
    }
    let cost = |(engine, iodepth): (EngineName, u32)| {
        let mut least_ns = f64::INFINITY;
        for _ in 0..TRIES {
            let io_size = Some(LOOP_IOS * 4096);
            let job = Job { engine, iodepth, io_size, ..Job::new(Rw::RandRead, 4096, 1 << 30) };
            let measured = measure(&job, std::path::Path::new(""), None)?;
            least_ns = least_ns.min(measured.elapsed_ns as f64 / LOOP_IOS as f64);
        }
        Ok(PartCost { name: format!("{}, depth {iodepth}", engine.name()), ns: least_ns })
    };
    ways.into_iter().map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_timed_as_verifying_does_verify() {
        let mut block = vec![0; BLOCK_BYTES];
        Content::new(1, 0).fill(Tag::fresh(7), 0, &mut block);
        let job = Job::new(Rw::Write, BLOCK_BYTES as u64, BLOCK_BYTES as u64);
        assert!(verify::is_as_written(&job, &block, 7, 0));
        block[777_777] ^= 1;
        assert!(!verify::is_as_written(&job, &block, 7, 0));
    }

    #[test]
    fn every_part_costs_something() {
        let cost = own_cost().unwrap();
        let parts = cost.offsets.iter().chain(&cost.loops).map(|part| part.ns);
        assert!(parts.chain([cost.clock_read_ns, cost.histogram_ns]).all(|ns| ns > 0.0));
        assert!(cost.fill_bytes_per_s > 0.0 && cost.verify_bytes_per_s > 0.0);
        assert_eq!(cost.offsets.len(), 5);
        assert!(cost.loops.len() >= 2);
    }
}
