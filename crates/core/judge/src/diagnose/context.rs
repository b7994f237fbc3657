//! The figures of one cell that causes are recognised by.
//!
//! Shares are of the cell's wall time. %util and iowait are not among them: neither says what a
//! device could do (`Documentation/admin-guide/iostats.rst`, proc(5)).

use bakeoff_model::boards::link;
use bakeoff_model::ceiling::Ceilings;
use bakeoff_model::event::{Cell, Header, Position};
use bakeoff_model::host::{Layer, Place};
use bakeoff_model::job::Job;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::telemetry::{DeviceSeries, Telemetry};
use bakeoff_model::workload::{Metric, Workload};

pub struct CellContext<'a> {
    pub header: &'a Header,
    pub cell: &'a Cell,
    pub workload: &'a Workload,
    pub ceilings: &'a Ceilings,
    pub place: Option<&'a Place>,
    /// How fast the region it is on was read from its start to its end; empty where nobody looked.
    pub positions: Vec<Position>,
}

/// The figure by which a measurement is held against lower layers: its metric, and where that is a
/// latency its data operations a second. 0 where nothing was done.
pub fn pace(metric: Metric, m: &Measurement) -> f64 {
    let metric = if metric.less_is_better() { Metric::Iops } else { metric };
    metric.value(m).unwrap_or(0.0)
}

/// A device over the whole cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    pub requests: f64,
    pub bytes: f64,
    pub queue: f64,
    /// Mean time of a request that moved data, milliseconds.
    pub await_ms: f64,
    pub flush_share: f64,
}

