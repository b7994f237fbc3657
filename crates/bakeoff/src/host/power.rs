//! Meters of electrical power that the machine has, each as a growing count of microjoules.
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
    /// `None` if it cannot be read.
    pub energy_uj: Box<dyn FnMut() -> Option<u64> + Send>,
}

pub fn meters(root: &Root) -> Vec<OpenMeter> {
    let found = counters(root).into_iter().chain(sensors(root)).chain(pmic(root));
    found.take(METERS).collect()
}

/// RAPL: packages, the platform and memory; cores are part of their package.
fn counters(root: &Root) -> Vec<OpenMeter> {
    let zones = Path::new("sys/class/powercap");
    let open = |zone: String| {
        // The same counters are there twice where intel-rapl-mmio is loaded.
        let dir = zone.starts_with("intel-rapl:").then(|| zones.join(zone))?;
        let is_whole =
            |name: &String| ["psys", "dram", "package"].iter().any(|of| name.starts_with(of));
        let name = root.attr(dir.join("name")).filter(is_whole)?;
        let mut feed = Feed::open(root, dir.join("energy_uj")).ok()?;
        let range = root.number(dir.join("max_energy_range_uj")).unwrap_or(0);
        let (mut last, mut before) = (0, 0_u64);
        let energy_uj = move || {
            let now = feed.number()?;
            before = before.saturating_add(if now < last { range } else { 0 });
            last = now;
            Some(before.saturating_add(now))
        };
        Some(OpenMeter { name, energy_uj: Box::new(energy_uj) })
    };
    root.names(zones).into_iter().filter_map(open).collect()
}

fn integrated(
    name: String,
    mut microwatts: impl FnMut() -> Option<u64> + Send + 'static,
) -> OpenMeter {
    let (mut at, mut power, mut energy) = (Instant::now(), 0.0, 0.0);
    let energy_uj = move || {
        let now = microwatts();
        energy += power * at.elapsed().as_secs_f64();
        (at, power) = (Instant::now(), now.unwrap_or(0) as f64);
        now.map(|_| energy as u64)
    };
    OpenMeter { name, energy_uj: Box::new(energy_uj) }
}

fn sensors(root: &Root) -> Vec<OpenMeter> {
    let chips = Path::new("sys/class/hwmon");
    let is_graphics = |name: &str| ["amdgpu", "radeon", "nouveau", "i915", "xe"].contains(&name);
    let open = |chip: String| {
        let dir = chips.join(chip);
        let name = root.attr(dir.join("name")).filter(|name| !is_graphics(name))?;
        let files = ["power1_input", "power1_average"];
        let mut feed = files.iter().find_map(|file| Feed::open(root, dir.join(file)).ok())?;
        Some(integrated(name, move || feed.number()))
    };
    root.names(chips).into_iter().filter_map(open).collect()
}

/// All rails of a Raspberry Pi 5. The thread ends after its meter is dropped.
fn pmic(root: &Root) -> Option<OpenMeter> {
    let boards = ["Raspberry Pi 5", "Raspberry Pi Compute Module 5"];
    let is_one = |model: &String| boards.iter().any(|board| model.starts_with(board));
    root.text("proc/device-tree/model").filter(is_one)?;
    let argv = ["vcgencmd", "pmic_read_adc"].map(str::to_string);
    let ask = move || {
        let spec = Spec::tool(&argv, Duration::from_secs(3)).ok()?;
        power::pmic(&String::from_utf8_lossy(&spec.run(&Cancel::default()).ok()?.stdout))
    };
    let shared = Arc::new(AtomicU64::new(ask()?.to_bits()));
    let own = Arc::clone(&shared);
    let run = move || {
        while Arc::strong_count(&own) > 1 {
            sleep(Duration::from_secs(1));
            own.store(ask().unwrap_or(f64::NAN).to_bits(), Ordering::Relaxed);
        }
    };
    Builder::new().name("power".to_string()).stack_size(STACK_BYTES).spawn(run).ok()?;
    let microwatts = move || {
        let watts = f64::from_bits(shared.load(Ordering::Relaxed));
        watts.is_finite().then_some((watts * 1e6) as u64)
    };
    Some(integrated("pmic_read_adc".to_string(), microwatts))
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
        assert_eq!((open[0].energy_uj)(), Some(990));
        std::fs::write(dir.path().join(RAPL).join("energy_uj"), "15\n").unwrap();
        assert_eq!((open[0].energy_uj)(), Some(1015), "it began anew at 1000");
        assert_eq!((open[2].energy_uj)(), Some(0));
        std::thread::sleep(Duration::from_millis(50));
        let joules = (open[2].energy_uj)().unwrap() as f64 / 1e6;
        assert!(joules >= 0.1, "2 W for 50 ms or more: {joules}");
        let (_dir, root) = tree(&[("proc/device-tree/model", "QEMU\0")]);
        assert!(meters(&root).is_empty());
    }
}
