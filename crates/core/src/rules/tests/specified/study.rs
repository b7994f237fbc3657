//! Cases about what the page of a published comparison states.

use super::super::cases::{Case, case};
use super::super::imported::found;
use crate::model::finding::Finding;

pub(super) const CASES: &[Case] = &[
    case(
        "L01",
        "two mount points",
        || stated("place@ext4=/mnt/a; place@xfs=/mnt/b"),
        || stated("place@ext4=/mnt/a; place@xfs=/mnt/a"),
    ),
    case("L01", "two partitions", || starts(2048, 30_000_000), || starts(2048, 2048)),
    case("L02", "places of a hard disk", || media("hdd"), || media("flash")),
    case("L03", "a start 3 MiB after a boundary", || on_flash(2_717_696), || on_flash(2_719_744)),
    case("L04", "four on three places", || four("slots=3"), || four("slots=4")),
    case("L05", "files that were copied", || stated("layout=copied"), || stated("")),
    case("L06", "flash without preconditioning", || fresh("flash"), || fresh("hdd")),
    case("L07", "1 GiB through a cache of 1 GiB", || cached(1), || cached(10)),
    case("L08", "2 GB on shingled tracks", || shingled("2000000000"), || shingled("40000000000")),
    case("L09", "5 GiB of 1 TB", || span("1000000000000"), || span("16000000000")),
    case(
        "L10",
        "the system's stick",
        || stated("system_disk=a stick"),
        || stated("system_disk=a card"),
    ),
    case("L12", "1 GiB with 1 GiB of memory", || memory("1073741824"), || memory("134217728")),
    case(
        "L13",
        "writes and no word about sync",
        || stated("sync=not stated"),
        || judged(&reads(&["ext4 10", "xfs 11"]), "sync=not stated"),
    ),
    case("L16", "reads without dropped caches", || cold(true), || cold(false)),
    case("L34", "always the same order", || stated("order=fixed"), || stated("order=randomised")),
    case(
        "L39",
        "three pairs by eye",
        || three("significance=no difference"),
        || stated("significance=no difference"),
    ),
    case("L44", "lifetime", || stated("claims=lifetime"), || stated("claims=throughput")),
    case("L45", "a cause nobody tested", || stated("cause=board"), || stated("")),
    case("L51", "the last ran hottest", || stated("last=xfs"), || stated("")),
    case("L52", "a daemon", || stated("background=cron"), || stated("")),
    case("L53", "tables still being zeroed", || stated("lazy_init=running"), || stated("")),
    case("L54", "a monitor", || stated("monitor=netdata"), || stated("")),
    case("L55", "swap on the stick", || stated("swap=a stick"), || stated("swap=a card")),
    case("L60", "options", || stated("unpinned=mount options"), || stated("")),
    case("L61", "ntfs-3g for NTFS", || beside("ntfs-3g"), || beside("xfs")),
    case("L61", "exfat through FUSE", || beside("exfat-fuse"), || beside("btrfs")),
    case("L65", "no memory stated", || stated("unstated=memory"), || stated("")),
];

/// Rows of a sequential write at these rates, from `ext4 10`.
pub(super) fn writes(rates: &[&str]) -> Vec<String> {
    let row = |text: &&str| {
        let (fs, rate) = text.split_once(' ').expect("a filesystem and a rate");
        format!("{fs},none,dd,sequential write,1048576,throughput,{rate},MB/s,")
    };
    rates.iter().map(row).collect()
}

pub(super) fn judged(rows: &[String], facts: &str) -> Vec<Finding> {
    found(&rows.iter().map(String::as_str).collect::<Vec<_>>(), facts)
}

pub(super) fn stated(facts: &str) -> Vec<Finding> {
    judged(&writes(&["ext4 10", "xfs 11"]), facts)
}

pub(super) fn beside(fs: &str) -> Vec<Finding> {
    judged(&writes(&["ext4 10", &format!("{fs} 11")]), "")
}

/// Two partitions of a drive and where they start.
fn partitions(first: u64, second: u64, facts: &str) -> Vec<Finding> {
    let start = |fs: &str, name: &str, sector: u64| {
        let end = sector + 20_000_000;
        let row =
            |what: &str, at: u64| format!("{fs},,fdisk,partition {name},,{what},{at},sectors,");
        [row("partition_start", sector), row("partition_end", end)]
    };
    let name = if first == second { "sda1" } else { "sda2" };
    let places = [start("ext4", "sda1", first), start("xfs", name, second)].concat();
    judged(&[writes(&["ext4 10", "xfs 11"]), places].concat(), facts)
}

fn starts(first: u64, second: u64) -> Vec<Finding> {
    partitions(first, second, "")
}

fn on_flash(sector: u64) -> Vec<Finding> {
    partitions(sector, 32_079_872, "media=flash")
}

fn media(kind: &str) -> Vec<Finding> {
    partitions(2048, 30_000_000, &format!("media={kind}"))
}

fn four(facts: &str) -> Vec<Finding> {
    judged(&writes(&["ext4 10", "xfs 11", "f2fs 9", "exfat 8"]), facts)
}

fn three(facts: &str) -> Vec<Finding> {
    judged(&writes(&["ext4 10", "xfs 11", "f2fs 9"]), facts)
}

fn fresh(media: &str) -> Vec<Finding> {
    stated(&format!("media={media}; preconditioning=none"))
}

fn cached(gib: u64) -> Vec<Finding> {
    stated(&format!("drive_cache_bytes={}; bytes_per_cell={}", 1u64 << 30, gib << 30))
}

fn shingled(bytes: &str) -> Vec<Finding> {
    stated(&format!("media=hdd; recording=smr; bytes_per_cell={bytes}"))
}

/// sysbench on ext4 and xfs with these figures.
pub(super) fn sysbench(figures: &[&str], facts: &str) -> Vec<Finding> {
    let row =
        |fs: &str, figure: &&str| format!("{fs},none,sysbench 0.4.12 fileio,rndrw,16384,{figure},");
    let of = |fs| figures.iter().map(move |figure| row(fs, figure));
    judged(&of("ext4").chain(of("xfs")).collect::<Vec<_>>(), facts)
}

fn span(drive: &str) -> Vec<Finding> {
    let figures = ["requests_per_second,100,ops/s", "total_file_size,5,GiB"];
    sysbench(&figures, &format!("media=hdd; disk_bytes={drive}"))
}

fn memory(bytes: &str) -> Vec<Finding> {
    let row = |fs: &str, figure| format!("{fs},none,dd,sequential read,1048576,{figure},");
    let rate = |fs| row(fs, "throughput,20,MB/s");
    let rows = [rate("ext4"), row("ext4", "file_size,1073741824,B"), rate("xfs")];
    judged(&rows, &format!("memory_bytes={bytes}"))
}

pub(super) fn reads(rates: &[&str]) -> Vec<String> {
    writes(rates).into_iter().map(|row| row.replace("write", "read")).collect()
}

fn cold(is_read: bool) -> Vec<Finding> {
    if is_read {
        return judged(&reads(&["ext4 10", "xfs 11"]), "cache=not dropped");
    }
    stated("cache=not dropped")
}

pub(super) fn rates(rates: [u32; 3]) -> Vec<Finding> {
    let [a, b, c] = rates;
    judged(&writes(&[&format!("ext4 {a}"), &format!("xfs {b}"), &format!("btrfs {c}")]), "")
}
