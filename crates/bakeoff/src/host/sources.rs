//! Everything about the running machine that is sampled, open and ready to be read.
//!
//! What is missing is written down with its reason when it is opened, and never asked again.

use std::io;

use bakeoff_machine::sysinfo::{block_stat, cpu_list, cpu_stat, meminfo, pressure, vmstat};
use bakeoff_machine::telemetry::NONE;
use bakeoff_machine::telemetry::layout::{
    self, CPU_COLUMNS, DISK_COLUMNS, Device, Slow, TelemetryLayout,
};
use bakeoff_model::candidate::Skipped;

use super::feed::{self, Feed};
use super::kernel_log::KernelLog;
use super::root::Root;
use super::{firmware, power};

const CPUS: usize = 256;
const GAUGES: usize = 16;

/// A source: its name, and what it needs that a machine without it lacks.
type NamedSource = (&'static str, &'static str);

const NOT_BUILT: &str = "the kernel was built without it";
const NO_PSI: &str = "the kernel has no CONFIG_PSI, or needs psi=1 on its command line";
const NO_METER: &str =
    "no RAPL counter, hwmon sensor or Raspberry Pi 5 reports power; RAPL needs root";

pub struct Sources {
    pub layout: TelemetryLayout,
    pub log: Option<KernelLog>,
    pub missing: Vec<Skipped>,
    root: Root,
    disks: Vec<Feed>,
    stat: Option<Feed>,
    pressure: [Option<Feed>; 3],
    meminfo: Option<Feed>,
    vmstat: Option<Feed>,
    firmware: Option<firmware::Throttling>,
    clocks: Vec<Feed>,
    temperatures: Vec<Feed>,
    meters: Vec<power::OpenMeter>,
}

impl Sources {
    /// Opens all there are; devices come with [`Sources::watch`].
    pub fn open() -> Sources {
        let root = Root::system();
        let mut found = FoundSources::default();
        let page = |name, path: &str, found: &mut FoundSources| {
            found.take((name, NOT_BUILT), Feed::open(&root, path))
        };
        let psi = |name, what: &str, found: &mut FoundSources| {
            found.take((name, NO_PSI), Feed::open(&root, format!("proc/pressure/{what}")))
        };
        let clocks = feed::clocks(&root, GAUGES);
        let temperatures = feed::temperatures(&root, GAUGES);
        found.any(("clocks", "no cpufreq, so the CPU clock cannot be read"), clocks.len());
        found.any(("temperatures", "no thermal zone can be read"), temperatures.len());
        let meters = power::meters(&root);
        found.any(("power", NO_METER), meters.len());
        let (clock_names, clocks) = clocks.into_iter().unzip();
        let (temperature_names, temperatures) = temperatures.into_iter().unzip();
        let online = root.text("sys/devices/system/cpu/possible");
        let cpus = online.and_then(|text| cpu_list::count(&text)).unwrap_or(1) as usize;
        let firmware = firmware::Throttling::open(&root);
        found.any(("throttling", "no Raspberry Pi firmware responds"), firmware.iter().count());
        Sources {
            layout: TelemetryLayout {
                devices: Vec::new(),
                cpus: cpus.min(CPUS),
                clocks: clock_names,
                temperatures: temperature_names,
                meters: meters.iter().map(|meter| meter.name.clone()).collect(),
            },
            log: found.take(("kernel log", "needs root or CAP_SYSLOG"), KernelLog::open()),
            disks: Vec::new(),
            stat: page("CPUs", "proc/stat", &mut found),
            pressure: [
                psi("CPU pressure", "cpu", &mut found),
                psi("I/O pressure", "io", &mut found),
                psi("memory pressure", "memory", &mut found),
            ],
            meminfo: page("memory", "proc/meminfo", &mut found),
            vmstat: page("page counters", "proc/vmstat", &mut found),
            firmware,
            clocks,
            temperatures,
            meters,
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
        let Some(text) = self.stat.as_mut().and_then(Feed::read) else { return };
        let cpus = self.layout.cpus;
        cpu_stat::cpus(text, |cpu, ticks| {
            if cpu < cpus {
                let at = first + cpu * CPU_COLUMNS;
                layout::put_cpu(&mut row[at..at + CPU_COLUMNS], &ticks);
            }
        });
    }

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
        }
        if let Some(text) = self.vmstat.as_mut().and_then(Feed::read) {
            let pages = vmstat::parse(text);
            let bytes = |pages: u64| pages.saturating_mul(rustix::param::page_size() as u64);
            put(Slow::Limit, pages.nr_dirty_threshold.map(bytes));
            put(Slow::Background, pages.nr_dirty_background_threshold.map(bytes));
            let swapped = pages.pswpin.zip(pages.pswpout);
            put(Slow::Swapped, swapped.map(|(i, o)| i.saturating_add(o)));
        }
        put(Slow::Throttled, self.firmware.as_mut().and_then(|f| f.bits()).map(u64::from));
        for (index, feed) in self.clocks.iter_mut().enumerate() {
            row[self.layout.clock(index)] = feed.number().unwrap_or(NONE);
        }
        for (index, feed) in self.temperatures.iter_mut().enumerate() {
            row[self.layout.temperature(index)] = feed.number().unwrap_or(NONE);
        }
        for (index, meter) in self.meters.iter_mut().enumerate() {
            row[self.layout.meter(index)] = (meter.energy_uj)().unwrap_or(NONE);
        }
    }
}

#[derive(Default)]
struct FoundSources {
    missing: Vec<Skipped>,
}

impl FoundSources {
    fn take<T>(&mut self, (name, needs): NamedSource, opened: io::Result<T>) -> Option<T> {
        match opened {
            Ok(opened) => return Some(opened),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.missing.push(Skipped::new(name, format!("cannot be read: {error}; {needs}")))
            }
            Err(error) => self.missing.push(Skipped::new(name, format!("{needs} ({error})"))),
        }
        None
    }

    fn any(&mut self, (name, needs): NamedSource, count: usize) {
        if count == 0 {
            self.missing.push(Skipped::new(name, needs));
        }
    }
}
