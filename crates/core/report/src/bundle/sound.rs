//! Whether an event from outside holds values a measurement can give.
//!
//! Everything that analyses, draws or words a run may rely on these bounds: sums over a run stay
//! inside 64 bits, indices and divisions are defined, names are short and unique. Events that were
//! recorded here are not checked again; they come from our own engine.

use bakeoff_model::candidate::Candidate;
use bakeoff_model::ceiling::Ceilings;
use bakeoff_model::event::{Cell, Event, What};
use bakeoff_model::job::Job;
use bakeoff_model::measurement::{Measurement, OpStats};
use bakeoff_model::protocol::{Mode, Protocol};
use bakeoff_model::telemetry::Telemetry;
use bakeoff_model::workload::Workload;
use bakeoff_stats::distinct;

/// Most operations of one kind in a cell; 2^20 such cells still add up in 64 bits.
const COUNT: u64 = 1 << 40;
/// Most bytes in a cell: 1 PiB.
const BYTES: u64 = 1 << 50;
/// Longest time anywhere: 36 years in nanoseconds.
const TIME_NS: u64 = 1 << 60;
const ITEMS: usize = 256;
const STRETCHES: usize = 4096;
/// Most devices, CPUs, clocks, temperatures, threads or lines of log.
const SERIES: usize = 1024;
/// Most slices tried to find the length of those of a workload.
const TRIED: usize = 16 * ITEMS;
const LAYERS_MAX: usize = 4096;
/// Longest name, bytes: 40 characters of the longest kind.
const NAME_BYTES: usize = 160;

pub(super) fn check(event: &Event) -> Result<(), &'static str> {
    ensure(event.elapsed_ns <= TIME_NS, "the run lasts many years")?;
    match &event.what {
        What::Started(h) => check_plan(&h.protocol, &h.candidates, &h.workloads),
        What::Rehearsed(r) => {
            let times = r.visit_ns.max(r.block_ns).max(r.calibration_ns);
            ensure(times <= TIME_NS, "a block lasts many years")?;
            let bytes = r.file_bytes.max(r.block_write_bytes).max(r.expected_write_bytes);
            ensure(bytes <= BYTES, "a step writes more than 1 PiB")?;
            check_plan(&r.protocol, &r.candidates, &r.workloads)
        }
        What::Calibrated(found) => {
            let rates = found.tried.iter().flat_map(|t| [Some(t.rate), t.settling_rate]);
            ensure(rates.flatten().all(is_rate), "a calibrated rate is out of range")?;
            let times = found.tried.iter().flat_map(|t| [t.elapsed_ns, t.settling_ns]);
            let longest = times.chain([found.longest_ns, found.length.unit_ns]).max();
            ensure(longest <= Some(TIME_NS), "a calibrated slice lasts many years")?;
            ensure(found.tried.len() <= TRIED, "more slices were tried than there can be")
        }
        What::Filled(of) => {
            let bytes = of.tree.bytes.max(of.tree.written_bytes).max(of.data_bytes);
            ensure(bytes <= BYTES, "a filesystem is filled with more than 1 PiB")?;
            ensure(of.tree.files <= COUNT, "more files than a filesystem can have")
        }
        What::CellDone(cell) => check_cell(cell),
        What::Ceilings(ceilings) => check_ceilings(ceilings),
        What::BlockStarted { order, .. } => {
            let candidates = distinct::sorted(order);
            ensure(candidates.len() == order.len(), "a block names a candidate twice")
        }
        What::Sentinel { bytes_per_s, .. } => {
            ensure(is_rate(*bytes_per_s), "a sentinel rate is out of range")
        }
        What::Extended { .. }
        | What::Owned(_)
        | What::Found(_)
        | What::Watching(_)
        | What::DrivesTold { .. }
        | What::StepPlanned(_)
        | What::StepDone(_)
        | What::StepUndone { .. }
        | What::Surveyed { .. }
        | What::Verified { .. }
        | What::Marked { .. }
        | What::VisitStarted { .. }
        | What::CellInvalid { .. }
        | What::FitMeasured(_)
        | What::BlockDone { .. }
        | What::BlockSuperseded { .. }
        | What::Looked { .. }
        | What::Stopped { .. } => Ok(()),
    }
}

