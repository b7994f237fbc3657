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
    condition: "more candidates than places to put them",
    explain: "In one study four filesystems lay on three partitions: one was formatted \
              twice, and nobody said which. State and place of at least one candidate are \
              not known. A comparison needs one place for all, brought to the same state \
              before each.",
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
              calls it a test of the C library. It says nothing about a disk; leave it out \
              with -f.",
};

/// L24.
pub static CPU_SEEK: Rule = Rule {
    id: "L24",
    slug: "cpu-seek",
    when: &[Import],
    severity: [E, E, E, E],
    scope: CELL,
    condition: "a seek test at 90 % of a CPU or more",
    explain: "962 seeks a second at 118 % of the CPU of a board with one core, from a stick: \
              they hardly waited for it, so many came from memory. The figure adds what each \
              of bonnie++'s five seekers tells of the whole process; a fifth of it is still \
              much for waiting. A file larger than the memory makes seeks reach the disk.",
};

/// L27.
pub static UNITS: Rule = Rule {
    id: "L27",
    slug: "units",
    when: &[Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "units that change the ratio by more than 1 %",
    explain: "2.414 MB/s divided by 90.5 KB/s is 26.7 if a megabyte has a thousand kilobytes \
              and 27.3 if it has 1024: a study printed the first from figures of the second \
              kind. bakeoff keeps bytes and prints both units where there is room.",
};

/// L28.
pub static PATCHED_TOOL: Rule = Rule {
    id: "L28",
    slug: "patched-tool",
    when: &[Import],
    severity: [W, W, W, W],
    scope: CELL,
    condition: "limits of the tool were changed",
    explain: "iozone refuses records above 16 MB; a study changed its source to use 100 MB on \
              a board with 256 MB of memory. The numbers cannot be compared with those of \
              anybody else: stay within the tool's limits, or say what was changed.",
};

/// L31.
pub static TOOL_VERSION: Rule = Rule {
    id: "L31",
    slug: "tool-version",
    when: &[Analysis, Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "tools of different versions or defaults between candidates",
    explain: "sysbench 0.4 leaves flushes out of its latencies and 1.0.15 counts them; fio 2 \
              and 3 count kilobytes differently. Candidates measured with different versions \
              differ by the tool as well: use one version for all.",
};

/// L33.
pub static NO_DISPERSION: Rule = Rule {
    id: "L33",
    slug: "no-dispersion",
    when: &[Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "repetitions are mentioned and no spread is given",
    explain: "\"Repeated a couple of times and did not see much deviation\" has no number in \
              it. Without the spread nobody can say whether 5 % is much. Keep every run; \
              bakeoff's report has each cell and its windows.",
};

/// L44.
pub static UNMEASURED_CLAIM: Rule = Rule {
    id: "L44",
    slug: "unmeasured-claim",
    when: &[Import],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "a conclusion about something that was not measured, or against the figures",
    explain: "\"My winner is f2fs\", with writes 18 % slower, seeks 12 % fewer and a worst \
              latency 123 times as long; and \"I bet on the longer lifetime\", which no test \
              looked at. A conclusion needs a figure that shows it.",
};

/// L63.
pub static KERNEL_MISMATCH: Rule = Rule {
    id: "L63",
    slug: "kernel-mismatch",
    when: &[Analysis, Import],
    severity: [W, W, E, E],
    scope: RUN,
    condition: "kernels or tools differ between what is compared",
    explain: "Until 2022 btrfs split direct reads into single sectors; a change tripled their \
              speed. Since 2025 it sends direct writes of files with checksums through the \
              page cache. Numbers from two kernels differ by such changes too: compare \
              --across kernel says that this is the question.",
};

/// L64.
pub static NO_RAW_DATA: Rule = Rule {
    id: "L64",
    slug: "no-raw-data",
    when: &[Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "results only as pictures or rounded figures",
    explain: "Bars without numbers cannot be checked or used again, and one study's log \
              redirection had kept dd's rates out of its log. bakeoff export --format bundle \
              has every window and every command.",
};

/// L65.
pub static HIDDEN_SETUP: Rule = Rule {
    id: "L65",
    slug: "hidden-setup",
    when: &[Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "board, memory, kernel or device are not named",
    explain: "\"A Raspberry Pi\" is any of a dozen boards, with disks behind 53 or 500 MB/s \
              and with or without AES instructions. Without them a result cannot be placed. \
              bakeoff stores a fingerprint of machine and disk with every run.",
};

/// runs-differ.
pub static RUNS_DIFFER: Rule = Rule {
    id: "runs-differ",
    slug: "runs-differ",
    when: &[Analysis],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "runs that are compared differ in more than the one factor that was named",
    explain: "A Pi 4 with a new kernel and a new card is faster than the old one, and nobody \
              knows by which of the three. bakeoff compare ranks runs that are alike in \
              everything on record, or in everything but the one factor that --across names: \
              host, device, kernel or time.",
};
