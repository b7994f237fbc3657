//! sysbench fileio as a driver, in the words of 0.4 and of 1.0.
//!
//! A workload in words is one file with sysbench's own loop over it. sysbench writes zeros and does
//! one operation at a time a thread. Source: sysbench 0.4.12 and 1.0.20, `sb_fileio.c`, and
//! `sysbench --help`.

use crate::foreign::{
    Asked, CommandPlace, Invocation, RawOutput, ToolDriver, Unsupported, Words, WorkdirContent,
    amount, one_result, own_part, refuse, refuse_beyond_plain,
};
use crate::measured::{Figures, Work};
use crate::scan::FoundMetric;
use bakeoff_model::job::{Job, Offsets, Rw};
use bakeoff_model::profile::Profile;
use bakeoff_model::profiles;
use bakeoff_model::workload::{Phase, Workload};

pub struct Sysbench;

/// Time of a workload that names neither time nor bytes, in sequential modes that wrap around.
const DEFAULT_SECONDS: u64 = 10;
const PROFILE_FILES: u32 = 128;
/// Requests between its bursts of flushes, also sysbench's own default.
const PROFILE_FSYNC: u32 = 100;

impl ToolDriver for Sysbench {
    fn version_command(&self) -> &'static [&'static str] {
        &["sysbench", "--version"]
    }

    fn version(&self, output: &RawOutput) -> Option<String> {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let word = text.lines().next()?.strip_prefix("sysbench ")?.split_whitespace().next()?;
        Some(word.trim_end_matches(':').to_string())
    }

    fn command(
        &self,
        workload: &Workload,
        scratch: &CommandPlace,
    ) -> Result<Invocation, Unsupported> {
        let part = own_part("sysbench", Some(Profile::Sysbench), workload)?;
        let job = &match part.and_then(profiles::part_spec) {
            Some(spec) => of_profile(&workload.job, spec.rw),
            None => workload.job.clone(),
        };
        if part.is_none() {
            supports(job)?;
        }
        let is_old = scratch.version.starts_with("0.");
        if scratch.version.starts_with("0.4") {
            supports_one_pass(job)?;
        }
        let mut words = match is_old {
            true => Words::new(&["sysbench", "--test=fileio"]),
            false => Words::new(&["sysbench", "fileio"]),
        };
        let files = if part.is_some() { PROFILE_FILES } else { 1 };
        words.long("file-num", if job.nrfiles > 0 { job.nrfiles } else { files });
        words.long("file-total-size", job.size).long("file-block-size", job.bs);
        let word = part.and_then(profiles::part_spec).map_or(mode(job.rw), |spec| spec.word);
        words.long("file-test-mode", word);
        let mut prepare = Words(words.0.clone());
        prepare.add(&["prepare"]);
        let events = match part {
            Some(_) if job.io_size.is_none() && job.runtime_ns.is_some() => None,
            Some(_) => Some(events(job, PROFILE_FILES, counts_flushes(&scratch.version))),
            None => amount(job).map(|bytes| bytes.div_ceil(job.bs)),
        };
        limits(&mut words, job, events, is_old);
        flushes(&mut words, job);
        words.add(&["run"]);
        let cool = workload.phase == Phase::ColdRead || job.invalidate;
        Ok(Invocation {
            workdir: WorkdirContent::Empty,
            files: Vec::new(),
            prepare: vec![prepare.0],
            cool: cool && job.rw.reads(),
            measure: words.0,
        })
    }

    fn parse(&self, output: &RawOutput) -> Result<Vec<FoundMetric>, String> {
        Ok(one_result("sysbench", output)?.metrics)
    }

    fn work(&self, _: Asked<'_>, figures: Figures<'_>) -> Result<Work, String> {
        super::measured::work(figures)
    }
}

/// The job of one mode of the profile: sysbench's own defaults, 3 reads for 2 writes among them.
fn of_profile(job: &Job, rw: Rw) -> Job {
    let fsync = if job.fsync == 0 && job.fdatasync == 0 { PROFILE_FSYNC } else { job.fsync };
    Job { rw, rwmixread: 60, fsync, end_fsync: true, ..job.clone() }
}

fn mode(rw: Rw) -> &'static str {
    match rw {
        Rw::Read => "seqrd",
        Rw::Write => "seqwr",
        Rw::RandRead => "rndrd",
        Rw::RandWrite => "rndwr",
        Rw::ReadWrite | Rw::RandRw | Rw::SmallFiles => "rndrw",
    }
}

