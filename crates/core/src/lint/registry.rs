//! Every rule: its number, when it can be known, what it limits, and what it means.
//!
//! Numbers are those of bakeoff's published list of sixty-eight; rules without a number carry a
//! name. The example in each text is a measured one where figures are given.

use crate::model::candidate::Kind;
use crate::model::event::Header;
use crate::model::finding::Scope;

/// When a rule can be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before the first block.
    Plan,
    /// While a cell is measured.
    Cell,
    /// From the whole run.
    Analysis,
}

/// What a rule limits: a fixed scope, or whatever the run makes claims about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// Always this.
    Always(Scope),
    /// Claims about places where directories are compared, about stacks elsewhere.
    Claims,
}

impl Limits {
    /// The scope in this run.
    pub fn resolve(self, header: &Header) -> Scope {
        let is_stack = |kind: &Kind| matches!(kind, Kind::Stack(_));
        match self {
            Limits::Always(scope) => scope,
            Limits::Claims if header.candidates.iter().any(|c| is_stack(&c.kind)) => Scope::Stack,
            Limits::Claims => Scope::Place,
        }
    }
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// `L10`, or a name.
    pub id: &'static str,
    /// A name that says it.
    pub slug: &'static str,
    /// When it can be known.
    pub when: When,
    /// What it limits.
    pub scope: Limits,
    /// When it fires, in one line.
    pub condition: &'static str,
    /// A paragraph for `lint --explain`.
    pub explain: &'static str,
}

/// The rule of that id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|r| r.id == id)
}

/// The paragraph about a rule, by id or slug in any case.
pub fn explain(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|r| r.id.eq_ignore_ascii_case(name) || r.slug.eq_ignore_ascii_case(name))
}

const CELL: Limits = Limits::Always(Scope::Cell);
const RUN: Limits = Limits::Always(Scope::Run);

