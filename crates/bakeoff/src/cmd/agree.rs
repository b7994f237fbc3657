//! `bakeoff agree [DIR]`: real tools against bakeoff's own engine, in turns on the same files.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bakeoff_core::agree::{self, Case, Pair, Row, Table, render};
use bakeoff_core::driver::foreign::Ground;
use bakeoff_core::driver::native::TargetKind;
use bakeoff_core::model::candidate::Skipped;
use bakeoff_core::model::host::Place;
use bakeoff_core::model::job::{Job, Rw};
use bakeoff_core::model::measurement::Measurement;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::workload::{DriverName, Workload};
use bakeoff_core::prepare::space;
use bakeoff_core::units;
use bakeoff_engine::residency;

use super::bench_scratch::in_scratch;
use super::stored;
use crate::cli::{Agree, Format, Global};
use crate::fault::{Fault, Outcome};
use crate::host;
use crate::runner::foreign::{self, ForeignError, Installed};
use crate::runner::load::{self, LoadError};
use crate::signals::Cancel;
use crate::ui::progress::Progress;

/// Smallest and largest file that is worked on.
const FILE_BYTES: (u64, u64) = (64 << 20, 4 << 30);
/// How long one pass over the file is to last.
const PASS_SECONDS: f64 = 2.0;
/// Time a tool may take for one turn.
const TURN_LIMIT: Duration = Duration::from_secs(600);

/// Runs the command.
pub fn run(global: &Global, args: &Agree) -> Result<Outcome, Fault> {
    let format = global.format.unwrap_or(Format::Text);
    if !matches!(format, Format::Text | Format::Json | Format::Markdown) {
        return Err(stored::no_format(format, "agree", "text, json or markdown"));
    }
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let shown = args.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    super::quick::check_writable(&shown, &RawPath::new(&shown))?;
    let dir = std::fs::canonicalize(&shown).map_err(Fault::environment)?;
    let place = host::place(&dir).map_err(Fault::environment)?;
    let (table, file_bytes) = in_scratch(global, &dir, true, |scratch, _| {
        let mut turns = Turns {
            dir: scratch,
            progress: Progress::new(global.quiet),
            cancel: &cancel,
            table: Table::default(),
        };
        let size = turns.lay_out(&place)?;
        turns.all(size, args)?;
        Ok((turns.table, size))
    })?;
    print(format, &table, &place, file_bytes)?;
    if table.rows.is_empty() {
        return Err(Fault::environment("no tool could be compared; the reasons are above"));
    }
    let agrees = |row: &Row| row.agreement != agree::Agreement::Differs;
    Ok(if table.rows.iter().all(agrees) { Outcome::Done } else { Outcome::Open })
}

/// A comparison in hand.
struct Turns<'a> {
    dir: &'a Path,
    progress: Progress,
    cancel: &'a Cancel,
    table: Table,
}

