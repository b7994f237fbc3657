//! Cases of rules about what a plan asks for.

use super::{Case, case};
use crate::rules::tests::before::{job, planned, stack, with};
use crate::rules::tests::imported::printed;
use bakeoff_model::finding::Finding;
use bakeoff_model::job::{Data, EngineName};

pub(super) const CASES: &[Case] = &[
    case("L13", "no flush in the time", || flushed_every(0), || flushed_every(32)),
    case("L13", "dd without conv", || dd("", 60), || dd("conv=fsync", 60)),
    case("L20", "zeros", || data(Data::Zero), || data(Data::Random)),
    case("L21", "blocks of 1 MiB", || block(1 << 20), || block(64 << 10)),
    case("L21", "a file of 99 blocks", || blocks(99), || blocks(101)),
    case("L22", "blocks of 2 KiB", || block(2048), || block(4096)),
    case(
        "L30",
        "a depth of 16 that waits for each request",
        || deep(16, EngineName::Psync),
        || deep(1, EngineName::Psync),
    ),
    case("L30", "a depth through the page cache", || deep_in(false), || deep_in(true)),
    case("L53", "lazy tables", || lazy("lazy_itable_init=1"), || lazy("lazy_itable_init=0")),
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

/// libaio at a depth of 16, direct or not.
fn deep_in(direct: bool) -> Vec<Finding> {
    planned(&job(|j| (j.iodepth, j.engine, j.direct) = (16, EngineName::Libaio, direct)))
}

fn deep(iodepth: u32, engine: EngineName) -> Vec<Finding> {
    planned(&job(|j| (j.iodepth, j.engine, j.direct) = (iodepth, engine, true)))
}

fn trims(candidates: usize) -> Vec<Finding> {
    planned(&with(|h| (0..candidates).for_each(|i| stack(h, i).mount = vec!["discard".into()])))
}

fn lazy(option: &str) -> Vec<Finding> {
    planned(&with(|h| stack(h, 0).mkfs = vec!["-E".to_string(), format!("nodiscard,{option}")]))
}
