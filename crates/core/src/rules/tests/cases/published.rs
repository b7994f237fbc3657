//! Cases of rules about published comparisons.

use super::{Case, case};
use crate::analyse::analyse;
use crate::compare::compare;
use crate::model::event::Header;
use crate::model::finding::Finding;
use crate::model::run::Run;
use crate::model::verdict::Analysis;
use crate::rules::tests::imported::{TWO, found, printed};
use crate::testing::RunBuilder;

pub(super) const CASES: &[Case] = &[
    case("L04", "two candidates in one slot", || stated("slots=1"), || stated("slots=2")),
    case("L18", "flushes with and without a journal", || flushed("vfat"), || flushed("xfs")),
    case("L23", "bytes one by one", || bonnie("per chr"), || bonnie("block")),
    case("L24", "seeks at 95 % of a CPU", || seeks(95), || seeks(40)),
    case("L27", "a ratio by 1000 of units by 1024", || ratio("26.67"), || ratio("27.31")),
    case("L28", "records of 25 MB by iozone", || records(25_600), || records(16_384)),
    case("L28", "rows of 25 MB by iozone", || rows("iozone 3.465", 25), || rows("dd", 25)),
    case("L28", "rows of 25 MB, not of 8", || rows("iozone 3.465", 25), || rows("iozone 3.465", 8)),
    case(
        "L31",
        "two versions of bakeoff",
        || compared(|h| h.version = "9.0.0".to_string()),
        || compared(|_| {}),
    ),
    case(
        "L33",
        "repeats without figures",
        || stated("repeats=without figures"),
        || stated("repeats=5"),
    ),
    case("L44", "lifetime", || stated("claims=lifetime"), || stated("claims=throughput")),
    case("L44", "CPU use that nobody measured", || stated("claims=CPU use"), || claimed("CPU use")),
    case("L44", "CPU load that nobody measured", || stated("claims=cpu"), || claimed("cpu")),
    case("L44", "latency that nobody measured", || stated("claims=latency"), || claimed("Latency")),
    case("L44", "seeks that nobody measured", || stated("claims=seeks"), || claimed("seeks")),
    case("L44", "wear beside much that was measured", || claimed("wear"), || claimed("speed")),
    case("L44", "a winner 20 % behind", || winner("8"), || winner("12")),
    case("L45", "a cause that nobody tested", || stated("cause=link"), || stated("")),
    case(
        "L63",
        "two kernels",
        || compared(|h| h.host.kernel = "6.6.1".to_string()),
        || compared(|_| {}),
    ),
    case("L64", "pictures", || stated("raw=pictures"), || stated("raw=csv")),
    case(
        "L64",
        "figures that were lost",
        || stated("raw=lost"),
        || stated("raw=all output as text"),
    ),
    case("L64", "nothing stated", || stated("raw=not stated"), || stated("")),
    case("L65", "a board without a name", || stated("unstated=board"), || stated("")),
];

fn stated(fact: &str) -> Vec<Finding> {
    found(&TWO, fact)
}

/// Two candidates with CPU use, latency and seeks measured, and a claim.
fn claimed(quantity: &str) -> Vec<Finding> {
    let rows = [
        TWO[0],
        TWO[1],
        "ext4,none,bonnie++ 1.97,sequential output block,,cpu_percent,15,%,",
        "ext4,none,bonnie++ 1.97,sequential output block,,latency_max,49,ms,",
        "ext4,none,bonnie++ 1.97,random seeks,,rate,962,1/s,",
    ];
    found(&rows, &format!("claims={quantity}"))
}

/// xfs is called the winner at so many MB/s, beside 10 of ext4.
fn winner(rate: &str) -> Vec<Finding> {
    let xfs = format!("xfs,none,dd,sequential write,1048576,throughput,{rate},MB/s,");
    found(&[TWO[0], &xfs], "winner=xfs")
}

/// sysbench that flushes by its defaults, on ext4 and another filesystem.
fn flushed(other: &str) -> Vec<Finding> {
    let figures = [
        "total_time,300,s",
        "event_execution_time,90,s",
        "requests_per_second,100,ops/s",
        "fsync_every,100,requests",
        "file_count,128,files",
        "other,30000,ops",
    ];
    let of = |fs: &str| {
        let row = |figure| format!("{fs},none,sysbench 0.4.12 fileio,rndrw,16384,{figure},");
        figures.map(row).to_vec()
    };
    let rows = [of("ext4"), of(other)].concat();
    found(&rows.iter().map(String::as_str).collect::<Vec<_>>(), "")
}

fn bonnie(test: &str) -> Vec<Finding> {
    let test = format!("ext4,none,bonnie++ 1.97,sequential output {test},1,throughput,84,KiB/s,");
    found(&[&test], "")
}

fn seeks(percent: u32) -> Vec<Finding> {
    let row = format!("ext4,none,bonnie++ 1.97,random seeks,,cpu_percent,{percent},%,");
    found(&[&row], "")
}

fn ratio(stated: &str) -> Vec<Finding> {
    let stated = format!("ext4,none,dd,sequential write,1048576,author_ratio,{stated},x,");
    let rows = [
        "ext4,none,dd,sequential write,1048576,throughput,2.414,MiB/s,",
        "xfs,none,dd,sequential write,1048576,throughput,90.526,KiB/s,",
        &stated,
    ];
    found(&rows, "")
}

/// iozone with records of so many KiB.
fn records(kib: u32) -> Vec<Finding> {
    printed(&format!(
        "Command line used: iozone -s 1000m -r {kib}k -e\n\tOutput is in kBytes/sec\n\
         \x20             kB  reclen    write  rewrite    read    reread\n\
         \x20        1024000   {kib}    10000    10000    18000    18000\n"
    ))
}

/// Two rows of a table with blocks of so many MB.
fn rows(tool: &str, megabytes: u32) -> Vec<Finding> {
    let row =
        |fs| format!("{fs},none,{tool},sequential write,{megabytes}000000,throughput,10,MB/s,");
    found(&[&row("ext4"), &row("xfs")], "")
}

fn run(id: &str, change: impl FnOnce(&mut Header)) -> (Run, Analysis) {
    let run = RunBuilder::stacks(&["ext4", "xfs"]).header(|h| {
        h.run = format!("{id:0<16}");
        change(h);
    });
    let rate = |b: u32, c: u16, _: u16| 1000.0 + f64::from(200 * u32::from(c) + b % 3);
    let run = run.play(5, rate).build();
    let analysis = analyse(&run);
    (run, analysis)
}

/// Two runs, the second changed.
fn compared(change: impl FnOnce(&mut Header)) -> Vec<Finding> {
    compare(&[run("a", |_| {}), run("b", change)], None).findings
}