impl Turns<'_> {
    /// Makes the file that is read and overwritten, as large as one pass of some seconds takes.
    fn lay_out(&mut self, place: &Place) -> Result<u64, Fault> {
        let available = host::available_bytes();
        let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
        if room < FILE_BYTES.0 {
            return Err(Fault::environment(format!(
                "at most {} may be used there; at least {} are needed: make room",
                units::size(room),
                units::size(FILE_BYTES.0)
            )));
        }
        self.progress.doing("laying out the file");
        let first = self.write(FILE_BYTES.0)?;
        let rate = FILE_BYTES.0 as f64 / (first.elapsed_ns.max(1) as f64 / 1e9);
        let wanted = ((rate * PASS_SECONDS) as u64).clamp(FILE_BYTES.0, FILE_BYTES.1.min(room));
        let size = wanted >> 20 << 20;
        if size > FILE_BYTES.0 {
            self.write(size)?;
        }
        Ok(size)
    }

    fn write(&self, size: u64) -> Result<Measurement, Fault> {
        let job = Job { end_fsync: true, ..Job::new(Rw::Write, 1 << 20, size) };
        self.load(&job).map_err(fault_of)
    }

    fn load(&self, job: &Job) -> Result<Measurement, LoadError> {
        let data = self.dir.join("data");
        let mut tick = |live| self.progress.live(live);
        load::run(job, &data, TargetKind::File, self.cancel, &mut tick)
    }

    /// Turn after turn through all cases, until the time is over.
    fn all(&mut self, size: u64, args: &Agree) -> Result<(), Fault> {
        let (started, time) = (Instant::now(), Duration::from_nanos(args.time));
        let mut cases: Vec<(Case, Installed, Vec<Pair>)> = Vec::new();
        let is_wanted = |case: &Case| args.tools.is_empty() || args.tools.contains(&case.tool);
        for case in agree::cases::all(size).into_iter().filter(is_wanted) {
            if let Some(tool) = self.installed(&case)? {
                cases.push((case, tool, Vec::new()));
            }
        }
        let mut round = 0u32;
        let mut failed: Vec<usize> = Vec::new();
        while !cases.is_empty() && (round == 0 || started.elapsed() < time) {
            for (at, (case, tool, pairs)) in cases.iter_mut().enumerate() {
                if failed.contains(&at) || (round > 0 && started.elapsed() >= time) {
                    continue;
                }
                self.progress.doing(&format!(
                    "turn {} · {} · {}",
                    round + 1,
                    case.tool.name(),
                    case.name
                ));
                match self.pair(case, tool, round % 2 == 1) {
                    Ok(pair) => pairs.push(pair),
                    Err(TurnError::Fault(fault)) => return Err(fault),
                    Err(TurnError::Cannot(reason)) => {
                        self.skip(&case.name, case.tool, reason);
                        failed.push(at);
                    }
                }
            }
            round += 1;
        }
        self.progress.clear();
        for (at, (case, _, pairs)) in cases.iter().enumerate() {
            if !failed.contains(&at) {
                self.table.rows.push(Row::of(case.tool, &case.name, case.known, pairs));
            }
        }
        Ok(())
    }

    /// The tool of a case, if it is installed and has words for it.
    fn installed(&mut self, case: &Case) -> Result<Option<Installed>, Fault> {
        let found = match foreign::find(case.tool, self.cancel) {
            Ok(Some(tool)) => tool,
            Ok(None) => return Err(Fault::bug("a case compares bakeoff with itself")),
            Err(ForeignError::Exec(error)) => return Err(Fault::environment(error)),
            Err(error) => {
                self.skip_tool(case.tool, error.to_string());
                return Ok(None);
            }
        };
        let name = case.tool.name().to_string();
        if !self.table.versions.iter().any(|(known, _)| *known == name) {
            self.table.versions.push((name, found.version.clone()));
        }
        match found.invocation(&case.foreign) {
            Ok(_) => Ok(Some(found)),
            Err(error) => {
                self.skip(&case.name, case.tool, error.to_string());
                Ok(None)
            }
        }
    }

    fn skip(&mut self, name: &str, tool: DriverName, reason: String) {
        let name = format!("{}: {name}", tool.name());
        self.table.skipped.push(Skipped { name, reason });
    }

    fn skip_tool(&mut self, tool: DriverName, reason: String) {
        if !self.table.skipped.iter().any(|skipped| skipped.name == tool.name()) {
            self.table.skipped.push(Skipped { name: tool.name().to_string(), reason });
        }
    }

    /// One turn of both; bakeoff goes first every second time.
    fn pair(&self, case: &Case, tool: &Installed, native_first: bool) -> Result<Pair, TurnError> {
        let mut done = [None, None];
        for which in if native_first { [0, 1] } else { [1, 0] } {
            self.cool(&case.foreign)?;
            done[which] = Some(match which {
                0 => self.load(&case.native.job).map_err(TurnError::of_load)?,
                _ => self.foreign(case, tool)?,
            });
        }
        let [Some(native), Some(foreign)] = done else {
            return Err(TurnError::Fault(Fault::bug("a turn of one side")));
        };
        let metric = case.native.metric;
        Ok(Pair {
            native: metric.of(&native).unwrap_or(0.0),
            foreign: metric.of(&foreign).unwrap_or(0.0),
            elapsed_ns: native.elapsed_ns.min(foreign.elapsed_ns),
        })
    }

    fn foreign(&self, case: &Case, tool: &Installed) -> Result<Measurement, TurnError> {
        let group = std::slice::from_ref(&case.foreign);
        match tool.run(group, self.dir, TURN_LIMIT, self.cancel) {
            Ok(told) => match told.into_iter().next() {
                Some((Ok(measurement), _)) => Ok(measurement),
                Some((Err(error), _)) => Err(TurnError::Cannot(error.to_string())),
                None => Err(TurnError::Fault(Fault::bug("a tool told nothing of one case"))),
            },
            Err(ForeignError::Exec(crate::exec::ExecError::Interrupted)) => {
                Err(TurnError::Fault(interrupted()))
            }
            Err(error) => Err(TurnError::Cannot(error.to_string())),
        }
    }

    /// Puts the file out of memory, for both alike.
    fn cool(&self, workload: &Workload) -> Result<(), TurnError> {
        if Ground::of(workload.phase) != Ground::Data("data") {
            return Ok(());
        }
        let evicted = File::open(self.dir.join("data")).and_then(|file| residency::evict(&file));
        evicted.map_err(|e| {
            TurnError::Fault(Fault::environment(format!("cannot put the file out of memory: {e}")))
        })
    }
}

/// Why a turn gave no pair.
enum TurnError {
    /// The whole comparison ends.
    Fault(Fault),
    /// This case cannot be had here.
    Cannot(String),
}

impl TurnError {
    fn of_load(error: LoadError) -> TurnError {
        match error {
            LoadError::Interrupted => TurnError::Fault(interrupted()),
            error => TurnError::Cannot(error.to_string()),
        }
    }
}

fn interrupted() -> Fault {
    Fault::interrupted("interrupted; nothing was kept")
}

fn fault_of(error: LoadError) -> Fault {
    match error {
        LoadError::Interrupted => interrupted(),
        error => Fault::environment(error),
    }
}

fn print(format: Format, table: &Table, place: &Place, file_bytes: u64) -> Result<(), Fault> {
    let host = host::fingerprint();
    let date = jiff::Zoned::now().date().to_string();
    let disk = place.disks().find_map(|disk| disk.model.clone()).unwrap_or_default();
    let setting = render::Setting {
        host: &host,
        fs: &place.fs,
        disk: &disk,
        date: &date,
        version: env!("CARGO_PKG_VERSION"),
        file_bytes,
    };
    let text = match format {
        Format::Json => render::json(table, &setting),
        Format::Markdown => render::markdown(table, &setting),
        _ => render::text(table, &setting),
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
