//! The loop of a run: ask what comes next, do it, record it, until there is an answer.
//!
//! Everything that decides is in `judge::decide`; here blocks are measured and recorded.

use std::path::PathBuf;

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::decide::{self, Clock, Next, cost, eta};
use bakeoff_model::candidate::Skipped;
use bakeoff_model::event::{StopReason, What};
use bakeoff_model::health::DriveTold;
use bakeoff_model::host::Layer;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::path::{RawPath, unsteered};
use bakeoff_model::telemetry::Watching;
use bakeoff_report::{html_so_far, live};

use super::block::Ended;
use super::ceilings;
use crate::assets;
use crate::fault::Fault;
use crate::files::output;
use crate::host;
use crate::places::target_set::TargetSet;
use crate::sampler::Sampler;
use crate::steps::session::Session;
use crate::ui::say;

/// Measures until there is an answer, then puts everything back. `page` is written after each
/// block.
///
/// # Errors
/// When the record cannot be kept, or something cannot be undone.
pub fn measure(
    session: &mut Session,
    target_set: &mut TargetSet,
    page: Option<PathBuf>,
) -> Result<(), Fault> {
    let mut measuring = Measuring { session, target_set, page, hung: Vec::new() };
    let measured = measuring.whole_run();
    session.held.sampler = None;
    match measured {
        Ok((reason, note)) => {
            for failure in target_set.close(session) {
                say::line(format_args!("bakeoff: {failure}"));
            }
            session.finish(reason, note)
        }
        Err(fault) => {
            target_set.detach();
            Err(session.abandon(fault))
        }
    }
}

/// A run that is being measured, and what it is measured on.
pub(super) struct Measuring<'m, 's> {
    pub session: &'m mut Session<'s>,
    pub target_set: &'m mut TargetSet,
    /// The page that is written after each block.
    page: Option<PathBuf>,
    /// Candidates, the first workload of each group that hung or found no memory on them, and why.
    pub hung: Vec<(CandidateIx, WorkloadIx, String)>,
}

impl Measuring<'_, '_> {
    fn whole_run(&mut self) -> Result<(StopReason, String), Fault> {
        self.watch()?;
        self.ask_drives(false)?;
        ceilings::measure(self.session, self.target_set)?;
        let ended = self.until_stopped()?;
        self.session.lift_time_limit();
        self.end_rounds()?;
        self.ask_drives(true)?;
        Ok(ended)
    }

    fn watch(&mut self) -> Result<(), Fault> {
        let watching = match Sampler::start() {
            Ok(sampler) => {
                let watching = sampler.watching();
                self.session.held.sampler = Some(sampler);
                watching
            }
            Err(error) => {
                let why = format!("cannot start a thread: {error}");
                let missing = vec![Skipped::new("everything", why)];
                Watching { missing }
            }
        };
        self.session.journal.record(What::Watching(Box::new(watching)))
    }

    /// Has every drive of the run report its wear and errors. Virtual disks and most cards cannot.
    fn ask_drives(&mut self, after: bool) -> Result<(), Fault> {
        let mut disks: Vec<&Layer> = Vec::new();
        for disk in self.session.journal.run().header.disks() {
            if disks.iter().all(|known| known.dev != disk.dev) {
                disks.push(disk);
            }
        }
        let ask = |disk: &&Layer| {
            let asked = host::drive_health(disk, &self.session.cancel)?;
            let (health, why) = match asked {
                Ok(health) => (Some(health), None),
                Err(why) => (None, Some(why)),
            };
            Some(DriveTold { disk: disk.name.clone(), health, why })
        };
        let drives: Vec<DriveTold> = disks.iter().filter_map(ask).collect();
        if drives.is_empty() {
            return Ok(());
        }
        self.session.journal.record(What::DrivesTold { after, drives })
    }

    fn until_stopped(&mut self) -> Result<(StopReason, String), Fault> {
        loop {
            if self.session.cancel.is_set() {
                return Ok(self.session.why_cut_off());
            }
            match decide::next(self.session.journal.run(), self.clock()) {
                Next::Look { blocks, dropped } => {
                    self.session.journal.record(What::Looked { blocks, dropped })?;
                }
                Next::Stop(stop) => return Ok((stop.reason, stop.note)),
                Next::Block { order, round } => {
                    // Between rounds the drive gets no rest.
                    if round.is_none_or(|round| round.round == 0) {
                        self.write_page();
                    }
                    match self.block(&order, round) {
                        Ok(()) => self.show_so_far(),
                        Err(Ended::Interrupted) => return Ok(self.session.why_cut_off()),
                        Err(Ended::Failed(why)) => return Ok((StopReason::Failed, why)),
                        Err(Ended::Run(fault)) => return Err(fault),
                    }
                }
            }
        }
    }

    /// Writes the page of the run so far, not while anything is measured. After a failure the page
    /// is not tried again before the end.
    fn write_page(&mut self) {
        let Some(path) = &self.page else { return };
        self.session.progress.doing("writing the page");
        let run = self.session.journal.run();
        let page = html_so_far(run, &analyse(run), &assets::report());
        let write = || output::write(path, |out| out.write_all(unsteered(&page).as_bytes()));
        let written = match &self.session.held.mounts {
            Some(mounts) => mounts.outside(write).unwrap_or_else(|error| Err(error.into())),
            None => write(),
        };
        if let Err(error) = written {
            let path = RawPath::new(path);
            self.session
                .progress
                .say(&format!("bakeoff: cannot write {path} during the run: {error}"));
            self.page = None;
        }
    }

    fn show_so_far(&self) {
        let run = self.session.journal.run();
        self.session.progress.so_far(|width, color| live(run, &analyse(run), width, color));
    }

    /// Ends the visit that rounds were made on; where there is none, nothing happens.
    pub fn end_rounds(&mut self) -> Result<(), Fault> {
        // What cannot be undone now is tried again with everything else, and reported there.
        self.target_set.leave(&mut self.session.journal).or_else(|error| error.why().map(drop))
    }

    fn clock(&self) -> Clock {
        let run = self.session.journal.run();
        let (estimated_block_ns, estimated_block_write_bytes) = cost::of_block(run);
        Clock {
            elapsed_ns: self.session.journal.elapsed_ns(),
            estimated_block_ns,
            written_bytes: self.session.spent.of_run(run),
            estimated_block_write_bytes,
        }
    }

    pub fn show_progress(&self) {
        let run = self.session.journal.run();
        let elapsed_ns = self.session.journal.elapsed_ns();
        let left_ns = eta::forecast(run, cost::of_block(run).0).left_ns;
        let left_ns = match run.header.protocol.time_ns {
            Some(limit) => left_ns.min(limit.saturating_sub(elapsed_ns)),
            None => left_ns,
        };
        self.session.progress.expect(elapsed_ns, left_ns);
    }
}
