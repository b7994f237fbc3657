//! Measures what applications do in one directory: slices of every workload at random moments of
//! the time, until each demand is settled.
//!
//! Each workload has a process of its own that lives through the run. Slices never overlap. Nothing
//! is recorded before the end, so that the record disturbs nothing.

use std::time::Duration;

use bakeoff_judge::applications::timed_op;
use bakeoff_judge::fit::looks;
use bakeoff_judge::ratings::{self, AppRating, RatedDemand};
use bakeoff_model::application::{FitSample, FitSamples, TimedOp};
use bakeoff_model::event::{StopReason, What};
use bakeoff_model::fit::FitVerdict;
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::slice_length::{Least, Length};
use bakeoff_model::workload::Phase;
use bakeoff_stats::prng::SplitMix64;
use bakeoff_stats::units;
use bakeoff_tools::native::TargetKind;
use bakeoff_tools::native::sliced::{OpKind, Report, Request, SLICES_MAX};

use crate::fault::Fault;
use crate::host::Moment;
use crate::load::LoadError;
use crate::load::companion::Companion;
use crate::load::scratch::{self, numbered};
use crate::load::site::{Site, Subject};
use crate::load::sliced::Sliced;
use crate::places::directories;
use crate::steps::session::Session;

const SLICE_NS: u64 = 150_000_000;
/// A slice ends here whatever it has done.
const SLICE_LIMIT_NS: u64 = 20_000_000_000;
const PAUSE_NS: (u64, u64) = (10_000_000, 50_000_000);
/// A suspend in a slice makes it void.
const SUSPEND_NS: u64 = 1_000_000;
/// Bytes after which a slice ends, to spare the drive.
const MOST_BYTES: u64 = 32 << 20;
/// What is enough so far is measured in one of so many rounds.
const ROUNDS_WHERE_SURE: u32 = 4;
/// Time for which the looks are made.
const PROMISED_NS: u64 = 20_000_000_000;

struct Fitted {
    sliced: Sliced,
    job: Job,
    op: Option<OpKind>,
    is_beside: bool,
    /// It is enough so far: the others get more of the time.
    is_sure: bool,
    is_settled: bool,
    measured: FitSamples,
}

/// How long a directory is measured: what a look is planned for, and the most that open demands may
/// extend it to where that probably settles them.
#[derive(Clone, Copy)]
pub struct FitTime {
    pub usual_ns: u64,
    pub most_ns: u64,
}

/// Measures until every demand is settled or the time is over, and records it; gives why it ended.
///
/// # Errors
/// What keeps the directory from being measured.
pub fn measure(session: &mut Session, time: FitTime) -> Result<(StopReason, String), Fault> {
    session.lift_time_limit();
    let header = &session.journal.run().header;
    let new_files = header.workloads.iter().filter(|w| w.phase == Phase::Append).count();
    if new_files > scratch::MOST_STANDS {
        let most = scratch::MOST_STANDS;
        return Err(Fault::usage(format!("at most {most} workloads can write new files")));
    }
    let (site, each) =
        directories::prepare_for_fit(session, new_files).map_err(|error| error.into_fault())?;
    let mut loads = Loads::start(session, &site, each).map_err(fault)?;
    let ended = loads.measure(session, &site, time);
    let interrupted = matches!(ended, Err(LoadError::Interrupted));
    let ended = match ended {
        Err(LoadError::Interrupted) => Ok((StopReason::Interrupted, String::new())),
        ended => ended,
    };
    let found = loads.end(interrupted);
    let ended = ended.map_err(fault)?;
    session.progress.doing("recording");
    for measured in found {
        session.journal.record(What::FitMeasured(Box::new(measured)))?;
    }
    Ok(ended)
}

fn fault(error: LoadError) -> Fault {
    match error {
        LoadError::Interrupted => Fault::interrupted("interrupted before the first measurement"),
        error => Fault::environment(error),
    }
}

struct Loads {
    all: Vec<Fitted>,
    companion: Option<Companion>,
    random: SplitMix64,
    look: usize,
}

