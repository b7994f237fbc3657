//! Turn after turn through all cases until the time is over.

use std::time::{Duration, Instant};

use bakeoff_core::agree::cases::{self, Amounts};
use bakeoff_core::agree::{Case, NoFigure, PAIRS_MOST, Pair, Row, Table};
use bakeoff_core::model::host::Place;
use bakeoff_core::model::job::{Job, Rw};
use bakeoff_core::model::workload::DriverName;
use bakeoff_core::prepare::space;
use bakeoff_core::report::left_out;
use bakeoff_core::units;

use super::pair::{Bench, Phase, TurnError};
use crate::cli::{Agree, Global};
use crate::fault::Fault;
use crate::host::{self, Opened};
use crate::load::foreign::{self, ForeignError, Installed};
use crate::signals::Cancel;
use crate::ui::progress::Progress;

const FILE_BYTES: (u64, u64) = (64 << 20, 4 << 30);
/// How long one pass over the file is to last: many short turns narrow an interval more than few
/// long ones, because what scatters is the drive from one turn to the next.
const PASS_SECONDS: f64 = 0.4;
/// Turns of a pattern with a time that the whole is planned for, and their limits.
const TURNS: u64 = 300;
const TURN_NS: (u64, u64) = (200_000_000, 700_000_000);
/// Sizes are multiples of this: whole blocks in each of sysbench's 128 files, whole records.
const STEP_BYTES: u64 = 16 << 20;
const TRIAL_NS: u64 = 300_000_000;
/// Files there are at the same time: ours, those that are kept, and three of bonnie++'s.
const FILES: u64 = 5;
/// Turns after which time goes to those that scatter.
const TURNS_LEAST: u32 = 6;

pub struct Turns<'a> {
    bench: Bench<'a>,
    progress: Progress,
    cancel: &'a Cancel,
    table: Table,
}

/// A case, its tool, and what came of it so far.
struct Running {
    case: Case,
    tool: Installed,
    pairs: Vec<Vec<Pair>>,
    /// Why a phase gave no pair in the last turn.
    missing: Vec<Option<NoFigure>>,
    turns: u32,
    took: Duration,
    spent: Duration,
    is_over: bool,
}

impl Running {
    fn rows(&self) -> impl Iterator<Item = Row> {
        let both = self.pairs.iter().zip(&self.missing);
        self.case.phases.iter().zip(both).filter_map(|(phase, (pairs, missing))| {
            let is_told = !pairs.is_empty() || missing.is_some();
            is_told.then(|| Row::from_pairs(self.case.tool, phase, pairs, missing.as_ref()))
        })
    }

    /// Forgets what was measured on files that were new to the drive.
    fn forget(&mut self) {
        self.pairs.iter_mut().for_each(Vec::clear);
        self.missing.fill(None);
        (self.turns, self.spent) = (0, Duration::ZERO);
    }

    /// Phases whose rows further turns could change.
    fn open_phases(&self) -> u32 {
        // At most the phases of a tool.
        self.rows().filter(|row| !row.is_settled()).count() as u32
    }
}

/// The case whose turn is next: the one with the fewest turns until all have [`TURNS_LEAST`], then
/// the one that has had the least time for each phase that is still open, so that a long command
/// does not take it from many short ones. Each case has one turn; a later one only where it would
/// fit into the time `left`.
fn next(running: &mut [Running], left: Duration) -> Option<&mut Running> {
    let is_wanted = |one: &&mut Running| {
        let fits = one.turns == 0 || one.took <= left;
        let is_enough =
            one.turns >= PAIRS_MOST || one.turns >= TURNS_LEAST && one.open_phases() == 0;
        !one.is_over && fits && !is_enough
    };
    let due =
        |one: &&mut Running| (one.turns.min(TURNS_LEAST), one.spent / one.open_phases().max(1));
    running.iter_mut().filter(is_wanted).min_by_key(due)
}

