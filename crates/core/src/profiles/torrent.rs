//! torrent: 16 KiB pieces arriving at random places.
//!
//! Source: bittorrent.org, BEP 3, "The BitTorrent Protocol Specification", and BEP 52.

use super::{PartSpec, Spec};
use crate::model::job::{Job, Rw};
use crate::model::workload::Metric::{Bandwidth, LatencyP99};

/// A thousand pieces, and as many more as come in the time of a cell.
const LEAST_NS: u64 = 1_600_000_000;

const fn part(word: &'static str, summary: &'static str, is_stall: bool) -> PartSpec {
    let metric = if is_stall { LatencyP99 } else { Bandwidth };
    PartSpec::new(word, summary, metric, Rw::RandWrite).timed(LEAST_NS)
}

/// 10 MiB a second from the line.
pub const SPEC: Spec = Spec {
    summary: "torrent: pieces arrive while the kernel writes back",
    lays_out: false,
    parts: &[
        part("stall", "torrent: p99 of a 16k piece that arrives while others are flushed", true),
        part("rate", "torrent: pieces accepted of 10 MiB per second, flushed", false),
    ],
    job,
};

fn job() -> Job {
    Job::new(Rw::RandWrite, 16 << 10, crate::model::job::DEFAULT_SIZE_BYTES)
}
