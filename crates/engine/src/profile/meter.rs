//! Clocks and record of one part of a profile, or of one thread of it.
//!
//! The clock is read once an operation: what passed since the last reading is that operation's
//! time. It stands still between passes, while files are laid out or put out of memory, so
//! `elapsed` is the time of the part's own work. Nothing is allocated between start and end.
//!
//! Where a turn costs the drive something, as much work is done before as counts. It ends with a
//! unit of the work, and the clock goes on: nothing is done between both.

use bakeoff_model::job::{EngineName, Job};
use bakeoff_model::measurement::Measurement;
use bakeoff_tools::native::sliced::Report;

use crate::calibrate::Cost;
use crate::clock::Clock;
use crate::counters::{Counters, Moved};
use crate::cpu::Usage;
use crate::error::EngineError;
use crate::hold;
use crate::live::Live;
use crate::record::{Kind, Recorder};
use crate::report::{self, Circumstances, LaneEnd};

/// One part, or one thread of it, being measured.
pub struct Meter<'a> {
    pub job: Job,
    live: &'a Live<'a>,
    lane: u32,
    clock: Clock,
    cost: Cost,
    pub recorder: Recorder,
    /// The clock reading that stands for no time passed; moves on over pauses.
    pub origin_ns: u64,
    pub now_ns: u64,
    next_check_ns: u64,
    pub usage: Usage,
    usage_at: Usage,
    pub flush_ns: u64,
    pub close_ns: u64,
    pub making_ns: u64,
    idle_ns: u64,
    pooled_ios: u64,
    ios: u64,
    /// Operations of an open loop that were due and not done.
    pub backlog: u64,
    /// Time between the operations of a companion, and how many of them began.
    apart_ns: Option<u64>,
    begun: u64,
    is_settling: bool,
    /// What grows by this meter's work while its clock runs; `None` = it is one of several threads.
    counters: Option<&'a Counters>,
    counted_at: Moved,
    moved: Moved,
    /// The same while the drive settled.
    moved_settling: Moved,
}

