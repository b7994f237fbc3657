//! What a candidate lacks for a use.

use bakeoff_machine::prepare::recipe::recipe_of;
use bakeoff_model::candidate::{Candidate, Kind, Stack};
use bakeoff_model::host::PlaceClass;
use bakeoff_model::uses::{DriveUse, Need};

use crate::rules::unlike_promises::{has_no_barriers, has_no_journal};

/// Everything that the use needs and the candidate does not have, the most important first. Of a
/// directory only whether it outlives a restart: which filesystem it is on is not what is chosen.
pub fn lacking(candidate: &Candidate, drive_use: DriveUse) -> Vec<Need> {
    let lacks = |need: &Need| match &candidate.kind {
        Kind::Stack(stack) => stack_lacks(stack, *need),
        Kind::Directory { place, .. } => {
            *need == Need::Persistence && place.class == PlaceClass::Memory
        }
    };
    drive_use.needs().iter().copied().filter(lacks).collect()
}

fn stack_lacks(stack: &Stack, need: Need) -> bool {
    let Some(recipe) = recipe_of(stack) else { return false };
    match need {
        Need::Persistence => false,
        Need::Flushes => has_no_barriers(stack),
        Need::CrashProtection => has_no_journal(stack) || !recipe.survives_cuts,
        Need::KernelDriver => stack.fuse,
        Need::Owners => !recipe.can_boot,
        Need::LargeFiles => !recipe.has_large_files,
        Need::RootFilesystem => !recipe.is_in_initramfs || !recipe.can_boot,
        Need::WindowsAndMac => !recipe.is_on_windows_and_mac,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;

    #[test]
    fn needs_rule_out_what_each_use_cannot_live_without() {
        let names = ["ext4", "xfs", "btrfs", "f2fs", "ext2", "exfat", "vfat", "ntfs-3g", "nilfs2"];
        let run = RunBuilder::stacks(&names).build();
        let suits = |drive_use| -> Vec<&str> {
            let all = run.header.candidates.iter();
            all.filter(|c| lacking(c, drive_use).is_empty()).map(|c| c.name.as_str()).collect()
        };
        assert_eq!(suits(DriveUse::Boot), ["ext4", "xfs", "btrfs", "f2fs"]);
        assert_eq!(suits(DriveUse::Data), ["ext4", "xfs", "btrfs", "f2fs", "nilfs2"]);
        assert_eq!(suits(DriveUse::Windows), ["exfat"]);
        assert_eq!(suits(DriveUse::Scratch).len(), 8, "all but vfat, whose files end at 4 GiB");
    }
}
