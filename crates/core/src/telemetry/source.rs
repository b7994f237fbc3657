//! What can be sampled of a machine, and why something cannot. The words are in
//! [`crate::report::watching`].

/// A source of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Clocks of the CPUs.
    Clocks,
    /// Thermal zones.
    Temperatures,
    /// Meters of electrical power.
    Power,
    /// The firmware of a Raspberry Pi.
    Throttling,
    /// bakeoff's control group.
    CpuQuota,
    /// Threads that work for storage.
    Threads,
    /// The kernel's log.
    KernelLog,
    /// Use of each CPU.
    Cpus,
    /// Time in which work waited for a CPU.
    CpuPressure,
    /// The same for I/O.
    IoPressure,
    /// The same for memory.
    MemoryPressure,
    /// Dirty pages and the page cache.
    Memory,
    /// Counters of pages.
    PageCounters,
    /// Counters of soft interrupts.
    SoftInterrupts,
    /// The load average.
    Load,
}

/// What cannot be sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Everything: the sampler has no thread, in the system's words.
    Everything {
        /// The system's words.
        error: String,
    },
    /// The machine has none.
    None(Source),
    /// It cannot be opened.
    Unopened {
        /// Which.
        source: Source,
        /// Whether it is there, and may not be read.
        is_denied: bool,
        /// The system's words.
        error: String,
    },
    /// No power, or not of all that was asked for.
    Power(NoPower),
}

/// Why there is no meter of power on a machine that has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPower {
    /// The command of `--power-command` prints no watts.
    Command(NoWatts),
    /// The command that reads a board's power chip prints none.
    Board {
        /// The command.
        command: String,
        /// Why.
        why: NoWatts,
    },
    /// The processor's counters can be read by root only.
    NeedsRoot,
}

/// Why a command gives no watts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoWatts {
    /// It is not installed.
    NotInstalled {
        /// The program.
        program: String,
    },
    /// It could not be run, or the thread that asks it not be started.
    NotRun {
        /// The words of the error.
        error: String,
    },
    /// It failed.
    Ended {
        /// How: "exit status 1".
        how: String,
    },
    /// It prints something else.
    NotWatts,
}
