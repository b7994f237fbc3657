//! Watches the machine while a cell is measured, at a cost that is itself measured.
//!
//! A thread of the runner, never of the process that measures. It sleeps between cells. Rows go into
//! rings of fixed size: nothing is allocated and nothing is written while it samples, and the runner
//! takes a cell's part out after the cell.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use bakeoff_machine::telemetry::cell_telemetry::cell_telemetry;
use bakeoff_machine::telemetry::layout::Device;
use bakeoff_machine::telemetry::ring::RowRing;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::telemetry::{Telemetry, TelemetryCost, Watching};
use rustix::time::{ClockId, clock_gettime};

use crate::host::{Sources, monotonic_ns as now_ns};

const DEVICES: usize = 16;
/// Memory of the fast rows, and the most and fewest of them.
const FAST_BYTES: usize = 768 << 10;
const FAST_ROWS: (usize, usize) = (128, 1024);
const SLOW_ROWS: usize = 512;
const STACK_BYTES: usize = 128 << 10;

/// Two rates: for drives and CPUs, and for the rest, as a multiple.
#[derive(Clone, Copy, Debug)]
struct SamplePace {
    fast_ns: u64,
    slow_every: u64,
}

impl SamplePace {
    /// 10 and 2 times a second; 4 times and once where the only CPU is the workload's.
    fn for_cpus(cpus: usize) -> SamplePace {
        match cpus {
            0 | 1 => SamplePace { fast_ns: 250_000_000, slow_every: 4 },
            _ => SamplePace { fast_ns: 100_000_000, slow_every: 5 },
        }
    }
}

pub struct Sampler {
    shared: Arc<SharedSamples>,
    thread: Option<JoinHandle<()>>,
}

struct SharedSamples {
    state: Mutex<Samples>,
    changed: Condvar,
}

/// Rows of everything that is watched, in rings of fixed size.
pub struct Samples {
    sources: Sources,
    pace: SamplePace,
    is_active: bool,
    is_over: bool,
    fast: RowRing,
    slow: RowRing,
    row: Vec<u64>,
    ticks: u64,
    last_ns: u64,
    began_ns: u64,
    cost: TelemetryCost,
    cpu_before_ns: Option<u64>,
}

