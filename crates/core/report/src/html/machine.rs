//! The machine during the cells: one time axis for the whole run, in numbers for the chart and in
//! a table for readers without it.
//!
//! What is drawn comes from what was recorded with each cell. A run of many cells is thinned, so
//! that the page stays small: neighbouring stretches are put together, as the sampler does when its
//! memory is full.

use serde::Serialize;

use crate::bottleneck;
use crate::document::{Table, candidates, number, words};
use crate::run_document::{Question, candidate_name};
use bakeoff_judge::diagnose;
use bakeoff_model::event::Cell;
use bakeoff_model::index::BlockIx;
use bakeoff_model::measurement::Window;
use bakeoff_model::run::{BlockState, Run};
use bakeoff_model::telemetry::{CpuSeries, DeviceSeries, Gauge, Telemetry};
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// Stretches of all cells together that a page holds, on either clock.
const STRETCHES: usize = 12_000;
const CPUS: usize = 16;

/// Nanoseconds of a millisecond and of a microsecond.
const MS: f64 = 1e6;
const US: f64 = 1e3;

/// What the chart of a run draws.
#[derive(Debug, Default, Serialize)]
pub struct MachineData {
    /// Cells that were watched, in the order they were measured.
    pub cells: Vec<CellData>,
    /// Numbers of the CPUs in [`CellData::cpus`].
    pub cpus: Vec<u32>,
}

#[derive(Debug, Serialize)]
pub struct CellData {
    pub question: usize,
    pub candidate: usize,
    pub block: BlockIx,
    pub at_ms: u64,
    /// (end of the window in ms of the cell, bytes a second), from the load generator.
    pub moved: Vec<(u64, u64)>,
    pub fast_ms: Vec<u64>,
    /// Mean time of a request at the device the filesystem stands on, microseconds; `None`
    /// where none ended.
    pub wait_us: Vec<Option<u64>>,
    pub queue: Vec<u64>,
    /// For each CPU the share of the stretch it was busy, percent.
    pub cpus: Vec<Vec<u64>>,
    pub slow_ms: Vec<u64>,
    /// Shares of the time somebody waited for CPU, I/O and memory, and everybody for I/O, percent.
    pub pressure: Vec<Vec<u64>>,
    pub dirty: Vec<u64>,
    pub celsius: Vec<u64>,
    pub mhz: Vec<u64>,
}

/// Cells of complete blocks that were watched, with the index of their question.
fn watched<'a>(
    run: &'a Run,
    questions: &'a [Question],
) -> impl Iterator<Item = (usize, &'a Cell, &'a Telemetry)> {
    let blocks = run.blocks.iter().filter(|b| b.state != BlockState::Superseded);
    blocks.flat_map(|b| &b.cells).filter_map(move |cell| {
        let question = questions.iter().position(|q| q.index == Some(cell.workload))?;
        Some((question, cell, cell.telemetry.as_deref()?))
    })
}

/// The chart's numbers.
pub fn data(run: &Run, questions: &[Question]) -> MachineData {
    let count = watched(run, questions).count().max(1);
    let most = (STRETCHES / count).clamp(4, 200);
    let cpus = busiest(watched(run, questions).map(|(_, _, t)| t));
    let cell = |(question, cell, t): (usize, &Cell, &Telemetry)| {
        cell_data((question, usize::from(cell.candidate)), cell, t, &cpus, most)
    };
    MachineData { cells: watched(run, questions).map(cell).collect(), cpus }
}

/// The CPUs that did most, in the order of their numbers.
fn busiest<'a>(all: impl Iterator<Item = &'a Telemetry>) -> Vec<u32> {
    let busy = all.flat_map(|t| &t.cpus).map(|s| (s.cpu, busy_ms(s).iter().sum::<u64>()));
    let total = phrases::grouped(busy).into_iter().map(|(cpu, ms)| (cpu, ms.iter().sum()));
    let mut total: Vec<(u32, u64)> = total.collect();
    total.sort_by_key(|(cpu, busy)| (u64::MAX - busy, *cpu));
    let mut cpus: Vec<u32> = total.iter().take(CPUS).map(|(cpu, _)| *cpu).collect();
    cpus.sort_unstable();
    cpus
}

