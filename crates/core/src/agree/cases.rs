//! What is compared: patterns of fio in its own words, and what the other tools do by themselves
//! against the profile that is named after them.

use super::{Case, Compared};
use crate::model::job::{Data, EngineName, Job, Mem, Rw};
use crate::model::profile::Profile;
use crate::model::workload::{DriverName, Metric, Phase, Workload};
use crate::profiles;

const MIB: u64 = 1 << 20;
/// Records of iozone: 64 KiB, where files above 16 MiB begin in its automatic mode.
const RECORD_BYTES: u64 = 64 << 10;
/// Small files of bonnie++: enough that making them takes a second on most disks.
const SMALL_FILES: u32 = 64 << 10;
/// Bytes that dd moves in blocks of 64 bytes, where the calls are what is measured.
const TINY_BYTES: u64 = 64 * MIB;

/// All cases over files of `size` bytes; each turn of a pattern with a time takes `turn_ns`, which
/// sysbench rounds up to whole seconds.
pub fn all(size: u64, turn_ns: u64) -> Vec<Case> {
    [fio(size, turn_ns), dd(size), sysbench(size, turn_ns), bonnie(size), iozone(size)].concat()
}

fn fio(size: u64, turn_ns: u64) -> Vec<Case> {
    // fio's buffers are ordinary pages; with huge ones a direct transfer of 1 MiB is one request
    // of the disk where it is several with those.
    let timed = |rw, bs| {
        let mem = Mem::Malloc;
        Job { runtime_ns: Some(turn_ns), mem, ..Job::new(rw, bs, size) }
    };
    let direct = |rw, bs| Job { direct: true, ..timed(rw, bs) };
    let flushed = |rw, bs| Job { fsync: 1, ..timed(rw, bs) };
    let deep = |rw| Job { engine: EngineName::IoUring, iodepth: 32, ..direct(rw, 4096) };
    let of = |name: &str, phase, job: Job, known| {
        let metric = if job.bs >= MIB { Metric::Bandwidth } else { Metric::Iops };
        let work = Workload::native(name, name, phase, metric, job);
        Case {
            tool: DriverName::Fio,
            name: name.to_string(),
            phases: vec![Compared { name: name.to_string(), work, known }],
        }
    };
    let (read, write) = (Phase::ColdRead, Phase::Overwrite);
    vec![
        of("1m reads, direct", read, direct(Rw::Read, MIB), CPU),
        of("1m reads through the cache, cold", read, timed(Rw::Read, MIB), CACHE),
        of("4k random reads, direct", read, direct(Rw::RandRead, 4096), CPU),
        of("4k random reads, direct, io_uring 32", read, deep(Rw::RandRead), CPU),
        of("1m writes, direct", write, direct(Rw::Write, MIB), MADE),
        of("4k random writes, each flushed", write, flushed(Rw::RandWrite, 4096), ONCE),
        of("4k random reads and writes, direct", write, direct(Rw::RandRw, 4096), MIX),
    ]
}

const CPU: &str = "fio spends more CPU on an operation; where the device is as fast as the CPU, \
                   that shows as a lower rate of fio's";
const CACHE: &str = "both read through the page cache and leave what they read in it: with a time \
                     in place of an amount, whoever is faster reads more of it from memory";
const MADE: &str = "both write data that were never written before, and make them while the time \
                    runs; fio makes them with a slower generator";
const ONCE: &str = "a file that is overwritten changes underneath: each write may move its blocks, \
                    and what came before decides how fast the next one is";
const MIX: &str = "fio draws its mix of reads and writes with another generator, so the two do not \
                   do exactly the same operations";

/// The parts of a profile in the hands of both: in one process each, in their order.
fn whole(profile: Profile, tool: DriverName, name: &str, job: Job, known: Known) -> Case {
    let parts = profiles::parts(profile, &job);
    let phase = |work: Workload| {
        let word = work.profile.and_then(profiles::part_spec).map_or("", |spec| spec.word);
        let named = if name.is_empty() { word.to_string() } else { format!("{word}, {name}") };
        Compared { name: named, work, known: known(word) }
    };
    let is_theirs = |phase: &Compared| phase.work.name != "iozone-mixed";
    let phases = parts.into_iter().map(phase).filter(is_theirs).collect();
    let name = if name.is_empty() { "all phases" } else { name };
    Case { tool, name: name.to_string(), phases }
}

