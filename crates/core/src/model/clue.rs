//! What speaks for a cause, in figures. Shares are of the cell's time where nothing else is said.

use super::cause::Cause;
use super::ceiling::Layer;
use super::workload::Metric;

/// Whose the cause is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The CPU quota of the control group.
    Quota,
    /// The generator of the load.
    Bakeoff,
    /// dm-crypt in memory.
    DmCrypt,
    /// The cipher, as experiments show it.
    Cipher,
    /// A filesystem, by its name where that is known.
    Filesystem(Option<String>),
    /// A thread that works for storage.
    Thread {
        /// Its name.
        name: String,
        /// Whether it is one of dm-crypt's.
        is_ciphers: bool,
    },
    /// Interrupts.
    Interrupts,
    /// The thread that makes the calls.
    CallingThread,
    /// Other processes.
    OtherProcesses,
    /// Too low a voltage.
    UnderVoltage,
    /// Heat.
    Heat,
    /// A virtual disk.
    VirtualDisk,
    /// A hard disk whose tracks overlap (SMR).
    ShingledDisk,
    /// Flash.
    Flash,
    /// The links of the drives, as the kernel names them.
    Links(Vec<String>),
}

impl Subject {
    /// Whether it is dm-crypt's work.
    pub fn is_ciphers(&self) -> bool {
        matches!(self, Subject::DmCrypt | Subject::Thread { is_ciphers: true, .. })
    }
}

/// A rate in the metric of its workload, a second; of a latency, data operations a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The metric.
    pub metric: Metric,
    /// The rate.
    pub value: f64,
}

/// How much of a lower layer a cell reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfLayer {
    /// The layer.
    pub layer: Layer,
    /// The cell's rate as a share of it.
    pub share: f64,
    /// What it reaches.
    pub rate: Rate,
}

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the devices.
    Read,
    /// To the devices.
    Written,
}

/// What a calling thread did while it ran.
#[derive(Clone, Debug, PartialEq)]
pub enum Calling {
    /// As many calls as it makes in memory: this share of them.
    AsInMemory {
        /// Share of the rate in memory.
        share: f64,
    },
    /// Calls of a few bytes.
    SmallCalls {
        /// Time of one, nanoseconds.
        ns: f64,
        /// Bytes of one.
        bytes: u64,
    },
    /// Work in the kernel.
    InKernel {
        /// Share of the time that the thread ran.
        share: f64,
        /// The filesystem, where its name is known.
        filesystem: Option<String>,
    },
}

/// One thing that was seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Clue {
    /// Around the cell.
    Around(Around),
    /// At the processors.
    Processor(Processor),
    /// At the drive.
    Drive(Drive),
    /// In an experiment.
    Experiment(Experiment),
    /// A lower layer is no faster.
    OfLayer(OfLayer),
    /// What is known of lower layers, lowest first, where none explains the rate.
    Layers(Vec<OfLayer>),
    /// Cells of a candidate with different causes, each once.
    Disagree(Vec<(Cause, Option<Subject>)>),
}

/// What was seen around a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Around {
    /// The firmware reported throttling.
    Throttled {
        /// What it reported ([`super::throttled`]).
        bits: u32,
        /// Share of the samples in which it held; 0 = between two of them.
        share: f64,
    },
    /// The CPU clock fell.
    LowClock {
        /// Lowest clock, kHz.
        lowest_khz: f64,
        /// Highest clock that it may have, kHz.
        most_khz: f64,
        /// Highest temperature, thousandths of a degree Celsius.
        hottest_mc: Option<u64>,
    },
    /// Other processes used the drive.
    Foreign {
        /// Bytes of others.
        others_bytes: u64,
        /// Bytes of the workload.
        own_bytes: u64,
    },
    /// The devices moved less than was asked for.
    Unmoved {
        /// Which way.
        direction: Direction,
        /// Share of the bytes that they moved.
        share: f64,
    },
}

