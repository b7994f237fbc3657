//! What a lane brings home, of a whole cell and of one slice.

use bakeoff_model::op_totals::OpTotals;
use bakeoff_model::slice::Stretch;

use crate::record::Kind;
use crate::verify::Trace;
use crate::windows::Windows;

pub struct Outcome {
    /// What it did since the last slice: everything, of a cell in one piece.
    pub rest: Piece,
    pub windows: Windows,
    /// Operations due but not begun, in an open loop.
    pub backlog: u64,
    /// Most I/Os that shared a clock reading.
    pub batch_max: u32,
    /// Longest that handing over took from the reading the I/Os share, seen in the turns that
    /// were larger than all before.
    pub turn_ns: u64,
    pub huge: bool,
    pub trace: Option<Trace>,
}

/// What one lane did in one slice, or in a part of it.
#[derive(Default)]
pub struct Piece {
    pub settling: Vec<Stretch>,
    pub along: Vec<Stretch>,
    pub start_ns: u64,
    pub end_ns: u64,
    pub data_ns: u64,
    pub flush_ns: u64,
    pub close_ns: u64,
    pub ops: Vec<(Kind, OpTotals)>,
    pub pooled_ios: u64,
    /// Whether its limit ended it before its minimum was done.
    pub cut: bool,
    /// Time its thread was ready and waited for a CPU; see [`crate::waiting`].
    pub waited_ns: Option<u64>,
}
