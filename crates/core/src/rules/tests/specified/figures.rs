//! Cases about the figures of a published comparison.

use super::super::cases::{Case, case};
use super::study::{judged, rates, stated, sysbench, writes};
use crate::model::finding::Finding;

pub(super) const CASES: &[Case] = &[
    case("L63", "no kernel beside it", || direct("btrfs"), || direct("xfs")),
    case("L28", "records beyond what iozone takes", || records(25), || records(8)),
    case("L14", "flushes outside of the events", || events(90, 100), || events(290, 100)),
    case("L14", "flushes, with fsync on", || events(90, 100), || events(90, 0)),
    case("L15", "70 MB/s over 60", || linked(70.0), || linked(30.0)),
    case("L15", "16 KiB in 0.08 ms over USB 2", || minimum("0.08"), || minimum("0.90")),
    case("L17", "direct I/O on a btrfs of any kernel", || direct("btrfs"), || direct("xfs")),
    case("L19", "flushes as often as the tool likes", || events(90, 100), || events(90, 1)),
    case("L19", "flushes for most of the time", || events(90, 100), || events(270, 100)),
    case("L21", "random reads of 25 MB", || random(25_000_000), || random(4096)),
    case(
        "L22",
        "as many calls for any block",
        || calls(&[512, 1024, 2048], 1),
        || calls(&[4096, 8192, 16_384], 0),
    ),
    case(
        "L22",
        "as many calls of 4 KiB as of 1 MiB",
        || calls(&[4096, 65_536, 1 << 20], 1),
        || calls(&[4096, 65_536, 1 << 20], 0),
    ),
    case("L27", "megabits beside megabytes", || unit("Mib/s"), || unit("MiB/s")),
    case(
        "L29",
        "streams for small writes",
        || stated("asks=small random writes"),
        || stated("asks=sequential speed"),
    ),
    case("L31", "two versions of sysbench", || versions("0.4.12"), || versions("1.0.20")),
    case("L32", "one run each", || stated(""), repeated),
    case("L34", "block sizes in ascending order", || stated("sweep=block size"), || stated("")),
    case("L35", "rates that fall with the order", || sweep(true), || sweep(false)),
    case("L40", "1 % between two, 5 % between reads", || rerun(102), || rerun(150)),
    case("L40", "less than two tools differ", || two_tools("4.48"), || two_tools("3.76")),
    case("L41", "159 MB/s of all", || rates([159, 159, 159]), || rates([159, 130, 100])),
    case("L41", "159 MB/s of all at their limit", || limited("165000000"), || limited("500000000")),
    case("L42", "another order with larger blocks", || flips(15), || flips(25)),
    case("L43", "encrypted faster than plain", || luks(117), || luks(80)),
    case("L62", "LUKS and no more", || luks(80), || stated("")),
];

/// Seconds of 300 in events, and after how many requests the files were flushed.
fn events(seconds: u32, fsync_every: u32) -> Vec<Finding> {
    let events = format!("event_execution_time,{seconds},s");
    let every = format!("fsync_every,{fsync_every},requests");
    let flushes = if fsync_every > 0 { "other,30000,ops" } else { "other,0,ops" };
    let others = ["total_time,300,s", "requests_per_second,100,ops/s", flushes];
    sysbench(&[others[0], &events, others[1], &every, others[2]], "")
}

fn minimum(ms: &str) -> Vec<Finding> {
    let latency = format!("latency_min,{ms},ms");
    sysbench(&["requests_per_second,100,ops/s", &latency], "link_bytes_per_s=60000000")
}

fn linked(rate: f64) -> Vec<Finding> {
    judged(&writes(&["ext4 20", &format!("xfs {rate}")]), "link_bytes_per_s=60000000")
}

fn direct(fs: &str) -> Vec<Finding> {
    let row = |fs: &str, figure: &str| format!("{fs},none,fio,sequential write,4096,{figure},");
    let of = |fs| [row(fs, "throughput,20,MB/s"), row(fs, "option_direct,1,flag")];
    judged(&[of("ext4"), of(fs)].concat(), "kernel=not stated")
}

fn random(block: u32) -> Vec<Finding> {
    let row = |fs| format!("{fs},none,iozone 3.465,random read,{block},throughput,18,MB/s,");
    judged(&[row("ext4"), row("xfs")], "")
}