/// Milliseconds each stretch kept a CPU busy. Waiting for I/O is idle time.
fn busy_ms(cpu: &CpuSeries) -> Vec<u64> {
    let at = |series: &[u32], i: usize| u64::from(series.get(i).copied().unwrap_or(0));
    (0..cpu.user_ms.len())
        .map(|i| {
            at(&cpu.user_ms, i)
                + at(&cpu.system_ms, i)
                + at(&cpu.interrupt_ms, i)
                + at(&cpu.steal_ms, i)
        })
        .collect()
}

fn cell_data(
    (question, candidate): (usize, usize),
    cell: &Cell,
    t: &Telemetry,
    cpus: &[u32],
    most: usize,
) -> CellData {
    let fast = Stretches::from_ends(t.start_ns, &t.fast_ns, most);
    let slow = Stretches::from_ends(t.slow_start_ns, &t.slow_ns, most);
    let top = t.devices.first();
    let cpu = |number: &u32| {
        let series = t.cpus.iter().find(|c| c.cpu == *number);
        series.map_or(Vec::new(), |c| fast.share(&busy_ms(c), MS))
    };
    let pressure = t.pressure.as_ref();
    let percent = |us: &[u64]| slow.share(us, US);
    CellData {
        question,
        candidate,
        block: cell.block,
        at_ms: cell.began_ns / 1_000_000,
        moved: moved(cell, most),
        wait_us: top.map_or(Vec::new(), |d| wait_us(d, &fast)),
        queue: top.map_or(Vec::new(), |d| fast.percent(&d.queue_ms, MS)),
        cpus: cpus.iter().map(cpu).collect(),
        pressure: pressure.map_or(Vec::new(), |p| {
            [&p.cpu_some_us, &p.io_some_us, &p.memory_some_us, &p.io_full_us]
                .map(|us| percent(us))
                .to_vec()
        }),
        dirty: t.memory.as_ref().map_or(Vec::new(), |m| {
            let sum = |(i, dirty): (usize, &u64)| {
                dirty.saturating_add(m.writeback_bytes.get(i).copied().unwrap_or(0)) / 1_000_000
            };
            slow.most(&m.dirty_bytes.iter().enumerate().map(sum).collect::<Vec<u64>>())
        }),
        celsius: slow.most(&across(&t.temperature_mc, u64::max, 1000)),
        mhz: slow.least(&across(&t.frequency_khz, u64::min, 1000)),
        fast_ms: fast.ends_ms(),
        slow_ms: slow.ends_ms(),
    }
}

fn moved(cell: &Cell, most: usize) -> Vec<(u64, u64)> {
    // Of the last window next to nothing is left: one operation in it would be a peak.
    let windows = match cell.measurement.windows.as_slice() {
        [whole @ .., last] if whole.last().is_some_and(|w| last.len_ns < w.len_ns / 2) => whole,
        all => all,
    };
    let step = windows.len().div_ceil(most).max(1);
    let one = |part: &[Window]| {
        let bytes: u64 = part.iter().map(|w| w.read_bytes.saturating_add(w.write_bytes)).sum();
        let len_ns: u64 = part.iter().map(|w| w.len_ns).sum();
        let end_ns = part.last().map_or(0, |w| w.start_ns.saturating_add(w.len_ns));
        (end_ns / 1_000_000, (bytes as f64 * 1e9 / len_ns.max(1) as f64) as u64)
    };
    windows.chunks(step).map(one).collect()
}

fn wait_us(device: &DeviceSeries, fast: &Stretches) -> Vec<Option<u64>> {
    let both = |a: &[u64], b: &[u64]| {
        let sum: Vec<u64> = a.iter().zip(b).map(|(a, b)| a.saturating_add(*b)).collect();
        fast.sums(&sum)
    };
    let ms = both(&device.read_ms, &device.write_ms);
    let ended = both(&device.reads, &device.writes);
    let mean = |(ms, n): (&u64, &u64)| (*n > 0).then(|| ms.saturating_mul(1000) / n);
    ms.iter().zip(&ended).map(mean).collect()
}

