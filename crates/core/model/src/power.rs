//! Electrical power: which meters a machine has, what each includes, and the energy of a piece of
//! work.
//!
//! A meter includes the idle power of all that it feeds, so that figures of two machines compare
//! their meters first. Sources: `Documentation/power/powercap/powercap.rst`,
//! `Documentation/hwmon/sysfs-interface.rst` and `acpi_power_meter.rst` of the Linux kernel; the
//! Raspberry Pi documentation on `vcgencmd pmic_read_adc`.

use serde::{Deserialize, Serialize};

/// What a meter measures, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeterScope {
    /// A command of the user's that prints watts: whatever it measures.
    Command,
    /// The whole machine at its supply, by ACPI's power meter.
    Machine,
    /// The platform as the processor sees it (RAPL psys).
    Platform,
    /// The rails of a Raspberry Pi 5 behind its power management chip.
    Board,
    Rail,
    Package,
    Memory,
}

impl MeterScope {
    pub fn includes(self) -> &'static str {
        match self {
            MeterScope::Command => "what the power command measures, with idle power",
            MeterScope::Machine => "the whole machine at its power supply, with idle power",
            MeterScope::Platform => {
                "the platform, with idle power, usually without external drives"
            }
            MeterScope::Board => {
                "the board's internal rails, with idle power, without USB devices and power \
                 supply losses"
            }
            MeterScope::Rail => "one supply rail, with idle power (see the name of the sensor)",
            MeterScope::Package => "the processor, with idle power, without the drive",
            MeterScope::Memory => "the memory, with idle power, without the drive",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeterName {
    pub meter: MeterScope,
    /// Its name in the system: `package-0`, `power_meter`.
    pub name: String,
}

/// The energy that went through a meter while a cell was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerSeries {
    #[serde(flatten)]
    pub of: MeterName,
    pub energy_uj: Vec<u64>,
}

/// What work took, by the most telling meter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// The meter; several processor packages are added up.
    pub meter: MeterScope,
    pub names: Vec<String>,
    pub watts: f64,
    /// Joules for 10^9 bytes of data; `None` where no bytes moved.
    pub joules_per_gb: Option<f64>,
    /// Joules for 1,000 data operations.
    pub joules_per_1000_ios: Option<f64>,
}
