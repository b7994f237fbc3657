//! Meters of electrical power that a machine has, each as a counter of microjoules.
//!
//! Counters (RAPL) are read as they are. Sensors that tell watts are integrated from look to look:
//! what they told last counts until the next look. A command is run once a second by a thread of
//! its own, because starting a process takes longer than a look may.
//!
//! Sources: `Documentation/power/powercap/powercap.rst`, `Documentation/hwmon/sysfs-interface.rst`
//! of the Linux kernel.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::{Duration, Instant};

use bakeoff_machine::sysinfo::power;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::power::{MeterName, MeterScope};

use super::feed::Feed;
use super::root::Root;
use crate::exec::{ExecError, Spec};
use crate::signals::Cancel;

pub const NAME: &str = "power";
const METERS: usize = 16;
const EVERY: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(3);
const NONE: u64 = u64::MAX;
/// What tells the rails of a Raspberry Pi 5.
const PMIC: [&str; 2] = ["vcgencmd", "pmic_read_adc"];

pub struct OpenMeter {
    pub name: MeterName,
    pub bytes: usize,
    grown_uj: Grown,
    total_uj: u64,
}

/// Microjoules since the last look; `None` while nothing is told.
type Grown = Box<dyn FnMut() -> Option<u64> + Send>;

impl OpenMeter {
    fn new(meter: MeterScope, name: impl Into<String>, bytes: usize, grown_uj: Grown) -> OpenMeter {
        OpenMeter { name: MeterName { meter, name: name.into() }, bytes, grown_uj, total_uj: 0 }
    }

    /// Microjoules since it was opened; `None` while it tells nothing.
    pub fn energy_uj(&mut self) -> Option<u64> {
        self.total_uj = self.total_uj.saturating_add((self.grown_uj)()?);
        Some(self.total_uj)
    }
}

