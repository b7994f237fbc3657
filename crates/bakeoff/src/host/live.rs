//! Look after look at the running machine, each pair of which is a frame of `watch`.

use std::path::Path;

use bakeoff_machine::sysinfo::block_stat::{self, BlockStat};
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_machine::telemetry::rates;
use bakeoff_machine::watch::{Frame, Machine};
use rustix::time::{ClockId, clock_gettime};

use super::root::Root;
use crate::sampler::Samples;

#[derive(Clone, Debug)]
pub enum LiveDevices {
    Disks,
    These(Vec<Dev>),
}

struct Look {
    monotonic_ns: u64,
    disks: Vec<(Dev, String, BlockStat)>,
}

pub struct LiveHost {
    root: Root,
    devices: LiveDevices,
    samples: Samples,
    last: Look,
}

impl LiveHost {
    /// Opens the sources and takes the first look.
    ///
    /// # Errors
    /// Without counters of drives, or when a device is not there.
    pub fn open(devices: LiveDevices) -> Result<LiveHost, String> {
        let root = Root::system();
        let last = look(&root, &devices)?;
        let mut samples = Samples::open();
        samples.begin(&[]);
        Ok(LiveHost { root, devices, samples, last })
    }

    /// What happened since the last frame.
    ///
    /// # Errors
    /// When a device that was asked for is gone.
    pub fn frame(&mut self) -> Result<Frame, String> {
        let now = look(&self.root, &self.devices)?;
        let elapsed_ns = now.monotonic_ns.saturating_sub(self.last.monotonic_ns).max(1);
        let rates = |(dev, name, stat): &(Dev, String, BlockStat)| {
            let before = self.last.disks.iter().find(|(d, n, _)| d == dev && n == name)?;
            Some((name.clone(), rates::device(&before.2, stat, elapsed_ns)?))
        };
        let devices = now.disks.iter().filter_map(rates).collect();
        let machine = self.machine();
        self.last = now;
        Ok(Frame {
            unix_ns: super::unix_ns(),
            clock: jiff::Zoned::now().strftime("%H:%M:%S").to_string(),
            elapsed_ns,
            devices,
            machine,
        })
    }

    fn machine(&mut self) -> Machine {
        let (seen, elapsed_ns) = self.samples.since_begin();
        self.samples.begin(&[]);
        Machine::from_telemetry(&seen, elapsed_ns.max(1))
    }
}

fn gone(what: &str) -> String {
    format!("{what} is detached. After plugging it in again, check its name with `bakeoff devices`")
}

fn look(root: &Root, devices: &LiveDevices) -> Result<Look, String> {
    let text = diskstats(root)?;
    let monotonic_ns = monotonic_ns();
    let all = block_stat::parse_diskstats(&text);
    let owned = |(dev, name, stat): &(Dev, &str, BlockStat)| (*dev, name.to_string(), *stat);
    let disks = match devices {
        LiveDevices::Disks => all.iter().filter(|d| is_shown(root, d.0, d.1)).map(owned).collect(),
        LiveDevices::These(devs) => {
            let one = |dev: &Dev| {
                // A reader whose card was taken out stays as a device of 0 bytes.
                let size = root.number::<u64>(format!("sys/dev/block/{dev}/size"));
                let found = all.iter().find(|(d, _, _)| d == dev && size != Some(0)).map(owned);
                found.ok_or_else(|| gone(&format!("the device {dev}")))
            };
            devs.iter().map(one).collect::<Result<Vec<_>, _>>()?
        }
    };
    Ok(Look { monotonic_ns, disks })
}

/// `/proc/diskstats`.
///
/// # Errors
/// When it cannot be read.
pub fn diskstats(root: &Root) -> Result<String, String> {
    let text = root.read("proc/diskstats").map_err(|error| {
        format!("cannot read /proc/diskstats: {error}. Mount /proc: mount -t proc proc /proc")
    })?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Whole drives and volumes; loop devices and RAM disks only where they are asked for.
fn is_shown(root: &Root, dev: Dev, name: &str) -> bool {
    let is_file_or_memory = ["loop", "ram", "zram"].iter().any(|kind| name.starts_with(kind));
    let dir = Path::new("sys/dev/block").join(dev.to_string());
    !is_file_or_memory && !root.path(dir.join("partition")).exists()
}

pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // It is never negative and lasts 584 years in 64 bits.
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_there_is_gone_and_disks_that_are_have_figures() {
        let nowhere = LiveDevices::These(vec![Dev::new(4095, 4095)]);
        let error = LiveHost::open(nowhere).map(drop).unwrap_err().to_string();
        assert!(error.contains("4095:4095 is detached"), "{error}");
        let mut live = LiveHost::open(LiveDevices::Disks).unwrap();
        let frame = live.frame().unwrap();
        assert_eq!(frame.devices.len(), live.last.disks.len());
        assert!(frame.elapsed_ns > 0 && !frame.machine.cpu_percent.is_empty(), "{frame:?}");
    }
}
