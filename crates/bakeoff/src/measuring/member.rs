//! One standing candidate in the rounds of a workload: its measuring process, its slices, and the
//! evidence about them.
//!
//! What the drives moved is read around each slice: slices take turns, so each byte belongs to one
//! of them. What other processes did is read around all of them together and divided by time,
//! because reading it takes longer than a slice.

use bakeoff_judge::cold_reads::COLD_SHARE;
use bakeoff_judge::decide::search::TriedSlice;
use bakeoff_model::event::{Cell, Truth};
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::job::Job;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::slice::{Slice, Stretch, Void};
use bakeoff_model::slice_length::{self, LIMIT_NS, Least, Length, QUICK_LIMIT_NS};
use bakeoff_model::wear::DriveWrites;
use bakeoff_model::workload::{Metric, Phase};
use bakeoff_tools::native::sliced::{Report, Request};

use super::cell::{self, CellError};
use super::drive_bytes::{IdleRate, SyncedCount};
use crate::host::{Moment, Passed};
use crate::load::LoadError;
use crate::load::companion::Companion;
use crate::load::site::Site;
use crate::load::sliced::Sliced;
use crate::steps::session::Session;

const SUSPEND_FLOOR_NS: u64 = 1_000_000;
const SWAPPED_PAGES: u64 = 64;

#[derive(Clone, Copy, Debug)]
pub struct RoundsId<'s> {
    pub block: BlockIx,
    pub workload: WorkloadIx,
    pub standing: &'s [CandidateIx],
    pub idle: IdleRate,
}

#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub round: u16,
    pub turn: u16,
    pub after: Option<CandidateIx>,
    pub length: Length,
    pub times: u8,
}

/// A candidate that takes part in rounds.
pub struct Member {
    pub candidate: CandidateIx,
    pub spans: Vec<(u64, u64)>,
    sliced: Sliced,
    beside: Option<Companion>,
    metric: Metric,
    job: Job,
    settles: bool,
    reads_cold: bool,
    /// Bytes a slice may read, where they go through memory: it is emptied before each slice, and
    /// what is read twice in one would come from there.
    most_bytes: Option<u64>,
    /// Bytes after which a unit that writes ends, to spare the drive; 0 = its time alone ends it.
    spared_bytes: u64,
    truth: Truth,
    began_ns: u64,
    slices: Vec<Slice>,
    /// For each of `slices` its number among those of the process, calibration included, and what
    /// happened around it.
    around: Vec<(usize, Passed)>,
    worn_from: Option<SyncedCount>,
    asked_bytes: u64,
    /// Flushes of the drives in its slices; `None` = not counted in one of them.
    flushes: Option<u64>,
    drive_writes: Option<DriveWrites>,
}

impl Member {
    /// Makes the candidate ready for a workload and starts its measuring process.
    ///
    /// # Errors
    /// When the workload cannot be measured on it.
    pub fn start(
        session: &Session,
        site: &mut Site,
        which: RoundsId<'_>,
        candidate: CandidateIx,
    ) -> Result<Member, CellError> {
        let header = &session.journal.run().header;
        let workload = &header.workloads[which.workload];
        cell::check_filesystem(site, workload)?;
        let job = cell::job(header, which.block, which.workload);
        let mut truth = Truth::default();
        if job.direct && job.rw.writes() {
            truth.dirtied_per_page = cell::dirtied_per_page(site)?;
        }
        let (target, kind) = cell::target(site, workload.phase)?;
        let reads_cold = workload.phase == Phase::ColdRead;
        if reads_cold {
            truth.resident_before_bytes = Some(0);
        }
        Ok(Member {
            candidate,
            spans: Vec::new(),
            beside: Companion::start(workload, site, job.seed, &session.cancel)?,
            sliced: Sliced::start(&job, target, kind, &session.cancel)?,
            metric: workload.metric,
            settles: false,
            reads_cold,
            most_bytes: (reads_cold && (!job.direct || site.driver_reads.is_some()))
                .then_some(job.size),
            spared_bytes: slice_length::most_bytes(&job, header.protocol.slice_bytes),
            truth,
            began_ns: session.journal.elapsed_ns(),
            slices: Vec::new(),
            around: Vec::new(),
            worn_from: None,
            asked_bytes: 0,
            flushes: Some(0),
            drive_writes: None,
            job,
        })
    }