fn across(gauges: &[Gauge], pick: fn(u64, u64) -> u64, per: u64) -> Vec<u64> {
    let longest = gauges.iter().map(|g| g.values.len()).max().unwrap_or(0);
    let at = |i: usize| gauges.iter().filter_map(|g| g.values.get(i).copied()).reduce(pick);
    (0..longest).filter_map(at).map(|v| v / per).collect()
}

/// The stretches of one clock, as many put together as it takes to have few enough.
struct Stretches {
    step: usize,
    /// (end in ns of the cell, length in ns), put together.
    spans: Vec<(u64, u64)>,
}

impl Stretches {
    fn from_ends(start_ns: i64, ends_ns: &[u64], most: usize) -> Stretches {
        let step = ends_ns.len().div_ceil(most.max(1)).max(1);
        let mut begin = start_ns;
        let span = |part: &[u64]| {
            let end = part.last().copied().unwrap_or(0);
            let length = (i64::try_from(end).unwrap_or(i64::MAX)).saturating_sub(begin).max(1);
            begin = i64::try_from(end).unwrap_or(i64::MAX);
            (end, length.unsigned_abs())
        };
        Stretches { step, spans: ends_ns.chunks(step).map(span).collect() }
    }

    fn ends_ms(&self) -> Vec<u64> {
        self.spans.iter().map(|(end, _)| end / 1_000_000).collect()
    }

    fn sums(&self, values: &[u64]) -> Vec<u64> {
        values.chunks(self.step).map(|part| part.iter().sum()).collect()
    }

    fn most(&self, values: &[u64]) -> Vec<u64> {
        values.chunks(self.step).filter_map(|part| part.iter().max().copied()).collect()
    }

    fn least(&self, values: &[u64]) -> Vec<u64> {
        values.chunks(self.step).filter_map(|part| part.iter().min().copied()).collect()
    }

    /// Time in each stretch as percent of its length, in units of `unit_ns`.
    fn percent(&self, time: &[u64], unit_ns: f64) -> Vec<u64> {
        let share = |(time, (_, len_ns)): (u64, &(u64, u64))| {
            libm::round(time as f64 * unit_ns * 100.0 / *len_ns as f64) as u64
        };
        self.sums(time).into_iter().zip(&self.spans).map(share).collect()
    }

    /// The same of what cannot take longer than the stretch: the kernel counts in ticks, of which
    /// one may belong to the stretch before.
    fn share(&self, time: &[u64], unit_ns: f64) -> Vec<u64> {
        self.percent(time, unit_ns).into_iter().map(|percent| percent.min(100)).collect()
    }
}

/// A row for each cell that was watched: means over the cell, the hottest sensor, the lowest clock,
/// and the bottleneck.
pub fn table(run: &Run, questions: &[Question]) -> Table {
    let columns = [
        number("block"),
        candidates("candidate"),
        words("workload"),
        number("queue"),
        number("time per request"),
        number("busiest CPU"),
        number("waiting for I/O"),
        number("hottest"),
        number("clock"),
        words("bottleneck"),
    ];
    Table::new(columns, watched(run, questions).map(|(_, cell, t)| row(run, cell, t)))
}

