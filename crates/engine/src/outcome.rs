//! What a lane brings home, of a whole cell and of one slice.

use bakeoff_core::model::op_totals::OpTotals;
use bakeoff_core::model::slice::Stretch;

use crate::record::{Kind, Recorder};
use crate::verify::Trace;

/// What a lane brings home.
pub struct Outcome {
    /// Latencies and windows.
    pub recorder: Recorder,
    /// First operation.
    pub start_ns: u64,
    /// Last flush or close.
    pub end_ns: u64,
    /// Time in data calls.
    pub data_ns: u64,
    /// Time in flush calls.
    pub flush_ns: u64,
    /// Time in close.
    pub close_ns: u64,
    /// Writes whose data came from the pool.
    pub pooled_ios: u64,
    /// Operations due but not begun, in an open loop.
    pub backlog: u64,
    /// Most I/Os that shared a clock reading.
    pub batch_max: u32,
    /// Longest that handing over took from the reading the I/Os share, seen in the turns that
    /// were larger than all before.
    pub turn_ns: u64,
    /// Whether the buffers are huge pages.
    pub huge: bool,
    /// What verification needs to know.
    pub trace: Option<Trace>,
    /// Time its thread was ready and waited for a CPU; see [`crate::waiting`].
    pub waited_ns: Option<u64>,
}

/// What one lane did in one slice, or in a part of it.
pub struct Piece {
    /// The part before, in which the drive settled.
    pub settling: Vec<Stretch>,
    /// This part.
    pub along: Vec<Stretch>,
    /// First operation.
    pub start_ns: u64,
    /// End of the last flush.
    pub end_ns: u64,
    /// Time in data calls.
    pub data_ns: u64,
    /// Time in flush calls.
    pub flush_ns: u64,
    /// Time in close.
    pub close_ns: u64,
    /// Latencies, by kind.
    pub ops: Vec<(Kind, OpTotals)>,
    /// Writes whose data came from the pool.
    pub pooled_ios: u64,
    /// Whether its limit ended it before its minimum was done.
    pub cut: bool,
    /// Time its thread was ready and waited for a CPU.
    pub waited_ns: Option<u64>,
}
