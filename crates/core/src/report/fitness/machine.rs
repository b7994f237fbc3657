//! The machine: clock, power, heat, swap, memory, and facts that are missing.

use super::words::{Words, advised, plain};
use crate::fitness::clock::{Governor, Temperature, Throttling};
use crate::fitness::facts::Missing;
use crate::fitness::memory::{CpuLoad, Memory, Swapping};
use crate::model::throttled;
use crate::phrases;
use crate::units;

pub fn missing(why: &Missing) -> String {
    match why {
        Missing::NotRunning => "only checked on the running machine".to_string(),
        Missing::NoCpufreq => {
            "this machine has no cpufreq, so the CPU clock cannot be read or set".to_string()
        }
        Missing::NoFirmware => "no Raspberry Pi firmware responds".to_string(),
        Missing::NoThermalZone => "no thermal zone can be read".to_string(),
        Missing::NoProcesses => "/proc shows no processes".to_string(),
        Missing::NoSystemd => {
            "this machine does not use systemd, and bakeoff does not read cron jobs".to_string()
        }
        Missing::NoSystemctl => "systemctl is not installed".to_string(),
        Missing::NoTimerList { said } => format!(
            "systemctl gives no list of timers (older than 249, or in a container): {}",
            said.as_deref().unwrap_or("systemctl printed no list of timers")
        ),
        Missing::NoKernelLog { error } => format!("needs root or CAP_SYSLOG: {error}"),
        Missing::Interrupted => "interrupted".to_string(),
        Missing::Said(words) => words.clone(),
    }
}

pub fn governor(found: &Governor) -> Words {
    match found {
        Governor::Capped { policy, limit_khz, most_khz } => advised(
            format!("{policy} is limited to {} MHz of {} MHz", limit_khz / 1000, most_khz / 1000),
            "raise scaling_max_freq in /sys/devices/system/cpu/cpufreq/policy*, or find out what \
             lowered it (heat, a power profile)",
        ),
        Governor::FollowsLoad { governor } => advised(
            format!("{governor}: the clock follows the load, so short I/O runs on a slow CPU"),
            "during the test: echo performance | sudo tee \
             /sys/devices/system/cpu/cpufreq/policy*/scaling_governor (bakeoff run sets and \
             restores it for a plan, as root)",
        ),
        Governor::Fixed { governors } => plain(phrases::list(governors)),
    }
}

pub fn throttling(found: Throttling) -> Words {
    let now = throttled::labels(found.bits).join(", ");
    let since = throttled::labels(throttled::since_boot(found.bits)).join(", ");
    let text = match (now.as_str(), since.as_str()) {
        ("", "") if found.tells_history => "not now, and not since boot".to_string(),
        ("", "") => "no under-voltage now; this kernel reports no history".to_string(),
        ("", since) => format!("not now, but since boot: {since}"),
        (now, _) => format!("now: {now}"),
    };
    advised(
        text,
        "use the board's own power supply and a short cable, move power-hungry drives to a powered \
         hub, cool the board; then reboot and check again",
    )
}

pub fn temperature(found: &Temperature) -> Words {
    match found {
        Temperature::NoSensor => plain("no sensor responds"),
        Temperature::Hottest { sensor, now_mc, limit_mc } => advised(
            format!("{sensor}: {} °C, slows down at {} °C", now_mc / 1000, limit_mc / 1000),
            "let it cool down, improve the air flow or add a heat sink",
        ),
    }
}

pub fn swap(found: &Swapping) -> Words {
    match found {
        Swapping::None => plain("none"),
        Swapping::Active { pages } => advised(
            format!("the machine is swapping: {pages} pages while idle"),
            "close programs, or add memory; results from a drive that is also used for swap are \
             not usable",
        ),
        Swapping::OnTarget { names } => advised(
            format!("{} on the drive to be measured", phrases::agreeing(names, ["is", "are"])),
            format!(
                "run: sudo swapoff {} (after the test: sudo swapon with the same names)",
                names.join(" ")
            ),
        ),
        Swapping::InMemory => plain("in memory (zram), quiet"),
        Swapping::Elsewhere => plain("on another drive, quiet"),
    }
}

pub fn cpu_load(found: CpuLoad) -> Words {
    match found {
        CpuLoad::NotReported => plain("/proc/stat cannot be read"),
        CpuLoad::Busy { percent, elapsed_ns } => advised(
            format!("{percent:.0} % busy in the last {}", units::duration(elapsed_ns)),
            "stop running programs (see: top), or measure at night: `bakeoff run … --at 03:00`",
        ),
    }
}

pub fn memory(found: Memory) -> Words {
    let of_ram = |total_bytes| format!("{} of RAM", units::size(total_bytes));
    match found {
        Memory::NotReported => plain("/proc/meminfo does not report the size of memory"),
        Memory::TooLittle { available_bytes } => advised(
            format!("{} available", units::size(available_bytes)),
            "close programs; the measuring processes themselves need 64 MiB",
        ),
        Memory::Enough { available_bytes } => {
            plain(format!("{} available", units::size(available_bytes)))
        }
        Memory::NoFile { total_bytes } => {
            plain(format!("{}; no space here for a test file", of_ram(total_bytes)))
        }
        Memory::FileExceeds { total_bytes } => {
            plain(format!("{}; files of twice that size fit here", of_ram(total_bytes)))
        }
        Memory::FileFits { total_bytes, file_bytes } => advised(
            format!(
                "{}, and a test file can be at most {} here: such a file may be read from memory",
                of_ram(total_bytes),
                units::size(file_bytes)
            ),
            "bakeoff drops its files from the page cache before each read and verifies this; with \
             dd, bonnie++ or iozone use direct I/O (oflag=direct, -D, -I) here",
        ),
    }
}
