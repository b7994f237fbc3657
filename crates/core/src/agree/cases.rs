//! What is compared: patterns of fio in its own words, and what the other tools do by themselves
//! against the profile that is named after them.

use super::{Case, Compared, Known};
use crate::model::job::{Data, EngineName, Job, Mem, Rw};
use crate::model::profile::Profile;
use crate::model::workload::{DriverName, Metric, Phase, Workload};
use crate::profiles;

const MIB: u64 = 1 << 20;
/// Records of iozone: 64 KiB, where files above 16 MiB begin in its automatic mode.
const RECORD_BYTES: u64 = 64 << 10;
/// Fewest and most small files of bonnie++, and bytes of the file for each: a drive that writes
/// fast makes files fast.
const SMALL_FILES: (u64, u64) = (64 << 10, 256 << 10);
const BYTES_PER_SMALL_FILE: u64 = 32 << 10;
const FILES_STEP: u32 = 1024;
/// Phases of bonnie++ that work on one file; those after them make many.
const ONE_FILE_PARTS: usize = 6;
/// Bytes of the file beside many small ones.
const SMALL_FILE_BYTES: u64 = 16 * MIB;
/// Bytes that bonnie++ writes and reads one by one.
const BY_CHAR_BYTES: u64 = 3 * MIB;
/// Bytes that dd moves in blocks of 64 bytes, where the calls are what is measured.
const TINY_BYTES: u64 = 256 * MIB;
/// Part of the file that is enough where each transfer waits for the drive.
const DIRECT_PART: u64 = 4;
/// Files of bonnie++, in files of the others: its phases must last half a second, or it prints
/// nothing.
const BONNIE_FILES: u64 = 3;
/// Files of sysbench, flushed one by one after so many requests.
const BURST: (u64, u64) = (128, 100);
/// Fewest and most bursts of a turn.
const BURSTS: (u64, u64) = (3, 100);

/// How much is done in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    /// Bytes of the file, in whole MiB.
    pub size: u64,
    /// How long a pattern that has a time takes.
    pub turn_ns: u64,
    pub flush_ns: u64,
    /// What one random read takes here that is not in memory.
    pub read_ns: u64,
}

impl Amounts {
    /// Bytes of a file that is not gone through by way of memory.
    fn direct(self) -> u64 {
        (self.size / DIRECT_PART).max(64 * MIB).min(self.size)
    }

    /// Bytes of sysbench's files, of which each is a whole number of blocks.
    fn files(self) -> u64 {
        let step = BURST.0 * MIB / 8;
        (self.size / step * step).max(64 * MIB).min(self.size)
    }

    /// Small files of bonnie++, which makes them by 1024.
    fn small_files(self) -> u32 {
        let files = (self.size / BYTES_PER_SMALL_FILE).clamp(SMALL_FILES.0, SMALL_FILES.1);
        // At most 256 Ki.
        (files as u32) / FILES_STEP * FILES_STEP
    }

    /// Requests of sysbench with bursts of flushes in between: as many as fill a turn. With a time
    /// in place of a number one would end a burst earlier than the other.
    fn requests(self) -> u64 {
        let burst_ns = self.flush_ns.max(1).saturating_mul(BURST.0);
        (self.turn_ns / burst_ns).clamp(BURSTS.0, BURSTS.1) * BURST.1
    }

    /// Random reads of sysbench that fill a turn. With a time in place of a number one would find
    /// more in memory than the other, because it had read more.
    fn reads(self, bs: u64) -> u64 {
        (self.turn_ns / self.read_ns.max(1)).min(self.size / bs).max(BURST.1)
    }
}

pub fn all(amounts: Amounts) -> Vec<Case> {
    [fio(amounts), dd(amounts), sysbench(amounts), bonnie(amounts), iozone(amounts)].concat()
}

