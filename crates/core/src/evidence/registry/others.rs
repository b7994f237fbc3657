//! Rules about results of others, which come without a record, and about several runs.

use super::When::{Analysis, Import};
use super::{CELL, E, R, RUN, Rule, W};

/// By id.
pub(super) static RULES: &[&Rule] = &[
    &SLOT_REUSE,
    &PER_CHAR,
    &CPU_SEEK,
    &UNITS,
    &PATCHED_TOOL,
    &TOOL_VERSION,
    &NO_DISPERSION,
    &UNMEASURED_CLAIM,
    &KERNEL_MISMATCH,
    &NO_RAW_DATA,
    &HIDDEN_SETUP,
    &RUNS_DIFFER,
];

/// L04.
pub static SLOT_REUSE: Rule = Rule {
    id: "L04",
    slug: "slot-reuse",
    when: &[Import],
    severity: [E, E, E, E],
    scope: RUN,
    condition: "more candidates than regions for them",
    explain: "In one study four filesystems shared three partitions: one was formatted twice, and \
        the study does not say which. The state and region of at least one candidate are unknown. \
        A comparison needs one region for all, in the same state before each.",
};

/// L23.
pub static PER_CHAR: Rule = Rule {
    id: "L23",
    slug: "per-char",
    when: &[Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "a figure of a per-character test",
    explain: "bonnie++'s first test writes byte by byte and runs at 94 % of a CPU: its manual \
        calls it a test of the C library. It does not measure a disk. Skip it with -f.",
};

/// L24.
pub static CPU_SEEK: Rule = Rule {
    id: "L24",
    slug: "cpu-seek",
    when: &[Import],
    severity: [E, E, E, E],
    scope: CELL,
    condition: "a seek test at 90 % of a CPU or more",
    explain: "962 seeks a second at 118 % of the CPU of a board with one core, from a stick: they \
        hardly waited for it, so many came from memory. The figure adds the reports of bonnie++'s \
        five seekers, each for the whole process; even a fifth of it is high for a process that \
        waits. Use a file larger than the memory, so that seeks reach the disk.",
};

/// L27.
pub static UNITS: Rule = Rule {
    id: "L27",
    slug: "units",
    when: &[Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "units that change the ratio by more than 1 %",
    explain: "2.414 MB/s divided by 90.5 KB/s is 26.7 if a megabyte has a thousand kilobytes and \
        27.3 if it has 1024: a study printed the first from figures of the second kind. bakeoff \
        stores bytes and prints both units where space allows.",
};

/// L28.
pub static PATCHED_TOOL: Rule = Rule {
    id: "L28",
    slug: "patched-tool",
    when: &[Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "the limits of the tool were changed",
    explain: "iozone refuses records above 16 MB; a study changed its source to use 100 MB on a \
        board with 256 MB of memory. The figures are not comparable with other results. Stay \
        within the tool's limits, or state what was changed.",
};

/// L31.
pub static TOOL_VERSION: Rule = Rule {
    id: "L31",
    slug: "tool-version",
    when: &[Analysis, Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "tools of different versions or defaults between candidates",
    explain: "sysbench 0.4 leaves flushes out of its latencies and 1.0.15 counts them; fio 2 and 3 \
        count kilobytes differently. Candidates measured with different versions differ by the \
        tool as well. Use one version for all.",
};

/// L33.
pub static NO_DISPERSION: Rule = Rule {
    id: "L33",
    slug: "no-dispersion",
    when: &[Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "repetitions are mentioned without their spread",
    explain: "\"Repeated a couple of times and did not see much deviation\" has no number in it. \
        Without the spread, the significance of 5 % is unknown. Keep every run; bakeoff's report \
        contains each cell and its windows.",
};

/// L44.
pub static UNMEASURED_CLAIM: Rule = Rule {
    id: "L44",
    slug: "unmeasured-claim",
    when: &[Import],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "a conclusion about something that was not measured, or that contradicts the \
        figures",
    explain: "\"My winner is f2fs\", with writes 18 % slower, seeks 12 % fewer and a worst latency \
        123 times as long; and \"I bet on the longer lifetime\", which no test measured. A \
        conclusion needs a figure that supports it.",
};

/// L63.
pub static KERNEL_MISMATCH: Rule = Rule {
    id: "L63",
    slug: "kernel-mismatch",
    when: &[Analysis, Import],
    severity: [W, W, E, E],
    scope: RUN,
    condition: "the compared results use different kernels or tools",
    explain: "Until 2022 btrfs split direct reads into single sectors; a change tripled their \
        speed. Since 2025 it sends direct writes of files with checksums through the page cache. \
        Figures from two kernels include such changes. To compare kernels on purpose, use compare \
        --across kernel.",
};

/// L64.
pub static NO_RAW_DATA: Rule = Rule {
    id: "L64",
    slug: "no-raw-data",
    when: &[Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "results only as pictures or rounded figures",
    explain: "Bars without numbers cannot be checked or reused. In one study a redirection mistake \
        kept dd's rates out of the log. bakeoff export --format bundle contains every window and \
        every command.",
};

/// L65.
pub static HIDDEN_SETUP: Rule = Rule {
    id: "L65",
    slug: "hidden-setup",
    when: &[Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "the board, memory, kernel or device is not named",
    explain: "\"A Raspberry Pi\" is any of a dozen boards, with disks behind 53 or 500 MB/s and \
        with or without AES instructions. Without them a result cannot be interpreted. bakeoff \
        stores a fingerprint of machine and disk with every run.",
};

/// runs-differ.
pub static RUNS_DIFFER: Rule = Rule {
    id: "runs-differ",
    slug: "runs-differ",
    when: &[Analysis],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "the compared runs differ in more than the one named factor",
    explain: "A Pi 4 with a new kernel and a new card is faster than the old one, and the cause \
        could be any of the three. bakeoff compare ranks runs only if all recorded properties are \
        equal, or differ only in the factor named with --across: host, device, kernel or time.",
};