fn counted(mut feed: Feed, range: Option<u64>) -> Grown {
    let mut last = None;
    Box::new(move || {
        let now = feed.number()?;
        let before = last.replace(now).unwrap_or(now);
        Some(power::growth_uj(before, now, range))
    })
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

fn polled(
    meter: MeterScope,
    name: &str,
    argv: Vec<String>,
    read: fn(&str) -> Option<f64>,
) -> Result<OpenMeter, String> {
    let poll = Poll::start(argv, read)?;
    Ok(OpenMeter::new(meter, name, STACK_BYTES, integrated(move || poll.microwatts())))
}

pub fn meters(root: &Root, command: Option<&str>) -> (Vec<OpenMeter>, Vec<Skipped>) {
    let mut missing = Vec::new();
    let mut open: Vec<OpenMeter> = Vec::new();
    if let Some(command) = command {
        match polled(MeterScope::Command, command, shell(command), power::watts) {
            Ok(meter) => open.push(meter),
            Err(why) => missing.push(Skipped::new(NAME, format!("--power-command: {why}"))),
        }
    }
    open.extend(counters(root));
    open.extend(sensors(root));
    if has_pmic(root) {
        let argv = PMIC.map(str::to_string).to_vec();
        match polled(MeterScope::Board, PMIC[1], argv, power::pmic) {
            Ok(meter) => open.push(meter),
            Err(why) => {
                missing.push(Skipped::new(NAME, format!("{}: {why}", PMIC.join(" "))));
            }
        }
    }
    if open.is_empty() && missing.is_empty() {
        let why = match rapl_zones(root).is_empty() {
            true => {
                "the machine has no meter (RAPL, hwmon power sensor or Raspberry Pi 5); use \
                 --power-command"
            }
            false => "the counters in /sys/class/powercap need root",
        };
        missing.push(Skipped::new(NAME, why));
    }
    open.truncate(METERS);
    (open, missing)
}

fn shell(command: &str) -> Vec<String> {
    ["sh", "-c", command].map(str::to_string).to_vec()
}

/// Watts of a `--power-command`, once.
///
/// # Errors
/// What keeps it from telling any.
pub fn try_command(command: &str) -> Result<f64, String> {
    ask(&shell(command), power::watts, &Cancel::default())
}

fn has_pmic(root: &Root) -> bool {
    let model = root.text("proc/device-tree/model").unwrap_or_default();
    ["Raspberry Pi 5", "Raspberry Pi 500", "Raspberry Pi Compute Module 5"]
        .iter()
        .any(|name| model.starts_with(name))
}

fn rapl_zones(root: &Root) -> Vec<PathBuf> {
    const ZONES: &str = "sys/class/powercap";
    let names = root.names(ZONES);
    // The same counters are there twice where intel-rapl-mmio is loaded.
    let zones = names.into_iter().filter(|name| name.starts_with("intel-rapl:"));
    zones.map(|name| Path::new(ZONES).join(name)).collect()
}

/// RAPL: packages, the platform and memory; cores are part of their package.
fn counters(root: &Root) -> Vec<OpenMeter> {
    let open = |zone: PathBuf| {
        let name = root.attr(zone.join("name"))?;
        let meter = match name.as_str() {
            "psys" => MeterScope::Platform,
            "dram" => MeterScope::Memory,
            name if name.starts_with("package") => MeterScope::Package,
            _ => return None,
        };
        let feed = Feed::open(root, zone.join("energy_uj")).ok()?;
        let range = root.number(zone.join("max_energy_range_uj"));
        Some(OpenMeter::new(meter, name, feed.bytes(), counted(feed, range)))
    };
    rapl_zones(root).into_iter().filter_map(open).collect()
}

fn sensors(root: &Root) -> Vec<OpenMeter> {
    const CHIPS: &str = "sys/class/hwmon";
    const GRAPHICS: [&str; 5] = ["amdgpu", "radeon", "nouveau", "i915", "xe"];
    let of_chip = |chip: String| -> Vec<OpenMeter> {
        let dir = Path::new(CHIPS).join(chip);
        let Some(name) = root.attr(dir.join("name")) else { return Vec::new() };
        if GRAPHICS.contains(&name.as_str()) {
            return Vec::new();
        }
        let meter = match name.as_str() {
            "power_meter" => MeterScope::Machine,
            "fam15h_power" => MeterScope::Package,
            _ => MeterScope::Rail,
        };
        let open = |number: u32| {
            let mut feed = ["input", "average"].into_iter().find_map(|which| {
                Feed::open(root, dir.join(format!("power{number}_{which}"))).ok()
            })?;
            let label = root.attr(dir.join(format!("power{number}_label")));
            let name = label.map_or_else(|| name.clone(), |label| format!("{name} {label}"));
            Some(OpenMeter::new(meter, name, feed.bytes(), integrated(move || feed.number())))
        };
        (1..=8).filter_map(open).collect()
    };
    root.names(CHIPS).into_iter().flat_map(of_chip).collect()
}

const STACK_BYTES: usize = 128 << 10;

struct Poll {
    shared: Arc<SharedReading>,
    thread: Option<JoinHandle<()>>,
}

struct SharedReading {
    microwatts: AtomicU64,
    is_over: AtomicBool,
}

impl Poll {
    fn start(argv: Vec<String>, read: fn(&str) -> Option<f64>) -> Result<Poll, String> {
        let first = ask(&argv, read, &Cancel::default())?;
        let shared = Arc::new(SharedReading {
            microwatts: AtomicU64::new(microwatts(first)),
            is_over: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let builder = Builder::new().name("power".to_string()).stack_size(STACK_BYTES);
        let thread =
            builder.spawn(move || own.run(&argv, read)).map_err(|error| error.to_string())?;
        Ok(Poll { shared, thread: Some(thread) })
    }

    fn microwatts(&self) -> Option<u64> {
        let value = self.shared.microwatts.load(Ordering::Relaxed);
        (value != NONE).then_some(value)
    }
}

impl SharedReading {
    fn run(&self, argv: &[String], read: fn(&str) -> Option<f64>) {
        let cancel = Cancel::default();
        while !self.is_over.load(Ordering::Relaxed) {
            park_timeout(EVERY);
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            // One that fails tells nothing until it works again.
            let told = ask(argv, read, &cancel).map_or(NONE, microwatts);
            self.microwatts.store(told, Ordering::Relaxed);
        }
    }
}

impl Drop for Poll {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It ends within its command's limit; a panic in it has been printed.
            let _ = thread.join();
        }
    }
}

fn microwatts(watts: f64) -> u64 {
    (watts * 1e6) as u64
}

fn ask(argv: &[String], read: fn(&str) -> Option<f64>, cancel: &Cancel) -> Result<f64, String> {
    let finished = match Spec::tool(argv, LIMIT).and_then(|spec| spec.run(cancel)) {
        Ok(finished) => finished,
        Err(ExecError::Missing { program }) => return Err(format!("{program} is not installed")),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8_lossy(&finished.stdout);
    match finished.status.success() {
        false => Err(format!("it ended with {}", finished.how())),
        true => read(&text).ok_or_else(|| "it does not print watts".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;

    const RAPL: &str = "sys/class/powercap/intel-rapl:0";

    /// Layouts by the kernel's documentation; no such machine was at hand.
    fn laptop() -> (tempfile::TempDir, Root) {
        tree(&[
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
            ("sys/class/hwmon/hwmon1/power1_label", "5V\n"),
        ])
    }

    #[test]
    fn counters_and_sensors_are_found_and_graphics_cards_left_out() {
        let (dir, root) = laptop();
        let (mut open, missing) = meters(&root, None);
        assert!(missing.is_empty(), "{missing:?}");
        let names: Vec<(MeterScope, &str)> =
            open.iter().map(|m| (m.name.meter, m.name.name.as_str())).collect();
        let want = [
            (MeterScope::Package, "package-0"),
            (MeterScope::Platform, "psys"),
            (MeterScope::Rail, "ina226 5V"),
        ];
        assert_eq!(names, want);
        assert_eq!(open[0].energy_uj(), Some(0));
        std::fs::write(dir.path().join(RAPL).join("energy_uj"), "15\n").unwrap();
        assert_eq!(open[0].energy_uj(), Some(25), "it began anew at 1000");
        assert_eq!(open[2].energy_uj(), Some(0));
        std::thread::sleep(Duration::from_millis(50));
        let joules = open[2].energy_uj().unwrap() as f64 / 1e6;
        assert!(joules >= 0.1, "2 W for 50 ms or more: {joules}");
    }

    #[test]
    fn a_machine_without_a_meter_has_a_reason() {
        let (_dir, root) = tree(&[("proc/device-tree/model", "QEMU\0")]);
        let (open, missing) = meters(&root, None);
        assert!(open.is_empty());
        let [no_power] = missing.as_slice() else { panic!("{missing:?}") };
        assert!(no_power.reason.starts_with("the machine has no meter"), "{no_power:?}");
    }
}