impl Sampler {
    /// Opens every source and starts the thread, which waits for the first cell.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start() -> std::io::Result<Sampler> {
        let state = Mutex::new(Samples::open());
        let shared = Arc::new(SharedSamples { state, changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let builder = Builder::new().name("sampler".to_string()).stack_size(STACK_BYTES);
        let thread = builder.spawn(move || own.run())?;
        Ok(Sampler { shared, thread: Some(thread) })
    }

    pub fn watching(&self) -> Watching {
        Watching { missing: self.shared.lock().sources.missing.clone() }
    }

    pub fn begin(&self, devices: &[Device]) {
        let mut state = self.shared.lock();
        state.begin(&devices[..devices.len().min(DEVICES)]);
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Takes a row of everything now, so that what comes before and after can be told apart: the
    /// edge of a slice, on `CLOCK_MONOTONIC`.
    pub fn mark(&self) -> u64 {
        self.shared.lock().mark()
    }

    /// What belongs to the slices between these marks, as if they had followed each other without
    /// a gap.
    pub fn of_spans(&self, spans: &[(u64, u64)]) -> Telemetry {
        self.shared.lock().within(spans)
    }

    /// Stops watching until the next cell; what was seen stays.
    pub fn pause(&self) {
        self.shared.lock().pause();
    }

    /// What belongs to a measurement made since [`Sampler::begin`]; `None` when it does not say
    /// when it began.
    pub fn telemetry(&self, measurement: &Measurement) -> Option<Telemetry> {
        let from_ns = measurement.monotonic_ns?;
        let to_ns = from_ns.saturating_add(measurement.elapsed_ns);
        Some(self.shared.lock().between(from_ns, to_ns))
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A sampler that panicked has reported it; there is nothing to undo.
            let _ = thread.join();
        }
    }
}

impl SharedSamples {
    /// A panic while sampling leaves rows behind that are whole.
    fn lock(&self) -> MutexGuard<'_, Samples> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread: a look, then sleep until the next one is due.
    fn run(&self) {
        let mut due_ns = 0;
        let mut state = self.lock();
        while !state.is_over {
            if !state.is_active {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                due_ns = now_ns();
                continue;
            }
            let now = now_ns();
            if now >= due_ns {
                state.tick(now);
                // A late look is not made up for by two in a row.
                due_ns = now_ns().max(due_ns + state.pace.fast_ns);
            }
            let pause = Duration::from_nanos(due_ns.saturating_sub(now_ns()).max(1));
            let waited = self.changed.wait_timeout(state, pause);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Samples {
    /// Opens every source.
    pub fn open() -> Samples {
        let sources = Sources::open();
        Samples {
            fast: RowRing::new(Vec::new(), 0),
            slow: RowRing::new(Vec::new(), 0),
            row: Vec::new(),
            pace: SamplePace::for_cpus(sources.layout.cpus),
            sources,
            is_active: false,
            is_over: false,
            ticks: 0,
            last_ns: 0,
            began_ns: 0,
            cost: TelemetryCost::default(),
            cpu_before_ns: None,
        }
    }

    pub fn begin(&mut self, devices: &[Device]) {
        if self.sources.layout.devices != devices || self.row.is_empty() {
            self.sources.watch(devices);
            let (fast, slow) =
                (self.sources.layout.fast_columns(), self.sources.layout.slow_columns());
            let (fewest, most) = FAST_ROWS;
            let rows = (FAST_BYTES / (fast.len() * size_of::<u64>())).clamp(fewest, most);
            self.row = vec![0; fast.len().max(slow.len())];
            self.fast = RowRing::new(fast, rows);
            self.slow = RowRing::new(slow, SLOW_ROWS);
        }
        self.fast.clear();
        self.slow.clear();
        self.ticks = 0;
        self.last_ns = now_ns();
        self.began_ns = self.last_ns;
        self.cost = TelemetryCost::default();
        self.cpu_before_ns = None;
        if let Some(log) = &mut self.sources.log {
            log.look();
            log.forget();
        }
        self.look(true, self.last_ns);
        self.is_active = true;
    }

    fn tick(&mut self, now: u64) {
        self.last_ns = now;
        self.ticks += 1;
        let is_slow = self.ticks.is_multiple_of(self.pace.slow_every);
        self.look(is_slow, now);
        self.cost.samples += 1;
        // What the first look and all before it cost is not this cell's.
        let cpu_ns = thread_cpu_ns();
        self.cost.cpu_ns = cpu_ns - *self.cpu_before_ns.get_or_insert(cpu_ns);
    }

    /// Reads the sources into the rings, as rows of that time.
    fn look(&mut self, is_slow: bool, at_ns: u64) {
        let row = &mut self.row[..self.fast.width()];
        row[0] = at_ns;
        self.sources.fast(row);
        self.fast.push(row);
        if !is_slow {
            return;
        }
        let row = &mut self.row[..self.slow.width()];
        row[0] = at_ns;
        self.sources.slow(row);
        self.slow.push(row);
        if let Some(log) = &mut self.sources.log {
            log.look();
        }
    }

    fn pause(&mut self) {
        self.is_active = false;
        self.look(true, now_ns());
    }

    fn mark(&mut self) -> u64 {
        let at_ns = now_ns();
        self.look(true, at_ns);
        at_ns
    }

    /// What happened since the beginning, and how long that is.
    pub fn since_begin(&mut self) -> (Telemetry, u64) {
        let now_ns = self.mark();
        (self.between(self.began_ns, now_ns), now_ns.saturating_sub(self.began_ns))
    }

    fn within(&self, spans: &[(u64, u64)]) -> Telemetry {
        let (fast, slow) = (self.fast.joined(spans), self.slow.joined(spans));
        let mut of = cell_telemetry(&self.sources.layout, &fast, &slow, 0, u64::MAX);
        of.log = self.sources.log.as_ref().map(|log| log.lines()).unwrap_or_default();
        // Watching goes on between the spans, and costs there too.
        let watched_ns: u64 = spans.iter().map(|(from, to)| to.saturating_sub(*from)).sum();
        let share = watched_ns as f64 / self.last_ns.saturating_sub(self.began_ns).max(1) as f64;
        let cpu_ns = (self.cost.cpu_ns as f64 * share.min(1.0)) as u64;
        of.cost = TelemetryCost { cpu_ns, ..self.cost };
        of
    }

    fn between(&self, from_ns: u64, to_ns: u64) -> Telemetry {
        let mut of = cell_telemetry(&self.sources.layout, &self.fast, &self.slow, from_ns, to_ns);
        of.log = self.sources.log.as_ref().map(|log| log.lines()).unwrap_or_default();
        of.cost = self.cost;
        of
    }
}

fn thread_cpu_ns() -> u64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    // It is never negative and lasts 584 years in 64 bits.
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests;