/// What was seen of processors and threads.
#[derive(Clone, Debug, PartialEq)]
pub enum Processor {
    /// The CPU quota of the control group stopped the generator.
    Quota {
        /// Share of the time.
        share: f64,
    },
    /// The generator is no faster without any I/O.
    OwnRate {
        /// Share of its rate without I/O.
        share: f64,
    },
    /// The generator's own work.
    OwnWork {
        /// Share of the time.
        share: f64,
    },
    /// A thread that works for storage ran.
    Thread {
        /// Its name.
        name: String,
        /// Share of the time it ran.
        share: f64,
        /// Share of the time that went to waiting for the drive.
        drive: f64,
        /// Share of the time the calling thread ran.
        lane: f64,
    },
    /// A CPU was in interrupts.
    Interrupts {
        /// Its number.
        cpu: u32,
        /// Share of the time.
        share: f64,
    },
    /// The calling thread was ready and another ran.
    WaitedForCpu {
        /// Share of the time it waited.
        waited: f64,
        /// Share of the time it ran.
        ran: f64,
    },
    /// The calling thread ran.
    CallingThread {
        /// Share of the time.
        ran: f64,
        /// Share of the time that it waited for a CPU, where that is worth telling.
        waited: Option<f64>,
        /// What it did.
        calling: Calling,
    },
    /// Others took the CPUs.
    Crowded {
        /// Share of the time in which all CPUs were busy.
        busy: f64,
        /// Share of the time in which somebody waited for one.
        waiting: f64,
        /// Share of the time the calling thread ran.
        lane: f64,
    },
}

/// What was seen of the drive, its link and its flushes.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// Flushes of the workload.
    Flushes {
        /// How many.
        count: u64,
        /// Share of the time.
        share: f64,
    },
    /// Flushes as the kernel counts them at the device.
    DeviceFlushes {
        /// Share of the time.
        share: f64,
    },
    /// The rate without flushes.
    WithoutFlushes(Rate),
    /// Dirty pages up to where the kernel slows writers.
    DirtyPages {
        /// Most of them.
        most_bytes: u64,
        /// From where the kernel slows writers.
        from_bytes: u64,
        /// Share of the time the calling thread ran.
        lane: f64,
    },
    /// The ends of the region differ.
    Ends {
        /// Rate of the device at its start.
        start: Rate,
        /// At its end.
        end: Rate,
    },
    /// The rate changes along the file.
    Slope {
        /// By this fraction of the rate at its start.
        change: f64,
    },
    /// The link carries no more.
    OfLink {
        /// Share of what it carries.
        share: f64,
        /// What it carries.
        rate: Rate,
    },
    /// Others measured no more over such a link.
    OfPractice {
        /// Share of what they measured.
        share: f64,
        /// What they measured.
        rate: Rate,
    },
    /// The same region with many requests in flight.
    Deeper {
        /// Its rate in units of the cell's.
        times: f64,
    },
    /// The cell is faster than the device.
    FasterThanRaw {
        /// Its rate in units of the device's.
        times: f64,
    },
    /// Requests in flight.
    InFlight {
        /// On average.
        requests: f64,
        /// Mean time of one, milliseconds.
        await_ms: f64,
    },
    /// One request in flight.
    OneInFlight {
        /// Share of the time.
        share: f64,
        /// Mean time of one, milliseconds.
        await_ms: f64,
    },
    /// The write rate fell and stayed there.
    Fall(Fall),
    /// Requests stood still again and again.
    Stalls {
        /// How often.
        count: usize,
        /// Share of the time.
        share: f64,
        /// The longest, nanoseconds.
        longest_ns: u64,
        /// The median write, nanoseconds.
        median_ns: u64,
    },
}

/// A write rate that fell.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// Bytes after which.
    pub after_bytes: u64,
    /// Rate after it in units of the rate before it.
    pub ratio: f64,
    /// Other cells with the same fall; `None` where there are no others.
    pub again: Option<usize>,
    /// Time of a byte at the drive after it, in units of the time before it.
    pub times: f64,
}

/// What an experiment came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Experiment {
    /// With a cipher that does nothing.
    NullCipher {
        /// Rate in units of the cell's.
        times: f64,
        /// The same without encryption, where that was measured.
        without: Option<f64>,
    },
    /// At a lower CPU clock.
    SlowClock {
        /// Share of the clock.
        clock: f64,
        /// Share of the rate.
        rate: f64,
    },
    /// In smaller blocks.
    SmallBlocks {
        /// Their size.
        block_bytes: u64,
        /// Share of the rate in bytes a second.
        share: f64,
    },
}
