//! Everything about the running machine that is sampled, open and ready to be read.
//!
//! What is missing is written down with its reason when it is opened, and never asked again.

use std::io;

use bakeoff_core::sysinfo::{block_stat, cpu_list, cpu_stat, meminfo, pressure, vmstat};
use bakeoff_core::telemetry::NONE;
use bakeoff_core::telemetry::layout::{
    self, CONTEXT_SWITCHES, CPU_COLUMNS, DISK_COLUMNS, Device, Layout, Slow,
};
use bakeoff_core::telemetry::source::{Missing, Source};

use super::feed::Feed;
use super::kernel_log::KernelLog;
use super::quota::Quota;
use super::root::Root;
use super::tasks::Tasks;
use super::{firmware, gauges, power};

/// Most CPUs, clocks and temperatures.
const CPUS: usize = 256;
const GAUGES: usize = 16;

/// The open sources.
pub struct Sources {
    /// What stands in which column.
    pub layout: Layout,
    /// Threads that work for storage.
    pub tasks: Option<Tasks>,
    /// The kernel's log.
    pub log: Option<KernelLog>,
    /// What can be read.
    pub present: Vec<Source>,
    /// What cannot be read, with why.
    pub missing: Vec<Missing>,
    root: Root,
    disks: Vec<Feed>,
    stat: Option<Feed>,
    /// CPU, I/O, memory.
    pressure: [Option<Feed>; 3],
    meminfo: Option<Feed>,
    vmstat: Option<Feed>,
    softirqs: Option<Feed>,
    load: Option<Feed>,
    quota: Option<Quota>,
    firmware: Option<firmware::Throttling>,
    clocks: Vec<Feed>,
    temperatures: Vec<Feed>,
    meters: Vec<power::Open>,
}

impl Sources {
    /// Opens all there are; devices come with [`Sources::watch`]. `power_command` prints watts.
    pub fn open(power_command: Option<&str>) -> Sources {
        let root = Root::system();
        let mut found = Found::default();
        let page =
            |source, path: &str, found: &mut Found| found.take(source, Feed::open(&root, path));
        let psi = |source, what: &str, found: &mut Found| {
            found.take(source, Feed::open(&root, format!("proc/pressure/{what}")))
        };
        let clocks = gauges::clocks(&root, GAUGES);
        let temperatures = gauges::temperatures(&root, GAUGES);
        found.any(Source::Clocks, clocks.len());
        found.any(Source::Temperatures, temperatures.len());
        let (meters, no_power) = power::meters(&root, power_command);
        found.present.extend(meters.first().map(|_| Source::Power));
        found.missing.extend(no_power);
        let (clock_names, clocks) = clocks.into_iter().unzip();
        let (temperature_names, temperatures) = temperatures.into_iter().unzip();
        let online = root.text("sys/devices/system/cpu/possible");
        let cpus = online.and_then(|text| cpu_list::count(&text)).unwrap_or(1) as usize;
        let firmware = firmware::Throttling::open(&root);
        found.any(Source::Throttling, firmware.iter().count());
        let quota = Quota::open(&root);
        found.any(Source::CpuQuota, quota.iter().count());
        Sources {
            layout: Layout {
                devices: Vec::new(),
                cpus: cpus.min(CPUS),
                clocks: clock_names,
                temperatures: temperature_names,
                meters: meters.iter().map(|meter| meter.name.clone()).collect(),
            },
            tasks: found.take(Source::Threads, Tasks::open(&root)),
            log: found.take(Source::KernelLog, KernelLog::open()),
            disks: Vec::new(),
            stat: page(Source::Cpus, "proc/stat", &mut found),
            pressure: [
                psi(Source::CpuPressure, "cpu", &mut found),
                psi(Source::IoPressure, "io", &mut found),
                psi(Source::MemoryPressure, "memory", &mut found),
            ],
            meminfo: page(Source::Memory, "proc/meminfo", &mut found),
            vmstat: page(Source::PageCounters, "proc/vmstat", &mut found),
            softirqs: page(Source::SoftInterrupts, "proc/softirqs", &mut found),
            load: page(Source::Load, "proc/loadavg", &mut found),
            quota,
            firmware,
            clocks,
            temperatures,
            meters,
            present: found.present,
            missing: found.missing,
            root,
        }
    }

    /// Watches these block devices from here on; those without counters are left out.
    pub fn watch(&mut self, devices: &[Device]) {
        let open = |d: &Device| {
            Some((d.clone(), Feed::open(&self.root, format!("sys/dev/block/{}/stat", d.dev)).ok()?))
        };
        (self.layout.devices, self.disks) = devices.iter().filter_map(open).unzip();
    }

