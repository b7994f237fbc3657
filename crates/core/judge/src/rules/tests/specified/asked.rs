//! Cases about what a plan asks for.

use super::super::before::{job, planned, stack, stacks, with};
use super::super::cases::{Case, case};
use crate::rules::unlike_promises::unlike;
use bakeoff_machine::prepare::recipe::recipes_for;
use bakeoff_model::finding::{Finding, Severity};
use bakeoff_model::index::CandidateIx;
use bakeoff_model::job::{Data, EngineName};

const MIB: u64 = 1 << 20;

pub(super) const CASES: &[Case] = &[
    case(
        "L18",
        "ext4 without a journal",
        || beside("ext4", "-O ^has_journal", ""),
        || beside("ext4", "-m 0", ""),
    ),
    case(
        "L18",
        "ext4 with barrier=0",
        || beside("ext4", "", "barrier=0"),
        || beside("ext4", "", "commit=60"),
    ),
    case(
        "L18",
        "btrfs without barriers",
        || beside("btrfs", "", "nobarrier"),
        || beside("btrfs", "", "compress=zstd"),
    ),
    case("L20", "zeros for a filesystem that compresses", zeros_compressed, || data(Data::Random)),
    case(
        "L21",
        "64 blocks of 512 KiB",
        || blocks(MIB / 2, 32 * MIB),
        || blocks(MIB / 2, 512 * MIB),
    ),
    case("L22", "buffered blocks of 512 bytes", || tiny(false), || tiny(true)),
    case("L29", "a stream for a database", || titled("seqwrite"), || titled("randwrite")),
    case(
        "L30",
        "psync at depth 64",
        || deep(64, EngineName::Psync),
        || deep(64, EngineName::IoUring),
    ),
    case("L38", "five looks at 5 % each", || looks(0.05), || looks(0.01)),
    case(
        "L53",
        "lazy tables",
        || beside_lazy("lazy_itable_init=1"),
        || beside_lazy("lazy_itable_init=0,lazy_journal_init=0"),
    ),
    case("L66", "a journal without metadata", || journal("seqwrite"), || journal("smallfiles")),
    case("L66", "a scheduler at depth 1", || scheduler(1), || scheduler(32)),
    case("L68", "one mkfs that discards", || discarding(1), || discarding(2)),
];

/// ext4 as it comes beside another stack.
fn beside(fs: &str, mkfs: &str, mount: &str) -> Vec<Finding> {
    let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let run = stacks().header(|h| {
        *stack(h, 0) = recipes_for("ext4")[0].stack();
        *stack(h, 1) = recipes_for(fs)[0].stack();
        stack(h, 1).mkfs.extend(words(mkfs));
        stack(h, 1).mount.extend(words(mount));
    });
    unlike(&run.build().header, &[0, 1].map(CandidateIx::new))
}

fn data(data: Data) -> Vec<Finding> {
    planned(&job(|j| j.data = data))
}

/// The finding only where it is an error.
fn zeros_compressed() -> Vec<Finding> {
    let mut run = with(|h| {
        *stack(h, 1) = recipes_for("btrfs")[0].stack();
        stack(h, 1).mount = vec!["compress-force=zstd".to_string()];
        h.region.as_mut().expect("a region").is_image = false;
    });
    run.header.workloads[0].job.data = Data::Zero;
    planned(&run).into_iter().filter(|f| f.severity >= Severity::Error).collect()
}

fn blocks(bs: u64, size: u64) -> Vec<Finding> {
    planned(&job(|j| (j.bs, j.size) = (bs, size)))
}

fn tiny(direct: bool) -> Vec<Finding> {
    planned(&job(|j| (j.bs, j.direct) = (512, direct)))
}

fn titled(workload: &str) -> Vec<Finding> {
    let run = stacks().workloads(&[workload]);
    planned(&run.header(|h| h.title = "Which card for a database?".to_string()).build())
}

fn deep(iodepth: u32, engine: EngineName) -> Vec<Finding> {
    planned(&job(|j| (j.iodepth, j.engine, j.direct) = (iodepth, engine, true)))
}

fn looks(alpha: f64) -> Vec<Finding> {
    planned(&with(|h| {
        h.protocol.looks = vec![5, 8, 12, 18, 27];
        h.protocol.alphas = vec![alpha; 5];
        (h.protocol.alpha, h.protocol.alpha_after) = (alpha, 0.0);
    }))
}

fn beside_lazy(option: &str) -> Vec<Finding> {
    planned(&with(|h| stack(h, 0).mkfs = vec!["-E".to_string(), option.to_string()]))
}

/// ext4 with and without its journal.
fn journal(workload: &str) -> Vec<Finding> {
    let run = stacks().workloads(&[workload]).header(|h| {
        *stack(h, 1) = stack(h, 0).clone();
        stack(h, 1).mkfs = vec!["-O".to_string(), "^has_journal".to_string()];
    });
    planned(&run.build())
}

fn scheduler(iodepth: u32) -> Vec<Finding> {
    let run = stacks().workloads(&["seqread"]).header(|h| {
        let job = &mut h.workloads[0].job;
        (job.iodepth, job.engine) = (iodepth, EngineName::IoUring);
        *stack(h, 1) = stack(h, 0).clone();
        stack(h, 1).knobs.scheduler = Some("bfq".to_string());
    });
    planned(&run.build())
}

fn discarding(candidates: usize) -> Vec<Finding> {
    planned(&with(|h| {
        let words = || ["-E", "discard"].map(str::to_string).to_vec();
        *stack(h, 1) = stack(h, 0).clone();
        (0..candidates).for_each(|i| stack(h, i).mkfs = words());
    }))
}
