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
    condition: "candidates promise different things after fsync, and the sentence is silent",
    explain: "A filesystem without a journal, with barriers switched off, or with fsync that \
              covers less than the others' does less work and is faster for it. One study \
              compared ext4, ntfs and vfat by a test that flushes. Comparing it is fine as \
              long as the sentence says what it does not do.",
};

/// L32.
pub static NO_REPLICATION: Rule = Rule {
    id: "L32",
    slug: "no-replication",
    when: &[Analysis, Import],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "fewer complete blocks than the mode's first look: three, or five in precise",
    explain: "One measurement has no error bar: nobody can say whether a second would agree. \
              All five published studies measured each figure once, 432 of them in one \
              study. Nothing is claimed before the first look of a mode, which comes after \
              three blocks (five in precise), in each of which every candidate was \
              prepared and measured anew.",
};

/// L34.
pub static FIXED_ORDER: Rule = Rule {
    id: "L34",
    slug: "fixed-order",
    when: &[Analysis, Import],
    severity: [E, E, E, E],
    scope: RUN,
    condition: "two candidates were visited in the same order in every block",
    explain: "If one candidate always comes first, whatever happens over time (warming up, \
              filling caches, a disk getting slower) counts for or against it. One study \
              went through 18 block sizes from the smallest to the largest, one filesystem \
              after the other. bakeoff visits in random order, and each order comes back \
              reversed two blocks later.",
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
    explain: "The raw read at the start of each block shows the disk without any candidate: \
              when it rises or falls over time (rank correlation above 0.6) by more than \
              counts, the session drifted. In precise mode one candidate is measured twice \
              under two labels, and other modes take over what stored runs on the same \
              drive saw of it; an interval between the two that excludes zero shows that \
              something else makes differences of that size. In one study writes fell by 15 % \
              over a night in which only the block size was to change.",
};

/// carry-over.
pub static CARRY_OVER: Rule = Rule {
    id: "carry-over",
    slug: "carry-over",
    when: &[Analysis],
    severity: [E, E, E, E],
    scope: RUN,
    condition: "what is measured just before a candidate changes its figure so much that a \
                difference is wrong by over a third of the margin",
    explain: "Candidates take turns of a fraction of a second. A disk that still writes back \
              what one left in its cache makes the next one slower, and a cache that one \
              filled can help the next. Orders are balanced, so what all leave behind favours \
              nobody; what one leaves behind and others do not is estimated from all slices, \
              and said where it is certain to matter. Candidates that are visited one after \
              the other, each for seconds, are less exposed to it.",
};

/// control-found.
pub static CONTROL_FOUND: Rule = Rule {
    id: "control-found",
    slug: "control-found",
    when: &[Analysis],
    severity: [I, I, I, I],
    scope: RUN,
    condition: "the positive control was found at the size it has",
    explain: "With positive_control = \"5%\" in [protocol], one candidate is measured again \
              and loses 5 % of its speed on purpose: each of its cells waits that much longer \
              when it is done. A run that finds -5 % there has shown, on this disk and with \
              these blocks, that it sees effects of that size.",
};

/// control-missed.
pub static CONTROL_MISSED: Rule = Rule {
    id: "control-missed",
    slug: "control-missed",
    when: &[Analysis],
    severity: [W, W, E, E],
    scope: RUN,
    condition: "the positive control was not found, or not at the size it has",
    explain: "One candidate was slowed down by 5 % on purpose and the interval of its \
              difference from itself reaches from -9 to 1 %: a real difference of 5 % between \
              two candidates would have been missed too, so that this run's ties and \
              unresolved questions say nothing about effects of that size. Longer cells \
              (cell_min in the plan) and a quiet machine make the interval narrower.",
};

/// L36.
pub static AUTOCORRELATION: Rule = Rule {
    id: "L36",
    slug: "autocorrelation",
    when: &[Analysis, Import],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "one candidate's own results wander: neighbouring blocks resemble each other",
    explain: "What all candidates have in common cancels in the difference inside a block. A \
              slow wave of one candidate alone (garbage collection, a filesystem that fills \
              up) does not: the blocks are then no independent samples, the interval is too \
              narrow, and a winner would be named too easily. Between equals of which one \
              wandered by 10 %, five blocks named a false winner in a fifth of simulated runs \
              (docs/truth.md). bakeoff tests the leader's differences for such waves. If \
              wider intervals would change the answer, the run continues. After its last \
              block the verdict is refused. Precondition the disk, let it cool, then \
              measure again with --mode decide.",
};

/// L40.
pub static BELOW_NOISE: Rule = Rule {
    id: "L40",
    slug: "below-noise",
    when: &[Analysis, Import],
    severity: [W, W, R, R],
    scope: RUN,
    condition: "the winner is ahead by less than one candidate differs from itself",
    explain: "An A/A control measures one candidate under two labels. When it is 2 % ahead of \
              itself, a winner by 1 % is none. In one study the same file read twice differed \
              by 0.6 to 7.2 %, and the filesystems it ranked by 1.6 %. More blocks make both \
              smaller: --mode precise stops at 2 % instead of 3.",
};