impl<'a> Turns<'a> {
    pub fn new(global: &Global, dir: &Opened, cancel: &'a Cancel) -> Turns<'a> {
        let bench = Bench::new(dir, cancel);
        let progress = Progress::new(global.quiet);
        Turns { bench, progress, cancel, table: Table::default() }
    }

    pub fn into_table(self) -> Table {
        self.table
    }

    /// Makes the file that is read and overwritten, as large as one pass of some seconds takes, or
    /// as it was asked for.
    pub fn lay_out(&mut self, place: &Place, asked: Option<u64>) -> Result<u64, Fault> {
        let available = host::available_bytes();
        let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
        let most = FILE_BYTES.1.min(room / FILES);
        let least = asked.unwrap_or(FILE_BYTES.0);
        if room / FILES < least {
            return Err(Fault::environment(format!(
                "at most {} may be used there, but {FILES} files of at least {} are needed. Free \
                 some space, or use a smaller --size",
                units::size(room),
                units::size(least)
            )));
        }
        self.progress.doing("laying out the file");
        if let Some(size) = asked {
            self.write(size)?;
            return Ok(size);
        }
        let elapsed_ns = self.write(FILE_BYTES.0)?;
        let rate = FILE_BYTES.0 as f64 / (elapsed_ns.max(1) as f64 / 1e9);
        let wanted = ((rate * PASS_SECONDS) as u64).clamp(FILE_BYTES.0, most.max(FILE_BYTES.0));
        let size = wanted / STEP_BYTES * STEP_BYTES;
        if size > FILE_BYTES.0 {
            self.write(size)?;
        }
        Ok(size)
    }

    fn write(&self, size: u64) -> Result<u64, Fault> {
        Ok(self.bench.load(&Job::filling(size), &self.progress)?.elapsed_ns)
    }

    /// What one random read takes that is not in memory.
    fn read_ns(&self, size: u64) -> Result<u64, Fault> {
        self.bench.evict()?;
        let job = Job { runtime_ns: Some(TRIAL_NS), ..Job::new(Rw::RandRead, 16 << 10, size) };
        let measured = self.bench.load(&job, &self.progress)?;
        Ok(measured.read.map_or(0, |read| measured.elapsed_ns / read.total_ios.max(1)))
    }

    /// What one flush of a small write takes.
    fn flush_ns(&self, size: u64) -> Result<u64, Fault> {
        let runtime_ns = Some(TRIAL_NS);
        let job = Job { fsync: 1, runtime_ns, ..Job::new(Rw::RandWrite, 4096, size) };
        let measured = self.bench.load(&job, &self.progress)?;
        Ok(measured.flush.map_or(0, |flush| measured.flush_ns / flush.total_ios.max(1)))
    }

    /// Turns until the time since `began` is over, or until more would change nothing.
    pub fn all(&mut self, size: u64, args: &Agree, began: Instant) -> Result<(), Fault> {
        let time = Duration::from_nanos(args.time);
        let is_wanted = |case: &Case| args.tools.is_empty() || args.tools.contains(&case.tool);
        let mut running = Vec::new();
        let turn_ns = (args.time / TURNS).clamp(TURN_NS.0, TURN_NS.1);
        let (flush_ns, read_ns) = (self.flush_ns(size)?, self.read_ns(size)?);
        let amounts = Amounts { size, turn_ns, flush_ns, read_ns };
        for case in cases::all(amounts).into_iter().filter(is_wanted) {
            if let Some(tool) = self.installed(&case)? {
                let (pairs, missing) =
                    (vec![Vec::new(); case.phases.len()], vec![None; case.phases.len()]);
                let (turns, took, spent) = (0, Duration::ZERO, Duration::ZERO);
                let is_over = false;
                running.push(Running { case, tool, pairs, missing, turns, took, spent, is_over });
            }
        }
        while let Some(one) = next(&mut running, time.saturating_sub(began.elapsed())) {
            if one.turns == 0 && one.case.keeps_files {
                self.progress.doing(&format!("files for {}", one.case.name));
                self.turn(one, false)?;
                one.forget();
            }
            let name = format!("{} · {}", one.case.tool.name(), one.case.name);
            self.progress.doing(&format!("round {} · {name}", one.turns + 1));
            self.turn(one, one.turns % 2 == 1)?;
        }
        self.progress.clear();
        self.table.rows.extend(running.iter().flat_map(Running::rows));
        Ok(())
    }

    fn turn(&mut self, one: &mut Running, ours_first: bool) -> Result<(), Fault> {
        let began = Instant::now();
        let phases = match self.bench.turn(&one.case, &one.tool, ours_first, &self.progress) {
            Ok(phases) => phases,
            Err(TurnError::Fault(fault)) => return Err(fault),
            Err(TurnError::Cannot(error)) => {
                one.is_over = true;
                self.skip(&one.case, &error);
                return Ok(());
            }
        };
        one.took = began.elapsed();
        one.spent += one.took;
        one.turns += 1;
        for (at, phase) in phases.into_iter().enumerate() {
            match phase {
                Phase::Pair(pair) => one.pairs[at].push(pair),
                Phase::Missing(why) => one.missing[at] = Some(why),
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
                self.skip_tool(case.tool, &error.to_string());
                return Ok(None);
            }
        };
        let name = case.tool.name().to_string();
        if !self.table.versions.iter().any(|(known, _)| *known == name) {
            self.table.versions.push((name, found.version.clone()));
        }
        match case.theirs().iter().find_map(|work| found.invocation(work).err()) {
            None => Ok(Some(found)),
            Some(error) => {
                self.skip(case, &error.to_string());
                Ok(None)
            }
        }
    }

    fn skip(&mut self, case: &Case, error: &str) {
        let name = format!("{}: {}", case.tool.name(), case.name);
        self.table.skipped.push(left_out::failed(name, error));
    }

    fn skip_tool(&mut self, tool: DriverName, error: &str) {
        if !self.table.skipped.iter().any(|skipped| skipped.name == tool.name()) {
            self.table.skipped.push(left_out::failed(tool.name(), error));
        }
    }
}
