//! Foreign tools as drivers, a row each: from a workload to a command, from its output to figures.
//!
//! Nothing here runs anything. A tool works in a directory of ours, which is its current one, so
//! that every word of its command is ours and no path of the user's is one. What a tool cannot do
//! it says ([`Unsupported`]). fio's own words are in [`crate::fio::words`].

use thiserror::Error;

use crate::measured::{Figures, Work, of_file};
use crate::scan::{Finder, FoundMetric, ToolResult};
use crate::{fio, sysbench};
use bakeoff_model::finding::Finding;
use bakeoff_model::job::{EngineName, Job, Offsets, Rw};
use bakeoff_model::path::printable;
use bakeoff_model::workload::{DriverName, Phase, Workload};

/// Most characters of a tool's own words in an error.
const SAID_LIMIT: usize = 300;
/// Time of a workload of sysbench that names neither time nor bytes.
const SYSBENCH_SECONDS: u64 = 10;

pub struct Driver {
    pub program: &'static str,
    pub version_command: &'static [&'static str],
    /// What precedes the version in its output.
    version_mark: &'static str,
    /// What it can do, and the name of that: in its command, or of the figure.
    modes: &'static [(Rw, &'static str)],
    refuses: &'static [&'static [Reason]],
    command: fn(Asked<'_>) -> Result<Invocation, Unsupported>,
    work: fn(Rw, &'static str, Figures<'_>) -> Result<Work, String>,
}

/// When a tool refuses a job, and why.
pub(crate) type Reason = (fn(&Job) -> bool, &'static str);

struct Asked<'a> {
    workload: &'a Workload,
    job: &'a Job,
    mode: &'static str,
    place: &'a CommandPlace,
}

static FIO: Driver = Driver {
    program: "fio",
    version_command: &["fio", "--version"],
    version_mark: "fio-",
    modes: fio::words::MODES,
    refuses: &[fio::words::REFUSES],
    command: |asked| fio::words::command(asked.workload),
    work: |_, _, figures| fio::measured::work(figures),
};

/// In the words of 1.0. It writes zeros. Source: sysbench 1.0.20, `sb_fileio.c`.
static SYSBENCH: Driver = Driver {
    program: "sysbench",
    version_command: &["sysbench", "--version"],
    version_mark: "sysbench ",
    modes: &[
        (Rw::Read, "seqrd"),
        (Rw::Write, "seqwr"),
        (Rw::RandRead, "rndrd"),
        (Rw::RandWrite, "rndwr"),
        (Rw::RandRw, "rndrw"),
    ],
    refuses: &[
        PLAIN,
        &[
            (|job| job.offsets == Offsets::Once, "its random offsets repeat"),
            (|job| job.fsync > 0 && job.fdatasync > 0, "it takes fsync or fdatasync, not both"),
            (|job| job.rwmixread > 99, "use rw = \"randread\" instead of rwmixread = 100"),
        ],
    ],
    command: sysbench_command,
    work: |_, _, figures| sysbench::measured::work(figures),
};

/// It writes zeros. Source: GNU coreutils manual, "dd invocation".
static DD: Driver = Driver {
    program: "dd",
    version_command: &["dd", "--version"],
    version_mark: "dd (coreutils) ",
    modes: &[(Rw::Read, "throughput"), (Rw::Write, "throughput")],
    refuses: &[PLAIN, ONE_PASS],
    command: dd_command,
    work: |rw, _, figures| of_file(rw, figures, ("bytes", "block_size"), None),
};