impl Loads {
    fn start(session: &Session, site: &Site, each_bytes: u64) -> Result<Loads, LoadError> {
        let header = &session.journal.run().header;
        session.progress.doing("starting the workloads");
        let beside = header.workloads.iter().find(|w| w.beside.is_some());
        let companion = beside.map(|w| Companion::start(w, site, header.seed, &session.cancel));
        let mut all: Vec<Fitted> = Vec::new();
        for (at, workload) in header.workloads.iter().enumerate() {
            let (target, size) = match workload.phase {
                Phase::Append => {
                    let number = all.iter().filter(|known| known.job.rw == Rw::Write).count();
                    let made = site.scratch.create(&numbered(scratch::APPEND, number));
                    let failed = |e| LoadError::Child(format!("cannot create a file: {e}"));
                    (Subject::Opened(made.map_err(failed)?), workload.job.size.min(each_bytes))
                }
                _ if workload.sized => (site.data.clone(), site.file_bytes.min(workload.job.size)),
                _ => (site.data.clone(), site.file_bytes),
            };
            let seed = SplitMix64::derive(header.seed, &[0xf17, at as u64]).next_u64() >> 11;
            let job = Job { size, seed, ..workload.job.clone() };
            let op =
                timed_op(&header.applications, ratings::base_name(workload)).map(|op| match op {
                    TimedOp::Read => OpKind::Read,
                    TimedOp::Write => OpKind::Write,
                    TimedOp::Flush => OpKind::Flush,
                });
            all.push(Fitted {
                sliced: Sliced::start(&job, target, TargetKind::File, &session.cancel)?,
                job,
                op,
                is_beside: workload.beside.is_some(),
                is_sure: false,
                is_settled: false,
                measured: FitSamples {
                    workload: WorkloadIx::new(at),
                    look: 0,
                    samples: Vec::new(),
                },
            });
        }
        let random = SplitMix64::derive(header.seed, &[0xf17]);
        Ok(Loads { all, companion: companion.transpose()?.flatten(), random, look: 0 })
    }

    fn measure(
        &mut self,
        session: &Session,
        site: &Site,
        time: FitTime,
    ) -> Result<(StopReason, String), LoadError> {
        let began_ns = session.journal.elapsed_ns();
        let mut time_ns = time.usual_ns;
        let most_bytes = session.journal.run().header.protocol.max_write_bytes;
        let stretch = time_ns.max(PROMISED_NS) as f64 / PROMISED_NS as f64;
        let due_ns = |look| (looks::due_ns(look) as f64 * stretch) as u64;
        let mut written_bytes = 0u64;
        for round in 0u32.. {
            let takes_part = |of: &Fitted| {
                !of.is_settled && (!of.is_sure || round.is_multiple_of(ROUNDS_WHERE_SURE))
            };
            let mut order: Vec<usize> =
                (0..self.all.len()).filter(|at| takes_part(&self.all[*at])).collect();
            self.random.shuffle(&mut order);
            for at in order {
                let passed_ns = session.journal.elapsed_ns() - began_ns;
                session.progress.expect(passed_ns, time_ns.saturating_sub(passed_ns));
                self.doing(session, at);
                self.pause(session)?;
                written_bytes += self.slice(session, site, at)?;
            }
            let passed_ns = session.journal.elapsed_ns() - began_ns;
            let is_full = self.all.iter().any(|w| w.sliced.slices().len() == SLICES_MAX);
            let is_spent = most_bytes.is_some_and(|most| written_bytes >= most);
            let is_over = passed_ns >= time_ns || is_full || is_spent;
            if passed_ns >= due_ns(self.look) || is_over {
                let is_worth_more = self.judge(session, time.most_ns.saturating_sub(passed_ns));
                if is_worth_more && passed_ns >= time_ns {
                    time_ns = (2 * time_ns).min(time.most_ns);
                }
            }
            if self.all.iter().all(|w| w.is_settled) {
                return Ok((StopReason::Decided, String::new()));
            }
            if is_spent {
                let note = format!("{} were written", units::size(written_bytes));
                return Ok((StopReason::WriteBudget, note));
            }
            if is_full || passed_ns >= time_ns {
                return Ok((StopReason::TimeUp, String::new()));
            }
        }
        Ok((StopReason::TimeUp, String::new()))
    }

    fn doing(&self, session: &Session, at: usize) {
        let open = self.all.iter().filter(|w| !w.is_settled).count();
        let name = &session.journal.run().header.workloads[self.all[at].measured.workload].name;
        session.progress.doing(&match open {
            1 => format!("measuring {name}"),
            open => format!("measuring {name}, one of {open} workloads"),
        });
    }

