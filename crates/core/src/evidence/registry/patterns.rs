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
    explain: "A write that is not flushed ends in memory: with 384 MB of it, up to 77 MB of a \
              gigabyte had not reached the disk when one study's clock stopped, and far more \
              on its PC. --end_fsync or --fsync puts the flush inside the time; dd has \
              conv=fdatasync, iozone -e.",
};

/// L20.
pub static DULL_DATA: Rule = Rule {
    id: "L20",
    slug: "dull-data",
    when: &[Plan, Import],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "zeros are written",
    explain: "dd from /dev/zero writes nothing but zeros. Two studies measured with it. \
              Filesystems that compress and controllers that do so store next to nothing, \
              and some flash marks such blocks as empty. --data random, the default, does \
              not compress.",
};

/// L21.
pub static FAKE_RANDOM: Rule = Rule {
    id: "L21",
    slug: "fake-random",
    when: &[Plan, Import],
    severity: [R, R, R, R],
    scope: CLAIMS,
    condition: "random access by a megabyte or more, or among fewer than a hundred blocks",
    explain: "One study found that the scheduler does not matter for random access, from a \
              file of 1000 MB in records of 25 to 100 MB: ten to forty records. Random and \
              sequential read were equally fast, which shows that nothing random was \
              measured. --bs 4k over a large --size is random.",
};

/// L22.
pub static TINY_BLOCK: Rule = Rule {
    id: "L22",
    slug: "tiny-block",
    when: &[Plan, Analysis, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "buffered blocks under 4 KiB, or calls a second that do not change with the \
                block size",
    explain: "Eight bytes at a time a Raspberry Pi makes 26,000 to 105,000 calls a second, \
              and a PC twenty times as many, whatever disk is behind: the cost of a call is \
              measured. At 512 bytes vfat won a study and at 4 KiB it lost. --bs 4k and more \
              shows the disk.",
};

/// L29.
pub static WORKLOAD_MISMATCH: Rule = Rule {
    id: "L29",
    slug: "workload-mismatch",
    when: &[Plan, Import],
    severity: [W, W, W, W],
    scope: CLAIMS,
    condition: "the title asks about small scattered writes and every workload streams",
    explain: "A downloader of torrents stalled, and the study that was to explain it wrote \
              records of 25 MB in order. Class 10 promises 10 MB/s in order and gave 0.09 \
              MB/s of small flushed writes. Measure what hurts: profile = \"torrent\", \
              \"sqlite\" or rw = \"randwrite\" with fsync.",
};

/// L30.
pub static QD_ENGINE: Rule = Rule {
    id: "L30",
    slug: "qd-engine",
    when: &[Plan, Import],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a depth above 1 with an engine that waits for each request",
    explain: "psync waits for each request, so a depth of 64 is a depth of 1; through the \
              page cache the same holds for the others. Use --engine io_uring or libaio \
              together with --direct, or more --numjobs.",
};

/// L38.
pub static PEEKING: Rule = Rule {
    id: "L38",
    slug: "peeking",
    when: &[Plan, Analysis],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "looks at the results that the error rate does not pay for",
    explain: "Looking after every run and stopping as soon as the difference is significant \
              names a winner between equals in 24 % of comparisons; five looks at 5 % each in \
              16 %. bakeoff's five looks at 1.34 % each give 5 %. A run with other looks or \
              another alpha says so.",
};

/// L39.
pub static MULTIPLICITY: Rule = Rule {
    id: "L39",
    slug: "multiplicity",
    when: &[Plan, Analysis, Import],
    severity: [W, W, W, E],
    scope: RUN,
    condition: "more candidates are compared than the error rate was divided by",
    explain: "Among 18 cells, 4 tests and three schedulers something is always \
              \"significant\": each comparison at 5 % gives one false result in twenty. \
              bakeoff divides by the pairs of candidates at the start; a run that compares \
              more than it set out with says so.",
};

/// L46.
pub static COMPOSITE_SCORE: Rule = Rule {
    id: "L46",
    slug: "composite-score",
    when: &[Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "one weighted score stands for several workloads",
    explain: "A score that adds reads, writes and seeks hides who is better at what, and its \
              weights decide who wins: one popular script multiplies one of its figures by \
              1024. bakeoff gives an answer for each workload and has no score; results of \
              others that have one are marked.",
};

/// L53.
pub static LAZYINIT: Rule = Rule {
    id: "L53",
    slug: "lazyinit",
    when: &[Plan, Cell, Import],
    severity: [W, E, E, E],
    scope: STACK,
    condition: "ext4 writes its inode tables while it is measured",
    explain: "mkfs.ext4 leaves most inode tables to be zeroed after mounting: 19.5 GB of them \
              on the 1.25 TB partition of one study, in the background of a test of 2 GB that \
              lasted 17 s. bakeoff makes them at once (-E \
              lazy_itable_init=0,lazy_journal_init=0).",
};

/// L66.
pub static INERT_FACTOR: Rule = Rule {
    id: "L66",
    slug: "inert-factor",
    when: &[Plan, Import],
    severity: [W, W, W, W],
    scope: STACK,
    condition: "candidates differ in something that no workload can feel",
    explain: "An elevator sorts a queue; one stream at depth 1 gives it nothing to sort. A \
              journal holds metadata, which a large streaming write hardly makes. A study \
              that varied both under large streams found \"no effect\" and could find nothing \
              else. Add --iodepth 32, or the workload smallfiles.",
};

/// L68.
pub static DISCARD_ASYMMETRY: Rule = Rule {
    id: "L68",
    slug: "discard-asymmetry",
    when: &[Plan],
    severity: [W, E, E, E],
    scope: STACK,
    condition: "some candidates trim the region and others do not",
    explain: "mkfs.ext4 and mkfs.btrfs trim by default, mkfs.vfat does not, and the mount \
              option discard goes on doing it. One study compared ext4 with vfat. The \
              candidates then start from different states of the flash. bakeoff switches it \
              off for all and brings the region to one state itself; a plan that switches it \
              on for some is told.",
};
