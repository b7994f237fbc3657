//! iozone as a driver: one file of its own, `size` bytes once, in records.
//!
//! iozone reads what it has just written, so its reads are cold only past the page cache, and a
//! record is whole KiB up to 16 MiB unless it was compiled otherwise. Source: iozone 3.489,
//! `iozone.c`, and its manual page.

use crate::foreign::{
    Asked, CommandPlace, Invocation, RawOutput, ToolDriver, Unsupported, Words, WorkdirContent,
    one_result, own_part, refuse, refuse_beyond_plain,
};
use crate::measured::{Done, Figures, Work, of_rate, side};
use crate::scan::FoundMetric;
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::profile::{Part, Profile};
use bakeoff_model::profiles;
use bakeoff_model::workload::Workload;

pub struct IozoneCommand;

/// The largest record of an iozone that nobody patched (`MAXBUFFERSIZE`).
const RECORD_MAX_BYTES: u64 = 16 << 20;

impl ToolDriver for IozoneCommand {
    fn version_command(&self) -> &'static [&'static str] {
        &["iozone", "-v"]
    }

    fn version(&self, output: &RawOutput) -> Option<String> {
        let text = output.kept();
        let rest = text.split("Revision:").nth(1)?;
        Some(rest.split_whitespace().next()?.to_string())
    }

    fn command(&self, workload: &Workload, _: &CommandPlace) -> Result<Invocation, Unsupported> {
        let job = &workload.job;
        if own_part("iozone", Some(Profile::Iozone), workload)?.is_some() {
            return profile(job);
        }
        supports(job)?;
        let mut words = Words::new(&["iozone", "-+n", "-i", "0"]);
        match job.rw {
            Rw::Read => words.add(&["-i", "1"]),
            Rw::RandRead | Rw::RandWrite => words.add(&["-i", "2"]),
            Rw::Write | Rw::ReadWrite | Rw::RandRw | Rw::SmallFiles => &mut words,
        };
        sizes(&mut words, job).add(&["-f", "iozone.tmp"]);
        flags(&mut words, job);
        Ok(Invocation::plain(WorkdirContent::Empty, words.0))
    }

    fn parse(&self, output: &RawOutput) -> Result<Vec<FoundMetric>, String> {
        Ok(one_result("iozone", output)?.metrics)
    }

    fn work(&self, asked: Asked<'_>, figures: Figures<'_>) -> Result<Work, String> {
        let name = match (asked.part, asked.rw) {
            (Some(part), rw) => {
                rate_name(part).ok_or_else(|| figures.missing(&format!("rate of {}", rw.name())))?
            }
            (None, Rw::Read) => "read.throughput".to_string(),
            (None, Rw::RandRead) => "random_read.throughput".to_string(),
            (None, Rw::RandWrite) => "random_write.throughput".to_string(),
            (None, Rw::Write | Rw::ReadWrite | Rw::RandRw | Rw::SmallFiles) => {
                "write.throughput".to_string()
            }
        };
        let bytes = figures.above_zero("file_size")?;
        let record = figures.above_zero("record_size")?;
        of_rate(figures, &name, bytes, side(asked.rw, Done::without_latency(bytes / record, bytes)))
    }
}

/// The metric with the rate of a part of the profile; the mixed one is of throughput mode.
pub fn rate_name(part: Part) -> Option<String> {
    let word = profiles::part_spec(part).map(|spec| spec.word).filter(|word| *word != "mixed")?;
    Some(format!("{}.throughput", word.replace('-', "_")))
}

fn profile(job: &Job) -> Result<Invocation, Unsupported> {
    let is_fitting = is_whole_kib(job.bs) && is_whole_kib(job.size) && job.bs <= RECORD_MAX_BYTES;
    let why = "its sizes must be whole KiB, and records above 16 MiB need a patched iozone";
    refuse("iozone", &[(!is_fitting, why)])?;
    let mut words = Words::new(&["iozone", "-E", "-f", "iozone.tmp"]);
    for test in ["0", "1", "2", "3", "4", "5", "9", "10"] {
        words.add(&["-i", test]);
    }
    sizes(&mut words, job);
    flags(&mut words, job);
    Ok(Invocation::plain(WorkdirContent::Empty, words.0))
}

fn sizes<'w>(words: &'w mut Words, job: &Job) -> &'w mut Words {
    words.add(&["-s", &format!("{}k", job.size >> 10), "-r", &format!("{}k", job.bs >> 10)])
}

fn flags(words: &mut Words, job: &Job) {
    for (is_asked, flag) in [(job.end_fsync, "-e"), (job.direct, "-I")] {
        if is_asked {
            words.add(&[flag]);
        }
    }
}

fn is_whole_kib(bytes: u64) -> bool {
    bytes >= 1024 && bytes.is_multiple_of(1024)
}

fn supports(job: &Job) -> Result<(), Unsupported> {
    refuse(
        "iozone",
        &[
            (
                job.rw.is_mixed() || job.rw == Rw::SmallFiles,
                "it mixes reads and writes only across processes, and has no test of small files",
            ),
            (!is_whole_kib(job.bs) || !is_whole_kib(job.size), "its sizes must be whole KiB"),
            (job.bs > RECORD_MAX_BYTES, "records above 16 MiB need a patched iozone"),
            (
                !job.size.is_multiple_of(job.bs),
                "the file size must be a multiple of the record size",
            ),
            (
                job.rw.reads() && !job.direct,
                "it reads the data it has just written from memory: use direct = true, or driver \
                 = \"native\"",
            ),
            (job.iodepth > 1 || job.numjobs > 1, "it does only one operation at a time here"),
            (job.fsync > 0 || job.fdatasync > 0, "it flushes only at the end: use end_fsync"),
            (job.io_size.is_some(), "it makes one pass over the file: omit io_size"),
            (job.rate_iops.is_some() || job.verify, "it cannot limit the rate or verify data here"),
        ],
    )?;
    refuse_beyond_plain("iozone", job)
}