fn fio(amounts: Amounts) -> Vec<Case> {
    let Amounts { size, turn_ns, .. } = amounts;
    // fio's buffers are ordinary pages; with huge ones a direct transfer of 1 MiB is one request
    // of the drive where it is several with those.
    let once = |rw, bs| Job { mem: Mem::Malloc, ..Job::new(rw, bs, size) };
    let timed = |rw, bs| Job { runtime_ns: Some(turn_ns), ..once(rw, bs) };
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
            keeps_files: false,
        }
    };
    let (read, write) = (Phase::ColdRead, Phase::Overwrite);
    vec![
        of("1m reads, direct", read, direct(Rw::Read, MIB), Some(Known::Pages)),
        of("1m reads through the cache, cold", read, once(Rw::Read, MIB), Some(Known::Cpu)),
        of("4k random reads, direct", read, direct(Rw::RandRead, 4096), Some(Known::Cpu)),
        of("4k random reads, direct, io_uring 32", read, deep(Rw::RandRead), Some(Known::Cpu)),
        of("1m writes, direct", write, direct(Rw::Write, MIB), Some(Known::Pages)),
        of(
            "4k random writes, each flushed",
            write,
            flushed(Rw::RandWrite, 4096),
            Some(Known::Layout),
        ),
        of("4k random reads and writes, direct", write, direct(Rw::RandRw, 4096), Some(Known::Mix)),
    ]
}

/// The parts of a profile for both tools: in one process each, in their order.
fn whole(profile: Profile, tool: DriverName, name: &str, job: Job, known: KnownOf) -> Case {
    let parts = profiles::parts(profile, &job);
    let phase = |work: Workload| {
        let word = work.profile.and_then(profiles::part_spec).map_or("", |spec| spec.word);
        let named = if name.is_empty() { word.to_string() } else { format!("{word}, {name}") };
        Compared { name: named, work, known: known(word) }
    };
    let is_theirs = |phase: &Compared| phase.work.name != "iozone-mixed";
    let phases = parts.into_iter().map(phase).filter(is_theirs).collect();
    let name = if name.is_empty() { "all phases" } else { name };
    Case { tool, name: name.to_string(), phases, keeps_files: false }
}

/// What is known to differ in a part of a profile, by its word.
type KnownOf = fn(&str) -> Option<Known>;

/// The same with a case for each part, because each is a command of its own.
fn single(profile: Profile, tool: DriverName, name: &str, job: Job, known: KnownOf) -> Vec<Case> {
    let whole = whole(profile, tool, name, job, known);
    let case = |phase: Compared| Case {
        tool,
        name: phase.name.clone(),
        phases: vec![phase],
        keeps_files: false,
    };
    whole.phases.into_iter().map(case).collect()
}

fn dd(amounts: Amounts) -> Vec<Case> {
    let of = |name, job: Job| {
        let known: KnownOf = if job.direct { |_| Some(Known::Pages) } else { |_| None };
        single(Profile::Dd, DriverName::Dd, name, job, known)
    };
    let job =
        |bs, size| Job { data: Data::Zero, invalidate: true, ..Job::new(Rw::Write, bs, size) };
    let direct = Job { direct: true, ..job(MIB, amounts.size) };
    let is_one_of = |words: &'static [&str]| {
        move |case: &Case| words.iter().any(|word| case.name.starts_with(word))
    };
    let direct = of("direct", direct).into_iter().filter(is_one_of(&["write", "read"]));
    let tiny = single(
        Profile::Dd,
        DriverName::Dd,
        "blocks of 64",
        job(64, TINY_BYTES.min(amounts.size)),
        |_| Some(Known::Records),
    );
    let tiny = tiny.into_iter().filter(is_one_of(&["write", "read"]));
    of("", job(MIB, amounts.size)).into_iter().chain(direct).chain(tiny).collect()
}

fn sysbench(amounts: Amounts) -> Vec<Case> {
    let amounts = Amounts { size: amounts.files(), ..amounts };
    let whole = Job { size: amounts.size, ..profiles::job(Profile::Sysbench) };
    let of = |job: Job| single(Profile::Sysbench, DriverName::Sysbench, "", job, |_| None);
    let some = |n: u64| Job { io_size: Some(n * whole.bs), ..whole.clone() };
    let (reads, bursts) = (some(amounts.reads(whole.bs)), some(amounts.requests()));
    let pick = |((once, reads), bursts): ((Case, Case), Case)| match once.name.as_str() {
        // Its prepare leaves files that are there already as they are.
        "seqrd" => Case { keeps_files: true, ..once },
        "rndrd" => Case { keeps_files: true, ..reads },
        _ => bursts,
    };
    of(whole).into_iter().zip(of(reads)).zip(of(bursts)).map(pick).collect()
}