/// All rules, by id.
pub const RULES: &[Rule] = &[
    Rule {
        id: "L10",
        slug: "root-device",
        when: When::Plan,
        scope: Limits::Claims,
        condition: "a disk under test also holds /, /var, swap or the store",
        explain: "The operating system writes to the disk under test whenever it likes: logs, the \
                  journal, swap. Each such write takes the disk away from the measurement and \
                  shows up as noise. Directories can be compared all the same, so there it is a \
                  warning; to choose a filesystem for a disk, measure a disk of its own.",
    },
    Rule {
        id: "L12",
        slug: "file-vs-ram",
        when: When::Cell,
        scope: CELL,
        condition: "reads through the page cache of a file smaller than twice the memory",
        explain: "What was read or written before stays in memory while there is room. A file of \
                  1 GiB on a machine with 4 GiB is read from memory the second time, at many \
                  times the disk's speed. Read past the cache (--direct), or use a file of twice \
                  the memory. A read that was proven cold is not concerned.",
    },
    Rule {
        id: "L15",
        slug: "impossible-rate",
        when: When::Cell,
        scope: CELL,
        condition: "more bytes a second than the link carries, or a read faster than the wire",
        explain: "USB 2 carries 60 MB/s at the very most. A disk behind it that reads 300 MB/s was \
                  not read: the bytes came from memory. Such a cell is thrown away and measured \
                  again.",
    },
    Rule {
        id: "L16",
        slug: "warm-cache",
        when: When::Cell,
        scope: CELL,
        condition: "a cold read of which part was in memory or not moved by the devices",
        explain: "A read counts as cold only when nothing of the file was in memory just before \
                  and the lowest real device then moved at least nine tenths of the bytes. A cell \
                  that fails this is thrown away and measured again.",
    },
    Rule {
        id: "L17",
        slug: "direct-fallback",
        when: When::Cell,
        scope: CELL,
        condition: "direct writes for which the kernel dirtied pages of its cache",
        explain: "Some filesystems take a direct write and send it through the page cache all the \
                  same: btrfs does so for files with checksums. Nothing stays resident afterwards, \
                  but the kernel's count of dirtied pages grows by about one for each page \
                  written. The number is then one of buffered writing.",
    },
    Rule {
        id: "L18",
        slug: "durability-mismatch",
        when: When::Analysis,
        scope: Limits::Always(Scope::Stack),
        condition: "candidates promise different things after fsync, and the sentence is silent",
        explain: "A filesystem without a journal, with barriers switched off, or with fsync that \
                  covers less than the others' does less work and is faster for it. Comparing it \
                  is fine as long as the sentence says what it does not do.",
    },
    Rule {
        id: "L25",
        slug: "too-short",
        when: When::Cell,
        scope: CELL,
        condition: "under half a second or fifty operations; unflushed writes under 50 s",
        explain: "A cell of a few operations is decided by chance, and one that is not flushed \
                  ends before the kernel has written anything back (it does so every 5 s). Cells \
                  last two seconds and fifty operations at least; on a slow card the time limit \
                  can end one earlier, which is then said.",
    },
    Rule {
        id: "L32",
        slug: "no-replication",
        when: When::Analysis,
        scope: RUN,
        condition: "fewer than five complete blocks",
        explain: "One measurement has no error bar: nobody can say whether a second would agree. \
                  Nothing is claimed about fewer than five blocks, in each of which every \
                  candidate was measured once.",
    },
    Rule {
        id: "L34",
        slug: "fixed-order",
        when: When::Analysis,
        scope: RUN,
        condition: "two candidates were visited in the same order in every block",
        explain: "If one candidate always comes first, whatever happens over time (warming up, \
                  filling caches, a disk getting slower) counts for or against it. bakeoff visits \
                  in random order, and each order comes back reversed two blocks later.",
    },
    Rule {
        id: "L35",
        slug: "drift",
        when: When::Analysis,
        scope: RUN,
        condition: "the A/A control differs from its twin",
        explain: "In precise mode one candidate is measured twice under two labels. The two are \
                  the same, so an interval between them that excludes zero shows that something \
                  else than the candidate makes differences of that size.",
    },
    Rule {
        id: "L36",
        slug: "autocorrelation",
        when: When::Analysis,
        scope: RUN,
        condition: "one candidate's own results wander: neighbouring blocks resemble each other",
        explain: "What all candidates have in common cancels in the difference inside a block. A \
                  slow wave of one candidate alone (garbage collection, a filesystem that fills \
                  up) does not: the blocks are then no independent samples, the interval is too \
                  narrow, and a winner would be named too easily. The verdict is refused.",
    },
    Rule {
        id: "L52",
        slug: "background",
        when: When::Cell,
        scope: CELL,
        condition: "other processes moved over 5 % of the cell's bytes, and 1 MiB at least",
        explain: "Something else read or wrote while a cell was measured. The journal and metadata \
                  of the filesystem under test count as its own, and the idle rate before the \
                  block is taken off.",
    },
    Rule {
        id: "L55",
        slug: "swap",
        when: When::Cell,
        scope: CELL,
        condition: "over 1 MiB was swapped in or out during the cell",
        explain: "Memory was short and the kernel moved pages to and from the swap device. \
                  Swapping takes time from every process, and where the swap lies on the disk \
                  under test, from the disk too. The cell is thrown away and measured again.",
    },
    Rule {
        id: "L61",
        slug: "implementation",
        when: When::Analysis,
        scope: Limits::Always(Scope::Stack),
        condition: "a user-space driver stands for a format, and the sentence is silent",
        explain: "ntfs-3g runs in user space: each call passes through another process. A \
                  comparison with it ranks the driver, not the format on the disk.",
    },
    Rule {
        id: "cache-unknown",
        slug: "cache-state-unknown",
        when: When::Cell,
        scope: CELL,
        condition: "reads of which nobody can say whether they came from memory",
        explain: "Behind a user-space driver, on another machine or in memory itself, neither the \
                  page cache nor the device can be watched. The number stands as that of the \
                  place, and is never called cold.",
    },
    Rule {
        id: "loop-not-direct",
        slug: "loop-not-direct",
        when: When::Plan,
        scope: Limits::Claims,
        condition: "a loop device that reads and writes its file through the page cache",
        explain: "A loop device without direct I/O keeps its backing file in the page cache of the \
                  machine: reads come from memory and a flush reaches the file, not the disk, \
                  before it returns. losetup --direct-io=on mends it; loops made by bakeoff have \
                  it.",
    },
    Rule {
        id: "memory",
        slug: "memory-place",
        when: When::Plan,
        scope: Limits::Claims,
        condition: "the place is memory (tmpfs, ramfs, zram, brd), not a disk",
        explain: "tmpfs keeps files in memory: nothing reaches a disk and all is gone after a \
                  restart. It is measured and shown as memory, for the scale.",
    },
    Rule {
        id: "no-progress",
        slug: "no-progress",
        when: When::Cell,
        scope: CELL,
        condition: "a cell in which no operation was completed",
        explain: "Nothing was done within the time limit of the cell. The cell is thrown away and \
                  measured again; dmesg tells whether the device reports errors.",
    },
    Rule {
        id: "suspended",
        slug: "suspended",
        when: When::Cell,
        scope: CELL,
        condition: "the machine was suspended during the cell",
        explain: "The clock that counts suspended time ran ahead of the one that does not. The \
                  cell is thrown away and measured again.",
    },
    Rule {
        id: "tool-share",
        slug: "tool-share",
        when: When::Cell,
        scope: CELL,
        condition: "over 5 % of the cell's time went to generating data and bookkeeping",
        explain: "On a very fast place the load generator itself becomes part of the result. \
                  Differences between candidates then look smaller than they are.",
    },
    Rule {
        id: "unmeasured",
        slug: "unmeasured",
        when: When::Analysis,
        scope: RUN,
        condition: "a candidate has no valid cell on a workload that others have",
        explain: "Every attempt at this cell failed or was thrown away, so nothing is said about \
                  this candidate on this workload. The reasons are recorded with the attempts.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_by_number_and_by_name() {
        assert_eq!(explain("l36").map(|r| r.slug), Some("autocorrelation"));
        assert_eq!(explain("Warm-Cache").map(|r| r.id), Some("L16"));
        assert_eq!(explain("L00"), None);
    }

    #[test]
    fn ids_are_unique_and_texts_are_whole_sentences() {
        let ids: Vec<&str> = RULES.iter().map(|r| r.id).collect();
        assert!(ids.is_sorted() && ids.windows(2).all(|w| w[0] != w[1]), "{ids:?}");
        for rule in RULES {
            assert!(rule.explain.ends_with('.') && rule.explain.len() > 80, "{}", rule.id);
            assert!(!rule.explain.contains("  "), "{}", rule.id);
        }
    }
}