/// Buffered writes by dd in these blocks, at a rate that grows with the block or not.
fn calls(blocks: &[u32], power: i32) -> Vec<Finding> {
    let rate = |block: u32| 8.5 * libm::pow(f64::from(block) / 512.0, f64::from(power));
    let row = |fs: &str, block: u32| {
        format!("{fs},none,dd,sequential write,{block},throughput,{:.2},MB/s,", rate(block))
    };
    let rows: Vec<String> =
        blocks.iter().flat_map(|block| [row("ext4", *block), row("xfs", *block)]).collect();
    judged(&rows, "")
}

fn unit(second: &str) -> Vec<Finding> {
    let row = |fs, unit| format!("{fs},none,dd,sequential write,1048576,throughput,20,{unit},");
    judged(&[row("ext4", "MiB/s"), row("xfs", second)], "")
}

fn versions(first: &str) -> Vec<Finding> {
    let row = |fs, version: &str| {
        format!("{fs},none,sysbench {version} fileio,rndrd,16384,throughput,10,MB/s,")
    };
    judged(&[row("ext4", first), row("xfs", "1.0.20")], "")
}

/// Five runs of each, one after the other in turns.
fn repeated() -> Vec<Finding> {
    let rates = ["10.0", "10.2", "9.9", "10.1", "10.3"];
    let pair = |rate: &&str| writes(&[&format!("ext4 {rate}"), &format!("xfs 1{rate}")]);
    judged(&rates.iter().flat_map(pair).collect::<Vec<_>>(), "")
}

/// Blocks in the order they were tried, slower and slower or up and down.
fn sweep(falls: bool) -> Vec<Finding> {
    let rates = if falls { [72, 70, 68, 66, 64, 62] } else { [66, 72, 64, 70, 62, 68] };
    let row = |(i, rate): (usize, &u32)| {
        let block = 4096u64 << i;
        let of = |fs| format!("{fs},none,dd,sequential write,{block},throughput,{rate},MB/s,");
        [of("ext4"), of("xfs")]
    };
    judged(&rates.iter().enumerate().flat_map(row).collect::<Vec<_>>(), "sweep=block size")
}

/// The same file read twice on each; a tenth of a MB/s is one unit of `other`.
fn rerun(other: u32) -> Vec<Finding> {
    let row = |fs: &str, test: &str, rate: u32| {
        format!(
            "{fs},none,dd,sequential read{test},1048576,throughput,{}.{},MB/s,",
            rate / 10,
            rate % 10
        )
    };
    let ext4 = [row("ext4", "", 101), row("ext4", " repeated", 106)];
    let xfs = [row("xfs", "", other), row("xfs", " repeated", other)];
    judged(&[ext4, xfs].concat(), "")
}

/// f2fs is 18 % slower than ext4 by dd, and at so many MB/s by bonnie++.
fn two_tools(f2fs: &str) -> Vec<Finding> {
    let row = |fs, rate| {
        format!("{fs},none,bonnie++ 1.97,sequential output block,8192,throughput,{rate},MB/s,")
    };
    let bonnie = vec![row("ext4", "4.58"), row("f2fs", f2fs)];
    judged(&[writes(&["ext4 4.58", "f2fs 3.75"]), bonnie].concat(), "")
}

fn limited(link: &str) -> Vec<Finding> {
    let rows = writes(&["ext4 159", "xfs 159", "btrfs 159"]);
    judged(&rows, &format!("link_bytes_per_s={link}"))
}

/// xfs is ahead by half with small blocks; ext4 writes 20 MB/s with large ones.
fn flips(xfs: u32) -> Vec<Finding> {
    let row =
        |fs, block, rate| format!("{fs},none,dd,sequential write,{block},throughput,{rate},MB/s,");
    let small = [row("ext4", 4096, 10), row("xfs", 4096, 15)];
    let large = [row("ext4", 1_048_576, 20), row("xfs", 1_048_576, xfs)];
    judged(&[small, large].concat(), "")
}

/// ext4 writes 104 MB/s, on LUKS so many.
fn luks(rate: u32) -> Vec<Finding> {
    let row =
        |crypt, rate| format!("ext4,{crypt},fio,sequential write,4194304,throughput,{rate},MB/s,");
    judged(&[row("none", 104), row("luks", rate)], "")
}

/// iozone with records of so many MB, where it stops at 16.
fn records(megabytes: u32) -> Vec<Finding> {
    let row = |fs: &str, figure: &str| format!("{fs},none,iozone 3.465,write,4096,{figure},");
    let rows = |fs: &str| {
        let used = format!("record_size,{megabytes},MB");
        let stock = "stock_max_record_size,16,MB";
        [row(fs, "throughput,10,MB/s"), row(fs, &used), row(fs, stock)]
    };
    judged(&[rows("ext4"), rows("xfs")].concat(), "")
}
