//! Which number of a row is what.
//!
//! Fast rows: time, then [`Disk`] for each device and [`Cpu`] for each CPU. Slow rows: time, then [`Slow`], then the clocks, the temperatures and the meters of power.

use super::NONE;
use super::ring::Keep;
use crate::sysinfo::block_stat::BlockStat;
use crate::sysinfo::cpu_stat::CpuTicks;

pub const DISK_COLUMNS: usize = 11;
pub const CPU_COLUMNS: usize = 5;
const FAST_HEAD: usize = 1;

/// Fixed columns of a slow row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow {
    CpuSome = 1,
    /// Microseconds somebody waited for I/O.
    IoSome,
    /// Microseconds everybody waited for I/O.
    IoFull,
    MemorySome,
    Dirty,
    Writeback,
    /// Dirty bytes at which writers wait.
    Limit,
    /// Dirty bytes at which write-back begins.
    Background,
    Swapped,
    Throttled,
}

const SLOW_HEAD: usize = Slow::Throttled as usize + 1;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    pub name: String,
    /// `major:minor`.
    pub dev: String,
    pub is_disk: bool,
}

/// A gauge that is watched, with the most it can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub most: Option<u64>,
}

/// What is watched, in the order of the columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TelemetryLayout {
    pub devices: Vec<Device>,
    /// CPUs, from 0.
    pub cpus: usize,
    pub clocks: Vec<Named>,
    pub temperatures: Vec<Named>,
    pub meters: Vec<String>,
}

impl TelemetryLayout {
    pub fn device(&self, index: usize) -> usize {
        FAST_HEAD + index * DISK_COLUMNS
    }

    pub fn cpu(&self, index: usize) -> usize {
        FAST_HEAD + self.devices.len() * DISK_COLUMNS + index * CPU_COLUMNS
    }

    pub fn clock(&self, index: usize) -> usize {
        SLOW_HEAD + index
    }

    pub fn temperature(&self, index: usize) -> usize {
        SLOW_HEAD + self.clocks.len() + index
    }

    pub fn meter(&self, index: usize) -> usize {
        self.temperature(self.temperatures.len()) + index
    }

    pub fn fast_columns(&self) -> Vec<Keep> {
        let mut columns = vec![Keep::Later; self.cpu(self.cpus)];
        for index in 0..self.devices.len() {
            columns[self.device(index) + IN_FLIGHT] = Keep::Highest;
        }
        columns
    }

    pub fn slow_columns(&self) -> Vec<Keep> {
        let mut columns = vec![Keep::Later; self.meter(self.meters.len())];
        for gauge in [Slow::Dirty, Slow::Writeback] {
            columns[gauge as usize] = Keep::Highest;
        }
        columns[Slow::Throttled as usize] = Keep::Bits;
        (0..self.clocks.len()).for_each(|i| columns[self.clock(i)] = Keep::Lowest);
        (0..self.temperatures.len()).for_each(|i| columns[self.temperature(i)] = Keep::Highest);
        columns
    }
}

/// Offset of the requests in flight among a device's columns.
const IN_FLIGHT: usize = 6;

/// Writes a device's counters into its columns.
pub fn put_disk(columns: &mut [u64], stat: &BlockStat) {
    let values = [
        stat.reads,
        stat.read_bytes,
        stat.read_ms,
        stat.writes,
        stat.written_bytes,
        stat.write_ms,
        stat.in_flight,
        stat.queue_ms,
        stat.flushes.unwrap_or(NONE),
        stat.flush_ms.unwrap_or(NONE),
        stat.busy_ms,
    ];
    columns.iter_mut().zip(values).for_each(|(column, value)| *column = value);
}

/// Reads a device's columns, which hold no merges and discards; `None` when it could not be read.
pub fn drive(columns: &[u64]) -> Option<BlockStat> {
    let &[reads, read_bytes, read_ms, writes, written_bytes, write_ms, ref rest @ ..] = columns
    else {
        return None;
    };
    let &[in_flight, queue_ms, flushes, flush_ms, busy_ms, ..] = rest else { return None };
    let known = |value: u64| (value != NONE).then_some(value);
    known(reads)?;
    Some(BlockStat {
        reads,
        read_bytes,
        read_ms,
        writes,
        written_bytes,
        write_ms,
        in_flight,
        busy_ms,
        queue_ms,
        flushes: known(flushes),
        flush_ms: known(flush_ms),
        ..BlockStat::default()
    })
}

pub fn put_cpu(columns: &mut [u64], ticks: &CpuTicks) {
    let values = [ticks.user, ticks.system, ticks.interrupt, ticks.steal, ticks.idle];
    columns.iter_mut().zip(values).for_each(|(column, value)| *column = value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_comes_back_as_it_went_in() {
        let stat =
            BlockStat { reads: 1, read_ms: 3, in_flight: 7, busy_ms: 9, ..BlockStat::default() };
        let mut columns = [NONE; DISK_COLUMNS];
        assert_eq!(drive(&columns), None);
        put_disk(&mut columns, &stat);
        assert_eq!(drive(&columns), Some(stat));
        let counted = BlockStat { flushes: Some(4), flush_ms: Some(5), ..stat };
        put_disk(&mut columns, &counted);
        assert_eq!(drive(&columns), Some(counted));
    }

    #[test]
    fn columns_do_not_overlap() {
        let layout = TelemetryLayout {
            devices: vec![Device::default(), Device::default()],
            cpus: 3,
            clocks: vec![Named::default()],
            temperatures: vec![Named::default(), Named::default()],
            meters: vec!["package-0".into()],
        };
        assert_eq!((layout.device(0), layout.device(1), layout.cpu(0)), (1, 12, 23));
        assert_eq!(layout.fast_columns().len(), 23 + 15);
        assert_eq!(layout.slow_columns().len(), Slow::Throttled as usize + 1 + 4);
        assert_eq!(layout.slow_columns()[layout.meter(0)], Keep::Later);
        assert_eq!(layout.fast_columns()[1 + IN_FLIGHT], Keep::Highest);
        assert_eq!(layout.slow_columns()[layout.clock(0)], Keep::Lowest);
        assert_eq!(layout.slow_columns()[layout.temperature(1)], Keep::Highest);
    }
}