    /// Measures a slice that finds the length.
    ///
    /// # Errors
    /// The engine's, or Ctrl-C.
    pub fn try_out(
        &mut self,
        session: &mut Session,
        site: &Site,
        length: Length,
    ) -> Result<TriedSlice, CellError> {
        self.cool(site)?;
        let request = self.request(length, 1);
        let report = accompanied(&mut self.sliced, &mut self.beside, request)?;
        session.spent.add_unrecorded(report.written_in_both_parts());
        Ok(TriedSlice::of(&report.slice(), self.metric))
    }

    /// Measures a slice and keeps it, also where it does not count.
    ///
    /// # Errors
    /// The engine's, or Ctrl-C.
    pub fn slice(&mut self, session: &Session, site: &Site, turn: Turn) -> Result<(), CellError> {
        self.cool(site)?;
        let began_ns = session.journal.elapsed_ns();
        let mark = || session.held.sampler.as_ref().map(|sampler| sampler.mark());
        let (before, from) = (Moment::take(&site.counted), mark());
        let (length, times) = slice_length::asked(turn.length, turn.times);
        let request = self.request(length, times);
        let report = accompanied(&mut self.sliced, &mut self.beside, request)?;
        let (to, passed) = (mark(), Moment::take(&site.counted).since(&before));
        self.asked_bytes = self.asked_bytes.saturating_add(report.written_in_both_parts());
        self.flushes = self.flushes.zip(passed.device_flushes).map(|(all, more)| all + more);
        let passed = counted(passed, report);
        let void = void_of(report, &passed, self.reads_cold);
        let Turn { round, turn, after, times, .. } = turn;
        self.slices.push(Slice { round, turn, after, began_ns, void, times, ..report.slice() });
        self.around.push((self.sliced.slices().len() - 1, passed));
        if void.is_none() {
            self.spans.extend(from.zip(to));
        }
        Ok(())
    }

    pub fn set_settles(&mut self, settles: bool) {
        self.settles = settles;
    }

    fn request(&self, length: Length, times: u8) -> Request {
        let least = Least::for_job(&self.job, self.settles);
        let limit_ns = if self.settles { LIMIT_NS } else { QUICK_LIMIT_NS };
        let request = Request { limit_ns, ..Request::new(length, times, least) };
        let units = u64::from(request.settling).saturating_add(request.counted.into());
        let spared = || self.spared_bytes.saturating_mul(units);
        Request { most_bytes: self.most_bytes.unwrap_or_else(spared), ..request }
    }

    fn cool(&mut self, site: &Site) -> Result<(), CellError> {
        if self.most_bytes.is_none() {
            return Ok(());
        }
        let resident = cell::cool(site)?;
        let most = self.truth.resident_before_bytes.zip(resident).map(|(a, b)| a.max(b));
        self.truth.resident_before_bytes = most;
        Ok(())
    }

    pub fn begin_wear(&mut self, site: &Site) {
        if self.job.rw.writes() {
            (self.asked_bytes, self.flushes) = (0, Some(0));
            self.worn_from = SyncedCount::take(site);
        }
    }

    /// All slices are measured, and nothing of them waits in memory after this.
    pub fn end_wear(&mut self, site: &Site) {
        let Some(from) = self.worn_from else { return };
        let counted = SyncedCount::take(site).and_then(|to| to.since(from, self.asked_bytes, site));
        // Drives that candidates share are flushed by all of them.
        let has_own = site.worn.flushes == site.worn.bytes;
        let flushes = |own: Option<u64>| if has_own { own } else { self.flushes };
        self.drive_writes = counted.map(|all| DriveWrites { flushes: flushes(all.flushes), ..all });
    }

    pub fn valid(&self) -> usize {
        self.slices.iter().filter(|slice| slice.is_valid()).count()
    }