    fn pause(&mut self, session: &Session) -> Result<(), LoadError> {
        let (least, most) = PAUSE_NS;
        std::thread::sleep(Duration::from_nanos(least + self.random.below(most - least)));
        if session.cancel.is_set() { Err(LoadError::Interrupted) } else { Ok(()) }
    }

    /// Measures a slice and gives the bytes that it wrote.
    fn slice(&mut self, session: &Session, site: &Site, at: usize) -> Result<u64, LoadError> {
        let Loads { all, companion, .. } = self;
        let of = &mut all[at];
        let mut companion = companion.as_mut().filter(|_| of.is_beside);
        let flushes = u64::from(of.job.fsync.max(of.job.fdatasync) > 0);
        let least = Least { ios: 1, flushes, bytes: 0 };
        let most_bytes = if of.job.rw.writes() { MOST_BYTES } else { 0 };
        let request = Request::new(Length::of(SLICE_NS), 1, least);
        let request = Request { limit_ns: SLICE_LIMIT_NS, most_bytes, ..request };
        let before = Moment::take(&site.counted);
        companion.as_mut().map_or(Ok(()), |companion| companion.go())?;
        let began_ns = session.journal.elapsed_ns();
        let report = of.sliced.measure(request)?;
        let sample = sample(report, began_ns, of.op, of.job.numjobs);
        let written = report.written_bytes();
        companion.map_or(Ok(()), Companion::rest)?;
        if Moment::take(&site.counted).since(&before).suspended_ns <= SUSPEND_NS {
            of.measured.samples.push(sample);
        }
        Ok(written)
    }

    /// A look: what is settled is measured no more. Gives whether the time that is left would
    /// probably settle more.
    fn judge(&mut self, session: &Session, left_ns: u64) -> bool {
        let header = &session.journal.run().header;
        let open = self.all.iter_mut().filter(|w| !w.is_settled);
        open.for_each(|w| w.measured.look = u32::try_from(self.look).unwrap_or(u32::MAX));
        let measured: Vec<FitSamples> = self.all.iter().map(|w| w.measured.clone()).collect();
        let rated = ratings::rated(&header.applications, &header.workloads, &measured);
        // Where one demand is missed for certain, the others of the application decide nothing.
        let is_open =
            |of: &&AppRating| of.demands.iter().all(|d| d.alone.verdict != FitVerdict::No);
        let demands: Vec<&RatedDemand> =
            rated.iter().filter(is_open).flat_map(|of| &of.demands).collect();
        let mut is_worth_more = false;
        for of in self.all.iter_mut().filter(|w| !w.is_settled) {
            let name = ratings::base_name(&header.workloads[of.measured.workload]);
            let own = demands.iter().filter(|d| d.demand.workload == name);
            let mut ratings =
                own.filter_map(|d| if of.is_beside { d.beside.as_ref() } else { Some(&d.alone) });
            of.is_sure = ratings.clone().all(|rating| rating.verdict == FitVerdict::Yes);
            is_worth_more |= ratings.clone().any(|rating| looks::is_worth_more(rating, left_ns));
            of.is_settled = ratings.all(|rating| looks::is_settled(rating, self.look));
        }
        self.look += 1;
        is_worth_more
    }

    /// Ends the processes; gives what was measured.
    fn end(self, interrupted: bool) -> Vec<FitSamples> {
        let ended = self.all.into_iter().map(|of| {
            let mut measured = of.measured;
            // An interrupt has ended the processes too.
            let clock = if interrupted { None } else { of.sliced.finish(&[]).ok() };
            let error_ns = clock.and_then(|m| m.clock).map_or(0, |clock| clock.stamp_error_ns);
            measured.samples.iter_mut().for_each(|sample| sample.clock_error_ns = error_ns);
            measured
        });
        ended.filter(|measured| !measured.samples.is_empty()).collect()
    }
}

fn sample(report: &Report, began_ns: u64, op: Option<OpKind>, threads: u32) -> FitSample {
    let timed = op.and_then(|op| report.totals(op));
    FitSample {
        began_ns,
        elapsed_ns: report.elapsed_ns,
        ios: report.ios(),
        bytes: report.bytes(),
        latencies: timed.map(|totals| totals.histogram.clone()).unwrap_or_default(),
        waited_ns: report.waited_ns.unwrap_or(0).saturating_mul(threads.into()),
        clock_error_ns: 0,
    }
}