fn ensure(holds: bool, else_say: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(else_say) }
}

fn is_rate(value: f64) -> bool {
    (0.0..=1e18).contains(&value)
}

fn check_plan(
    protocol: &Protocol,
    candidates: &[Candidate],
    workloads: &[Workload],
) -> Result<(), &'static str> {
    let names = candidates.iter().map(|c| c.name.as_str()).collect();
    check_names(names, "more than 256 candidates, or a name is empty, too long or used twice")?;
    let names = workloads.iter().map(|w| w.name.as_str()).collect();
    check_names(names, "more than 256 workloads, or a name is empty, too long or used twice")?;
    let all = workloads.iter().flat_map(|w| [Some(w), w.beside.as_deref()]).flatten();
    all.into_iter().try_for_each(|w| check_job(&w.job))?;
    check_protocol(protocol)
}

fn check_names(names: Vec<&str>, say: &'static str) -> Result<(), &'static str> {
    let lengths = names.iter().all(|n| (1..=NAME_BYTES).contains(&n.len()));
    let count = names.len();
    ensure(count <= ITEMS && distinct::sorted(names).len() == count && lengths, say)
}

fn check_protocol(p: &Protocol) -> Result<(), &'static str> {
    let nothing_ties = p.mode == Mode::Characterise && p.tie_margin == 0.0;
    let is_margin = p.tie_margin > 0.0 && p.tie_margin < 1.0;
    ensure(is_margin || nothing_ties, "the tie margin is not between 0 and 1")?;
    ensure(p.alpha > 0.0 && p.alpha < 1.0, "alpha is not between 0 and 1")?;
    ensure(p.k <= ITEMS as u32, "more than 256 candidates to correct for")?;
    let ascending = p.looks.windows(2).all(|pair| pair[0] < pair[1]);
    let positive = p.looks.first().is_none_or(|first| *first > 0);
    ensure(positive && ascending && p.looks.len() <= ITEMS, "the looks are not ascending")
}

fn check_job(job: &Job) -> Result<(), &'static str> {
    ensure((1..=1 << 30).contains(&job.bs), "a block size is not between 1 byte and 1 GiB")?;
    ensure((1..=BYTES).contains(&job.size), "a file is empty or larger than 1 PiB")?;
    ensure(job.iodepth > 0 && job.numjobs > 0, "a job has no I/O in flight")?;
    ensure(job.rwmixread <= 100, "a job reads more than 100 %")
}

fn check_cell(cell: &Cell) -> Result<(), &'static str> {
    ensure(cell.began_ns <= TIME_NS, "a cell began after many years")?;
    cell.telemetry.as_deref().map_or(Ok(()), check_telemetry)?;
    cell.beside.as_deref().map_or(Ok(()), check_measurement)?;
    check_measurement(&cell.measurement)
}

fn check_ceilings(of: &Ceilings) -> Result<(), &'static str> {
    ensure(of.measured.len() <= LAYERS_MAX && of.skipped.len() <= LAYERS_MAX, "too many ceilings")?;
    let rates = of.measured.iter().all(|r| is_rate(r.rate) && is_rate(r.bytes_per_s));
    ensure(rates, "a ceiling is out of range")
}

