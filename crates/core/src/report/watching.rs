//! What is watched during a run and what cannot be, in words as they are recorded.

use crate::model::candidate::Skipped;
use crate::telemetry::source::{Missing, NoPower, NoWatts, Source};

/// The name of a source.
pub fn name(source: Source) -> &'static str {
    match source {
        Source::Clocks => "clocks",
        Source::Temperatures => "temperatures",
        Source::Power => "power",
        Source::Throttling => "throttling",
        Source::CpuQuota => "CPU quota",
        Source::Threads => "threads",
        Source::KernelLog => "kernel log",
        Source::Cpus => "CPUs",
        Source::CpuPressure => "CPU pressure",
        Source::IoPressure => "I/O pressure",
        Source::MemoryPressure => "memory pressure",
        Source::Memory => "memory",
        Source::PageCounters => "page counters",
        Source::SoftInterrupts => "soft interrupts",
        Source::Load => "load",
    }
}

/// A source that is missing.
pub fn missing(missing: &Missing) -> Skipped {
    let (name, reason) = match missing {
        Missing::Everything { error } => ("everything", format!("cannot start a thread: {error}")),
        Missing::None(source) => (name(*source), needs(*source).to_string()),
        Missing::Unopened { source, is_denied: true, error } => {
            (name(*source), format!("cannot be read: {error}; {}", needs(*source)))
        }
        Missing::Unopened { source, is_denied: false, error } => {
            (name(*source), format!("{} ({error})", needs(*source)))
        }
        Missing::Power(why) => (name(Source::Power), no_power(why)),
    };
    Skipped { name: name.to_string(), reason }
}

/// What a source needs that a machine without it lacks.
fn needs(source: Source) -> &'static str {
    match source {
        Source::Clocks => "no cpufreq, so the CPU clock cannot be read",
        Source::Temperatures => "no thermal zone can be read",
        Source::Power => {
            "the machine has no meter (RAPL, hwmon power sensor or Raspberry Pi 5); use \
             --power-command"
        }
        Source::Throttling => "no Raspberry Pi firmware responds",
        Source::CpuQuota => "bakeoff's control group has no cpu.stat",
        Source::Threads => "no /proc",
        Source::KernelLog => "needs root or CAP_SYSLOG",
        Source::CpuPressure | Source::IoPressure | Source::MemoryPressure => {
            "the kernel has no CONFIG_PSI, or needs psi=1 on its command line"
        }
        Source::Cpus
        | Source::Memory
        | Source::PageCounters
        | Source::SoftInterrupts
        | Source::Load => "the kernel was built without it",
    }
}

fn no_power(why: &NoPower) -> String {
    match why {
        NoPower::Command(why) => format!("--power-command: {}", no_watts(why)),
        NoPower::Board { command, why } => format!("{command}: {}", no_watts(why)),
        NoPower::NeedsRoot => "the counters in /sys/class/powercap need root".to_string(),
    }
}

/// Why a command gives no watts.
pub fn no_watts(why: &NoWatts) -> String {
    match why {
        NoWatts::NotInstalled { program } => format!("{program} is not installed"),
        NoWatts::NotRun { error } => error.clone(),
        NoWatts::Ended { how } => format!("it ended with {how}"),
        NoWatts::NotWatts => "it does not print watts".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_in_words() {
        let unopened = |source, is_denied, error: &str| {
            let error = error.to_string();
            Missing::Unopened { source, is_denied, error }
        };
        let not_run = || NoWatts::NotRun { error: "timed out".to_string() };
        let command = "vcgencmd pmic_read_adc".to_string();
        let all = [
            Missing::Everything { error: "EAGAIN".to_string() },
            Missing::None(Source::Clocks),
            Missing::None(Source::Temperatures),
            Missing::None(Source::Throttling),
            Missing::None(Source::CpuQuota),
            unopened(Source::Threads, false, "No such file or directory"),
            unopened(Source::KernelLog, true, "Permission denied"),
            unopened(Source::IoPressure, false, "No such file or directory"),
            unopened(Source::Load, false, "No such file or directory"),
            Missing::Power(NoPower::Command(NoWatts::NotWatts)),
            Missing::Power(NoPower::Command(NoWatts::Ended { how: "exit status 1".to_string() })),
            Missing::Power(NoPower::Command(NoWatts::NotInstalled {
                program: "meter".to_string(),
            })),
            Missing::Power(NoPower::Board { command, why: not_run() }),
            Missing::None(Source::Power),
            Missing::Power(NoPower::NeedsRoot),
        ];
        let lines = all.map(|one| missing(&one)).map(|one| format!("{}: {}", one.name, one.reason));
        insta::assert_snapshot!(lines.join("\n"));
    }
}
