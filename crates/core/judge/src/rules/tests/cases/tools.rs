//! Cases about what tools print.

use super::{Case, case};
use crate::rules::tests::imported::printed;
use bakeoff_model::finding::Finding;

pub(super) const CASES: &[Case] = &[
    case(
        "L11",
        "f3read that lost data",
        || f3("10.50 KB (21 sectors)"),
        || f3("0.00 Byte (0 sectors)"),
    ),
    case(
        "L13",
        "dd with a conv that flushes nothing",
        || dd("of=t conv=notrunc"),
        || dd("of=t conv=fdatasync"),
    ),
    case("L13", "dd that writes", || dd("of=t"), || dd("of=/dev/null")),
    case("L13", "dd without synchronous writes", || dd("of=t"), || dd("of=t oflag=dsync")),
    case("L13", "iozone without -e", || iozone("-i 0 -i 1", 64), || iozone("-i 0 -i 1 -e", 64)),
    case(
        "L13",
        "fio without end_fsync",
        || fio("write", "", "libaio", 1),
        || fio("write", " --end_fsync=1", "libaio", 1),
    ),
    case(
        "L13",
        "fio that writes",
        || fio("write", "", "libaio", 1),
        || fio("read", "", "libaio", 1),
    ),
    case("L14", "flushes of 292 of 300 s", || sysbench(8.34), || sysbench(290.0)),
    case("L16", "hdparm -T", || hdparm("cached reads:   60"), || hdparm("buffered disk reads: 60")),
    case("L20", "zeros from /dev/zero", || input("/dev/zero"), || input("/tmp/random")),
    case(
        "L21",
        "a random test of 40 records",
        || iozone("-i 0 -i 2 -e", 25_600),
        || iozone("-i 0 -i 2 -e", 4),
    ),
    case("L26", "a mean of 4.91 above p95 of 2.32", || latency(4.91, 2.32), || latency(1.20, 2.32)),
];

fn f3(lost: &str) -> Vec<Finding> {
    printed(&format!(
        "                  SECTORS      ok/corrupted/changed/overwritten\n\
         Validating file 1.h2w ...   79885/        0/      0/      0\n\n\
         \x20 Data OK: 39.01 MB (79885 sectors)\nData LOST: {lost}\n\
         Average reading speed: 31.00 MB/s\n"
    ))
}

fn dd(options: &str) -> Vec<Finding> {
    printed(&format!(
        "$ dd if=t.in bs=1M count=1024 {options}\n\
         1073741824 bytes (1.1 GB, 1.0 GiB) copied, 90.0 s, 11.9 MB/s\n"
    ))
}

fn input(file: &str) -> Vec<Finding> {
    printed(&format!(
        "$ dd if={file} of=t bs=1M count=1024 conv=fdatasync\n\
         1073741824 bytes (1.1 GB, 1.0 GiB) copied, 90.0 s, 11.9 MB/s\n"
    ))
}

fn hdparm(what: &str) -> Vec<Finding> {
    printed(&format!("/dev/sda:\n Timing {what} MB in  2.00 seconds = 30.00 MB/sec\n"))
}

/// A file of 1000 MB in records of so many KiB.
fn iozone(tests: &str, record_kib: u32) -> Vec<Finding> {
    const SHORT: &str =
        include_str!("../../../../../../../fixtures/tools/iozone/text_subset_0_1_2.stdout");
    let command = "iozone -s 2m -r 256k -i 0 -i 1 -i 2 -e -c -I -f t.tmp";
    let row = "            2048     256";
    assert!(SHORT.contains(command) && SHORT.contains(row));
    let text = SHORT.replace(command, &format!("iozone -s 1000m -r {record_kib}k {tests} -f t"));
    let text = text.replace(row, &format!("{:16}{record_kib:8}", 1_024_000));
    let is_kept = |line: &&str| !line.contains("in write timing") && !line.contains("O_DIRECT");
    printed(&text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect::<String>())
}

fn fio(rw: &str, options: &str, engine: &str, depth: u32) -> Vec<Finding> {
    printed(&format!(
        "$ fio --name=x --rw={rw} --bs=64k --size=6g --ioengine={engine} --iodepth={depth}\
         {options}\n\
         x: (g=0): rw={rw}, bs=(R) 64.0KiB-64.0KiB, (W) 64.0KiB-64.0KiB, (T) 64.0KiB-64.0KiB, \
         ioengine={engine}, iodepth={depth}\nfio-3.33\nStarting 1 process\n\n\
         x: (groupid=0, jobs=1): err= 0: pid=812: Mon Jan  2 10:00:00 2023\n\
         \x20 {rw}: IOPS=1638, BW=102MiB/s (107MB/s)(6144MiB/60000msec)\n\
         \x20   clat (usec): min=300, max=9000, avg=600.00, stdev=10.00\n"
    ))
}

/// Five minutes of random reads and writes, of which so many seconds were counted as events.
fn sysbench(events: f64) -> Vec<Finding> {
    of_sysbench(events, 4.91, 11.81)
}

fn latency(mean: f64, p95: f64) -> Vec<Finding> {
    of_sysbench(290.0, mean, p95)
}

fn of_sysbench(events: f64, mean: f64, p95: f64) -> Vec<Finding> {
    printed(&format!(
        "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\n\
         Running the test with following options:\nNumber of threads: 1\n\n\
         Extra file open flags: 0\n128 files, 40Mb each\n5Gb total file size\nBlock size 16Kb\n\
         Number of random requests for random IO: 0\n\
         Read/Write ratio for combined random IO test: 1.50\n\
         Periodic FSYNC enabled, calling fsync() each 100 requests.\n\
         Calling fsync() at the end of test, Enabled.\nUsing synchronous I/O mode\n\
         Doing random r/w test\nThreads started!\nTime limit exceeded, exiting...\nDone.\n\n\
         Operations performed:  1020 Read, 680 Write, 2122 Other = 3822 Total\n\
         Read 15.938Mb  Written 10.625Mb  Total transferred 26.562Mb  (90.526Kb/sec)\n\
         \x20   5.66 Requests/sec executed\n\n\
         Test execution summary:\n    total time:                          300.4676s\n\
         \x20   total number of events:              1700\n\
         \x20   total time taken by event execution: {events:.4}\n\
         \x20   per-request statistics:\n\
         \x20        min:                                  0.10ms\n\
         \x20        avg:                                {mean:6.2}ms\n\
         \x20        max:                                821.00ms\n\
         \x20        approx.  95 percentile:             {p95:6.2}ms\n"
    ))
}
