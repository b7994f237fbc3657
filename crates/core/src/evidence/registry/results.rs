//! Rules about the whole of a run, and what is said of it.

use super::When::{Analysis, Import};
use super::{E, I, R, RUN, Rule, STACK, W};

/// By id.
pub(super) static RULES: &[&Rule] = &[
    &DURABILITY_MISMATCH,
    &NO_REPLICATION,
    &FIXED_ORDER,
    &DRIFT,
    &CARRY_OVER,
    &CONTROL_FOUND,
    &CONTROL_MISSED,
    &AUTOCORRELATION,
    &BELOW_NOISE,
    &CEILING,
    &RANK_FLIP,
    &CONTRADICTION,
    &UNTESTED_CAUSE,
    &THERMAL_TREND,
    &IMPLEMENTATION,
    &FRESH_FS_ONLY,
    &METHODS_DISAGREE,
    &UNMEASURED,
];

/// L18.
pub static DURABILITY_MISMATCH: Rule = Rule {
    id: "L18",
    slug: "durability-mismatch",
    when: &[Analysis, Import],
    severity: [W, R, R, R],
    scope: STACK,
    condition: "candidates give different guarantees after fsync, and the verdict does not mention \
        it",
    explain: "A filesystem without a journal, with barriers switched off, or with fsync that \
        covers less than the others' does less work and is faster for it. One study compared ext4, \
        ntfs and vfat by a test that flushes. You can compare it if the verdict states what it \
        does not guarantee.",
};

/// L32.
pub static NO_REPLICATION: Rule = Rule {
    id: "L32",
    slug: "no-replication",
    when: &[Analysis, Import],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "fewer complete blocks than the mode needs for its first check: three, or five in \
        precise",
    explain: "One measurement has no error bar: whether a second one would agree is unknown. All \
        five published studies measured each figure once, 432 of them in one study. bakeoff makes \
        no claim before the first check of a mode, after three blocks (five in precise). Each \
        block prepares and measures every candidate again.",
};

/// L34.
pub static FIXED_ORDER: Rule = Rule {
    id: "L34",
    slug: "fixed-order",
    when: &[Analysis, Import],
    severity: [E, E, E, E],
    scope: RUN,
    condition: "two candidates were measured in the same order in every block",
    explain: "If one candidate always comes first, every change over time (warming up, filling \
        caches, a slowing disk) favors or penalizes it. One study went through 18 block sizes from \
        the smallest to the largest, one filesystem after the other. bakeoff measures in random \
        order and repeats each order reversed two blocks later.",
};

/// L35.
pub static DRIFT: Rule = Rule {
    id: "L35",
    slug: "drift",
    when: &[Analysis, Import],
    severity: [E, E, E, E],
    scope: RUN,
    condition: "the raw read before each block drifts with time by over 3 % and the margin, \
                or the A/A control differs from its twin",
    explain: "The raw read at the start of each block measures the disk without any candidate. If \
        it rises or falls over time (rank correlation above 0.6) by more than the margin, the \
        session drifted. In precise mode one candidate is measured twice under two labels, and \
        other modes use the results of stored runs on the same drive. An interval between the two \
        that excludes zero shows that another factor causes differences of that size. In one study \
        writes fell by 15 % overnight, although only the block size was supposed to change.",
};

/// carry-over.
pub static CARRY_OVER: Rule = Rule {
    id: "carry-over",
    slug: "carry-over",
    when: &[Analysis],
    severity: [E, E, E, E],
    scope: RUN,
    condition: "the preceding candidate affects a figure so much that a difference is wrong by \
        over a third of the margin",
    explain: "bakeoff alternates between candidates in slices of a fraction of a second. A disk \
        that still writes back cached data of one candidate slows down the next, and a filled \
        cache can help the next. Orders are balanced, so an effect common to all candidates favors \
        none. bakeoff estimates the effect of a single candidate from all slices and reports it if \
        it certainly matters. Candidates that are measured one after the other, each for seconds, \
        are less exposed to this effect.",
};

/// control-found.
pub static CONTROL_FOUND: Rule = Rule {
    id: "control-found",
    slug: "control-found",
    when: &[Analysis],
    severity: [I, I, I, I],
    scope: RUN,
    condition: "the positive control was detected at its true size",
    explain: "With positive_control = \"5%\" in [protocol], one candidate is measured again and \
        slowed down by 5 % on purpose: each of its cells waits that much longer at its end. A run \
        that measures -5 % has shown that it detects effects of that size on this disk with these \
        blocks.",
};

/// control-missed.
pub static CONTROL_MISSED: Rule = Rule {
    id: "control-missed",
    slug: "control-missed",
    when: &[Analysis],
    severity: [W, W, E, E],
    scope: RUN,
    condition: "the positive control was not detected, or not at its true size",
    explain: "One candidate was slowed down by 5 % on purpose and the interval of its difference \
        from itself reaches from -9 to 1 %: a real difference of 5 % between two candidates would \
        have been missed too, so this run's ties and open questions do not exclude effects of that \
        size. Longer cells (cell_min in the plan) and a quiet machine make the interval narrower.",
};

/// L36.
pub static AUTOCORRELATION: Rule = Rule {
    id: "L36",
    slug: "autocorrelation",
    when: &[Analysis, Import],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "one candidate's results drift: neighboring blocks are correlated",
    explain: "Effects common to all candidates cancel in the difference within a block. A slow \
        drift of one candidate alone (garbage collection, a filesystem that fills up) does not. \
        The blocks are then not independent samples, the interval is too narrow, and false winners \
        are more likely. Between equal candidates of which one drifted by 10 %, five blocks named \
        a false winner in a fifth of simulated runs (docs/truth.md). bakeoff tests the leader's \
        differences for such drift. If wider intervals would change the answer, the run continues. \
        After its last block the verdict is refused. Precondition the disk, let it cool, then \
        measure again with --mode decide.",
};