    /// Fills a fast row but for its time.
    pub fn fast(&mut self, row: &mut [u64]) {
        for (index, feed) in self.disks.iter_mut().enumerate() {
            let at = self.layout.device(index);
            let columns = &mut row[at..at + DISK_COLUMNS];
            match feed.read().and_then(block_stat::parse) {
                Some(stat) => layout::put_disk(columns, &stat),
                None => columns.fill(NONE),
            }
        }
        let first = self.layout.cpu(0);
        row[first..].fill(NONE);
        row[CONTEXT_SWITCHES] = NONE;
        let Some(text) = self.stat.as_mut().and_then(Feed::read) else { return };
        let cpus = self.layout.cpus;
        cpu_stat::cpus(text, |cpu, ticks| {
            if cpu < cpus {
                let at = first + cpu * CPU_COLUMNS;
                layout::put_cpu(&mut row[at..at + CPU_COLUMNS], &ticks);
            }
        });
        row[CONTEXT_SWITCHES] = cpu_stat::context_switches(text).unwrap_or(NONE);
    }

    /// Fills a slow row but for its time.
    pub fn slow(&mut self, row: &mut [u64]) {
        row[1..].fill(NONE);
        let mut put = |column: Slow, value: Option<u64>| {
            row[column as usize] = value.unwrap_or(NONE);
        };
        let [cpu, io, memory] =
            self.pressure.each_mut().map(|feed| pressure::parse(feed.as_mut()?.read()?));
        put(Slow::CpuSome, cpu.map(|p| p.some_us));
        put(Slow::IoSome, io.map(|p| p.some_us));
        put(Slow::IoFull, io.map(|p| p.full_us));
        put(Slow::MemorySome, memory.map(|p| p.some_us));
        if let Some(text) = self.meminfo.as_mut().and_then(Feed::read) {
            let memory = meminfo::parse(text);
            put(Slow::Dirty, memory.dirty_bytes);
            put(Slow::Writeback, memory.writeback_bytes);
            put(Slow::Cached, memory.cached_bytes);
        }
        if let Some(text) = self.vmstat.as_mut().and_then(Feed::read) {
            let pages = vmstat::parse(text);
            let bytes = |pages: u64| pages.saturating_mul(rustix::param::page_size() as u64);
            put(Slow::Limit, pages.nr_dirty_threshold.map(bytes));
            put(Slow::Background, pages.nr_dirty_background_threshold.map(bytes));
            let swapped = pages.pswpin.zip(pages.pswpout);
            put(Slow::Swapped, swapped.map(|(i, o)| i.saturating_add(o)));
        }
        let softirqs = self.softirqs.as_mut().and_then(Feed::read);
        put(Slow::BlockSoftirqs, softirqs.and_then(|text| cpu_stat::softirqs(text, "BLOCK")));
        let load = self.load.as_mut().and_then(Feed::read);
        put(Slow::Load, load.and_then(cpu_stat::load_centi));
        put(Slow::QuotaHeld, self.quota.as_mut().and_then(Quota::held_ns));
        put(Slow::Throttled, self.firmware.as_mut().and_then(|f| f.bits()).map(u64::from));
        for (index, feed) in self.clocks.iter_mut().enumerate() {
            row[self.layout.clock(index)] = feed.number().unwrap_or(NONE);
        }
        for (index, feed) in self.temperatures.iter_mut().enumerate() {
            row[self.layout.temperature(index)] = feed.number().unwrap_or(NONE);
        }
        for (index, meter) in self.meters.iter_mut().enumerate() {
            row[self.layout.meter(index)] = meter.energy_uj().unwrap_or(NONE);
        }
    }

    /// Bytes held for reading.
    pub fn bytes(&self) -> usize {
        let single = [&self.stat, &self.meminfo, &self.vmstat, &self.softirqs, &self.load];
        let feeds = self.disks.iter().chain(&self.clocks).chain(&self.temperatures);
        let feeds = feeds.chain(single.into_iter().chain(&self.pressure).flatten());
        let tasks = self.tasks.as_ref().map_or(0, Tasks::bytes);
        let meters: usize = self.meters.iter().map(power::Open::bytes).sum();
        // 8 KiB for a record of the kernel's log.
        feeds.map(Feed::bytes).sum::<usize>() + tasks + meters + 8192
    }
}

/// What was found so far.
#[derive(Default)]
struct Found {
    present: Vec<Source>,
    missing: Vec<Missing>,
}

impl Found {
    /// Notes whether something opened.
    fn take<T>(&mut self, source: Source, opened: io::Result<T>) -> Option<T> {
        match opened {
            Ok(opened) => {
                self.present.push(source);
                Some(opened)
            }
            Err(error) => {
                let is_denied = error.kind() == io::ErrorKind::PermissionDenied;
                let error = error.to_string();
                self.missing.push(Missing::Unopened { source, is_denied, error });
                None
            }
        }
    }

    fn any(&mut self, source: Source, count: usize) {
        match count {
            0 => self.missing.push(Missing::None(source)),
            _ => self.present.push(source),
        }
    }
}
