//! One turn of both: the tool and bakeoff do the same work, each from the same state.
//!
//! Before each of them what is dirty is written back, so that nobody pays for the other's writes.
//! Patterns of fio work on one file that is there already and is put out of memory where they
//! read; the others make their files in a directory that is new for each of them.

use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use bakeoff_core::agree::{Case, Compared, NoFigure, Pair, figure};
use bakeoff_core::model::host::Counted;
use bakeoff_core::model::job::Job;
use bakeoff_core::model::measurement::Measurement;
use bakeoff_core::model::profile::Part;
use bakeoff_core::model::workload::Workload;
use bakeoff_core::tools::foreign::{ParseError, Workdir};
use bakeoff_core::tools::native::TargetKind;
use bakeoff_engine::residency;
use rustix::fs::syncfs;

use crate::exec::ExecError;
use crate::fault::Fault;
use crate::host::Opened;
use crate::load::foreign::{ForeignError, Installed};
use crate::load::scratch::{self, Scratch};
use crate::load::{self, Load, LoadError};
use crate::signals::Cancel;
use crate::ui::progress::Progress;

const TURN_LIMIT: Duration = Duration::from_secs(600);

pub struct Bench<'a> {
    room: Scratch,
    /// The file that patterns of fio work on, once it is there.
    data: OnceCell<Opened>,
    cancel: &'a Cancel,
}

/// A phase of a tool, or why it printed no figure.
type PhaseOutcome = Result<Measurement, ParseError>;

impl<'a> Bench<'a> {
    pub fn new(dir: &Opened, cancel: &'a Cancel) -> Bench<'a> {
        Bench { room: Scratch::from_opened(dir.clone()), data: OnceCell::new(), cancel }
    }

    /// The file, made when it is first wanted.
    fn data(&self) -> io::Result<&Opened> {
        if let Some(made) = self.data.get() {
            return Ok(made);
        }
        let made = self.room.create(scratch::DATA)?;
        Ok(self.data.get_or_init(|| made))
    }

    pub fn load(&self, job: &Job, progress: &Progress) -> Result<Measurement, Fault> {
        self.one(job, progress).map_err(|error| match error {
            LoadError::Interrupted => interrupted(),
            LoadError::Failed(_) | LoadError::Child(_) => Fault::environment(error),
        })
    }

    fn one(&self, job: &Job, progress: &Progress) -> Result<Measurement, LoadError> {
        let data = self.data();
        let data = data.map_err(|e| LoadError::Child(format!("cannot create a file: {e}")))?;
        let mut tick = |live| progress.live(live);
        load::run(job, data, TargetKind::File, self.cancel, &mut tick)
    }

    /// One turn of both: what each phase gave, in order.
    pub fn turn(
        &self,
        case: &Case,
        tool: &Installed,
        ours_first: bool,
        progress: &Progress,
    ) -> Result<Vec<Phase>, TurnError> {
        let (ours, theirs) = if ours_first {
            let ours = self.ours(case, progress)?;
            (ours, self.theirs(case, tool)?)
        } else {
            let theirs = self.theirs(case, tool)?;
            (self.ours(case, progress)?, theirs)
        };
        if [ours.len(), theirs.len()] != [case.phases.len(); 2] {
            return Err(TurnError::Fault(Fault::bug("a round without a result for each phase")));
        }
        let both = ours.into_iter().zip(theirs);
        let phases = case.phases.iter().zip(both);
        Ok(phases
            .map(|(of, both)| pair(of, both).map_or_else(Phase::Missing, Phase::Pair))
            .collect())
    }

    fn ours(&self, case: &Case, progress: &Progress) -> Result<Vec<Measurement>, TurnError> {
        self.settle()?;
        let work = case.ours();
        let parts: Vec<Part> = work.iter().filter_map(|work| work.profile).collect();
        let job = &work[0].job;
        if parts.is_empty() {
            self.cool(&work[0])?;
            return Ok(vec![self.one(job, progress).map_err(TurnError::of_load)?]);
        }
        self.in_room(case, |room: &Opened, kind| {
            let mut tick = |live| progress.live(live);
            let load = Load::new(job, &parts);
            let room = [room.into()];
            load::run_all(load, &room, kind, self.cancel, &mut tick).map_err(TurnError::of_load)
        })
    }

    fn theirs(&self, case: &Case, tool: &Installed) -> Result<Vec<PhaseOutcome>, TurnError> {
        self.settle()?;
        let work = case.theirs();
        let workdir = tool.invocation(&work[0]).map_err(|e| TurnError::Cannot(e.to_string()))?;
        let run = |dir: &Path| {
            let told = tool
                .run(&work, (dir, &Counted::default()), TURN_LIMIT, self.cancel)
                .map_err(TurnError::of_tool)?;
            Ok(told.into_iter().map(|(measured, _)| measured).collect())
        };
        if workdir.workdir == Workdir::Empty {
            return self.in_room(case, |room, _| run(room.path()));
        }
        self.cool(&work[0])?;
        run(self.room.path())
    }

    /// With a directory that is new and goes away again, or with the one whose files stay.
    fn in_room<T>(
        &self,
        case: &Case,
        work: impl FnOnce(&Opened, TargetKind) -> Result<T, TurnError>,
    ) -> Result<T, TurnError> {
        let make = |name| self.room.make_dir(name).map_err(|e| unusable("make a directory", e));
        if case.keeps_files {
            let kept = match self.room.open_dir(scratch::KEPT) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => make(scratch::KEPT)?,
                kept => kept.map_err(|e| unusable("open a directory", e))?,
            };
            return work(&kept, TargetKind::KeptDirectory);
        }
        let done = work(&make(scratch::SMALL)?, TargetKind::Directory);
        self.room.remove_small().map_err(|e| unusable("remove the files of a tool", e))?;
        done
    }