    pub fn elapsed_ns(&self) -> u64 {
        self.slices.iter().filter(|slice| slice.is_valid()).map(|slice| slice.elapsed_ns).sum()
    }

    /// The cell they make, its process ended; `None` where no slice counts.
    ///
    /// # Errors
    /// The engine's.
    pub fn into_cell(
        mut self,
        block: BlockIx,
        workload: WorkloadIx,
    ) -> Result<Option<Cell>, CellError> {
        self.admit();
        let counts: Vec<usize> =
            (0..self.slices.len()).filter(|i| self.slices[*i].is_valid()).collect();
        if counts.is_empty() {
            return Ok(None);
        }
        counts.iter().for_each(|i| add(&mut self.truth, &self.around[*i].1));
        let numbers: Vec<usize> = counts.iter().map(|i| self.around[*i].0).collect();
        let beside = self.beside.map(Companion::finish).transpose()?.map(Box::new);
        // What a companion writes reaches the same device.
        let drive_writes = self.drive_writes.filter(|_| beside.is_none());
        Ok(Some(Cell {
            beside,
            block,
            candidate: self.candidate,
            workload,
            began_ns: self.began_ns,
            measurement: Measurement { drive_writes, ..self.sliced.finish(&numbers)? },
            truth: self.truth,
            raw: None,
            slices: self.slices,
            telemetry: None,
        }))
    }

    /// A candidate that is like that in most slices keeps them: one whose reads come from memory
    /// whatever is done is shown as what it is, and not ranked; one that does less than the least
    /// in the longest slice is that slow.
    fn admit(&mut self) {
        if self.valid() * 2 >= self.slices.len() {
            return;
        }
        for slice in &mut self.slices {
            if matches!(slice.void, Some(Void::FromMemory | Void::TooFew)) {
                slice.void = None;
            }
        }
    }
}

/// A slice, with the companion at work around it.
fn accompanied<'s>(
    sliced: &'s mut Sliced,
    beside: &mut Option<Companion>,
    request: Request,
) -> Result<&'s Report, LoadError> {
    if let Some(companion) = beside {
        companion.go()?;
    }
    let report = sliced.measure(request)?;
    if let Some(companion) = beside {
        companion.rest()?;
    }
    Ok(report)
}

/// What the drives moved around a slice, without the share of the part in which they settled.
fn counted(passed: Passed, report: &Report) -> Passed {
    let own = u128::from(report.ios());
    let all = own.saturating_add(Stretch::sum(&report.settling).ios.into());
    let share = |moved: Option<u64>| {
        let of = |moved: u64| u128::from(moved).saturating_mul(own) / all.max(1);
        moved
            .map(|moved| if own == all { moved } else { u64::try_from(of(moved)).unwrap_or(moved) })
    };
    Passed {
        device_read_bytes: share(passed.device_read_bytes),
        device_written_bytes: share(passed.device_written_bytes),
        ..passed
    }
}

fn void_of(report: &Report, passed: &Passed, reads_cold: bool) -> Option<Void> {
    let came_from_disk = |moved: u64| moved as f64 >= report.bytes() as f64 * COLD_SHARE;
    if passed.suspended_ns > SUSPEND_FLOOR_NS {
        Some(Void::Suspended)
    } else if passed.swapped_pages.is_some_and(|pages| pages > SWAPPED_PAGES) {
        Some(Void::Swapping)
    } else if report.cut {
        Some(Void::TooFew)
    } else if reads_cold && !passed.device_read_bytes.is_none_or(came_from_disk) {
        Some(Void::FromMemory)
    } else {
        None
    }
}

fn add(truth: &mut Truth, passed: &Passed) {
    let sum = |total: &mut Option<u64>, more: Option<u64>| {
        *total = more.map(|more| total.unwrap_or(0).saturating_add(more));
    };
    sum(&mut truth.device_read_bytes, passed.device_read_bytes);
    sum(&mut truth.device_written_bytes, passed.device_written_bytes);
    sum(&mut truth.swapped_pages, passed.swapped_pages);
    truth.suspended_ns = truth.suspended_ns.saturating_add(passed.suspended_ns);
}
