//! Puts data into a lane's buffers, and decides whether it can afford to make it fresh.

use bakeoff_model::job::{Data, Job};

use crate::buffer::Buffers;
use crate::calibrate::Cost;
use crate::check;
use crate::data::{Content, POOL_FROM_BYTES, Tag};
use crate::windows::Counts;

/// Least bytes of a pool; see [`crate::data`].
const POOL_BYTES: usize = 1 << 20;
const POOL_BUFFERS_MAX: usize = 4096;
/// Making data may take one part in so many of the time.
const SHARE_MAX: u64 = 20;
/// Block size from which making data is long enough to be told apart from the I/O.
const RESTAMP_FROM_BYTES: u64 = 512;

#[derive(Debug)]
pub struct Filler {
    content: Content,
    writes: bool,
    makes_data: bool,
    restamp: bool,
    cost: Cost,
    bs: u64,
    per_slot: usize,
    turns: Vec<u32>,
    /// Buffers that still hold what they were filled with: their pool body, or zeros. A read into
    /// one takes that away.
    filled: Vec<bool>,
    pooled_from: Option<u64>,
    pooled_ios: u64,
}

impl Filler {
    pub fn buffers_per_slot(job: &Job, depth: usize) -> usize {
        // bs is at most 1 GiB.
        let bs = job.bs as usize;
        if !check::makes_data(job) || bs < POOL_FROM_BYTES {
            return 1;
        }
        POOL_BYTES.div_ceil(bs * depth).min(POOL_BUFFERS_MAX / depth).max(1)
    }

    pub fn new(job: &Job, content: Content, depth: usize, per_slot: usize, cost: Cost) -> Filler {
        Filler {
            content,
            writes: job.rw.writes(),
            makes_data: check::makes_data(job),
            restamp: job.bs >= RESTAMP_FROM_BYTES,
            cost,
            bs: job.bs,
            per_slot,
            turns: vec![0; depth],
            // Fresh memory is zeros.
            filled: vec![job.data == Data::Zero; depth * per_slot],
            pooled_from: None,
            pooled_ios: 0,
        }
    }

    /// The buffer `slot` reads into: its last, which a pool of many seldom misses.
    #[inline]
    pub fn read_buffer(&mut self, slot: u32) -> usize {
        let last = (slot as usize + 1) * self.per_slot - 1;
        if self.writes {
            self.filled[last] = false;
        }
        last
    }

    /// Fills a buffer of `slot` for the lane's operation `op` at byte `offset`. Returns the buffer
    /// and whether the clock should be read again.
    #[inline]
    pub fn fill(
        &mut self,
        buffers: &mut Buffers,
        slot: u32,
        op: u64,
        offset: u64,
    ) -> (usize, bool) {
        let first = slot as usize * self.per_slot;
        if !self.makes_data {
            return (first, self.zero(buffers, first));
        }
        if self.pooled_from.is_none() {
            self.filled[first] = false;
            self.content.fill(Tag::fresh(op), offset, buffers.block_mut(first));
            return (first, self.restamp);
        }
        let turn = &mut self.turns[slot as usize];
        let buffer = first + *turn as usize;
        *turn = if *turn as usize + 1 == self.per_slot { 0 } else { *turn + 1 };
        // A lane has at most 4096 pool buffers.
        let tag = Tag::pooled(op, buffer as u32);
        let block = buffers.block_mut(buffer);
        if self.filled[buffer] {
            self.pooled_ios += 1;
            self.content.stamp(tag, offset, block);
            return (buffer, false);
        }
        self.filled[buffer] = true;
        self.content.fill(tag, offset, block);
        (buffer, self.restamp)
    }

    /// Makes a buffer zero again where a read has changed it; whether that was needed.
    #[inline]
    fn zero(&mut self, buffers: &mut Buffers, buffer: usize) -> bool {
        if self.filled[buffer] {
            return false;
        }
        self.filled[buffer] = true;
        buffers.block_mut(buffer).fill(0);
        self.restamp
    }

    /// Looks at the writes of `within_ns`: from now on pooled when making their data took too
    /// long.
    pub fn reconsider(&mut self, counts: Counts, within_ns: u64, issued: u64) {
        if self.pooled_from.is_some() || !self.makes_data || self.bs < POOL_FROM_BYTES as u64 {
            return;
        }
        let writes = counts.write_bytes / self.bs;
        let making_ns = writes as f64 * self.cost.fill_ns;
        if making_ns * SHARE_MAX as f64 > within_ns as f64 {
            self.pooled_from = Some(issued);
        }
    }

    /// First operation whose data came from the pool.
    pub fn pooled_from(&self) -> Option<u64> {
        self.pooled_from
    }

    pub fn pooled_ios(&self) -> u64 {
        self.pooled_ios
    }

    pub fn count_anew(&mut self) {
        self.pooled_ios = 0;
    }

    pub fn pool_buffers(&self) -> u32 {
        self.filled.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_model::job::{Mem, Rw};

    use super::*;
    use crate::windows::WINDOW_NS;

    fn filler(fill_ns: f64) -> (Filler, Buffers) {
        let job = Job::new(Rw::Write, 4096, 1 << 20);
        let per_slot = Filler::buffers_per_slot(&job, 2);
        assert_eq!(per_slot, 128);
        let cost = Cost { fill_ns, ..Cost::default() };
        (
            Filler::new(&job, Content::new(1, 0), 2, per_slot, cost),
            Buffers::new(4096, 2 * per_slot, Mem::Malloc).unwrap(),
        )
    }

    fn window(writes: u64) -> Counts {
        Counts { write_bytes: writes * 4096, ios: writes, ..Counts::default() }
    }

    #[test]
    fn a_window_over_a_twentieth_switches_to_the_pool_for_good() {
        let (mut filler, _) = filler(1000.0);
        filler.reconsider(window(5000), WINDOW_NS, 10);
        assert_eq!(filler.pooled_from(), None, "exactly a twentieth is allowed");
        filler.reconsider(window(5001), WINDOW_NS, 20);
        filler.reconsider(window(0), WINDOW_NS, 30);
        assert_eq!(filler.pooled_from(), Some(20));
    }

    #[test]
    fn pooled_blocks_are_what_their_tag_says_also_after_fresh_ones() {
        let (mut filler, mut buffers) = filler(1e9);
        filler.fill(&mut buffers, 1, 0, 0);
        filler.reconsider(window(1), WINDOW_NS, 1);
        let content = Content::new(1, 0);
        let mut used = std::collections::BTreeSet::new();
        for op in 1..300 {
            let offset = op * 4096;
            if op % 7 == 0 {
                let buffer = filler.read_buffer(1);
                buffers.block_mut(buffer).fill(0xee);
            }
            let (buffer, _) = filler.fill(&mut buffers, 1, op, offset);
            used.insert(buffer);
            let mut want = vec![0; 4096];
            content.fill(Tag::pooled(op, buffer as u32), offset, &mut want);
            assert_eq!(buffers.block_mut(buffer), want);
        }
        assert_eq!(used.len(), 128);
        // Each buffer is filled once, and the one that was read into every time it comes round.
        assert_eq!(filler.pooled_ios(), 299 - 128 - 1);
    }
}
