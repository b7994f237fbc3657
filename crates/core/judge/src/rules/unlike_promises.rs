//! Rules over what a sentence claims: stacks that promise different things must not be ranked in
//! silence.
//!
//! Sources: the kernel's documentation of each filesystem (`nobarrier`, f2fs `fsync_mode`, ext4
//! `^has_journal`), exFAT and FAT specifications (no journal), ntfs-3g(8) (user space).

use crate::evidence::rule::Hit;
use bakeoff_machine::prepare::recipe::recipe_of;
use bakeoff_model::candidate::Stack;
use bakeoff_model::event::Header;
use bakeoff_model::finding::{Finding, Severity};
use bakeoff_model::index::CandidateIx;

/// Candidates that promise less after a power cut: L18, durability-mismatch.
pub const DURABILITY: &str = "L18";
/// Drivers of another kind: L61, implementation.
pub const IMPLEMENTATION: &str = "L61";

/// One way in which some of the candidates differ from the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlikePromise {
    pub rule: &'static str,
    /// In words, as a sentence has to have it: `ext2 and vfat keep no journal`.
    pub words: String,
    pub advice: &'static str,
}

struct Property {
    has: fn(&Stack) -> bool,
    one: &'static str,
    several: &'static str,
    rule: &'static str,
    advice: &'static str,
}

const LEAVE_OUT: &str =
    "exclude it ([[exclude]] in a plan), or state this limitation next to the result";

const PROPERTIES: [Property; 4] = [
    Property {
        has: has_no_journal,
        one: "keeps no journal",
        several: "keep no journal",
        rule: DURABILITY,
        advice: LEAVE_OUT,
    },
    Property {
        has: has_no_barriers,
        one: "does not flush the drive's cache",
        several: "do not flush the drive's cache",
        rule: DURABILITY,
        advice: LEAVE_OUT,
    },
    Property {
        has: has_light_fsync,
        one: "guarantees less after fsync (fsync_mode=posix)",
        several: "guarantee less after fsync (fsync_mode=posix)",
        rule: DURABILITY,
        advice: "set options = \"equalised\" in a plan, which mounts it with fsync_mode=strict, or \
                 state this limitation next to the result",
    },
    Property {
        has: |stack| stack.fuse,
        one: "runs in user space",
        several: "run in user space",
        rule: IMPLEMENTATION,
        advice: "use the kernel's driver, or state next to the result that it includes the driver",
    },
];

/// Everything in which the stacks of `candidates` promise different things.
pub fn differences(header: &Header, candidates: &[CandidateIx]) -> Vec<UnlikePromise> {
    // In the run's order, whatever their rank: the same difference has the same words everywhere.
    let mut candidates = candidates.to_vec();
    candidates.sort_unstable();
    let known = candidates.iter().filter_map(|c| c.get(&header.candidates));
    let stacks: Vec<(&str, &Stack)> =
        known.filter_map(|c| Some((c.name.as_str(), c.stack()?))).collect();
    let difference = |Property { has, one, several, rule, advice, .. }: &Property| {
        let names: Vec<String> =
            stacks.iter().filter(|(_, s)| has(s)).map(|(n, _)| n.to_string()).collect();
        let words = if names.len() == 1 { one } else { several };
        let is_mixed = !names.is_empty() && names.len() < stacks.len();
        let words = format!("{} {words}", bakeoff_stats::phrases::names(&names));
        is_mixed.then_some(UnlikePromise { rule, words, advice })
    };
    PROPERTIES.iter().filter_map(difference).collect()
}

/// The findings of these differences. Every sentence about the candidates names them
/// ([`differences`]), so that no claim is silent about them and they limit none.
pub fn unlike(header: &Header, candidates: &[CandidateIx]) -> Vec<Finding> {
    let found = |d: UnlikePromise| {
        let mut finding = Hit::new(d.words, d.advice).finding(header, d.rule);
        finding.severity = finding.severity.min(Severity::Warn);
        finding
    };
    differences(header, candidates).into_iter().map(found).collect()
}

pub fn has_no_journal(stack: &Stack) -> bool {
    recipe_of(stack).is_some_and(|recipe| !recipe.has_journal)
}