/// The phases over its file; the figure is of the one that is asked for. Source: bonnie++(8).
static BONNIE: Driver = Driver {
    program: "bonnie++",
    // It has no option for that; its usage says it, and the status is not 0.
    version_command: &["bonnie++", "-?"],
    version_mark: "Version:",
    modes: &[
        (Rw::Read, "sequential_input_block.throughput"),
        (Rw::Write, "sequential_output_block.throughput"),
    ],
    refuses: &[
        PLAIN,
        ONE_PASS,
        READS_ITS_OWN,
        &[
            (|job| job.size >> 20 << 20 != job.size, "its file size must be whole MiB"),
            (
                |job| !job.bs.is_power_of_two() || !(256..=1 << 20).contains(&job.bs),
                "its chunk size must be a power of two from 256 bytes to 1 MiB",
            ),
        ],
    ],
    command: |Asked { job, place, .. }| {
        let size = format!("{}:{}", job.size >> 20, job.bs);
        let mut words = Words::new(&["bonnie++", "-d", ".", "-r", "0", "-m", "bakeoff"]);
        words.add(&["-s", &size, "-n", "0", "-f"]).add_if(job.direct, &["-D"]);
        words.add_if(place.is_root, &["-u", "root"]);
        Ok(Invocation::new(words, None))
    },
    work: |rw, name, figures| of_file(rw, figures, ("file_size", "chunk_size"), Some(name)),
};

/// Source: iozone 3.489, `iozone.c`.
static IOZONE: Driver = Driver {
    program: "iozone",
    version_command: &["iozone", "-v"],
    version_mark: "Revision:",
    modes: &[
        (Rw::Read, "read.throughput"),
        (Rw::Write, "write.throughput"),
        (Rw::RandRead, "random_read.throughput"),
        (Rw::RandWrite, "random_write.throughput"),
    ],
    refuses: &[
        PLAIN,
        ONE_PASS,
        READS_ITS_OWN,
        &[
            (
                |job| job.bs < 1024 || job.bs % 1024 > 0 || job.size % job.bs > 0,
                "its sizes must be whole KiB, and the file whole records",
            ),
            (|job| job.bs > 16 << 20, "records above 16 MiB need a patched iozone"),
        ],
    ],
    command: |Asked { job, .. }| {
        let (size, record) = (format!("{}k", job.size >> 10), format!("{}k", job.bs >> 10));
        let mut words = Words::new(&["iozone", "-+n", "-i", "0"]);
        words.add_if(job.rw == Rw::Read, &["-i", "1"]).add_if(job.rw.is_random(), &["-i", "2"]);
        words.add(&["-s", &size, "-r", &record, "-f", "iozone.tmp"]);
        words.add_if(job.end_fsync, &["-e"]).add_if(job.direct, &["-I"]);
        Ok(Invocation::new(words, None))
    },
    work: |rw, name, figures| of_file(rw, figures, ("file_size", "record_size"), Some(name)),
};

/// What fio alone can do.
const PLAIN: &[Reason] = &[
    (|job| job.engine != EngineName::Psync, "it uses only read and write calls: omit engine"),
    (
        |job| !matches!(job.offsets, Offsets::Uniform | Offsets::Once),
        "its offsets are sequential or uniformly random: omit offsets",
    ),
    (
        |job| job.iodepth > 1,
        "each thread does one operation at a time: use numjobs instead of iodepth",
    ),
    (|job| job.rate_iops.is_some() || job.verify, "it cannot limit the rate or verify data here"),
];
/// What one pass over one file cannot do.
const ONE_PASS: &[Reason] = &[
    (|job| job.numjobs > 1, "it performs only one operation at a time"),
    (|job| job.fsync > 0 || job.fdatasync > 0, "it flushes only at the end: use end_fsync"),
    (|job| job.io_size.is_some(), "it makes one pass over the file: omit io_size"),
];
const READS_ITS_OWN: &[Reason] = &[(
    |job| job.rw.reads() && !job.direct,
    "it reads the data it has just written from memory: use direct = true, or driver = \"native\"",
)];

/// The driver of that name; `None` for bakeoff's own engine.
pub fn driver(name: DriverName) -> Option<&'static Driver> {
    Some(match name {
        DriverName::Native => return None,
        DriverName::Fio => &FIO,
        DriverName::Sysbench => &SYSBENCH,
        DriverName::Bonnie => &BONNIE,
        DriverName::Iozone => &IOZONE,
        DriverName::Dd => &DD,
    })
}

impl Driver {
    /// The version out of what its command printed; `None` when it is another program.
    pub fn version(&self, output: &RawOutput) -> Option<String> {
        let text = output.kept();
        let word = text.split(self.version_mark).nth(1)?.split_whitespace().next()?;
        Some(word.trim_end_matches(':').to_string())
    }

