//! The table of every cell, and the raw windows the charts are drawn from.

use crate::round;
use crate::run_document::{Question, candidate_name};
use bakeoff_model::event::{CacheState, Cell};
use bakeoff_model::index::BlockIx;
use bakeoff_model::run::{Block, BlockState, Run};
use bakeoff_stats::units;

pub struct CellRow {
    pub block: BlockIx,
    pub candidate: String,
    pub style: usize,
    /// Whether it is the candidate's first, which links lead to.
    pub is_first: bool,
    pub counts: bool,
    /// Rate in the question's unit.
    pub rate: String,
    pub elapsed: String,
    /// Share of data calls, flushes and closing.
    pub clocks: String,
    pub cpu: String,
    /// Median and 99th percentile of the kind of operation that took most operations.
    pub latency: String,
    pub cache: &'static str,
    pub windows: String,
}

pub fn rows(run: &Run, question: &Question) -> Vec<CellRow> {
    let Some(index) = question.index else { return Vec::new() };
    let mut rows: Vec<CellRow> = Vec::new();
    for block in &run.blocks {
        for cell in block.cells.iter().filter(|c| c.workload == index) {
            let mut row = row(run, block, cell, question);
            row.is_first = !rows.iter().any(|r| r.style == row.style);
            rows.push(row);
        }
    }
    rows
}

fn row(run: &Run, block: &Block, cell: &Cell, question: &Question) -> CellRow {
    let metric = run.header.workloads[cell.workload].metric;
    let m = &cell.measurement;
    let share = |ns: u64| {
        if m.elapsed_ns == 0 { 0.0 } else { ns as f64 * 100.0 / m.elapsed_ns as f64 }
    };
    let busiest = m.ops().max_by_key(|(_, stats)| stats.total_ios);
    let quantile = |ns: Option<u64>| ns.map_or("-".to_string(), units::latency);
    let latency = busiest.map_or(String::new(), |(op, stats)| {
        format!("{op} {} / {}", quantile(stats.lat_ns.p50), quantile(stats.lat_ns.p99))
    });
    let (data, flush, close) = (share(m.data_ns), share(m.flush_ns), share(m.close_ns));
    let windows: Vec<String> = m
        .windows
        .iter()
        .map(|w| {
            format!("{},{},{},{},{}", w.start_ns, w.len_ns, w.read_bytes, w.write_bytes, w.ios)
        })
        .collect();
    CellRow {
        block: block.block,
        style: usize::from(cell.candidate),
        candidate: candidate_name(run, cell.candidate),
        is_first: false,
        counts: block.state == BlockState::Complete,
        rate: round::three_digits(metric.value(m).unwrap_or(0.0) / question.unit_scale),
        elapsed: units::duration(m.elapsed_ns),
        clocks: match m.tool {
            Some(_) => "-".to_string(),
            None => format!("{data:.0} / {flush:.0} / {close:.0}"),
        },
        cpu: units::duration(m.usr_cpu_ns.saturating_add(m.sys_cpu_ns)),
        latency,
        cache: match cell.truth.cache {
            CacheState::Cold => "cold",
            CacheState::Warm => "warm",
            CacheState::Unknown => "unknown",
            CacheState::NotRead => "-",
        },
        windows: windows.join("\n"),
    }
}
