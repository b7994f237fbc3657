//! Where each operation goes, as a pure function of the seed: the same on every machine.
//!
//! A [`Cursor`] walks one lane's operations. It keeps no map of what was visited, whatever the
//! size of the target: covering every block once in random order is a permutation computed block
//! by block. Verification walks a second cursor to learn what was written where and when.
//!
//! Source: uniform numbers are Lemire's multiply-shift on SplitMix64, with a bias below
//! `blocks / 2^64`; the other walks say where they come from.

use bakeoff_model::job::{Job, Offsets, Rw};
use bakeoff_stats::prng::SplitMix64;

mod linear;
mod once;
#[cfg(test)]
mod tests;
mod uniform;
mod zipf;

pub use linear::Linear;
pub use once::Once;
pub use uniform::Uniform;

use zipf::Zipf;

const PURPOSE_OFFSETS: u64 = 1;
const PURPOSE_PERMUTATION: u64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub write: bool,
    pub block: u64,
}

/// A sequence of blocks of a span, counted from its first.
pub trait Walk {
    fn next_block(&mut self) -> u64;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub base: u64,
    /// How many, at least 1.
    pub blocks: u64,
    pub start: u64,
    /// Blocks from one of the lane's to its next, where lanes take turns in a sequence; else 1.
    pub turn: u64,
}

impl Span {
    /// What lane `lane` of `lanes` gets of `blocks`.
    ///
    /// Every lane has the whole span and begins at its own share, so together they cover it once.
    /// `apart` confines each to its share: verification needs to know who wrote last.
    pub fn of_lane(blocks: u64, lane: u32, lanes: u32, apart: bool) -> Span {
        let start = share_start(blocks, lane, lanes);
        if apart {
            Span { base: start, blocks: share(blocks, lane, lanes), start: 0, turn: 1 }
        } else {
            Span { base: 0, blocks, start: start % blocks.max(1), turn: 1 }
        }
    }

    pub fn whole(blocks: u64) -> Span {
        Span { base: 0, blocks, start: 0, turn: 1 }
    }

    /// What lane `lane` of `lanes` gets of `blocks`, when lanes take turns: in a sequence that is
    /// one stream, as of a program with many I/Os in flight, and no two have a block in common.
    pub fn in_turns(blocks: u64, lane: u32, lanes: u32) -> Span {
        Span { base: 0, blocks, start: lane.into(), turn: lanes.into() }
    }
}

/// Lane `lane`'s part of `total` things shared by `lanes` as evenly as possible.
pub fn share(total: u64, lane: u32, lanes: u32) -> u64 {
    let (lane, lanes) = (u64::from(lane), u64::from(lanes));
    total / lanes + u64::from(lane < total % lanes)
}

/// Where lane `lane`'s [`share`] begins.
pub fn share_start(total: u64, lane: u32, lanes: u32) -> u64 {
    let (lane, lanes) = (u64::from(lane), u64::from(lanes));
    lane * (total / lanes) + lane.min(total % lanes)
}

#[derive(Clone, Debug)]
pub enum Order {
    Uniform(Uniform),
    Linear(Linear),
    Once(Once),
    Zipf(Box<Zipf>),
}

/// Walks one lane's operations.
#[derive(Clone, Debug)]
pub struct Cursor {
    pub order: Order,
    writes: Option<Linear>,
    pub base: u64,
    /// Draws below, of 32 bits, are reads.
    reads_below: u64,
    is_pure: bool,
    /// Of a mix with a rate for each direction: reads, all, and what of a read is due so far.
    turns: Option<(u64, u64, u64)>,
    directions: SplitMix64,
}

impl Walk for Order {
    fn next_block(&mut self) -> u64 {
        match self {
            Order::Uniform(walk) => walk.next_block(),
            Order::Linear(walk) => walk.next_block(),
            Order::Once(walk) => walk.next_block(),
            Order::Zipf(walk) => walk.next_block(),
        }
    }
}

impl Cursor {
    /// The operations of lane `lane` of `job`, from the first.
    pub fn new(job: &Job, span: Span, lane: u32) -> Cursor {
        let read_percent = match job.rw {
            Rw::RandRw | Rw::ReadWrite => u64::from(job.rwmixread.min(100)),
            Rw::Write | Rw::RandWrite | Rw::SmallFiles => 0,
            Rw::Read | Rw::RandRead => 100,
        };
        let random = SplitMix64::derive(job.seed, &[PURPOSE_OFFSETS, u64::from(lane)]);
        let order = match (job.rw.is_random(), job.offsets) {
            (true, Offsets::Once) => Order::Once(Once::new(span, job.seed)),
            (true, Offsets::Zipf { theta_milli }) => {
                let ranks = SplitMix64::derive(job.seed, &[PURPOSE_OFFSETS, u64::from(lane), 1]);
                Order::Zipf(Box::new(Zipf::new(span.blocks, theta_milli, job.seed, ranks)))
            }
            (true, Offsets::Uniform) => Order::Uniform(Uniform::new(span.blocks, random.clone())),
            (false, _) => Order::Linear(Linear::new(span)),
        };
        let mut writes = None;
        if let (Order::Linear(walk), Rw::ReadWrite) = (&order, job.rw) {
            writes = Some(walk.clone());
        }
        Cursor {
            order,
            writes,
            base: span.base,
            // A draw is a read when draw x 100 / 2^32 is below the percentage.
            reads_below: (read_percent << 32).div_ceil(100),
            is_pure: matches!(read_percent, 0 | 100),
            turns: job.rate_reads.zip(job.rate_iops).map(|(reads, all)| (reads, all, all - 1)),
            directions: random,
        }
    }

    #[inline]
    pub fn step(&mut self) -> Step {
        if self.writes.is_some() || self.turns.is_some() {
            return self.mixed_step();
        }
        let block = match &mut self.order {
            Order::Uniform(walk) => {
                let (block, draw) = walk.draw();
                // The high bits chose the block, the low bits choose the direction.
                let write = draw & 0xffff_ffff >= self.reads_below;
                return Step { write, block: self.base + block };
            }
            order @ (Order::Linear(_) | Order::Once(_) | Order::Zipf(_)) => order.next_block(),
        };
        let draw = if self.is_pure { 0 } else { self.directions.next_u64() >> 32 };
        Step { write: draw >= self.reads_below, block: self.base + block }
    }

    #[cold]
    fn mixed_step(&mut self) -> Step {
        let write = match &mut self.turns {
            Some((reads, all, due)) => {
                *due += *reads;
                let is_read = *due >= *all;
                *due -= if is_read { *all } else { 0 };
                !is_read
            }
            None if self.is_pure => self.reads_below == 0,
            None => self.directions.next_u64() >> 32 >= self.reads_below,
        };
        let block = match &mut self.writes {
            Some(walk) if write => walk.next_block(),
            _ => self.order.next_block(),
        };
        Step { write, block: self.base + block }
    }
}

impl Cursor {
    /// Takes the walk out, for a loop that asks for places only; it has to be put back.
    pub fn take_walk(&mut self) -> Order {
        let nowhere = Uniform::new(1, SplitMix64::new(0));
        std::mem::replace(&mut self.order, Order::Uniform(nowhere))
    }
}

#[inline]
fn scale(draw: u64, n: u64) -> u64 {
    ((u128::from(draw) * u128::from(n)) >> 64) as u64
}