    fn settle(&self) -> Result<(), TurnError> {
        let written = File::open(self.room.path()).and_then(|dir| Ok(syncfs(dir)?));
        written.map_err(|e| unusable("flush the filesystem", e))
    }

    /// Puts the file out of memory where it is read.
    fn cool(&self, work: &Workload) -> Result<(), TurnError> {
        if Workdir::for_phase(work.phase) != Workdir::Data(scratch::DATA) {
            return Ok(());
        }
        self.evict().map_err(TurnError::Fault)
    }

    /// Puts the file out of memory.
    pub fn evict(&self) -> Result<(), Fault> {
        let opened = self.data().and_then(|data| File::open(data.path()));
        let evicted = opened.and_then(|file| residency::evict(&file));
        evicted.map_err(|e| cannot("drop the file from the page cache", e))
    }
}

fn pair(phase: &Compared, (ours, theirs): (Measurement, PhaseOutcome)) -> Result<Pair, NoFigure> {
    let theirs = theirs.map_err(NoFigure::Unread)?;
    Ok(Pair {
        native: figure::ours(&phase.work, &ours).ok_or(NoFigure::Ours)?,
        foreign: figure::theirs(&phase.work, &theirs).ok_or(NoFigure::Theirs)?,
        elapsed_ns: ours.elapsed_ns.min(theirs.elapsed_ns),
    })
}

pub enum Phase {
    Pair(Pair),
    Missing(NoFigure),
}

pub enum TurnError {
    Fault(Fault),
    /// This case cannot be had here, in the words of the error.
    Cannot(String),
}

impl TurnError {
    fn of_load(error: LoadError) -> TurnError {
        match error {
            LoadError::Interrupted => TurnError::Fault(interrupted()),
            LoadError::Failed(_) | LoadError::Child(_) => TurnError::Cannot(error.to_string()),
        }
    }

    fn of_tool(error: ForeignError) -> TurnError {
        if matches!(error, ForeignError::Exec(ExecError::Interrupted)) {
            return TurnError::Fault(interrupted());
        }
        TurnError::Cannot(error.to_string())
    }
}

fn unusable(doing: &str, error: io::Error) -> TurnError {
    TurnError::Fault(cannot(doing, error))
}

fn cannot(doing: &str, error: io::Error) -> Fault {
    Fault::environment(format!("cannot {doing}: {error}"))
}

fn interrupted() -> Fault {
    Fault::interrupted("interrupted; no result was saved")
}
