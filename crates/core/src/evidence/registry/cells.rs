//! Rules about single cells: what was measured while.

use super::When::{Analysis, Cell, Import};
use super::{CELL, E, R, RUN, Rule, W};

/// By id.
pub(super) static RULES: &[&Rule] = &[
    &FAST_CACHE,
    &FILE_VS_RAM,
    &SYNC_OUTSIDE_LATENCY,
    &IMPOSSIBLE_RATE,
    &WARM_CACHE,
    &DIRECT_FALLBACK,
    &FSYNC_CADENCE,
    &TOO_SHORT,
    &MEAN_LIES,
    &NOT_STEADY,
    &THIN_TAIL,
    &COORDINATED_OMISSION,
    &THROTTLED,
    &BACKGROUND,
    &OBSERVER,
    &SWAP,
    &CACHE_STATE_UNKNOWN,
    &DEVICE_ERROR,
    &NO_PROGRESS,
    &REWRITTEN,
    &SUSPENDED,
    &TOOL_SHARE,
];

/// L07.
pub static FAST_CACHE: Rule = Rule {
    id: "L07",
    slug: "fast-cache",
    when: &[Analysis, Import],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "writing falls by 30 % or more for good inside most cells of a candidate",
    explain: "Many cards and SSDs take the first gigabytes into a fast part of their flash \
              and slow down to a third when it is full; a hard disk does so with its memory. \
              In a virtual machine the writer itself is slower as soon as its memory is such \
              as the host has to find first. One study wrote 2 GiB to a drive with a cache \
              of 1.1 GiB. A short test measures what is fast. A longer --runtime, or io_size \
              above the cache, shows what comes after.",
};

/// L12.
pub static FILE_VS_RAM: Rule = Rule {
    id: "L12",
    slug: "file-vs-ram",
    when: &[Cell, Import],
    severity: [E, E, E, E],
    scope: CELL,
    condition: "reads through the page cache of a file smaller than twice the memory",
    explain: "What was read or written before stays in memory while there is room. A file of \
              1 GiB on a machine with 4 GiB is read from memory the second time, at many \
              times the disk's speed. Read past the cache (--direct), or use a file of twice \
              the memory. A read that was proven cold is not concerned.",
};