/// L41.
pub static CEILING: Rule = Rule {
    id: "L41",
    slug: "ceiling",
    when: &[Analysis, Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "three candidates or more within 2 % of each other, at 85 % of what the link \
                carries",
    explain: "Four candidates on one stick read 159, 159, 159 and 159 MB/s: that is the \
              stick. All hit the same limit, so this workload cannot rank them; it does show \
              that none of them is in the way. Small or flushed requests tell them apart.",
};

/// L42.
pub static RANK_FLIP: Rule = Rule {
    id: "L42",
    slug: "rank-flip",
    when: &[Analysis, Import],
    severity: [I, I, I, I],
    scope: RUN,
    condition: "one candidate wins on one workload and another on another",
    explain: "vfat wrote fastest at 512 bytes and slowest at 4 KiB, and the order of four \
              filesystems was another one on USB than on eSATA. A winner holds for its \
              workload and this machine; there is no filesystem that is best.",
};

/// L43.
pub static CONTRADICTION: Rule = Rule {
    id: "L43",
    slug: "contradiction",
    when: &[Analysis, Import],
    severity: [E, E, E, E],
    scope: STACK,
    condition: "a stack with something more to do is faster for certain than the same without \
                it",
    explain: "LUKS on ext4 wrote 117 MB/s where ext4 alone wrote 104, in a study that \
              concluded that encryption slows everything down. Encryption adds work; if it \
              comes out faster, something else differs. Look at the other findings, and \
              measure again with --mode precise.",
};

/// L45.
pub static UNTESTED_CAUSE: Rule = Rule {
    id: "L45",
    slug: "untested-cause",
    when: &[Analysis, Import],
    severity: [I, I, I, I],
    scope: RUN,
    condition: "a cause is named that no ceiling and no test has shown",
    explain: "\"The USB protocol is the bottleneck\" was concluded from a Raspberry Pi alone, \
              while a PC read the same disk over the same USB 2 at 1.4 times the speed. A \
              cause is shown by measuring the layers below or by changing it: --prove changes \
              the CPU's clock, the depth and the block size. Of its own runs bakeoff says \
              \"proved\" only after that, and \"consistent with what was seen\" before; it \
              marks one where there was no time or no wear to spare for any layer below.",
};

/// L51.
pub static THERMAL_TREND: Rule = Rule {
    id: "L51",
    slug: "thermal-trend",
    when: &[Analysis, Import],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "temperature and speed went the same way over the run",
    explain: "In one study the encrypted btrfs was always measured last, on the hottest disk. \
              Random order keeps heat from favouring one candidate, and before each visit \
              bakeoff run waits, for a minute at most, until the machine is within 3 °C of \
              where the block began. A rank correlation above 0.6 between temperature and \
              rate says that heat is in the numbers. Let the machine cool, or give it a fan.",
};

/// L61.
pub static IMPLEMENTATION: Rule = Rule {
    id: "L61",
    slug: "implementation",
    when: &[Analysis, Import],
    severity: [W, E, E, E],
    scope: STACK,
    condition: "a user-space driver stands for a format, and the sentence is silent",
    explain: "ntfs-3g runs in user space: each call passes through another process. Two \
              studies ranked ntfs and exfat without naming the driver. A comparison with it \
              ranks the driver, not the format on the disk: name it, or use that of the \
              kernel.",
};

/// L67.
pub static FRESH_FS_ONLY: Rule = Rule {
    id: "L67",
    slug: "fresh-fs-only",
    when: &[Analysis],
    severity: [I, I, I, I],
    scope: STACK,
    condition: "a figure to publish, from filesystems that were new",
    explain: "A few hundred updates of a source tree halved the speed of two filesystems, \
              and a thousand made them up to 30 times slower; the order of candidates \
              changed with age. Each visit makes a new filesystem, so the answer is about \
              new ones, and the sentence says so.",
};

/// methods-disagree.
pub static METHODS_DISAGREE: Rule = Rule {
    id: "methods-disagree",
    slug: "methods-disagree",
    when: &[Analysis],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "the t interval sees a difference that ranks do not",
    explain: "The interval of the mean assumes that no few blocks make it. The signed-rank \
              test and its interval (Wilcoxon; Hodges and Lehmann) do not. Where only the \
              first excludes \"the same\", a few wild blocks may have moved the mean: look at \
              the single blocks in the report, or measure more.",
};

/// unmeasured.
pub static UNMEASURED: Rule = Rule {
    id: "unmeasured",
    slug: "unmeasured",
    when: &[Analysis],
    severity: [W, W, E, E],
    scope: RUN,
    condition: "a candidate has no valid cell on a workload that others have",
    explain: "Every attempt at this cell failed or was thrown away, so nothing is said about \
              this candidate on this workload. The reasons are recorded with the attempts.",
};