    pub fn command(
        &self,
        workload: &Workload,
        place: &CommandPlace,
    ) -> Result<Invocation, Unsupported> {
        let job = &workload.job;
        let mode = self.mode(job.rw);
        let why = if let Some(part) = workload.profile {
            Some(format!("profile = \"{}\" needs driver = \"native\"", part.profile.name()))
        } else if mode.is_none() {
            let all: Vec<&str> = self.modes.iter().map(|(rw, _)| rw.name()).collect();
            Some(format!("it does {}, and not {}", all.join(", "), job.rw.name()))
        } else {
            let mut reasons = self.refuses.iter().copied().flatten();
            reasons.find(|(refuses, _)| refuses(job)).map(|(_, why)| why.to_string())
        };
        match why {
            Some(why) => Err(Unsupported { tool: self.program, why }),
            None => (self.command)(Asked { workload, job, mode: mode.unwrap_or(""), place }),
        }
    }

    fn mode(&self, rw: Rw) -> Option<&'static str> {
        self.modes.iter().find(|(known, _)| *known == rw).map(|(_, word)| *word)
    }

    /// The figures in its output, in our units; else why it has not what was asked for.
    pub fn parse(&self, output: &RawOutput) -> Result<Vec<FoundMetric>, String> {
        Ok(one_result(self.program, output)?.metrics)
    }

    pub fn work(&self, rw: Rw, figures: Figures<'_>) -> Result<Work, String> {
        (self.work)(rw, self.mode(rw).unwrap_or(""), figures)
    }

    /// What limits the figures of an output.
    pub fn findings(&self, output: &RawOutput) -> Vec<Finding> {
        one_result(self.program, output).map(|result| result.findings).unwrap_or_default()
    }

    /// The error for a command that ended with another status than 0.
    pub fn failed(&self, output: &RawOutput) -> String {
        format!("{} failed: {}", self.program, said(output))
    }
}

fn sysbench_command(asked: Asked<'_>) -> Result<Invocation, Unsupported> {
    let Asked { workload, job, mode, place } = asked;
    if place.version.starts_with("0.") {
        let why = "0.4 and 0.5 have other options: install 1.0".to_string();
        return Err(Unsupported { tool: "sysbench", why });
    }
    let mut words = Words::new(&["sysbench", "fileio"]);
    words.long("file-num", job.nrfiles.max(1)).long("file-total-size", job.size);
    words.long("file-block-size", job.bs).long("file-test-mode", mode);
    let mut prepare = Words(words.0.clone());
    prepare.add(&["prepare"]);
    let events = amount(job).map_or(0, |bytes| bytes.div_ceil(job.bs));
    let usual = if events > 0 { 0 } else { SYSBENCH_SECONDS };
    words.long("threads", job.numjobs).long("rand-seed", (job.seed & 0x3fff_ffff) + 1);
    words.long("time", job.runtime_ns.map_or(usual, |ns| ns.div_ceil(1_000_000_000)));
    words.long("events", events);
    let mut every = u64::from(job.fsync.max(job.fdatasync));
    if job.rw == Rw::RandRw {
        let (reads, writes) = (job.rwmixread, 100 - job.rwmixread);
        words.long("file-rw-ratio", format!("{:.4}", f64::from(reads) / f64::from(writes)));
        // Reads count too.
        every = every * 100 / u64::from(writes);
    }
    words.long("file-fsync-freq", every);
    words.long("file-fsync-end", if job.end_fsync { "on" } else { "off" });
    words.add_if(job.fdatasync > 0, &["--file-fsync-mode=fdatasync"]);
    words.add_if(job.direct, &["--file-extra-flags=direct"]).add(&["run"]);
    let cool = (workload.phase == Phase::ColdRead || job.invalidate) && job.rw.reads();
    Ok(Invocation { prepare: Some(prepare.0), cool, ..Invocation::new(words, None) })
}

