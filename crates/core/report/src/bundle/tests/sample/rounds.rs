//! The mark of a target, what filled a candidate, how slices were calibrated, and a slice.

use bakeoff_model::calibration::{Calibration, Settled, Tried};
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::slice::{Slice, Stretch};
use bakeoff_model::slice_length::Length;
use bakeoff_model::use_state::{Filled, TreeLeft};

/// What a target is recognised by.
pub fn mark() -> bakeoff_model::mark::Mark {
    bakeoff_model::mark::Mark {
        name: "0353445343".into(),
        boot_id: Some("6f1c".into()),
        diskseq: Some(9),
        file: Some(bakeoff_model::step::Inode { dev: 2049, ino: 12 }),
        table_id: Some("a1b2c3d4".into()),
        outside: Some("0123abcd".into()),
        start: Some("ext4 477f0e42-8ada-4c5d-9ace-83afc23048da".into()),
    }
}

/// A candidate was filled, and its data file lies in pieces.
pub fn filled(block: BlockIx, candidate: CandidateIx) -> Filled {
    let tree = TreeLeft {
        files: 4012,
        bytes: 700 << 20,
        written_bytes: 1100 << 20,
        seen_files: 4012,
        pieces: Some(4700),
    };
    let (data_bytes, data_pieces) = (80 << 20, Some(31));
    Filled { block, candidate, tree, data_bytes, data_pieces, full_ppm: 801_000, elapsed_ns: 9 }
}

/// How the length of slices was found.
pub fn calibration() -> Calibration {
    let length = Length { unit_ns: 300_000_000, settling: 1 };
    Calibration {
        workload: WorkloadIx::FIRST,
        length,
        rounds: 2,
        longest_ns: 9_000_000_000,
        settled: Settled::Yes,
        tried: vec![Tried {
            candidate: CandidateIx::FIRST,
            length,
            elapsed_ns: 4_000_000_000,
            rate: 14.5,
            settling_ns: 5_000_000_000,
            settling_rate: Some(10.25),
        }],
    }
}

/// A slice with everything that one has.
pub fn slice() -> Slice {
    let stretch = Stretch {
        elapsed_ns: 500_000_000,
        ios: 500,
        bytes: 500 * 4096,
        flushes: 50,
        flush_ns: 400_000_000,
    };
    Slice {
        round: 2,
        turn: 1,
        after: Some(CandidateIx::FIRST),
        began_ns: 41_000_000_000,
        elapsed_ns: 1_000_000_000,
        ios: 1000,
        bytes: 1000 * 4096,
        flushes: 100,
        flush_ns: 800_000_000,
        p50_ns: Some(600_000),
        p99_ns: Some(900_000),
        max_ns: Some(1_000_000),
        void: None,
        times: 2,
        settling: vec![stretch],
        along: vec![stretch; 2],
    }
}
