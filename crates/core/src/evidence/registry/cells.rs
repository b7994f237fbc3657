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
    condition: "the write rate falls permanently by 30 % or more within most cells of a candidate",
    explain: "Many cards and SSDs store the first gigabytes in a fast part of their flash and slow \
        down to a third when it is full; a hard disk does the same with its memory. In a virtual \
        machine the writer itself slows down when the host must first allocate its memory. One \
        study wrote 2 GiB to a drive with a cache of 1.1 GiB. A short test measures only the fast \
        part. A longer --runtime, or an io_size above the cache, shows the rate afterwards.",
};

/// L12.
pub static FILE_VS_RAM: Rule = Rule {
    id: "L12",
    slug: "file-vs-ram",
    when: &[Cell, Import],
    severity: [E, E, E, E],
    scope: CELL,
    condition: "reads through the page cache of a file smaller than twice the memory",
    explain: "Data that was read or written stays in memory while space allows. A file of 1 GiB on \
        a machine with 4 GiB is read from memory the second time, at many times the disk's speed. \
        Read past the cache (--direct), or use a file of twice the memory. A read that was \
        verified to be cold does not trigger this finding.",
};

/// L14.
pub static SYNC_OUTSIDE_LATENCY: Rule = Rule {
    id: "L14",
    slug: "sync-outside-latency",
    when: &[Analysis, Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "a tenth of the time or more is outside the operations with a reported latency",
    explain: "sysbench 0.4 does not count flushes as events: on an SD card 97 % of the time went \
        into them, and the average latency it printed, 4.9 ms, was that of the other 3 %: the same \
        as on a hard disk 27 times as fast. sysbench 1.0.15 and later count them; bakeoff \
        distinguishes the two.",
};

/// L15.
pub static IMPOSSIBLE_RATE: Rule = Rule {
    id: "L15",
    slug: "impossible-rate",
    when: &[Cell, Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "more bytes per second than the link can carry",
    explain: "USB 2 carries at most 60 MB/s. If a disk behind it seems to read 300 MB/s, the data \
        came from memory. The cell is discarded and repeated.",
};

/// L16.
pub static WARM_CACHE: Rule = Rule {
    id: "L16",
    slug: "warm-cache",
    when: &[Cell, Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "part of a cold read was in memory, or was not transferred by the devices",
    explain: "A read counts as cold only when nothing of the file was in memory just before and \
        the lowest real device then transferred at least nine tenths of the data. One study read \
        its files in the order in which it had written them, without clearing the page cache. A \
        cell that fails this check is discarded and repeated.",
};

/// L17.
pub static DIRECT_FALLBACK: Rule = Rule {
    id: "L17",
    slug: "direct-fallback",
    when: &[Cell, Import],
    severity: [W, E, E, E],
    scope: CELL,
    condition: "direct writes that went through the page cache",
    explain: "Some filesystems accept a direct write but send it through the page cache: btrfs \
        does so for files with checksums. Nothing stays resident afterwards, but the kernel's \
        count of dirtied pages grows by about one for each page written. The figure is then that \
        of buffered writing. One study compared direct I/O on btrfs without naming the kernel \
        version, on which this depends.",
};

/// L19.
pub static FSYNC_CADENCE: Rule = Rule {
    id: "L19",
    slug: "fsync-cadence",
    when: &[Analysis, Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "over 30 % of the time is spent flushing at an interval that the tool chose",
    explain: "sysbench flushes all 128 files after every 100 requests unless told otherwise; on an \
        SD card one such round took 17.6 s and was nearly the whole result. A different interval \
        gives a different ratio between candidates. Set --file-fsync-freq to match your own work.",
};

/// L25.
pub static TOO_SHORT: Rule = Rule {
    id: "L25",
    slug: "too-short",
    when: &[Cell, Import],
    severity: [E, E, E, E],
    scope: CELL,
    condition: "a cell is shorter than half a second or fifty operations, or unflushed writes are \
        shorter than 50 s",
    explain: "Chance decides a cell of a few operations, and an unflushed cell ends before the \
        kernel has written anything back (it does so every 5 s). Cells last two seconds and fifty \
        operations at least; on a slow card the time limit can end one earlier, and this finding \
        reports it.",
};

/// L26.
pub static MEAN_LIES: Rule = Rule {
    id: "L26",
    slug: "mean-lies",
    when: &[Analysis, Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "the mean latency is above the 95th percentile",
    explain: "On one SD card the mean was 4.9 ms and 95 % of the operations took less than 2.3 ms: \
        a few stalls of up to 0.8 s made more than half of the time. Such a mean describes no \
        typical operation; use the percentiles in the report.",
};

/// L37.
pub static NOT_STEADY: Rule = Rule {
    id: "L37",
    slug: "not-steady",
    when: &[Analysis],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "most cells of a candidate are not steady over their five parts, their mean changes \
        permanently by over 10 %, or preconditioning ended before the region was steady",
    explain: "SNIA calls a device steady when five rounds lie within 20 % of their mean and the \
        line through them moves by 10 % of it at most. A single figure for a changing rate depends \
        on when it was measured. The report shows the series; give preconditioning more time or \
        bytes (--time, --max-write), or measure longer: runtime in a plan, --runtime of bench.",
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
    explain: "A load that waits for each answer sends nothing during a stall, so the requests that \
        the stall would have delayed are never sent. In published examples a 99th percentile of 1 \
        ms was 195 ms for independent clients. --rate_iops sends at a fixed rate and measures from \
        the time at which a request was due.",
};

/// L49.
pub static THROTTLED: Rule = Rule {
    id: "L49",
    slug: "throttled",
    when: &[Cell],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "the board was throttled, its voltage or its clock fell during the cell",
    explain: "A Raspberry Pi lowers its clock when it is hot or its supply weak, and reports this \
        in a few status bits. A model 3B+ goes from 1.4 to 1.2 GHz at 60 °C. Other machines do not \
        report it. There, bakeoff treats a clock as lowered if it fell by 10 % from its highest \
        value and stayed low, and either the rate fell as well or the machine is hot and its \
        governor is performance. The cell then measures the supply or the cooling. It is discarded \
        and repeated. Use a better supply, a heat sink or a fan.",
};

/// L52.
pub static BACKGROUND: Rule = Rule {
    id: "L52",
    slug: "background",
    when: &[Cell, Import],
    severity: [W, E, E, E],
    scope: CELL,
    condition: "other processes transferred over 5 % of the cell's data (at least 1 MiB), or used \
        over 5 % of the CPUs while the load waited for one",
    explain: "Something else read, wrote or computed while a cell was measured. In one study all \
        four filesystems were mounted at once, on one disk. The journal and metadata of the \
        filesystem under test count as its own, and the idle rate before the block is taken off. \
        Work on an otherwise idle CPU is harmless: CPU use counts only if the load was ready to \
        run and had to wait for over 2 % of the time. The finding names the processes.",
};

/// L54.
pub static OBSERVER: Rule = Rule {
    id: "L54",
    slug: "observer",
    when: &[Cell, Import],
    severity: [W, W, W, E],
    scope: CELL,
    condition: "monitoring took over 2 % of a CPU",
    explain: "A monitor that samples the machine ten times per second affects the measurement: on \
        the single core of the first boards, a monitor with a web page took 10 % of the CPU. \
        bakeoff samples four times per second there and measures its own cost.",
};

/// L55.
pub static SWAP: Rule = Rule {
    id: "L55",
    slug: "swap",
    when: &[Cell, Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "over 1 MiB was swapped in or out during the cell",
    explain: "Memory was short and the kernel moved pages to and from the swap device. Swapping \
        takes time from every process, and from the disk under test if the swap is on it. In one \
        study swap was left enabled. The cell is discarded and repeated.",
};

/// cache-unknown.
pub static CACHE_STATE_UNKNOWN: Rule = Rule {
    id: "cache-unknown",
    slug: "cache-state-unknown",
    when: &[Cell],
    severity: [W, W, E, E],
    scope: CELL,
    condition: "reads that may have come from memory",
    explain: "Behind a user-space driver, on another machine or in memory itself, bakeoff cannot \
        monitor the page cache or the device. The figure is valid for the target, but is never \
        labelled as cold.",
};

/// device-error.
pub static DEVICE_ERROR: Rule = Rule {
    id: "device-error",
    slug: "device-error",
    when: &[Cell],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "the kernel reported a device or link error",
    explain: "The kernel log contains an I/O error, a reset or a time-out within the cell. Retries \
        and resets distort the measured speed. The cell is discarded and repeated. Check dmesg for \
        the lines; the usual cause is a cable, a port or a power supply.",
};

/// no-progress.
pub static NO_PROGRESS: Rule = Rule {
    id: "no-progress",
    slug: "no-progress",
    when: &[Cell],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "no operation completed within a cell",
    explain: "No operation completed within the time limit of the cell. The cell is discarded and \
        repeated. Check dmesg for device errors.",
};

/// rewritten.
pub static REWRITTEN: Rule = Rule {
    id: "rewritten",
    slug: "rewritten",
    when: &[Cell],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "direct writes overwrote their blocks twice or more without a flush in between",
    explain: "A timed cell of direct writes overwrites its file repeatedly, with bakeoff's engine \
        and with fio and sysbench. Every write reaches the drive, but a drive with a cache may \
        store only the last write to a block: writing 64 MiB thirty times can cost it less than \
        writing 2 GiB. This affects all candidates alike, but the figure is not that of a long \
        write. Use a larger --size, or flush regularly.",
};

/// suspended.
pub static SUSPENDED: Rule = Rule {
    id: "suspended",
    slug: "suspended",
    when: &[Cell],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "the machine was suspended during the cell",
    explain: "The clock that counts suspended time ran ahead of the clock that does not. The cell \
        is discarded and repeated.",
};

/// tool-share.
pub static TOOL_SHARE: Rule = Rule {
    id: "tool-share",
    slug: "tool-share",
    when: &[Cell],
    severity: [W, E, E, E],
    scope: CELL,
    condition: "over 5 % of the cell's time was spent on generating data and bookkeeping",
    explain: "On a very fast target the load generator itself affects the result. Differences \
        between candidates then look smaller than they are.",
};
