//! What a candidate lacks, whatever its speed.
//!
//! Sources: the kernel's documentation of each filesystem (Documentation/filesystems), exFAT and
//! FAT specifications (no journal, no owners), ntfs-3g(8).

use crate::rules::unlike_promises::{has_no_barriers, has_no_journal};
use bakeoff_machine::prepare::recipe::recipe_of;
use bakeoff_model::candidate::{Candidate, Kind, Stack};
use bakeoff_model::host::PlaceClass;
use bakeoff_model::recommendation::GivesUp;

/// Everything it lacks, the most important first.
pub fn all(candidate: &Candidate) -> Vec<GivesUp> {
    GivesUp::ALL.iter().copied().filter(|what| lacks(candidate, *what)).collect()
}

pub fn compared_with(candidate: &Candidate, all: &[Candidate]) -> Vec<GivesUp> {
    let has_somebody = |what: &GivesUp| all.iter().any(|other| !lacks(other, *what));
    self::all(candidate).into_iter().filter(has_somebody).collect()
}

fn lacks(candidate: &Candidate, what: GivesUp) -> bool {
    match &candidate.kind {
        Kind::Stack(stack) => stack_lacks(stack, what),
        Kind::Directory { place, .. } => match what {
            GivesUp::Persistence => place.class == PlaceClass::Memory,
            GivesUp::KernelDriver => place.class == PlaceClass::Fuse,
            GivesUp::Flushes | GivesUp::Journal | GivesUp::Booting | GivesUp::DataChecksums => {
                false
            }
        },
    }
}

fn stack_lacks(stack: &Stack, what: GivesUp) -> bool {
    match what {
        GivesUp::Persistence => false,
        GivesUp::Flushes => has_no_barriers(stack),
        GivesUp::Journal => has_no_journal(stack),
        GivesUp::KernelDriver => stack.fuse,
        GivesUp::Booting => stack.fuse || recipe_of(stack).is_some_and(|recipe| !recipe.can_boot),
        GivesUp::DataChecksums => {
            let off = |o: &String| o.split(',').any(|w| matches!(w, "nodatasum" | "nodatacow"));
            let has = recipe_of(stack).is_some_and(|recipe| recipe.checksums_data);
            !has || stack.mount.iter().any(off)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;

    #[test]
    fn lists_what_others_have_and_nothing_that_all_lack() {
        let run = RunBuilder::stacks(&["ext4", "ext2", "ntfs-3g", "vfat"]).build();
        let all = &run.header.candidates;
        assert_eq!(compared_with(&all[0], all), []);
        assert_eq!(compared_with(&all[1], all), [GivesUp::Journal]);
        assert_eq!(
            compared_with(&all[2], all),
            [GivesUp::Journal, GivesUp::KernelDriver, GivesUp::Booting]
        );
        assert_eq!(compared_with(&all[3], all), [GivesUp::Journal, GivesUp::Booting]);
        let run = RunBuilder::stacks(&["ext4", "btrfs"]).build();
        let all = &run.header.candidates;
        assert_eq!(compared_with(&all[0], all), [GivesUp::DataChecksums]);
        assert_eq!(compared_with(&all[1], all), []);
    }
}
