//! What is compared: patterns of fio in its own words, and of dd.

use super::Case;
use crate::model::job::{Data, EngineName, Job, Rw};
use crate::model::workload::{DriverName, Metric, Phase, Workload};

const MIB: u64 = 1 << 20;
/// How long each turn of a pattern with a time lasts.
const TURN_NS: u64 = 2_000_000_000;

/// All cases over a file of `size` bytes.
pub fn all(size: u64) -> Vec<Case> {
    fio(size).into_iter().chain(dd(size)).collect()
}

fn case(tool: DriverName, name: &str, phase: Phase, job: Job, known: &'static str) -> Case {
    let metric = if job.bs >= MIB { Metric::Bandwidth } else { Metric::Iops };
    let native = Workload::native(name, name, phase, metric, job);
    let foreign = Workload { driver: tool, ..native.clone() };
    Case { name: name.to_string(), tool, foreign, native, known }
}

fn fio(size: u64) -> Vec<Case> {
    let timed = |rw, bs| Job { runtime_ns: Some(TURN_NS), ..Job::new(rw, bs, size) };
    let direct = |rw, bs| Job { direct: true, ..timed(rw, bs) };
    let flushed = |rw, bs| Job { fsync: 1, ..timed(rw, bs) };
    let deep = |rw| Job { engine: EngineName::IoUring, iodepth: 32, ..direct(rw, 4096) };
    let of = |name, phase, job, known| case(DriverName::Fio, name, phase, job, known);
    let cpu = "fio spends more CPU on an operation; where the device is as fast as the CPU that \
               shows as a lower rate of fio's";
    let once = "a file that is overwritten changes underneath: each write moves its blocks, and \
                what came before decides how fast the next one is";
    vec![
        of("1m reads, direct", Phase::ColdRead, direct(Rw::Read, MIB), cpu),
        of("1m reads through the cache, cold", Phase::ColdRead, timed(Rw::Read, MIB), CACHE),
        of("4k random reads, direct", Phase::ColdRead, direct(Rw::RandRead, 4096), cpu),
        of("4k random reads, direct, io_uring 32", Phase::ColdRead, deep(Rw::RandRead), cpu),
        of("1m writes, direct", Phase::Overwrite, direct(Rw::Write, MIB), once),
        of("4k random writes, each flushed", Phase::Overwrite, flushed(Rw::RandWrite, 4096), once),
        of("4k random reads and writes, direct", Phase::Overwrite, direct(Rw::RandRw, 4096), MIX),
    ]
}

const CACHE: &str = "both read through the page cache and leave what they read in it: with a time \
                     in place of an amount, whoever is faster reads more of it from memory";
const MIX: &str = "fio draws its mix of reads and writes with another generator, so the two do not \
                   do exactly the same operations";

fn dd(size: u64) -> Vec<Case> {
    let once = |rw| Job { data: Data::Zero, ..Job::new(rw, MIB, size) };
    let of = |name, phase, job, known| case(DriverName::Dd, name, phase, job, known);
    let zeros = "dd reads /dev/zero inside its time, a copy of every block that bakeoff does not \
                 make";
    vec![
        of(
            "write, conv=fsync",
            Phase::Overwrite,
            Job { end_fsync: true, ..once(Rw::Write) },
            zeros,
        ),
        of("write, oflag=direct", Phase::Overwrite, Job { direct: true, ..once(Rw::Write) }, zeros),
        of("read, iflag=direct", Phase::ColdRead, Job { direct: true, ..once(Rw::Read) }, PIPE),
        of("read, cold", Phase::ColdRead, once(Rw::Read), PIPE),
    ]
}

const PIPE: &str = "dd hands every block on to /dev/null inside its time, a system call that \
                    bakeoff does not make";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::foreign::{Scratch, driver};

    #[test]
    fn every_case_has_words_in_its_tool() {
        let scratch = Scratch { version: "3.33".into(), is_root: true };
        for case in all(64 * MIB) {
            let tool = driver(case.tool).unwrap();
            let invocation = tool.command(&case.foreign, &scratch);
            assert!(invocation.is_ok(), "{}: {invocation:?}", case.name);
            assert_eq!(case.foreign.job, case.native.job, "{}", case.name);
        }
    }
}
