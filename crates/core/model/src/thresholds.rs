//! Limits from which on a rule applies, where they are judgement and not arithmetic.
//!
//! Those that follow from a standard or from statistics are constants beside their rule. Shares are
//! of 1, sizes in bytes.

use bakeoff_stats::change_point;

/// L01: least overlap of the places of two stacks.
pub const OVERLAP: f64 = 0.90;
/// L02: change of speed over the part of a drive in use.
pub const GRADIENT: f64 = 0.05;
/// L07: fall of the write rate for good.
pub const CACHE_FALL: f64 = 0.30;
/// L07, L37: what a change point costs, in logarithms of the number of windows.
pub const CHANGE_PENALTY: f64 = change_point::PENALTY;
/// L08: bytes written from which on a media cache is full.
pub const MEDIA_CACHE_BYTES: u64 = 25_000_000_000;
/// L14: least share of the time inside operations.
pub const COVERED: f64 = 0.90;
/// L19: share of the time that goes into flushes.
pub const FLUSHING: f64 = 0.30;
/// L21: block size from which on access is not random.
pub const RANDOM_BLOCK_BYTES: u64 = 1 << 20;
/// L21: fewest blocks of a random file.
pub const RANDOM_BLOCKS: u64 = 100;
/// L22: smallest buffered block.
pub const SMALL_BLOCK_BYTES: u64 = 4096;
/// L35: drift of the sentinel.
pub const SENTINEL: f64 = 0.03;
/// L35: rank correlation with time.
pub const CORRELATION: f64 = 0.6;
/// L48: a stall, in medians.
pub const STALL: f64 = 10.0;
/// L52: share of a cell's bytes that others may move meanwhile.
pub const FOREIGN: f64 = 0.05;
/// L52: share of the time of all CPUs that others may take meanwhile.
pub const FOREIGN_CPU: f64 = 0.05;
/// L49: fall of a CPU's clock, as a share of its highest.
pub const CLOCK_FALL: f64 = 0.10;
/// tool-share: share of a cell's time that the generator may take.
pub const TOOL: f64 = 0.05;
