//! The part of the rings that belongs to one cell, as differences on the cell's clock.

use super::NONE;
use super::layout::{self, DISK_COLUMNS, Slow, TelemetryLayout};
use super::ring::RowRing;
use crate::sysinfo::block_stat::BlockStat;
use crate::sysinfo::cpu_stat::TICKS_PER_S;
use bakeoff_model::telemetry::{
    CpuSeries, DeviceSeries, Gauge, MemorySeries, PowerSeries, PressureSeries, Telemetry,
};

const TICK_MS: u64 = 1000 / TICKS_PER_S;

/// The series of a cell whose first operation was at `from_ns` and last at `to_ns` on the clock of
/// the rows. Threads, log and cost are left for the caller, who counts them.
pub fn cell_telemetry(
    layout: &TelemetryLayout,
    fast: &RowRing,
    slow: &RowRing,
    from_ns: u64,
    to_ns: u64,
) -> Telemetry {
    let mut of = Telemetry::default();
    let rows = inside(fast, from_ns, to_ns);
    let slow_rows = inside(slow, from_ns, to_ns);
    (of.start_ns, of.fast_ns) = times(&rows, from_ns);
    (of.slow_start_ns, of.slow_ns) = times(&slow_rows, from_ns);
    of.devices = (0..layout.devices.len()).filter_map(|i| device(layout, i, &rows)).collect();
    of.cpus = (0..layout.cpus).filter_map(|i| cpu(layout, i, &rows)).collect();
    fill_slow(&mut of, layout, &slow_rows);
    of
}

fn inside(ring: &RowRing, from_ns: u64, to_ns: u64) -> Vec<&[u64]> {
    let rows: Vec<&[u64]> = ring.rows().collect();
    let first = rows.iter().rposition(|row| row[0] <= from_ns).unwrap_or(0);
    let last = rows.iter().position(|row| row[0] >= to_ns).map_or(rows.len(), |at| at + 1);
    rows[first.min(last)..last].to_vec()
}

fn times(rows: &[&[u64]], from_ns: u64) -> (i64, Vec<u64>) {
    let began = rows.first().map_or(0, |row| row[0] as i64 - from_ns as i64);
    (began, rows.iter().skip(1).map(|row| row[0].saturating_sub(from_ns)).collect())
}

/// What a counter grew by from row to row; `None` when it was not there all the time. One that
/// wrapped or was reset grew by nothing.
fn growth(rows: &[&[u64]], column: usize) -> Option<Vec<u64>> {
    if rows.iter().any(|row| row[column] == NONE) {
        return None;
    }
    Some(rows.windows(2).map(|pair| pair[1][column].saturating_sub(pair[0][column])).collect())
}

/// A gauge at the end of each stretch; `None` when it was not there all the time.
fn gauge(rows: &[&[u64]], column: usize) -> Option<Vec<u64>> {
    let values = rows.iter().skip(1).map(|row| row[column]);
    values.map(|value| (value != NONE).then_some(value)).collect()
}

fn device(layout: &TelemetryLayout, index: usize, rows: &[&[u64]]) -> Option<DeviceSeries> {
    let at = layout.device(index);
    let stats: Vec<BlockStat> =
        rows.iter().map(|row| layout::drive(&row[at..at + DISK_COLUMNS])).collect::<Option<_>>()?;
    let grown = |of: fn(&BlockStat) -> u64| -> Vec<u64> {
        stats.windows(2).map(|pair| of(&pair[1]).saturating_sub(of(&pair[0]))).collect()
    };
    let has_flushes = stats.iter().all(|stat| stat.flushes.is_some() && stat.flush_ms.is_some());
    let flushes = |of: fn(&BlockStat) -> u64| if has_flushes { grown(of) } else { Vec::new() };
    let what = &layout.devices[index];
    Some(DeviceSeries {
        name: what.name.clone(),
        dev: what.dev.clone(),
        is_disk: what.is_disk,
        reads: grown(|s| s.reads),
        read_bytes: grown(|s| s.read_bytes),
        read_ms: grown(|s| s.read_ms),
        writes: grown(|s| s.writes),
        written_bytes: grown(|s| s.written_bytes),
        write_ms: grown(|s| s.write_ms),
        in_flight: stats.iter().skip(1).map(|s| s.in_flight).collect(),
        queue_ms: grown(|s| s.queue_ms),
        flushes: flushes(|s| s.flushes.unwrap_or(0)),
        flush_ms: flushes(|s| s.flush_ms.unwrap_or(0)),
    })
}

fn cpu(layout: &TelemetryLayout, index: usize, rows: &[&[u64]]) -> Option<CpuSeries> {
    let at = layout.cpu(index);
    let ms = |offset: usize| -> Option<Vec<u32>> {
        let grown = growth(rows, at + offset)?;
        let ms = |ticks: u64| u32::try_from(ticks.saturating_mul(TICK_MS)).unwrap_or(u32::MAX);
        Some(grown.into_iter().map(ms).collect())
    };
    Some(CpuSeries {
        cpu: u32::try_from(index).ok()?,
        user_ms: ms(0)?,
        system_ms: ms(1)?,
        interrupt_ms: ms(2)?,
        steal_ms: ms(3)?,
    })
}