/// L40.
pub static BELOW_NOISE: Rule = Rule {
    id: "L40",
    slug: "below-noise",
    when: &[Analysis, Import],
    severity: [W, W, R, R],
    scope: RUN,
    condition: "the winner's lead is smaller than the difference of one candidate from itself",
    explain: "An A/A control measures one candidate under two labels. If it is 2 % faster than \
        itself, a lead of 1 % proves nothing. In one study the same file read twice differed by \
        0.6 to 7.2 %, and the filesystems it ranked by 1.6 %. More blocks make both smaller: \
        --mode precise stops at 2 % instead of 3.",
};

/// L41.
pub static CEILING: Rule = Rule {
    id: "L41",
    slug: "ceiling",
    when: &[Analysis, Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "three or more candidates within 2 % of each other, at 85 % or more of the link \
        speed",
    explain: "Four candidates on one stick read 159, 159, 159 and 159 MB/s: that is the speed of \
        the stick. All reach the same limit, so this workload cannot rank them; it only shows that \
        none of them is the bottleneck. Use small or flushed requests to distinguish them.",
};

/// L42.
pub static RANK_FLIP: Rule = Rule {
    id: "L42",
    slug: "rank-flip",
    when: &[Analysis, Import],
    severity: [I, I, I, I],
    scope: RUN,
    condition: "one candidate wins on one workload and another on another",
    explain: "vfat wrote fastest at 512 bytes and slowest at 4 KiB, and four filesystems ranked \
        differently on USB and on eSATA. A winner is valid for its workload and this machine; no \
        filesystem is best for everything.",
};

/// L43.
pub static CONTRADICTION: Rule = Rule {
    id: "L43",
    slug: "contradiction",
    when: &[Analysis, Import],
    severity: [E, E, E, E],
    scope: STACK,
    condition: "a stack with an extra layer is certainly faster than the same stack without it",
    explain: "LUKS on ext4 wrote 117 MB/s where ext4 alone wrote 104, in a study that concluded \
        that encryption slows everything down. Encryption adds work. If it is faster, another \
        factor differs. Check the other findings, and measure again with --mode precise.",
};

/// L45.
pub static UNTESTED_CAUSE: Rule = Rule {
    id: "L45",
    slug: "untested-cause",
    when: &[Analysis, Import],
    severity: [I, I, I, I],
    scope: RUN,
    condition: "a cause is named without evidence from a ceiling or a test",
    explain: "\"The USB protocol is the bottleneck\" was concluded from a Raspberry Pi alone, \
        while a PC read the same disk over the same USB 2 at 1.4 times the speed. To verify a \
        cause, measure the lower layers or change it: --prove changes the CPU clock, the queue \
        depth and the block size. For its own runs bakeoff reports \"proved\" only after that, and \
        \"consistent with what was seen\" before. This finding marks a run without time or write \
        budget to measure any lower layer.",
};

/// L51.
pub static THERMAL_TREND: Rule = Rule {
    id: "L51",
    slug: "thermal-trend",
    when: &[Analysis, Import],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "temperature and speed are correlated over the run",
    explain: "In one study the encrypted btrfs was always measured last, on the hottest disk. \
        Random order keeps heat from favouring one candidate, and before each visit bakeoff run \
        waits, for a minute at most, until the machine is within 3 °C of where the block began. A \
        rank correlation above 0.6 between temperature and rate means that heat affects the \
        figures. Let the machine cool, or add a fan.",
};

/// L61.
pub static IMPLEMENTATION: Rule = Rule {
    id: "L61",
    slug: "implementation",
    when: &[Analysis, Import],
    severity: [W, E, E, E],
    scope: STACK,
    condition: "a format was measured with a user-space driver, and the verdict does not mention \
        it",
    explain: "ntfs-3g runs in user space: each call passes through another process. Two studies \
        ranked ntfs and exfat without naming the driver. A comparison with it ranks the driver, \
        not the format on the disk. Name the driver, or use the kernel's driver.",
};

/// L67.
pub static FRESH_FS_ONLY: Rule = Rule {
    id: "L67",
    slug: "fresh-fs-only",
    when: &[Analysis],
    severity: [I, I, I, I],
    scope: STACK,
    condition: "a figure for publication comes from new filesystems",
    explain: "A few hundred updates of a source tree halved the speed of two filesystems, and a \
        thousand made them up to 30 times slower; the order of candidates changed with age. Each \
        visit creates a new filesystem, so the answer applies to new filesystems, as the verdict \
        states.",
};

/// methods-disagree.
pub static METHODS_DISAGREE: Rule = Rule {
    id: "methods-disagree",
    slug: "methods-disagree",
    when: &[Analysis],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "the t interval shows a difference that the rank test does not",
    explain: "The interval of the mean is sensitive to outlier blocks. The signed-rank test and \
        its interval (Wilcoxon; Hodges and Lehmann) are not. If only the first excludes equality, \
        a few outliers may have shifted the mean. Check the single blocks in the report, or \
        measure more.",
};

/// unmeasured.
pub static UNMEASURED: Rule = Rule {
    id: "unmeasured",
    slug: "unmeasured",
    when: &[Analysis],
    severity: [W, W, E, E],
    scope: RUN,
    condition: "a candidate has no valid cell for a workload that others completed",
    explain: "Every attempt at this cell failed or was discarded, so there is no claim about this \
        candidate for this workload. The reasons are recorded with the attempts.",
};