/// What is known to differ in a part of a profile, by its word.
type Known = fn(&str) -> &'static str;

/// The same with a case for each part, because each is a command of its own.
fn single(profile: Profile, tool: DriverName, name: &str, job: Job, known: Known) -> Vec<Case> {
    let whole = whole(profile, tool, name, job, known);
    let case = |phase: Compared| Case { tool, name: phase.name.clone(), phases: vec![phase] };
    whole.phases.into_iter().map(case).collect()
}

fn dd(size: u64) -> Vec<Case> {
    let of = |name, job| single(Profile::Dd, DriverName::Dd, name, job, |_| "");
    let job =
        |bs, size| Job { data: Data::Zero, invalidate: true, ..Job::new(Rw::Write, bs, size) };
    let direct = Job { direct: true, ..job(MIB, size) };
    let is_one_of = |words: &'static [&str]| {
        move |case: &Case| words.iter().any(|word| case.name.starts_with(word))
    };
    let direct = of("direct", direct).into_iter().filter(is_one_of(&["write", "read"]));
    let tiny = of("blocks of 64", job(64, TINY_BYTES.min(size)));
    let tiny = tiny.into_iter().filter(is_one_of(&["write", "read"]));
    of("", job(MIB, size)).into_iter().chain(direct).chain(tiny).collect()
}

fn sysbench(size: u64, turn_ns: u64) -> Vec<Case> {
    let job = profiles::job(Profile::Sysbench);
    let job = |runtime_ns| Job { size, runtime_ns, ..job.clone() };
    let of = |job| single(Profile::Sysbench, DriverName::Sysbench, "", job, |_| "");
    let is_random = |case: &Case| case.name.starts_with("rnd");
    // One pass over everything in order; bursts of flushes between random writes have a time.
    let in_order = of(job(None)).into_iter().filter(|case| !is_random(case));
    in_order.chain(of(job(Some(turn_ns))).into_iter().filter(is_random)).collect()
}

fn bonnie(size: u64) -> Vec<Case> {
    let job = Job { size, invalidate: false, ..profiles::job(Profile::Bonnie) };
    let job = Job { nrfiles: SMALL_FILES, ..job };
    let known: Known = |word| match word {
        "seq-create" | "seq-delete" | "random-create" | "random-delete" => SYNC,
        _ => "",
    };
    vec![whole(Profile::Bonnie, DriverName::Bonnie, "", job, known)]
}

const SYNC: &str = "bonnie++ ends it with sync(2), which flushes every filesystem of the machine, \
                    bakeoff with the one under test";

fn iozone(size: u64) -> Vec<Case> {
    let job = Job { size, bs: RECORD_BYTES, invalidate: false, ..profiles::job(Profile::Iozone) };
    let flushed = Job { end_fsync: true, ..job };
    let direct = Job { direct: true, ..flushed.clone() };
    let of = |name, job| whole(Profile::Iozone, DriverName::Iozone, name, job, |_| "");
    vec![of("-e", flushed), of("-e -I", direct)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::foreign::{Scratch, driver};

    #[test]
    fn every_case_has_words_in_its_tool_and_one_command_for_its_phases() {
        let scratch = Scratch { version: "3.33".into(), is_root: true };
        for case in all(64 * MIB, 2_000_000_000) {
            let tool = driver(case.tool).unwrap();
            let commands: Vec<_> = case
                .theirs()
                .iter()
                .map(|work| tool.command(work, &scratch).unwrap_or_else(|e| panic!("{e}")))
                .collect();
            assert!(commands.windows(2).all(|two| two[0] == two[1]), "{}", case.name);
            assert!(!case.phases.is_empty());
        }
    }

    #[test]
    fn phases_of_a_tool_have_names_of_their_own() {
        let all = all(64 * MIB, 1);
        let of = |c: &Case| -> Vec<String> {
            c.phases.iter().map(|p| format!("{} {}", c.tool.name(), p.name)).collect()
        };
        let names: Vec<String> = all.iter().flat_map(of).collect();
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "{names:?}");
    }
}