fn fill_slow(of: &mut Telemetry, layout: &TelemetryLayout, rows: &[&[u64]]) {
    let grown = |column: Slow| growth(rows, column as usize);
    let total = |column: Slow| Some(grown(column)?.into_iter().sum());
    let at = |column: Slow| gauge(rows, column as usize);
    let last = |column: Slow| at(column)?.last().copied();
    of.pressure = grown(Slow::IoSome).map(|io_some_us| PressureSeries {
        io_some_us,
        io_full_us: grown(Slow::IoFull).unwrap_or_default(),
        cpu_some_us: grown(Slow::CpuSome).unwrap_or_default(),
        memory_some_us: grown(Slow::MemorySome).unwrap_or_default(),
    });
    of.memory = at(Slow::Dirty).map(|dirty_bytes| MemorySeries {
        dirty_bytes,
        writeback_bytes: at(Slow::Writeback).unwrap_or_default(),
        limit_bytes: last(Slow::Limit),
        background_bytes: last(Slow::Background),
    });
    let bits = at(Slow::Throttled).unwrap_or_default();
    of.throttled = bits.into_iter().map(|bits| bits as u32).collect();
    of.swapped_pages = total(Slow::Swapped);
    let named = |names: &[layout::Named], column: &dyn Fn(usize) -> usize| -> Vec<Gauge> {
        let one = |(i, of): (usize, &layout::Named)| {
            Some(Gauge { name: of.name.clone(), most: of.most, values: gauge(rows, column(i))? })
        };
        names.iter().enumerate().filter_map(one).collect()
    };
    of.frequency_khz = named(&layout.clocks, &|i| layout.clock(i));
    of.temperature_mc = named(&layout.temperatures, &|i| layout.temperature(i));
    let energy = |(i, name): (usize, &String)| {
        Some(PowerSeries { name: name.clone(), energy_uj: growth(rows, layout.meter(i))? })
    };
    of.power = layout.meters.iter().enumerate().filter_map(energy).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sysinfo::cpu_stat::CpuTicks;
    use crate::telemetry::layout::{Device, Named};

    fn watched() -> TelemetryLayout {
        let device = Device { name: "sda".into(), dev: "8:0".into(), is_disk: true };
        let clock = Named { name: "policy0".into(), most: Some(1_500_000) };
        let meters = vec!["package-0".into()];
        let temperatures = Vec::new();
        TelemetryLayout {
            devices: vec![device],
            cpus: 1,
            clocks: vec![clock],
            temperatures,
            meters,
        }
    }

    fn rings(layout: &TelemetryLayout) -> (RowRing, RowRing) {
        let mut fast = RowRing::new(layout.fast_columns(), 64);
        let mut slow = RowRing::new(layout.slow_columns(), 64);
        for tick in 0..10u64 {
            let mut row = vec![NONE; fast.width()];
            row[0] = 1000 + tick * 100;
            let stat = BlockStat { reads: tick * 3, in_flight: tick, ..BlockStat::default() };
            layout::put_disk(&mut row[layout.device(0)..], &stat);
            let ticks = CpuTicks { user: tick * 2, idle: tick, ..CpuTicks::default() };
            layout::put_cpu(&mut row[layout.cpu(0)..], &ticks);
            fast.push(&row);
            let mut row = vec![NONE; slow.width()];
            (row[0], row[Slow::Dirty as usize]) = (1000 + tick * 100, tick);
            (row[Slow::IoSome as usize], row[layout.clock(0)]) = (tick * 11, 600_000);
            row[layout.meter(0)] = tick * 250;
            slow.push(&row);
        }
        (fast, slow)
    }

    #[test]
    fn the_cells_stretches_begin_at_the_row_before_it() {
        let layout = watched();
        let (fast, slow) = rings(&layout);
        let of = cell_telemetry(&layout, &fast, &slow, 1250, 1550);
        assert_eq!((of.start_ns, of.fast_ns.as_slice()), (-50, &[50, 150, 250, 350][..]));
        assert_eq!(of.devices[0].reads, [3, 3, 3, 3]);
        assert_eq!(of.devices[0].in_flight, [3, 4, 5, 6]);
        assert!(of.devices[0].flushes.is_empty(), "this kernel counts none");
        assert_eq!(of.cpus[0].user_ms, [20, 20, 20, 20]);
        assert_eq!(of.pressure.unwrap().io_some_us, [11, 11, 11, 11]);
        assert_eq!(of.memory.unwrap().dirty_bytes, [3, 4, 5, 6]);
        assert_eq!(of.frequency_khz[0].values, [600_000; 4]);
        assert_eq!(of.power[0].energy_uj, [250; 4]);
        assert_eq!(of.throttled.len(), 0);
    }

    #[test]
    fn nothing_sampled_is_nothing_told() {
        let layout = watched();
        let (fast, slow) =
            (RowRing::new(layout.fast_columns(), 8), RowRing::new(layout.slow_columns(), 8));
        let of = cell_telemetry(&layout, &fast, &slow, 0, 100);
        assert!(of.fast_ns.is_empty() && of.devices[0].reads.is_empty());
    }
}