pub fn has_no_barriers(stack: &Stack) -> bool {
    let is_off = |o: &String| o.split(',').any(|w| matches!(w, "nobarrier" | "barrier=0"));
    stack.mount.iter().any(is_off) || fsync_mode(stack) == Some(FsyncMode::NoBarrier)
}

/// Whether fsync of a stack covers less than that of ext4, xfs and btrfs.
pub fn has_light_fsync(stack: &Stack) -> bool {
    fsync_mode(stack) == Some(FsyncMode::Posix)
}

/// What fsync of f2fs does (kernel, f2fs.rst, `fsync_mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FsyncMode {
    Posix,
    /// As ext4, xfs and btrfs do.
    Strict,
    /// As posix, and without a flush of the drive's cache.
    NoBarrier,
}

/// The mode that a stack of f2fs is mounted with: of several words the last one counts.
fn fsync_mode(stack: &Stack) -> Option<FsyncMode> {
    let words = stack.mount.iter().flat_map(|options| options.split(','));
    let mode = words.filter_map(|word| word.strip_prefix("fsync_mode=")).next_back();
    let is_f2fs = stack.fs == "f2fs";
    is_f2fs.then_some(match mode {
        Some("strict") => FsyncMode::Strict,
        Some("nobarrier") => FsyncMode::NoBarrier,
        _ => FsyncMode::Posix,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::candidate::Kind;

    fn words(header: &Header) -> Vec<String> {
        let all: Vec<CandidateIx> = CandidateIx::all(header.candidates.len()).collect();
        differences(header, &all).into_iter().map(|d| d.words).collect()
    }

    #[test]
    fn what_some_do_not_promise_is_put_in_words() {
        let run = RunBuilder::stacks(&["ext4", "ext2", "vfat", "ntfs-3g"]).build();
        assert_eq!(
            words(&run.header),
            ["ext2, vfat and ntfs-3g keep no journal", "ntfs-3g runs in user space"]
        );
        let run = RunBuilder::stacks(&["ext4", "ext4 without journal"]).header(|h| {
            let Kind::Stack(stack) = &mut h.candidates[1].kind else { panic!() };
            stack.mkfs = vec!["-O".to_string(), "^has_journal".to_string()];
        });
        assert_eq!(words(&run.build().header), ["ext4 without journal keeps no journal"]);
    }

    /// It was listed under its kernel driver's name alone, so that it seemed to keep a journal.
    #[test]
    fn exfat_fuse_keeps_no_journal() {
        let run = RunBuilder::stacks(&["ext4", "exfat-fuse"]).build();
        assert!(words(&run.header).contains(&"exfat-fuse keeps no journal".to_string()));
    }

    #[test]
    fn what_all_have_in_common_is_no_difference() {
        let run = RunBuilder::stacks(&["ext2", "vfat", "exfat"]).build();
        assert_eq!(words(&run.header), Vec::<String>::new());
        let run = RunBuilder::stacks(&["ext4", "xfs", "f2fs"]).header(|h| {
            let Kind::Stack(stack) = &mut h.candidates[2].kind else { panic!() };
            stack.mount = vec!["fsync_mode=strict".to_string()];
        });
        assert_eq!(words(&run.build().header), Vec::<String>::new());
        let run = RunBuilder::directories(&["/a", "/b"]).build();
        assert_eq!(words(&run.header), Vec::<String>::new());
    }

    #[test]
    fn l18_and_l61_are_warnings_beside_a_sentence_that_names_them() {
        let found = |stacks: &[&str]| {
            let run = RunBuilder::stacks(stacks).build();
            let found = unlike(&run.header, &[0, 1].map(CandidateIx::new));
            found.into_iter().map(|f| (f.id, f.severity)).collect::<Vec<_>>()
        };
        assert_eq!(found(&["ext4", "ext2"]), [("L18".to_string(), Severity::Warn)]);
        let both = [("L18".to_string(), Severity::Warn), ("L61".to_string(), Severity::Warn)];
        assert_eq!(found(&["ext4", "ntfs-3g"]), both);
        assert_eq!(found(&["vfat", "ntfs-3g"]), both[1..]);
        assert_eq!(found(&["ext4", "xfs"]), []);
    }
}
