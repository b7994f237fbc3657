//! From where on a rule speaks: the numbers that are judgement, not arithmetic.
//!
//! They are stored with a run's protocol, so that it is judged by what it was measured under; those
//! that follow from a standard or from statistics are constants beside their rule.

use serde::{Deserialize, Serialize};

use bakeoff_stats::change_point;

/// Shares are of 1, sizes in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// L01: least overlap of the places of two stacks.
    pub overlap: f64,
    /// L02: change of speed over the part of a drive in use.
    pub gradient: f64,
    /// L03: allocation unit of flash that does not tell.
    pub allocation_unit_bytes: u64,
    /// L07: fall of the write rate for good.
    pub cache_fall: f64,
    /// L07, L37: what a change point costs, in logarithms of the number of windows.
    pub change_penalty: f64,
    /// L08: bytes written from which on a media cache is full.
    pub media_cache_bytes: u64,
    /// L09: least share of a hard disk that random access spans.
    pub span: f64,
    /// L14: least share of the time inside operations.
    pub covered: f64,
    /// L19: share of the time that goes into flushes.
    pub flushing: f64,
    /// L21: block size from which on access is not random.
    pub random_block_bytes: u64,
    /// L21: fewest blocks of a random file.
    pub random_blocks: u64,
    /// L22: smallest buffered block.
    pub small_block_bytes: u64,
    /// L35: drift of the sentinel.
    pub sentinel: f64,
    /// L35, L51: rank correlation with time or temperature.
    pub correlation: f64,
    /// L41: how close candidates are under a ceiling.
    pub alike: f64,
    /// L41: share of the link that is a ceiling.
    pub ceiling: f64,
    /// L48: a stall, in medians.
    pub stall: f64,
    /// L54: share of a CPU that watching may take.
    pub watching: f64,
    /// L52: share of a cell's bytes that others may move meanwhile.
    pub foreign: f64,
    /// L52: share of the time of all CPUs that others may take meanwhile.
    pub foreign_cpu: f64,
    /// L49: fall of a CPU's clock, as a share of its highest.
    pub clock_fall: f64,
    /// Degrees Celsius above those at the start of a block that a visit may begin with.
    pub cool_within_c: u64,
    pub cool_limit_s: u64,
    /// tool-share: share of a cell's time that the generator may take.
    pub tool: f64,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            overlap: 0.90,
            gradient: 0.05,
            allocation_unit_bytes: 4 << 20,
            cache_fall: 0.30,
            change_penalty: change_point::PENALTY,
            media_cache_bytes: 25_000_000_000,
            span: 0.10,
            covered: 0.90,
            flushing: 0.30,
            random_block_bytes: 1 << 20,
            random_blocks: 100,
            small_block_bytes: 4096,
            sentinel: 0.03,
            correlation: 0.6,
            alike: 0.02,
            ceiling: 0.85,
            stall: 10.0,
            watching: 0.02,
            foreign: 0.05,
            foreign_cpu: 0.05,
            clock_fall: 0.10,
            cool_within_c: 3,
            cool_limit_s: 60,
            tool: 0.05,
        }
    }
}