/// Lengths agree, times ascend, and nothing adds up to more than 64 bits.
fn check_telemetry(of: &Telemetry) -> Result<(), &'static str> {
    let ascends = |ends: &[u64]| ends.windows(2).all(|pair| pair[0] <= pair[1]);
    let is_sane =
        |ends: &[u64]| ends.len() <= STRETCHES && ends.last().is_none_or(|e| *e <= TIME_NS);
    let clocks = [&of.fast_ns, &of.slow_ns];
    ensure(clocks.iter().all(|c| ascends(c) && is_sane(c)), "telemetry is out of order")?;
    let starts = [of.start_ns, of.slow_start_ns];
    ensure(starts.iter().all(|s| s.unsigned_abs() <= TIME_NS), "telemetry spans many years")?;
    let counts = [of.devices.len(), of.cpus.len(), of.frequency_khz.len()];
    let more = [of.temperature_mc.len(), of.log.len(), of.power.len()];
    ensure(counts.iter().chain(&more).all(|n| *n <= SERIES), "telemetry has too many series")?;
    let fits = |series: &[u64], ends: &[u64]| {
        (series.is_empty() || series.len() == ends.len()) && series.iter().all(|v| *v <= BYTES)
    };
    let drives = of.devices.iter().all(|d| {
        let all = [&d.reads, &d.read_bytes, &d.read_ms, &d.writes, &d.written_bytes, &d.write_ms];
        let rest = [&d.in_flight, &d.queue_ms, &d.flushes, &d.flush_ms];
        all.into_iter().chain(rest).all(|series| fits(series, &of.fast_ns))
    });
    let cpus = of.cpus.iter().all(|c| {
        let all = [&c.user_ms, &c.system_ms, &c.interrupt_ms, &c.steal_ms];
        all.iter().all(|series| series.is_empty() || series.len() == of.fast_ns.len())
    });
    let gauges = of.frequency_khz.iter().chain(&of.temperature_mc);
    let slow = gauges.map(|g| &g.values).chain(of.power.iter().map(|p| &p.energy_uj));
    let pressure = of
        .pressure
        .iter()
        .flat_map(|p| [&p.cpu_some_us, &p.io_some_us, &p.io_full_us, &p.memory_some_us]);
    let memory = of.memory.iter().flat_map(|m| [&m.dirty_bytes, &m.writeback_bytes]);
    let slow = slow.chain(pressure).chain(memory).all(|series| fits(series, &of.slow_ns));
    let times = of.cost.cpu_ns <= TIME_NS;
    ensure(drives && cpus && slow && times, "telemetry series differ in length")
}

fn check_measurement(m: &Measurement) -> Result<(), &'static str> {
    check_job(&m.job)?;
    let times = [m.elapsed_ns, m.data_ns, m.flush_ns, m.close_ns, m.usr_cpu_ns, m.sys_cpu_ns];
    let longest = times.into_iter().chain([m.tool_ns]).chain(m.waited_ns).max();
    ensure(m.elapsed_ns > 0 && longest <= Some(TIME_NS), "a cell lasts no time or many years")?;
    m.ops().try_for_each(|(_, stats)| check_ops(stats))?;
    let worn = m.drive_writes.unwrap_or_default();
    let most = worn.asked_bytes.max(worn.reached_bytes).max(worn.flushes.unwrap_or(0));
    ensure(most <= BYTES, "a cell made more than 1 PiB reach the drive")?;
    let mut began_ns = 0u64;
    for window in &m.windows {
        ensure(window.start_ns >= began_ns, "windows are out of order")?;
        began_ns = window.start_ns;
        let end_ns = window.start_ns.saturating_add(window.len_ns);
        ensure(window.len_ns > 0 && end_ns <= TIME_NS, "a window lasts no time or many years")?;
        let bytes = window.read_bytes.max(window.write_bytes);
        ensure(bytes <= BYTES && window.ios <= COUNT, "a window has too many operations")?;
    }
    Ok(())
}

fn check_ops(stats: &OpStats) -> Result<(), &'static str> {
    ensure(
        stats.total_ios <= COUNT && stats.io_bytes <= BYTES,
        "a cell has too many operations or bytes",
    )?;
    ensure(is_rate(stats.iops) && is_rate(stats.bw_bytes_per_s), "a rate is out of range")?;
    ensure(stats.lat_ns.mean >= 0.0 && stats.lat_ns.max <= TIME_NS, "a latency is out of range")?;
    let (mut below, mut total) = (None, 0u64);
    for &(value_ns, count) in &stats.histogram.buckets {
        ensure(below < Some(value_ns) && value_ns <= TIME_NS, "a histogram is out of order")?;
        ensure((1..=COUNT).contains(&count), "a histogram has an empty or huge bucket")?;
        (below, total) = (Some(value_ns), total.saturating_add(count));
    }
    ensure(total <= COUNT, "a histogram has too many operations")
}