/// L14.
pub static SYNC_OUTSIDE_LATENCY: Rule = Rule {
    id: "L14",
    slug: "sync-outside-latency",
    when: &[Analysis, Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "a tenth of the time or more lies outside the operations whose latency is told",
    explain: "sysbench 0.4 does not count flushes as events: on an SD card 97 % of the time \
              went into them, and the average latency it printed, 4.9 ms, was that of the \
              other 3 %: the same as on a hard disk 27 times as fast. sysbench 1.0.15 and \
              later count them; bakeoff tells them apart.",
};

/// L15.
pub static IMPOSSIBLE_RATE: Rule = Rule {
    id: "L15",
    slug: "impossible-rate",
    when: &[Cell, Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "more bytes a second than the link carries, or a read faster than the wire",
    explain: "USB 2 carries 60 MB/s at the very most. A disk behind it that reads 300 MB/s \
              was not read: the bytes came from memory. Such a cell is thrown away and \
              measured again.",
};

/// L16.
pub static WARM_CACHE: Rule = Rule {
    id: "L16",
    slug: "warm-cache",
    when: &[Cell, Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "a cold read of which part was in memory or not moved by the devices",
    explain: "A read counts as cold only when nothing of the file was in memory just before \
              and the lowest real device then moved at least nine tenths of the bytes. One \
              study read its files in the order in which it had written them, the page cache \
              as it was. A cell that fails this is thrown away and measured again.",
};

/// L17.
pub static DIRECT_FALLBACK: Rule = Rule {
    id: "L17",
    slug: "direct-fallback",
    when: &[Cell, Import],
    severity: [W, E, E, E],
    scope: CELL,
    condition: "direct writes for which the kernel dirtied pages of its cache",
    explain: "Some filesystems take a direct write and send it through the page cache all \
              the same: btrfs does so for files with checksums. Nothing stays resident \
              afterwards, but the kernel's count of dirtied pages grows by about one for \
              each page written. The number is then one of buffered writing. One study \
              compared direct I/O on btrfs without the kernel, on which this depends.",
};

/// L19.
pub static FSYNC_CADENCE: Rule = Rule {
    id: "L19",
    slug: "fsync-cadence",
    when: &[Analysis, Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "over 30 % of the time is flushing at a rhythm that the tool chose",
    explain: "sysbench flushes all 128 files after every 100 requests unless told otherwise; \
              on an SD card that one round took 17.6 s and was nearly the whole result. \
              Another rhythm gives another ratio between candidates. --file-fsync-freq says \
              how often your own work flushes.",
};

/// L25.
pub static TOO_SHORT: Rule = Rule {
    id: "L25",
    slug: "too-short",
    when: &[Cell, Import],
    severity: [E, E, E, E],
    scope: CELL,
    condition: "under half a second or fifty operations; unflushed writes under 50 s",
    explain: "A cell of a few operations is decided by chance, and one that is not flushed \
              ends before the kernel has written anything back (it does so every 5 s). Cells \
              last two seconds and fifty operations at least; on a slow card the time limit \
              can end one earlier, which is then said.",
};

/// L26.
pub static MEAN_LIES: Rule = Rule {
    id: "L26",
    slug: "mean-lies",
    when: &[Analysis, Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "the mean latency lies above the 95th percentile",
    explain: "On one SD card the mean was 4.9 ms and 95 % of the operations took less than \
              2.3 ms: a few stalls of up to 0.8 s made more than half of the time. Such a \
              mean describes no operation; the percentiles in the report do.",
};

/// L37.
pub static NOT_STEADY: Rule = Rule {
    id: "L37",
    slug: "not-steady",
    when: &[Analysis],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "five fifths of most cells of a candidate are not steady, their mean changes \
                for good by over 10 %, or preconditioning ended on an unsteady region",
    explain: "SNIA calls a device steady when five rounds lie within 20 % of their mean and \
              the line through them moves by 10 % of it at most. One number for something \
              that still changes depends on when it was read. The report shows the series; \
              give preconditioning more time or bytes (--time, --max-write), or measure \
              longer: runtime in a plan, --runtime of bench.",
};

/// L47.
pub static THIN_TAIL: Rule = Rule {
    id: "L47",
    slug: "thin-tail",
    when: &[Analysis],
    severity: [E, E, E, E],
    scope: CELL,
    condition: "a percentile from fewer than ten operations beyond it",
    explain: "The 99.9th percentile of a thousand operations is the slowest one or two of \
              them. bakeoff leaves a percentile blank with fewer than 10/(1-q) operations, \
              10,000 for p99.9; figures of other tools are marked. A longer --runtime gives \
              more of them.",
};

/// L48.
pub static COORDINATED_OMISSION: Rule = Rule {
    id: "L48",
    slug: "coordinated-omission",
    when: &[Analysis],
    severity: [W, W, E, E],
    scope: CELL,
    condition: "latency is judged in a closed loop that stalls for over ten medians",
    explain: "A load that waits for each answer sends nothing during a stall, so the requests \
              that would have suffered are never made: examples show a 99th percentile of 1 \
              ms that was 195 ms for whoever kept coming. --rate_iops sends at a fixed rate \
              and counts from when a request was due.",
};

/// L49.
pub static THROTTLED: Rule = Rule {
    id: "L49",
    slug: "throttled",
    when: &[Cell],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "the board was throttled, its voltage or its clock fell during the cell",
    explain: "A Raspberry Pi lowers its clock when it is hot or its supply weak, and says so \
              in a few bits. A model 3B+ goes from 1.4 to 1.2 GHz at 60 °C. Other machines do \
              it without a word: there a clock counts as lowered that fell from its highest \
              by 10 % and stayed low, with the rate going down as well, or on a hot machine \
              whose governor is performance. The cell then measures the supply or the \
              cooling. It is thrown away and measured again; a better supply, a heat sink or \
              a fan mends it.",
};

/// L52.
pub static BACKGROUND: Rule = Rule {
    id: "L52",
    slug: "background",
    when: &[Cell, Import],
    severity: [W, E, E, E],
    scope: CELL,
    condition: "other processes moved over 5 % of the cell's bytes and 1 MiB at least, or \
                took over 5 % of the CPUs while the load waited for one",
    explain: "Something else read, wrote or computed while a cell was measured. In one study \
              all four filesystems were mounted at once, on one disk. The journal and \
              metadata of the filesystem under test count as its own, and the idle rate \
              before the block is taken off. What computes on a CPU of its own takes nothing \
              away: it counts where the load was ready to run and had to wait for over 2 % \
              of the time. The finding names who it was.",
};

/// L54.
pub static OBSERVER: Rule = Rule {
    id: "L54",
    slug: "observer",
    when: &[Cell, Import],
    severity: [W, W, W, E],
    scope: CELL,
    condition: "watching took over 2 % of a CPU",
    explain: "Whoever looks at the machine ten times a second takes part in what is \
              measured; on the single core of the first boards a monitor with a web page \
              took 10 % of it. bakeoff looks four times a second there and counts what it \
              costs.",
};

/// L55.
pub static SWAP: Rule = Rule {
    id: "L55",
    slug: "swap",
    when: &[Cell, Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "over 1 MiB was swapped in or out during the cell",
    explain: "Memory was short and the kernel moved pages to and from the swap device. \
              Swapping takes time from every process, and where the swap lies on the disk \
              under test, from the disk too. In one study swap was left on. The cell is \
              thrown away and measured again.",
};

/// cache-unknown.
pub static CACHE_STATE_UNKNOWN: Rule = Rule {
    id: "cache-unknown",
    slug: "cache-state-unknown",
    when: &[Cell],
    severity: [W, W, E, E],
    scope: CELL,
    condition: "reads of which nobody can say whether they came from memory",
    explain: "Behind a user-space driver, on another machine or in memory itself, neither the \
              page cache nor the device can be watched. The number stands as that of the \
              place, and is never called cold.",
};

/// device-error.
pub static DEVICE_ERROR: Rule = Rule {
    id: "device-error",
    slug: "device-error",
    when: &[Cell],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "the kernel reported an error of the device or its link",
    explain: "The kernel's log has an I/O error, a reset or a time-out within the cell. Time \
              spent on repetition and resets is no speed. The cell is thrown away and \
              measured again; dmesg has the lines, and a cable, a port or a power supply is \
              the usual cause.",
};

/// no-progress.
pub static NO_PROGRESS: Rule = Rule {
    id: "no-progress",
    slug: "no-progress",
    when: &[Cell],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "a cell in which no operation was completed",
    explain: "Nothing was done within the time limit of the cell. The cell is thrown away and \
              measured again; dmesg tells whether the device reports errors.",
};

/// rewritten.
pub static REWRITTEN: Rule = Rule {
    id: "rewritten",
    slug: "rewritten",
    when: &[Cell],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "direct writes went over their blocks twice or more without a flush in between",
    explain: "A timed cell of direct writes goes over its size again and again, by bakeoff's \
              engine and by fio and sysbench alike. Every write reaches the drive, but one \
              with a cache may keep only the last of those to a block: 64 MiB that are \
              written thirty times can cost it less than 2 GiB. It is the same for all \
              candidates; the figure is not that of a long write. A larger --size, or a \
              flush every so many writes, makes it one.",
};

/// suspended.
pub static SUSPENDED: Rule = Rule {
    id: "suspended",
    slug: "suspended",
    when: &[Cell],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "the machine was suspended during the cell",
    explain: "The clock that counts suspended time ran ahead of the one that does not. The \
              cell is thrown away and measured again.",
};

/// tool-share.
pub static TOOL_SHARE: Rule = Rule {
    id: "tool-share",
    slug: "tool-share",
    when: &[Cell],
    severity: [W, E, E, E],
    scope: CELL,
    condition: "over 5 % of the cell's time went to generating data and bookkeeping",
    explain: "On a very fast place the load generator itself becomes part of the result. \
              Differences between candidates then look smaller than they are.",
};