/// Events of the profile's amount, one pass over its files where none is given: data requests, and
/// where flushes count a burst over all files after every so many requests that write.
fn events(job: &Job, files: u32, counts_flushes: bool) -> u64 {
    let files = u64::from(if job.nrfiles > 0 { job.nrfiles } else { files });
    let pass = job.size / files * files / job.bs;
    let requests = job.io_size.map_or(pass, |bytes| bytes.div_ceil(job.bs));
    let every = u64::from(job.fsync.max(job.fdatasync));
    let has_bursts = job.rw.writes() && every > 0 && counts_flushes;
    requests + if has_bursts { requests / every * files } else { 0 }
}

/// Whether `--events` counts flushes: since 1.0.15. A version that cannot be read is a new one.
fn counts_flushes(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten(), parts.next().flatten()) {
        (Some(0), ..) => false,
        (Some(1), Some(0), Some(patch)) => patch >= 15,
        _ => true,
    }
}

fn limits(words: &mut Words, job: &Job, events: Option<u64>, is_old: bool) {
    let threads = if is_old { "num-threads" } else { "threads" };
    words.long(threads, job.numjobs);
    if !is_old {
        words.long("rand-seed", (job.seed & 0x3fff_ffff) + 1);
    }
    let (time, most) = if is_old { ("max-time", "max-requests") } else { ("time", "events") };
    let amount = events.unwrap_or(0);
    let seconds = match job.runtime_ns {
        Some(ns) => ns.div_ceil(1_000_000_000),
        None if amount > 0 => 0,
        None => DEFAULT_SECONDS,
    };
    words.long(time, seconds).long(most, amount);
    if job.rw == Rw::RandRw {
        let reads = f64::from(job.rwmixread) / f64::from(100 - job.rwmixread).max(1.0);
        words.long("file-rw-ratio", format!("{reads:.4}"));
    }
}

fn flushes(words: &mut Words, job: &Job) {
    words.long("file-fsync-freq", job.fsync.max(job.fdatasync));
    words.long("file-fsync-end", if job.end_fsync { "on" } else { "off" });
    if job.fdatasync > 0 {
        words.long("file-fsync-mode", "fdatasync");
    }
    if job.direct {
        words.long("file-extra-flags", "direct");
    }
}

/// 0.4 goes through its files once in the sequential modes, whatever the number of requests, and
/// flushes them at the end only, though its header says otherwise; 0.5 and 1.0 go round.
fn supports_one_pass(job: &Job) -> Result<(), Unsupported> {
    let is_sequential = matches!(job.rw, Rw::Read | Rw::Write);
    let has_number = job.io_size.is_some_and(|bytes| bytes != job.size);
    let every = u64::from(job.fsync.max(job.fdatasync));
    refuse(
        "sysbench",
        &[
            (
                job.rw == Rw::Write && every > 0 && every <= job.size / job.bs,
                "0.4 flushes only at the end of sequential writes: install 1.0, or set fsync \
                 above the number of requests (a profile sets 100)",
            ),
            (
                is_sequential && has_number,
                "0.4 makes one sequential pass over all its files, regardless of io_size: install \
                 1.0, or omit io_size",
            ),
        ],
    )
}

fn supports(job: &Job) -> Result<(), Unsupported> {
    let is_mixed = job.rw == Rw::RandRw;
    refuse(
        "sysbench",
        &[
            (job.rw == Rw::SmallFiles, "it has no test of small files"),
            (job.rw == Rw::ReadWrite, "it cannot mix sequential reads and writes"),
            (
                is_mixed && (job.fsync > 0 || job.fdatasync > 0),
                "it counts reads as well for fsync: omit fsync for randrw, or use profile = \
                 \"sysbench\"",
            ),
            (is_mixed && job.rwmixread >= 100, "use rw = \"randread\" instead of rwmixread = 100"),
            (job.fsync > 0 && job.fdatasync > 0, "it takes fsync or fdatasync, not both"),
            (
                job.iodepth > 1,
                "each thread does one operation at a time: use numjobs instead of iodepth",
            ),
            (job.offsets == Offsets::Once, "its random offsets repeat"),
            (job.rate_iops.is_some(), "its rate limit draws arrival times at random"),
            (job.verify, "its verification differs from bakeoff's"),
        ],
    )?;
    refuse_beyond_plain("sysbench", job)
}
