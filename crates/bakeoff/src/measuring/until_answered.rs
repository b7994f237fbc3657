//! The loop of a run: ask what comes next, do it, record it, until there is an answer.
//!
//! Everything that decides lives in `core::decide`; here blocks are measured and recorded. An
//! interrupted block is superseded and repeated whole.

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::decide::{self, Clock, Next, cost};
use bakeoff_model::candidate::Skipped;
use bakeoff_model::event::{StopReason, What};
use bakeoff_model::health::DriveTold;
use bakeoff_model::host::Layer;
use bakeoff_model::path::{RawPath, unsteered};
use bakeoff_model::run::Run;
use bakeoff_model::telemetry::Watching;
use bakeoff_report::{html_so_far, live};

use super::block::BlockEnd;
use super::ceilings;
use crate::assets;
use crate::fault::Fault;
use crate::files::output;
use crate::host;
use crate::places::target_set::TargetSet;
use crate::sampler::Sampler;
use crate::steps::session::Session;
use crate::ui::say;

fn drives_of(run: &Run) -> Vec<Layer> {
    let mut disks: Vec<Layer> = Vec::new();
    for disk in run.header.disks() {
        if !disks.iter().any(|known| known.dev == disk.dev) {
            disks.push(disk.clone());
        }
    }
    disks
}

impl Session<'_> {
    /// Measures until the decision machinery says stop, then puts everything back.
    pub fn measure(&mut self, target_set: &mut TargetSet) -> Result<(), Fault> {
        let measured = self
            .watch()
            .and_then(|()| self.ask_drives(false))
            .and_then(|()| ceilings::measure(self, target_set))
            .and_then(|()| self.until_stopped(target_set))
            .and_then(|ended| {
                self.lift_time_limit();
                self.end_rounds(target_set).map(|()| ended)
            })
            .and_then(|ended| self.ask_drives(true).map(|()| ended));
        self.sampler = None;
        match measured {
            Ok((reason, note)) => {
                for failure in target_set.close(self) {
                    say::line(format_args!("bakeoff: {failure}"));
                }
                self.finish(reason, note)
            }
            Err(fault) => {
                target_set.detach();
                Err(self.abandon(fault))
            }
        }
    }

    fn watch(&mut self) -> Result<(), Fault> {
        match Sampler::start() {
            Ok(sampler) => {
                let watching = sampler.watching();
                self.sampler = Some(sampler);
                self.journal.record(What::Watching(Box::new(watching)))
            }
            Err(error) => {
                let why = format!("cannot start a thread: {error}");
                let missing = vec![Skipped::new("everything", why)];
                let watching = Watching { missing, ..Watching::default() };
                self.journal.record(What::Watching(Box::new(watching)))
            }
        }
    }

    /// Has every drive of the run tell its wear and errors. Virtual disks and most cards tell none.
    fn ask_drives(&mut self, after: bool) -> Result<(), Fault> {
        let disks = drives_of(self.journal.run());
        let told = |disk: &Layer| {
            let told = host::drive_health(disk, &self.cancel)?;
            let (health, why) = match told {
                Ok(health) => (Some(health), None),
                Err(why) => (None, Some(why)),
            };
            Some(DriveTold { disk: disk.name.clone(), health, why })
        };
        let drives: Vec<DriveTold> = disks.iter().filter_map(told).collect();
        if drives.is_empty() {
            Ok(())
        } else {
            self.journal.record(What::DrivesTold { after, drives })
        }
    }

    fn until_stopped(&mut self, target_set: &mut TargetSet) -> Result<(StopReason, String), Fault> {
        loop {
            if self.cancel.is_set() {
                return Ok(self.why_cut_off());
            }
            match decide::next(self.journal.run(), self.clock()) {
                Next::Look { blocks, dropped } => {
                    self.journal.record(What::Looked { blocks, dropped })?;
                }
                Next::Stop(stop) => return Ok((stop.reason, stop.note)),
                Next::Block { order, round } => {
                    // Between rounds the drive gets no rest.
                    if round.is_none_or(|round| round.round == 0) {
                        self.write_page();
                    }
                    match self.block(target_set, order, round)? {
                        BlockEnd::Complete => self.show_so_far(),
                        BlockEnd::Interrupted => return Ok(self.why_cut_off()),
                        BlockEnd::Failed(why) => return Ok((StopReason::Failed, why)),
                    }
                }
            }
        }
    }

    /// Writes the page of the run so far, not while anything is measured. After a failure the page
    /// is not tried again before the end.
    fn write_page(&mut self) {
        let Some(path) = &self.page else { return };
        self.progress.doing("writing the page");
        let run = self.journal.run();
        let page = html_so_far(run, &analyse(run), &assets::report());
        let write = || output::write(path, |out| out.write_all(unsteered(&page).as_bytes()));
        let written = match &self.mounts {
            Some(mounts) => mounts.outside(write).unwrap_or_else(|error| Err(error.into())),
            None => write(),
        };
        if let Err(error) = written {
            let path = RawPath::new(path);
            self.progress.say(&format!("bakeoff: cannot write {path} during the run: {error}"));
            self.page = None;
        }
    }

    fn show_so_far(&self) {
        let run = self.journal.run();
        self.progress.so_far(|width, color| live(run, &analyse(run), width, color));
    }

    /// Ends the visit that rounds were made on; where there is none, nothing happens.
    pub fn end_rounds(&mut self, target_set: &mut TargetSet) -> Result<(), Fault> {
        // What cannot be put back now is tried again with everything else, and said there.
        target_set.leave(&mut self.journal).or_else(|error| error.why().map(drop))
    }

    fn clock(&self) -> Clock {
        let run = self.journal.run();
        let (estimated_block_ns, estimated_block_write_bytes) = cost::of_block(run);
        Clock {
            elapsed_ns: self.journal.elapsed_ns(),
            estimated_block_ns,
            written_bytes: self.spent.of_run(run),
            estimated_block_write_bytes,
        }
    }
}
