//! dd as a driver: one pass over `size` bytes, in blocks, one at a time.
//!
//! dd has no time limit and no random order; it writes zeros. Its clock runs from the first read to
//! the end of `conv=fdatasync` and close. Source: GNU coreutils manual, "dd invocation".

use crate::foreign::{
    Asked, CommandPlace, Invocation, RawOutput, ToolDriver, Unsupported, Words, WorkdirContent,
    one_result, own_part, refuse, refuse_beyond_plain,
};
use crate::measured::{Done, Figures, Work, side};
use crate::scan::FoundMetric;
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::profile::Profile;
use bakeoff_model::profiles;
use bakeoff_model::workload::Workload;

pub struct DdCommand;

impl ToolDriver for DdCommand {
    fn version_command(&self) -> &'static [&'static str] {
        &["dd", "--version"]
    }

    fn version(&self, output: &RawOutput) -> Option<String> {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let rest = text.lines().next()?.strip_prefix("dd (coreutils) ")?;
        Some(format!("coreutils {rest}"))
    }

    fn command(&self, workload: &Workload, _: &CommandPlace) -> Result<Invocation, Unsupported> {
        let part = own_part("dd", Some(Profile::Dd), workload)?;
        if let Some(spec) = part.and_then(profiles::part_spec) {
            return profile(&workload.job, spec.word);
        }
        let job = &workload.job;
        supports(job)?;
        let workdir = WorkdirContent::for_phase(workload.phase);
        let file = workdir.file().ok_or_else(|| no("it needs a single file"))?;
        let count = job.io_size.unwrap_or(job.size) / job.bs;
        let mut words = Words::new(&["dd"]);
        let size = [format!("bs={}", job.bs), format!("count={count}")];
        let is_read = job.rw == Rw::Read;
        let (from, to) = if is_read { (file, "/dev/null") } else { ("/dev/zero", file) };
        words.0.push(format!("if={from}"));
        words.0.push(format!("of={to}"));
        words.0.extend(size);
        if !is_read {
            words.add(&[if job.end_fsync { "conv=notrunc,fsync" } else { "conv=notrunc" }]);
        }
        if job.direct {
            words.add(&[if is_read { "iflag=direct" } else { "oflag=direct" }]);
        }
        Ok(Invocation::plain(workdir, words.0))
    }

    fn parse(&self, output: &RawOutput) -> Result<Vec<FoundMetric>, String> {
        Ok(one_result("dd", output)?.metrics)
    }

    fn work(&self, asked: Asked<'_>, figures: Figures<'_>) -> Result<Work, String> {
        let bytes = figures.above_zero("bytes")?;
        let block = figures.above_zero("block_size")?;
        let elapsed_ns = figures.above_zero("elapsed")?;
        let (read, write) = side(asked.rw, Done::without_latency(bytes.div_ceil(block), bytes));
        Ok(Work { elapsed_ns, read, write, ..Work::default() })
    }
}

/// One part of the profile: the file written anew, flushed as the part says, or read.
fn profile(job: &Job, word: &'static str) -> Result<Invocation, Unsupported> {
    let (bs, count) = (format!("bs={}", job.bs), format!("count={}", job.size / job.bs));
    let write = |conv: &[&str]| {
        let mut words = Words::new(&["dd", "if=/dev/zero", "of=dd.bakeoff", &bs, &count]);
        words.add(conv);
        if job.direct {
            words.add(&["oflag=direct"]);
        }
        words.0
    };
    let measure = match word {
        "write" => write(&[]),
        "fdatasync" => write(&["conv=fdatasync"]),
        "fsync" => write(&["conv=fsync"]),
        "read" => {
            let mut words = Words::new(&["dd", "if=dd.bakeoff", "of=/dev/null", &bs, &count]);
            if job.direct {
                words.add(&["iflag=direct"]);
            }
            let prepare = vec![write(&["conv=fsync"])];
            let (cool, plain) = (job.invalidate, Invocation::plain(WorkdirContent::Empty, words.0));
            return Ok(Invocation { prepare, cool, ..plain });
        }
        word => return Err(no(format!("its profile has no part {word}"))),
    };
    Ok(Invocation::plain(WorkdirContent::Empty, measure))
}

fn no(why: impl Into<String>) -> Unsupported {
    Unsupported { tool: "dd", why: why.into() }
}

fn supports(job: &Job) -> Result<(), Unsupported> {
    let amount = job.io_size.unwrap_or(job.size);
    refuse(
        "dd",
        &[
            (
                !matches!(job.rw, Rw::Read | Rw::Write),
                "it reads or writes sequentially: use rw = \"read\" or \"write\"",
            ),
            (amount > job.size, "it processes the file once: omit io_size"),
            (amount < job.bs, "less than one block"),
            (job.iodepth > 1 || job.numjobs > 1, "it performs only one operation at a time"),
            (job.fsync > 0 || job.fdatasync > 0, "it flushes only at the end: use end_fsync"),
            (job.rate_iops.is_some(), "it cannot limit the rate"),
            (job.verify, "it cannot verify data"),
        ],
    )?;
    refuse_beyond_plain("dd", job)
}