fn dd_command(Asked { workload, job, .. }: Asked<'_>) -> Result<Invocation, Unsupported> {
    let file = file_for("dd", workload.phase)?;
    let is_read = job.rw == Rw::Read;
    let (from, to) = if is_read { (file, "/dev/null") } else { ("/dev/zero", file) };
    let mut words = Words::new(&["dd", &format!("if={from}"), &format!("of={to}")]);
    words.add(&[&format!("bs={}", job.bs), &format!("count={}", job.size / job.bs)]);
    words.add_if(!is_read && job.end_fsync, &["conv=notrunc,fsync"]);
    words.add_if(!is_read && !job.end_fsync, &["conv=notrunc"]);
    words.add_if(job.direct, &[if is_read { "iflag=direct" } else { "oflag=direct" }]);
    Ok(Invocation::new(words, Some(file)))
}

/// The file that a workload in words works on, for a tool that takes one by its name.
pub(crate) fn file_for(tool: &'static str, phase: Phase) -> Result<&'static str, Unsupported> {
    match phase {
        Phase::ColdRead | Phase::Overwrite => Ok("data"),
        Phase::Append => Ok("append"),
        Phase::Metadata | Phase::Whole => {
            Err(Unsupported { tool, why: "it needs a single file".to_string() })
        }
    }
}

/// Bytes to move: what is asked for; of writes that wait in memory for a flush at the end one pass,
/// because a page that is written again there costs nothing and reaches no disk.
pub(crate) fn amount(job: &Job) -> Option<u64> {
    let waits = job.rw.writes() && !job.direct && job.fsync == 0 && job.fdatasync == 0;
    job.io_size.or(waits.then_some(job.size))
}

/// What a command depends on beside its workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPlace {
    pub version: String,
    /// Whether it runs as root: bonnie++ refuses to without being told.
    pub is_root: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The candidate's file that it works on; `None` = it makes its own in an empty directory.
    pub file: Option<&'static str>,
    /// Makes the files it works on; not measured.
    pub prepare: Option<Vec<String>>,
    pub cool: bool,
    pub measure: Vec<String>,
}

impl Invocation {
    pub(crate) fn new(words: Words, file: Option<&'static str>) -> Invocation {
        Invocation { file, prepare: None, cool: false, measure: words.0 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{tool} cannot run this: {why}")]
pub struct Unsupported {
    pub tool: &'static str,
    pub why: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawOutput {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Whether it ended with status 0.
    pub is_success: bool,
}

impl RawOutput {
    /// Both streams, as they are kept with a cell.
    pub fn kept(&self) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        text(&self.stdout) + &text(&self.stderr)
    }
}

fn one_result(tool: &'static str, output: &RawOutput) -> Result<ToolResult, String> {
    let mut finder = Finder::for_tool(tool);
    finder.push(&output.stdout);
    // The progress of bonnie++ is no part of its result.
    if tool != "bonnie++" || !output.is_success {
        finder.push(b"\n");
        finder.push(&output.stderr);
    }
    let found = finder.finish();
    let said = || found.unread.first().map_or_else(|| said(output), |unread| unread.why.clone());
    match found.results.as_slice() {
        _ if !output.is_success => Err(format!("{tool} failed: {}", said())),
        [result] => Ok(result.clone()),
        all => Err(format!("{tool} printed {} results instead of one: {}", all.len(), said())),
    }
}

/// A tool's last words, harmless and short.
fn said(output: &RawOutput) -> String {
    let of = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(3)..];
        last.join(" / ").chars().take(SAID_LIMIT).collect::<String>()
    };
    let stderr = of(&output.stderr);
    let text = if stderr.is_empty() { of(&output.stdout) } else { stderr };
    if text.is_empty() { "it printed nothing".to_string() } else { printable(text.as_bytes()) }
}

/// The words of a command: `program --name=value …`.
pub(crate) struct Words(pub Vec<String>);

impl Words {
    pub fn new(words: &[&str]) -> Words {
        Words(words.iter().map(|word| (*word).to_string()).collect())
    }

    pub fn long(&mut self, name: &str, value: impl std::fmt::Display) -> &mut Words {
        self.0.push(format!("--{name}={value}"));
        self
    }

    pub fn add(&mut self, words: &[&str]) -> &mut Words {
        self.0.extend(words.iter().map(|word| (*word).to_string()));
        self
    }

    pub fn add_if(&mut self, is_asked: bool, words: &[&str]) -> &mut Words {
        self.add(if is_asked { words } else { &[] })
    }
}
