//! Meters of electrical power that the machine has, each as a counter of microjoules.
//!
//! RAPL counts energy. Sensors report watts, which are integrated between reads. `vcgencmd` runs
//! once a second in a thread of its own, because a process takes longer to start than a read may.
//!
//! Sources: `Documentation/power/powercap/powercap.rst`, `Documentation/hwmon/sysfs-interface.rst`
//! of the Linux kernel; the Raspberry Pi documentation on `vcgencmd pmic_read_adc`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use bakeoff_machine::sysinfo::power;

use super::feed::Feed;
use super::root::Root;
use crate::exec::Spec;
use crate::signals::Cancel;

const METERS: usize = 16;
const STACK_BYTES: usize = 128 << 10;

pub struct OpenMeter {
    pub name: String,
    pub bytes: usize,
    grown_uj: Grown,
    total_uj: u64,
}

/// Microjoules since the last call; `None` if the meter cannot be read.
type Grown = Box<dyn FnMut() -> Option<u64> + Send>;

impl OpenMeter {
    /// Microjoules since it was opened.
    pub fn energy_uj(&mut self) -> Option<u64> {
        self.total_uj = self.total_uj.saturating_add((self.grown_uj)()?);
        Some(self.total_uj)
    }
}

pub fn meters(root: &Root) -> Vec<OpenMeter> {
    let found = counters(root).into_iter().chain(sensors(root)).chain(pmic(root));
    let open = |(name, bytes, grown_uj): (String, usize, Grown)| OpenMeter {
        name,
        bytes,
        grown_uj,
        total_uj: 0,
    };
    found.map(open).take(METERS).collect()
}

fn integrated(mut microwatts: impl FnMut() -> Option<u64> + Send + 'static) -> Grown {
    let mut last: Option<(Instant, u64)> = None;
    Box::new(move || {
        let (power, now) = (microwatts()?, Instant::now());
        let before = last.replace((now, power));
        Some(before.map_or(0, |(at, power)| {
            (power as f64 * now.saturating_duration_since(at).as_secs_f64()) as u64
        }))
    })
}

/// RAPL: packages, the platform and memory; cores are part of their package.
fn counters(root: &Root) -> Vec<(String, usize, Grown)> {
    let zones = Path::new("sys/class/powercap");
    let open = |zone: String| {
        // The same counters are there twice where intel-rapl-mmio is loaded.
        let dir = zone.starts_with("intel-rapl:").then(|| zones.join(zone))?;
        let name = root.attr(dir.join("name"))?;
        (name == "psys" || name == "dram" || name.starts_with("package")).then_some(())?;
        let mut feed = Feed::open(root, dir.join("energy_uj")).ok()?;
        let range = root.number(dir.join("max_energy_range_uj"));
        let (bytes, mut last) = (feed.bytes(), None);
        let grown: Grown = Box::new(move || {
            let now = feed.number()?;
            let before = last.replace(now).unwrap_or(now);
            Some(power::growth_uj(before, now, range))
        });
        Some((name, bytes, grown))
    };
    root.names(zones).into_iter().filter_map(open).collect()
}

fn sensors(root: &Root) -> Vec<(String, usize, Grown)> {
    let chips = Path::new("sys/class/hwmon");
    let open = |chip: String| {
        let dir = chips.join(chip);
        let name = root.attr(dir.join("name"))?;
        let graphics = ["amdgpu", "radeon", "nouveau", "i915", "xe"];
        (!graphics.contains(&name.as_str())).then_some(())?;
        let files = ["power1_input", "power1_average"];
        let mut feed = files.iter().find_map(|file| Feed::open(root, dir.join(file)).ok())?;
        Some((name, feed.bytes(), integrated(move || feed.number())))
    };
    root.names(chips).into_iter().filter_map(open).collect()
}

/// All rails of a Raspberry Pi 5. The thread ends after its meter is dropped.
fn pmic(root: &Root) -> Option<(String, usize, Grown)> {
    let model = root.text("proc/device-tree/model")?;
    let boards = ["Raspberry Pi 5", "Raspberry Pi Compute Module 5"];
    boards.iter().any(|board| model.starts_with(board)).then_some(())?;
    let argv = ["vcgencmd", "pmic_read_adc"].map(str::to_string);
    let microwatts = move || {
        let spec = Spec::tool(&argv, Duration::from_secs(3)).ok()?;
        let watts =
            power::pmic(&String::from_utf8_lossy(&spec.run(&Cancel::default()).ok()?.stdout));
        watts.map(|watts| (watts * 1e6) as u64)
    };
    let latest = Arc::new(AtomicU64::new(microwatts()?));
    let own = Arc::clone(&latest);
    let run = move || {
        while Arc::strong_count(&own) > 1 {
            sleep(Duration::from_secs(1));
            own.store(microwatts().unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    };
    Builder::new().name("power".to_string()).stack_size(STACK_BYTES).spawn(run).ok()?;
    let read = move || Some(latest.load(Ordering::Relaxed)).filter(|value| *value != u64::MAX);
    Some(("pmic_read_adc".to_string(), STACK_BYTES, integrated(read)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;

    const RAPL: &str = "sys/class/powercap/intel-rapl:0";

    /// Layouts by the kernel's documentation; no such machine was at hand.
    #[test]
    fn counters_and_sensors_are_found_and_graphics_cards_left_out() {
        let (dir, root) = tree(&[
            (&format!("{RAPL}/name"), "package-0\n"),
            (&format!("{RAPL}/energy_uj"), "990\n"),
            (&format!("{RAPL}/max_energy_range_uj"), "1000\n"),
            ("sys/class/powercap/intel-rapl:0:0/name", "core\n"),
            ("sys/class/powercap/intel-rapl:0:0/energy_uj", "5\n"),
            ("sys/class/powercap/intel-rapl:1/name", "psys\n"),
            ("sys/class/powercap/intel-rapl:1/energy_uj", "7\n"),
            ("sys/class/hwmon/hwmon0/name", "amdgpu\n"),
            ("sys/class/hwmon/hwmon0/power1_input", "9000000\n"),
            ("sys/class/hwmon/hwmon1/name", "ina226\n"),
            ("sys/class/hwmon/hwmon1/power1_input", "2000000\n"),
        ]);
        let mut open = meters(&root);
        let names: Vec<&str> = open.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["package-0", "psys", "ina226"]);
        assert_eq!(open[0].energy_uj(), Some(0));
        std::fs::write(dir.path().join(RAPL).join("energy_uj"), "15\n").unwrap();
        assert_eq!(open[0].energy_uj(), Some(25), "it began anew at 1000");
        assert_eq!(open[2].energy_uj(), Some(0));
        std::thread::sleep(Duration::from_millis(50));
        let joules = open[2].energy_uj().unwrap() as f64 / 1e6;
        assert!(joules >= 0.1, "2 W for 50 ms or more: {joules}");
        let (_dir, root) = tree(&[("proc/device-tree/model", "QEMU\0")]);
        assert!(meters(&root).is_empty());
    }
}
