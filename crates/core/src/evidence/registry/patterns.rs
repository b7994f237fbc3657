//! Rules about what is asked for: workloads, options, looks.

use super::When::{Analysis, Cell, Import, Plan};
use super::{CLAIMS, E, R, RUN, Rule, STACK, W};

/// By id.
pub(super) static RULES: &[&Rule] = &[
    &SYNC_NOT_TIMED,
    &DULL_DATA,
    &FAKE_RANDOM,
    &TINY_BLOCK,
    &WORKLOAD_MISMATCH,
    &QD_ENGINE,
    &PEEKING,
    &MULTIPLICITY,
    &COMPOSITE_SCORE,
    &LAZYINIT,
    &INERT_FACTOR,
    &DISCARD_ASYMMETRY,
];

/// L13.
pub static SYNC_NOT_TIMED: Rule = Rule {
    id: "L13",
    slug: "sync-not-timed",
    when: &[Plan, Import],
    severity: [R, R, R, R],
    scope: CLAIMS,
    condition: "buffered writes without a flush inside the measured time",
    explain: "A write that is not flushed ends in memory: on a machine with 384 MB, up to 77 MB of \
        a gigabyte had not reached the disk when one study stopped its clock, and far more on its \
        PC. --end_fsync or --fsync includes the flush in the time; for dd use conv=fdatasync, for \
        iozone -e.",
};

/// L20.
pub static DULL_DATA: Rule = Rule {
    id: "L20",
    slug: "dull-data",
    when: &[Plan, Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "the test data is all zeros",
    explain: "dd from /dev/zero writes only zeros. Two studies measured with it. Compressing \
        filesystems and controllers store almost nothing, and some flash marks such blocks as \
        empty. Use --data random, the default, which does not compress.",
};

/// L21.
pub static FAKE_RANDOM: Rule = Rule {
    id: "L21",
    slug: "fake-random",
    when: &[Plan, Import],
    severity: [R, R, R, R],
    scope: CLAIMS,
    condition: "random access uses blocks of a megabyte or more, or fewer than a hundred blocks",
    explain: "One study found that the scheduler does not matter for random access, from a file of \
        1000 MB in records of 25 to 100 MB: ten to forty records. Random and sequential reads were \
        equally fast, which shows that the access was not random. Use --bs 4k and a large --size.",
};

/// L22.
pub static TINY_BLOCK: Rule = Rule {
    id: "L22",
    slug: "tiny-block",
    when: &[Plan, Analysis, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "buffered blocks are under 4 KiB, or the calls per second do not change with the \
        block size",
    explain: "With eight bytes per call, a Raspberry Pi makes 26,000 to 105,000 calls per second \
        and a PC twenty times as many, regardless of the disk: this measures the cost of a call. \
        In one study vfat won at 512 bytes and lost at 4 KiB. Use --bs 4k or more to measure the \
        disk.",
};

/// L29.
pub static WORKLOAD_MISMATCH: Rule = Rule {
    id: "L29",
    slug: "workload-mismatch",
    when: &[Plan, Import],
    severity: [W, W, W, W],
    scope: CLAIMS,
    condition: "the title asks about small random writes, but every workload is a large sequential \
        stream",
    explain: "A torrent client stalled, and the study that should explain it wrote sequential \
        records of 25 MB. Class 10 promises 10 MB/s of sequential writes, but the card reached \
        0.09 MB/s with small flushed writes. Measure the slow workload: profile = \"torrent\", \
        \"sqlite\" or rw = \"randwrite\" with fsync.",
};

/// L30.
pub static QD_ENGINE: Rule = Rule {
    id: "L30",
    slug: "qd-engine",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a queue depth above 1 with an engine that waits for each request",
    explain: "psync waits for each request, so a depth of 64 is a depth of 1; through the page \
        cache this also applies to the other engines. Use --engine io_uring or libaio together \
        with --direct, or more --numjobs.",
};

/// L38.
pub static PEEKING: Rule = Rule {
    id: "L38",
    slug: "peeking",
    when: &[Plan, Analysis],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "the run checks its results more often than its error rate allows",
    explain: "Checking after every run and stopping at the first significant difference names a \
        winner between equal candidates in 24 % of comparisons; five checks at 5 % each do so in \
        16 %. bakeoff's five checks at 1.34 % each keep the error rate at 5 %. This finding marks \
        a run with other checks or another alpha.",
};

/// L39.
pub static MULTIPLICITY: Rule = Rule {
    id: "L39",
    slug: "multiplicity",
    when: &[Plan, Analysis, Import],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "the run compares more candidates than its error rate allows for",
    explain: "Among 18 cells, 4 tests and three schedulers something is always \"significant\": \
        each comparison at 5 % gives one false result in twenty. bakeoff divides the error rate by \
        the pairs of candidates at the start. This finding marks a run that compares more.",
};

/// L46.
pub static COMPOSITE_SCORE: Rule = Rule {
    id: "L46",
    slug: "composite-score",
    when: &[Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "one weighted score summarizes several workloads",
    explain: "A score that adds reads, writes and seeks hides the strengths of each candidate, and \
        its weights decide the winner: one popular script multiplies one of its figures by 1024. \
        bakeoff gives an answer for each workload and no score. It marks imported results that \
        contain a score.",
};

/// L53.
pub static LAZYINIT: Rule = Rule {
    id: "L53",
    slug: "lazyinit",
    when: &[Plan, Cell, Import],
    severity: [W, E, E, E],
    scope: STACK,
    condition: "ext4 initializes its inode tables during the measurement",
    explain: "mkfs.ext4 leaves most inode tables to be zeroed after mounting: 19.5 GB of them on \
        the 1.25 TB partition of one study, in the background of a test of 2 GB that lasted 17 s. \
        bakeoff initializes them in mkfs (-E lazy_itable_init=0,lazy_journal_init=0).",
};

/// L66.
pub static INERT_FACTOR: Rule = Rule {
    id: "L66",
    slug: "inert-factor",
    when: &[Plan, Import],
    severity: [W, W, W, W],
    scope: STACK,
    condition: "candidates differ in something that no workload is sensitive to",
    explain: "An I/O scheduler sorts a queue; one stream at depth 1 gives it nothing to sort. A \
        journal records metadata, which a large sequential write hardly produces. A study that \
        varied both under large streams found \"no effect\", as it had to. Add --iodepth 32, or \
        the workload smallfiles.",
};

/// L68.
pub static DISCARD_ASYMMETRY: Rule = Rule {
    id: "L68",
    slug: "discard-asymmetry",
    when: &[Plan],
    severity: [W, E, E, E],
    scope: STACK,
    condition: "some candidates trim the region and others do not",
    explain: "mkfs.ext4 and mkfs.btrfs trim by default, mkfs.vfat does not, and the mount option \
        discard continues to trim. One study compared ext4 with vfat. The candidates then start \
        from different states of the flash. bakeoff disables trimming for all candidates and \
        brings the region to one state itself. It warns about a plan that enables trimming for \
        some of them.",
};