fn row(run: &Run, cell: &Cell, t: &Telemetry) -> Vec<String> {
    let of = cell_data((0, 0), cell, t, &busiest(std::iter::once(t)), 1);
    let workload = cell.workload.get(&run.header.workloads);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
    let first = |values: &[u64]| values.first().copied();
    let wait = of.wait_us.first().copied().flatten();
    let busiest = of.cpus.iter().zip(busiest(std::iter::once(t)));
    let busiest = busiest.filter_map(|(share, cpu)| Some((first(share)?, cpu))).max();
    vec![
        cell.block.to_string(),
        candidate_name(run, cell.candidate),
        workload.map_or(String::new(), |w| w.name.clone()),
        or_dash(first(&of.queue).map(|q| format!("{}.{:02}", q / 100, q % 100))),
        or_dash(wait.map(|us| units::latency(us.saturating_mul(1000)))),
        or_dash(busiest.map(|(share, cpu)| format!("{share} % (CPU {cpu})"))),
        or_dash(of.pressure.get(1).and_then(|p| first(p)).map(|p| format!("{p} %"))),
        or_dash(first(&of.celsius).map(|c| format!("{c} °C"))),
        or_dash(first(&of.mhz).map(|mhz| format!("{mhz} MHz"))),
        or_dash(diagnose::cell(run, cell).map(|reason| bottleneck::of_one(&reason))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_document::RunDocument;
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_judge::testing::causes::quiet;

    fn run(stretches: u64) -> Run {
        let watch: fn(&mut Cell, u64) = |cell, n| {
            cell.telemetry = Some(Box::new(quiet(n, 0.85)));
        };
        let mut run = RunBuilder::directories(&["/a", "/b"]).play(5, |_, _, _| 900.0).build();
        run.blocks.iter_mut().flat_map(|b| &mut b.cells).for_each(|c| watch(c, stretches));
        run
    }

    fn questions() -> Vec<Question> {
        let run = run(4);
        RunDocument::new(&run, &bakeoff_judge::analyse::analyse(&run)).questions
    }

    #[test]
    fn what_was_recorded_is_drawn() {
        let data = data(&run(20), &questions());
        assert_eq!((data.cells.len(), data.cpus.as_slice()), (6, &[0, 1][..]));
        let cell = &data.cells[3];
        assert_eq!((cell.fast_ms.len(), cell.slow_ms.len()), (20, 4));
        assert_eq!((cell.fast_ms[1], cell.queue[1], cell.wait_us[1]), (200, 85, Some(850)));
        assert_eq!(cell.cpus[1][7], 10);
        assert_eq!(cell.pressure[1], [80; 4], "400 of 500 ms");
        assert!(cell.mhz.is_empty() && cell.celsius.is_empty(), "not on this machine");
        assert!(data.cells.windows(2).all(|pair| pair[0].at_ms <= pair[1].at_ms));
    }

    #[test]
    fn the_rest_of_a_window_is_no_peak_and_a_core_is_never_busier_than_all_the_time() {
        let mut run = run(20);
        let cell = &mut run.blocks[0].cells[0];
        let window = |start_ns, len_ns, write_bytes| Window {
            start_ns,
            len_ns,
            write_bytes,
            ..Window::default()
        };
        let hundred = 100_000_000;
        let windows = vec![window(0, hundred, 100), window(hundred, hundred, 100)];
        cell.measurement.windows = windows.clone();
        assert_eq!(moved(cell, 200), [(100, 1000), (200, 1000)]);
        cell.measurement.windows.push(window(2 * hundred, hundred / 1000, 100));
        assert_eq!(moved(cell, 200), [(100, 1000), (200, 1000)]);
        cell.telemetry.as_mut().unwrap().cpus[0].user_ms.fill(110);
        assert_eq!(data(&run, &questions()).cells[0].cpus[0], [100; 20]);
    }

    #[test]
    fn a_long_run_is_thinned_and_keeps_its_means() {
        let data = data(&run(4000), &questions());
        let cell = &data.cells[0];
        assert!(cell.fast_ms.len() <= 200 && cell.moved.len() <= 200, "{}", cell.fast_ms.len());
        assert_eq!(cell.fast_ms.last(), Some(&400_000));
        assert!(cell.queue.iter().all(|q| *q == 85) && cell.cpus[0].iter().all(|p| *p == 10));
        assert_eq!(cell.queue.len(), cell.fast_ms.len());
    }

    #[test]
    fn a_line_of_the_table_says_what_the_chart_shows() {
        let table = table(&run(20), &questions());
        let row = &table.rows[1];
        assert_eq!(row[3..9], ["0.85", "850 µs", "10 % (CPU 1)", "80 %", "-", "-"]);
        assert!(row[9].contains('('), "{row:?}");
    }
}