impl<'a> Meter<'a> {
    /// Room for `kinds` of operation; the clock stands still.
    pub fn new(
        job: Job,
        kinds: &[Kind],
        live: &'a Live<'a>,
        lane: u32,
        (clock, cost): (Clock, Cost),
    ) -> Meter<'a> {
        let recorder = Recorder::new(kinds);
        let now_ns = clock.now_ns();
        let apart = |rate: u64| 1_000_000_000 / rate.clamp(1, 1_000_000);
        Meter {
            apart_ns: job.rate_iops.filter(|_| hold::is_held()).map(apart),
            begun: 0,
            is_settling: job.settles,
            job,
            live,
            lane,
            clock,
            cost,
            origin_ns: now_ns,
            now_ns,
            next_check_ns: now_ns + recorder.first_window_ns(),
            recorder,
            usage: Usage::default(),
            usage_at: Usage::now(),
            flush_ns: 0,
            close_ns: 0,
            making_ns: 0,
            idle_ns: 0,
            pooled_ios: 0,
            ios: 0,
            backlog: 0,
            counters: None,
            counted_at: Moved::default(),
            moved: Moved::default(),
            moved_settling: Moved::default(),
        }
    }

    /// The same, and what `counters` count while the clock runs is the part's.
    pub fn with_counters(self, counters: &'a Counters) -> Meter<'a> {
        Meter { counters: Some(counters), ..self }
    }

    pub fn resume(&mut self) {
        hold::ready();
        self.counted_at = self.counters.map(Counters::settled).unwrap_or_default();
        self.usage_at = Usage::now();
        let now_ns = self.clock.now_ns();
        let paused_ns = now_ns - self.now_ns;
        self.origin_ns += paused_ns;
        self.next_check_ns += paused_ns;
        self.now_ns = now_ns;
    }

    /// The clock stands still from the last operation on.
    pub fn pause(&mut self) {
        let used = Usage::now().since(self.usage_at);
        self.usage.usr_ns += used.usr_ns;
        self.usage.sys_ns += used.sys_ns;
        if let Some(counters) = self.counters {
            self.moved = self.moved.plus(counters.settled().since(self.counted_at));
        }
    }

    /// An operation ended now.
    #[inline]
    pub fn op(&mut self, kind: Kind, bytes: u64) -> u64 {
        let ns = self.pass();
        self.count(kind, ns, bytes);
        self.take_turn();
        ns
    }

    /// The next operation of a companion waits until it is due.
    #[inline]
    pub fn take_turn(&mut self) {
        if let Some(apart_ns) = self.apart_ns {
            self.await_turn(apart_ns);
        }
    }

    #[cold]
    fn await_turn(&mut self, apart_ns: u64) {
        self.begun += 1;
        let due_ns = self.begun.saturating_mul(apart_ns);
        self.wait_until(self.origin_ns.saturating_add(due_ns));
    }

    /// An operation that was due at `due_ns` ended now.
    pub fn op_due(&mut self, kind: Kind, bytes: u64, due_ns: u64) {
        self.pass();
        self.count(kind, self.now_ns.saturating_sub(due_ns), bytes);
    }

    /// An operation that took `ns`, of several that were timed together.
    pub fn count(&mut self, kind: Kind, ns: u64, bytes: u64) {
        self.ios += 1;
        self.recorder.record(kind, ns, bytes);
    }

    pub fn flush(&mut self) {
        let ns = self.pass();
        self.flush_ns += ns;
        self.count(Kind::Flush, ns, 0);
    }

    pub fn close(&mut self) -> u64 {
        let ns = self.pass();
        self.close_ns += ns;
        ns
    }

    /// Data was made, or something else that is no part of the work, until now.
    pub fn made(&mut self) {
        let ns = self.pass();
        self.making_ns += ns;
    }

    /// The data of a write were made until now, or only its tags.
    pub fn made_data(&mut self, is_pooled: bool) {
        self.made();
        self.pooled_ios += u64::from(is_pooled);
    }

    pub fn wait_until(&mut self, due_ns: u64) {
        self.clock.sleep_until(due_ns);
        let ns = self.pass();
        self.idle_ns += ns;
    }

    /// Time passed that belongs to whatever is recorded next by hand.
    pub fn pass(&mut self) -> u64 {
        let now_ns = self.clock.now_ns();
        let ns = now_ns - self.now_ns;
        self.now_ns = now_ns;
        if now_ns >= self.next_check_ns {
            let (counts, next_ns) = self.recorder.end_window(now_ns - self.origin_ns);
            self.live.publish(counts, self.lane);
            self.next_check_ns = self.origin_ns + next_ns;
        }
        ns
    }

    pub fn elapsed_ns(&self) -> u64 {
        self.now_ns - self.origin_ns
    }

    pub fn longest_ns(&self, kind: Kind) -> u64 {
        self.recorder.tally(kind).map_or(0, |t| t.row.max_ns)
    }

    /// Whether the part has had its time and its operations; without a time one pass is all.
    pub fn is_over(&self) -> bool {
        let had_time = self.job.runtime_ns.is_none_or(|ns| self.elapsed_ns() >= ns);
        had_time && self.ios >= self.job.min_ios || self.is_cut_off()
    }

    /// The same after a unit of work that may be the last of those in which the drive settles.
    pub fn ends_unit(&mut self) -> bool {
        let is_over = self.is_over();
        if is_over && self.is_settling && self.job.runtime_ns.is_some() {
            self.begin_to_count();
            return self.live.should_stop();
        }
        is_over
    }

    /// What was done so far does not count; the clock goes on.
    pub fn begin_to_count(&mut self) {
        self.is_settling = false;
        self.recorder.take();
        (self.usage, self.usage_at) = (Usage::default(), Usage::now());
        let now = self.counters.map(Counters::now).unwrap_or_default();
        self.moved_settling = self.moved.plus(now.since(self.counted_at));
        (self.moved, self.counted_at) = (Moved::default(), now);
        (self.flush_ns, self.close_ns, self.making_ns, self.idle_ns) = (0, 0, 0, 0);
        (self.pooled_ios, self.ios) = (0, 0);
        self.now_ns = self.clock.now_ns();
        self.origin_ns = self.now_ns;
        self.next_check_ns = self.now_ns + self.recorder.first_window_ns();
    }

    #[inline]
    pub fn is_cut_off(&self) -> bool {
        self.elapsed_ns() >= self.job.time_limit_ns.unwrap_or(u64::MAX) || self.live.should_stop()
    }

    /// Does passes, each with [`Meter::resume`] and [`Meter::pause`] inside, until it is over.
    pub fn repeat(
        &mut self,
        mut pass: impl FnMut(&mut Self) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        loop {
            pass(self)?;
            if self.ends_unit() || self.job.runtime_ns.is_none() {
                return Ok(());
            }
        }
    }

    /// The part's numbers.
    pub fn finish(self) -> Measurement {
        let used = (self.usage, self.moved);
        self.finish_with(Vec::new(), used)
    }

    /// The numbers of a part that this and `rest`, in threads of their own, did together.
    pub fn finish_with(
        mut self,
        rest: Vec<Meter<'_>>,
        (usage, moved): (Usage, Moved),
    ) -> Measurement {
        let (job, clock, cost) = (self.job.clone(), self.clock, self.cost);
        let all = self.moved_settling.plus(moved);
        let drive_writes = self.counters.and_then(|counters| counters.drive_writes(all));
        let mut making_ns = self.making_ns;
        let (report, end) = self.end();
        let (mut reports, mut ends) = (vec![report], vec![end]);
        for mut meter in rest {
            making_ns += meter.making_ns;
            let (report, end) = meter.end();
            reports.push(report);
            ends.push(end);
        }
        let making_ns = making_ns / ends.len() as u64;
        let whole = report::added_up(reports, cost, usage);
        let engine = EngineName::Psync;
        let circumstances = Circumstances { engine, cost, clock, findings: Vec::new() };
        let mut measurement = report::measurement(&job, &whole, ends, circumstances);
        measurement.tool_ns += making_ns;
        measurement.device_read_bytes = moved.read_bytes;
        measurement.wrote_bytes = moved.written_bytes;
        measurement.drive_writes = drive_writes;
        measurement
    }

    pub fn end(&mut self) -> (Report, LaneEnd) {
        let (ops, windows) = self.recorder.end();
        let due = self.apart_ns.map_or(0, |apart_ns| self.elapsed_ns() / apart_ns);
        let end = LaneEnd {
            windows: Some(windows),
            backlog: self.backlog.max(due.saturating_sub(self.begun)),
            batch_max: 1,
            turn_ns: 0,
            huge: false,
            trace: None,
        };
        (Report { ops, ..self.so_far() }, end)
    }

    /// What was done so far, but for operations.
    pub fn so_far(&self) -> Report {
        let other_ns = self.flush_ns + self.close_ns + self.making_ns + self.idle_ns;
        Report {
            monotonic_ns: self.origin_ns,
            elapsed_ns: self.elapsed_ns(),
            data_ns: self.elapsed_ns().saturating_sub(other_ns),
            flush_ns: self.flush_ns,
            close_ns: self.close_ns,
            pooled_ios: self.pooled_ios,
            ..Report::default()
        }
    }
}
