//! iozone as a driver: one file of its own, `size` bytes once, in records.
//!
//! iozone reads what it has just written, so its reads are cold only past the page cache, and a
//! record is whole KiB up to 16 MiB unless it was compiled otherwise. Source: iozone 3.489,
//! `iozone.c`, and its manual page.

use crate::model::job::{Job, Rw};
use crate::model::profile::Profile;
use crate::model::workload::Workload;
use crate::scan::Metric;
use crate::tools::foreign::{
    Driver, Invocation, ParseError, RawOutput, Scratch, Unsupported, Words, Workdir,
    beyond_plain_tools, one_result, own_part,
};

/// The installed iozone.
pub struct Iozone;

/// The largest record of an iozone that nobody patched (`MAXBUFFERSIZE`).
const RECORD_MAX_BYTES: u64 = 16 << 20;

impl Driver for Iozone {
    fn version_command(&self) -> &'static [&'static str] {
        &["iozone", "-v"]
    }

    fn version(&self, output: &RawOutput) -> Option<String> {
        let text = output.kept();
        let rest = text.split("Revision:").nth(1)?;
        Some(rest.split_whitespace().next()?.to_string())
    }

    fn command(&self, workload: &Workload, _: &Scratch) -> Result<Invocation, Unsupported> {
        let job = &workload.job;
        if own_part("iozone", Some(Profile::Iozone), workload)?.is_some() {
            return profile(job);
        }
        supports(job)?;
        let mut words = Words::of(&["iozone", "-+n", "-i", "0"]);
        match job.rw {
            Rw::Read => words.add(&["-i", "1"]),
            Rw::RandRead | Rw::RandWrite => words.add(&["-i", "2"]),
            Rw::Write | Rw::ReadWrite | Rw::RandRw | Rw::SmallFiles => &mut words,
        };
        let (size, record) = (format!("{}k", job.size >> 10), format!("{}k", job.bs >> 10));
        words.add(&["-s", &size, "-r", &record, "-f", "iozone.tmp"]);
        if job.end_fsync {
            words.add(&["-e"]);
        }
        if job.direct {
            words.add(&["-I"]);
        }
        Ok(Invocation::plain(Workdir::Empty, words.0))
    }

    fn parse(&self, output: &RawOutput) -> Result<Vec<Metric>, ParseError> {
        Ok(one_result("iozone", output)?.metrics)
    }
}

/// All tests of the profile but the mixed one, which is of throughput mode, in one command.
fn profile(job: &Job) -> Result<Invocation, Unsupported> {
    if !is_whole_kib(job.bs) || !is_whole_kib(job.size) || job.bs > RECORD_MAX_BYTES {
        let why = "its sizes must be whole KiB, and records above 16 MiB need a patched iozone";
        return Err(Unsupported { tool: "iozone", why: why.to_string() });
    }
    let mut words = Words::of(&["iozone", "-E", "-f", "iozone.tmp"]);
    for test in ["0", "1", "2", "3", "4", "5", "9", "10"] {
        words.add(&["-i", test]);
    }
    words.add(&["-s", &format!("{}k", job.size >> 10), "-r", &format!("{}k", job.bs >> 10)]);
    if job.end_fsync {
        words.add(&["-e"]);
    }
    if job.direct {
        words.add(&["-I"]);
    }
    Ok(Invocation::plain(Workdir::Empty, words.0))
}

fn is_whole_kib(bytes: u64) -> bool {
    bytes >= 1024 && bytes.is_multiple_of(1024)
}

fn supports(job: &Job) -> Result<(), Unsupported> {
    let why = match () {
        () if job.rw.is_mixed() || job.rw == Rw::SmallFiles => {
            "it mixes reads and writes only across processes, and has no test of small files"
        }
        () if !is_whole_kib(job.bs) || !is_whole_kib(job.size) => "its sizes must be whole KiB",
        () if job.bs > RECORD_MAX_BYTES => "records above 16 MiB need a patched iozone",
        () if !job.size.is_multiple_of(job.bs) => {
            "the file size must be a multiple of the record size"
        }
        () if job.rw.reads() && !job.direct => {
            "it reads the data it has just written from memory: use direct = true, or driver = \
             \"native\""
        }
        () if job.iodepth > 1 || job.numjobs > 1 => "it does only one operation at a time here",
        () if job.fsync > 0 || job.fdatasync > 0 => "it flushes only at the end: use end_fsync",
        () if job.io_size.is_some() => "it makes one pass over the file: omit io_size",
        () if job.rate_iops.is_some() || job.verify => {
            "it cannot limit the rate or verify data here"
        }
        () => match beyond_plain_tools(job) {
            Some(why) => why,
            None => return Ok(()),
        },
    };
    Err(Unsupported { tool: "iozone", why: why.to_string() })
}