impl<'a> CellContext<'a> {
    pub fn m(&self) -> &'a Measurement {
        &self.cell.measurement
    }

    pub fn job(&self) -> &'a Job {
        &self.cell.measurement.job
    }

    pub fn telemetry(&self) -> Option<&'a Telemetry> {
        self.cell.telemetry.as_deref()
    }

    pub fn wall_ns(&self) -> f64 {
        self.m().elapsed_ns.max(1) as f64
    }

    /// The figure that is held against lower layers, a second.
    pub fn rate(&self) -> f64 {
        pace(self.workload.metric, self.m())
    }

    pub fn in_its_metric(&self, value: f64) -> String {
        self.workload.metric.rate(value)
    }

    pub fn lanes(&self) -> f64 {
        f64::from(self.job().numjobs.max(1))
    }

    pub fn depth(&self) -> f64 {
        self.lanes() * f64::from(self.job().iodepth.max(1))
    }

    pub fn flush_share(&self) -> f64 {
        self.m().flush_ns as f64 / self.wall_ns()
    }

    /// CPU time of the generator for each of its threads: (all, in the kernel).
    pub fn lane_cpu(&self) -> (f64, f64) {
        let m = self.m();
        let per_lane = self.wall_ns() * self.lanes();
        let all = m.usr_cpu_ns.saturating_add(m.sys_cpu_ns) as f64;
        (all / per_lane, m.sys_cpu_ns as f64 / per_lane)
    }

    /// Share of the time a thread of the generator was ready and waited for a CPU; `None` when the
    /// kernel does not count it.
    pub fn waited(&self) -> Option<f64> {
        Some(self.m().waited_ns? as f64 / self.wall_ns())
    }

    /// Time of the fast telemetry, nanoseconds; 0 when there is none.
    pub fn span_ns(&self) -> f64 {
        let last = self.telemetry().and_then(|t| Some((t.start_ns, *t.fast_ns.last()?)));
        last.map_or(0.0, |(start, end)| end as f64 - start as f64)
    }

    pub fn top(&self) -> Option<Totals> {
        self.totals(self.telemetry()?.devices.first()?)
    }

    pub fn disks(&self) -> Option<Totals> {
        let disks = self.telemetry()?.devices.iter().filter(|d| d.is_disk);
        let all: Vec<Totals> = disks.filter_map(|d| self.totals(d)).collect();
        let first = *all.first()?;
        let add = |sum: Totals, next: &Totals| Totals {
            requests: sum.requests + next.requests,
            bytes: sum.bytes + next.bytes,
            queue: sum.queue + next.queue,
            await_ms: sum.await_ms.max(next.await_ms),
            flush_share: sum.flush_share.max(next.flush_share),
        };
        Some(all.iter().skip(1).fold(first, add))
    }

    fn totals(&self, device: &DeviceSeries) -> Option<Totals> {
        let span_ms = self.span_ns() / 1e6;
        let sum = |series: &[u64]| series.iter().fold(0.0, |sum, v| sum + *v as f64);
        let requests = sum(&device.reads) + sum(&device.writes);
        let data_ms = sum(&device.read_ms) + sum(&device.write_ms);
        (span_ms > 0.0).then(|| Totals {
            requests,
            bytes: sum(&device.read_bytes) + sum(&device.written_bytes),
            queue: sum(&device.queue_ms) / span_ms,
            await_ms: if requests > 0.0 { data_ms / requests } else { 0.0 },
            flush_share: sum(&device.flush_ms) / span_ms,
        })
    }

    /// Mean share of all CPUs' time that was not idle; `None` when nobody looked.
    pub fn cpus_busy(&self) -> Option<f64> {
        let cpus = &self.telemetry()?.cpus;
        let busy = |c: &bakeoff_model::telemetry::CpuSeries| -> f64 {
            let all = [&c.user_ms, &c.system_ms, &c.interrupt_ms, &c.steal_ms];
            all.iter().flat_map(|s| s.iter()).map(|ms| f64::from(*ms)).sum()
        };
        let span_ms = self.span_ns() / 1e6;
        let total: f64 = cpus.iter().map(busy).sum();
        (!cpus.is_empty() && span_ms > 0.0).then(|| total / span_ms / cpus.len() as f64)
    }

    /// Largest share of one CPU's time that went to interrupts, with its number.
    pub fn interrupts(&self) -> Option<(u32, f64)> {
        let span_ms = self.span_ns() / 1e6;
        let share = |c: &bakeoff_model::telemetry::CpuSeries| {
            let ms: f64 = c.interrupt_ms.iter().map(|ms| f64::from(*ms)).sum();
            (c.cpu, ms / span_ms.max(1.0))
        };
        self.telemetry()?.cpus.iter().map(share).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Share of the time somebody waited for a CPU.
    pub fn cpu_pressure(&self) -> Option<f64> {
        let t = self.telemetry()?;
        let us: f64 = t.pressure.as_ref()?.cpu_some_us.iter().map(|us| *us as f64).sum();
        let span_ns = *t.slow_ns.last()? as f64 - t.slow_start_ns as f64;
        (span_ns > 0.0).then(|| us * 1e3 / span_ns)
    }

    /// Bytes of data moved by the cell's own calls.
    pub fn own_bytes(&self) -> u64 {
        let m = self.m();
        [&m.read, &m.write, &m.create].into_iter().flatten().map(|s| s.io_bytes).sum()
    }

    /// Bytes a second moved by the cell's own calls.
    pub fn bytes_per_s(&self) -> f64 {
        self.own_bytes() as f64 * 1e9 / self.wall_ns()
    }

    /// What the links of all disks carry at the very most, bytes a second.
    pub fn link_bytes_per_s(&self) -> Option<f64> {
        link::of_place(self.place?)
    }

    pub fn layers(&self) -> impl Iterator<Item = &'a Layer> {
        self.place.into_iter().flat_map(|place| place.disks())
    }

    /// A byte rate in the workload's metric, for layers that know bytes only.
    pub fn in_metric(&self, bytes_per_s: f64) -> f64 {
        match self.workload.metric {
            Metric::Bandwidth => bytes_per_s,
            _ => bytes_per_s / self.job().bs.max(1) as f64,
        }
    }
}