fn bonnie(amounts: Amounts) -> Vec<Case> {
    let job = profiles::job(Profile::Bonnie);
    let size = amounts.size * BONNIE_FILES;
    let job = Job { size, io_size: Some(BY_CHAR_BYTES), invalidate: false, ..job };
    let known: KnownOf = |word| match word {
        "putc" | "getc" => Some(Known::Calls),
        "seeks" => Some(Known::Seeks),
        "seq-create" | "random-create" => Some(Known::Makes),
        "seq-delete" | "random-delete" => Some(Known::Sync),
        _ => None,
    };
    // Two commands, so that the phases of one file need not wait for those of many files: each
    // makes little of what the other measures.
    let of = |name: &str, job| Case {
        name: name.to_string(),
        ..whole(Profile::Bonnie, DriverName::Bonnie, "", job, known)
    };
    let mut one_file = of("one file", Job { nrfiles: FILES_STEP, ..job.clone() });
    one_file.phases.truncate(ONE_FILE_PARTS);
    let mut many_files =
        of("many files", Job { size: SMALL_FILE_BYTES, nrfiles: amounts.small_files(), ..job });
    many_files.phases.drain(..ONE_FILE_PARTS);
    vec![one_file, many_files]
}

fn iozone(amounts: Amounts) -> Vec<Case> {
    let job = profiles::job(Profile::Iozone);
    let job = Job { size: amounts.size, bs: RECORD_BYTES, invalidate: false, ..job };
    let flushed = Job { end_fsync: true, ..job };
    let direct = Job { direct: true, size: amounts.direct(), ..flushed.clone() };
    let of = |name, job: Job| {
        let known: KnownOf = match job.direct {
            true => |_| Some(Known::Pages),
            // One record again and again: it stays in the processor's cache.
            false => |word| if word == "record-rewrite" { Some(Known::Calls) } else { None },
        };
        whole(Profile::Iozone, DriverName::Iozone, name, job, known)
    };
    vec![of("-e", flushed), of("-e -I", direct)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::foreign::{Scratch, driver};

    const AMOUNTS: Amounts =
        Amounts { size: 64 * MIB, turn_ns: 2_000_000_000, flush_ns: 4_000_000, read_ns: 1_000_000 };

    #[test]
    fn requests_with_bursts_between_fill_a_turn_in_whole_bursts() {
        assert_eq!(AMOUNTS.requests(), 300);
        assert_eq!(Amounts { flush_ns: 200_000, ..AMOUNTS }.requests(), 7800);
        assert_eq!(Amounts { flush_ns: 0, ..AMOUNTS }.requests(), 10_000);
        assert_eq!(AMOUNTS.reads(16 << 10), 2000);
        assert_eq!(Amounts { read_ns: 0, ..AMOUNTS }.reads(16 << 10), 4096, "one pass");
    }

    #[test]
    fn a_fast_disk_has_more_small_files() {
        let of = |size| Amounts { size, ..AMOUNTS }.small_files();
        assert_eq!([of(64 * MIB), of(3000 * MIB), of(1 << 40)], [65_536, 95_232, 262_144]);
    }

    #[test]
    fn every_case_has_words_in_its_tool_and_one_command_for_its_phases() {
        let scratch = Scratch { version: "3.33".into(), is_root: true };
        for case in all(AMOUNTS) {
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
        let all = all(AMOUNTS);
        let of = |c: &Case| -> Vec<String> {
            c.phases.iter().map(|p| format!("{} {}", c.tool.name(), p.name)).collect()
        };
        let names: Vec<String> = all.iter().flat_map(of).collect();
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "{names:?}");
    }
}
