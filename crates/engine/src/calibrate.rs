//! Measures what the generator itself costs on this machine, outside of the cell.
//!
//! The same loop runs with the engine that does nothing, and data is made into memory that is
//! already there; together they take about a millisecond. The product with the number of
//! operations is the tool's own share of a cell.

use bakeoff_model::job::{Data, EngineName, Job, Mem, Offsets, Rw};

use crate::buffer::Buffers;
use crate::check;
use crate::clock::Clock;
use crate::crew::Worker;
use crate::data::{Content, Tag};
use crate::engine::null::Null;
use crate::error::EngineError;
use crate::lane::worker::LaneWorker;
use crate::lane::{Cell, Lane};
use crate::live::Live;

/// Operations of the loop's calibration.
const LOOP_IOS: u64 = 2000;
/// Bytes of data made for calibration; larger blocks cost in proportion.
const SAMPLE_BYTES: u64 = 256 << 10;
/// The best of so many: others are disturbed, not different.
const TRIES: usize = 3;

/// Nanoseconds a lane spends on one operation without I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    pub loop_ns: f64,
    pub fill_ns: f64,
    pub stamp_ns: f64,
}

impl Cost {
    /// Estimated time of `ios` operations, of which `writes` had data, `pooled_ios` of these from
    /// the pool.
    pub fn of_ios(self, ios: u64, writes: u64, pooled_ios: u64) -> f64 {
        let made = writes.saturating_sub(pooled_ios);
        ios as f64 * self.loop_ns + made as f64 * self.fill_ns + pooled_ios as f64 * self.stamp_ns
    }
}

/// Measures what operations of `job` cost.
pub fn cost(job: &Job, depth: u32, clock: Clock) -> Result<Cost, EngineError> {
    let loop_ns = best(|| loop_ns(job, depth, clock))?;
    if !check::makes_data(job) {
        return Ok(Cost { loop_ns, ..Cost::default() });
    }
    // Blocks of a sample are whole units, so that their cost grows in proportion.
    let len = job.bs.min(SAMPLE_BYTES);
    let scale = job.bs as f64 / len as f64;
    let content = Content::new(job.seed, 0);
    let mut memory = Buffers::new(len as usize, 1, Mem::Malloc)?;
    let block = memory.block_mut(0);
    let rounds = (SAMPLE_BYTES / len).clamp(1, 1000);
    let mut time = |make: &dyn Fn(u64, &mut [u8])| {
        best(|| {
            let start = clock.now_ns();
            (0..rounds).for_each(|op| make(op, std::hint::black_box(block)));
            Ok((clock.now_ns() - start) as f64 / rounds as f64 * scale)
        })
    };
    let fill_ns = time(&|op, block| content.fill(Tag::fresh(op), op << 12, block))?;
    let stamp_ns = time(&|op, block| content.stamp(Tag::pooled(op, 0), op << 12, block))?;
    Ok(Cost { loop_ns, fill_ns, stamp_ns })
}

fn best(mut once: impl FnMut() -> Result<f64, EngineError>) -> Result<f64, EngineError> {
    let mut least = f64::INFINITY;
    for _ in 0..TRIES {
        least = least.min(once()?);
    }
    Ok(least)
}

/// One run of the loop with blocks of a byte, no flush and no data.
fn loop_ns(job: &Job, depth: u32, clock: Clock) -> Result<f64, EngineError> {
    let rw = if job.rw == Rw::SmallFiles { Rw::Write } else { job.rw };
    let idle = Job {
        offsets: if rw.is_random() { job.offsets } else { Offsets::Uniform },
        rwmixread: job.rwmixread,
        io_size: Some(LOOP_IOS),
        iodepth: depth,
        engine: EngineName::Null,
        data: Data::Zero,
        mem: Mem::Malloc,
        seed: job.seed,
        ..Job::new(rw, 1, check::blocks(job))
    };
    let live = Live::new(None);
    let cell =
        Cell { job: &idle, depth, in_turns: false, cost: Cost::default(), clock, live: &live };
    let lane = Lane::<Null>::new(cell, 0, None)?;
    let work = if depth == 1 { Lane::one_by_one } else { Lane::queued };
    Ok(LaneWorker::new(lane, work).work(None)?.elapsed_ns as f64 / LOOP_IOS as f64)
}
