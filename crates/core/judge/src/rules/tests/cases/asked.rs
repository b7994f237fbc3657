//! Cases of rules about what a plan asks for.

use super::{Case, case};
use crate::rules::tests::before::{job, planned, stack, stacks, with};
use crate::rules::tests::imported::printed;
use bakeoff_model::candidate::{Candidate, Kind, Stack};
use bakeoff_model::finding::Finding;
use bakeoff_model::job::{Data, EngineName};

pub(super) const CASES: &[Case] = &[
    case("L13", "no flush in the time", || flushed_every(0), || flushed_every(32)),
    case("L13", "dd without conv", || dd("", 60), || dd("conv=fsync", 60)),
    case("L20", "zeros", || data(Data::Zero), || data(Data::Random)),
    case("L21", "blocks of 1 MiB", || block(1 << 20), || block(64 << 10)),
    case("L21", "a file of 99 blocks", || blocks(99), || blocks(101)),
    case("L22", "blocks of 2 KiB", || block(2048), || block(4096)),
    case("L29", "streams for a torrent", || titled("seqwrite"), || titled("randwrite")),
    case(
        "L30",
        "a depth of 16 that waits for each request",
        || deep(16, EngineName::Psync),
        || deep(1, EngineName::Psync),
    ),
    case(
        "L30",
        "a depth through the page cache",
        || planned(&job(|j| (j.iodepth, j.engine, j.direct) = (16, EngineName::Libaio, false))),
        || deep(16, EngineName::Libaio),
    ),
    case("L38", "five looks at 5 %", || looks(0.05), || looks(0.0)),
    case("L39", "a third candidate for the price of two", || more(None), || more(Some("ext4"))),
    case("L46", "one score", || metric("score"), || metric("throughput")),
    case("L66", "a scheduler under one stream", || inert("seqwrite"), || inert("randread")),
    case("L68", "one of two that trims", || trims(1), || trims(2)),
];

fn flushed_every(writes: u32) -> Vec<Finding> {
    planned(&job(|j| j.fsync = writes))
}

/// dd that took so many seconds.
pub(super) fn dd(option: &str, seconds: u32) -> Vec<Finding> {
    let rate = 1_073.741_824 / f64::from(seconds);
    let command = format!("dd if=data of=t bs=1M count=1024 {option}");
    printed(&format!(
        "$ {}\n1073741824 bytes (1.1 GB) copied, {seconds}.0 s, {rate:.1} MB/s\n",
        command.trim()
    ))
}

fn data(data: Data) -> Vec<Finding> {
    planned(&job(|j| j.data = data))
}

fn block(bytes: u64) -> Vec<Finding> {
    planned(&job(|j| (j.bs, j.size) = (bytes, 1 << 30)))
}

fn blocks(number: u64) -> Vec<Finding> {
    planned(&job(|j| j.size = number * j.bs))
}

fn titled(workload: &str) -> Vec<Finding> {
    let run = stacks().workloads(&[workload]);
    planned(&run.header(|h| h.title = "Which card for torrents?".to_string()).build())
}

fn deep(iodepth: u32, engine: EngineName) -> Vec<Finding> {
    planned(&job(|j| (j.iodepth, j.engine, j.direct) = (iodepth, engine, true)))
}

fn looks(alpha: f64) -> Vec<Finding> {
    planned(&with(|h| h.protocol.alphas.iter_mut().for_each(|a| *a = a.max(alpha))))
}

fn more(twin_of: Option<&str>) -> Vec<Finding> {
    let kind = Kind::Stack(Stack::plain("btrfs", vec![], vec![], false));
    let third = Candidate::new("btrfs", kind);
    let twin_of = twin_of.map(str::to_string);
    planned(&with(|h| h.candidates.push(Candidate { twin_of, ..third })))
}

fn metric(name: &str) -> Vec<Finding> {
    printed(&format!("device,tool,test,metric,value,unit\ncard,script,all,{name},1024,\n"))
}

fn inert(workload: &str) -> Vec<Finding> {
    let run = stacks().workloads(&[workload]);
    planned(&run.header(|h| stack(h, 1).knobs.scheduler = Some("kyber".to_string())).build())
}

fn trims(candidates: usize) -> Vec<Finding> {
    planned(&with(|h| (0..candidates).for_each(|i| stack(h, i).mount = vec!["discard".into()])))
}
