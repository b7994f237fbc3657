//! Steps: what is done to the system for a run, each with its reason and its way back.
//!
//! Pure: names and sizes in, steps out. The shell records each step before it acts, so that a
//! crash at any point leaves the way back in the record.

use bakeoff_model::candidate::Stack;
use bakeoff_model::path::RawPath;
use bakeoff_model::step::{Action, Step};
use bakeoff_model::undo::{DriveId, On, ScratchOf, Undo, Volume};
use bakeoff_stats::units;

use super::region::{self, Span};
use super::{crypt, lvm, recipe};

pub use super::commands::{argv, describe, describe_undo, shell_word};

/// Make a scratch directory of the run in `parent`.
pub fn make_scratch(
    step: u32,
    run: &str,
    of: ScratchOf,
    (parent, on): (&RawPath, Option<On>),
) -> Step {
    Step::new(
        step,
        format!("create a scratch directory in {parent}"),
        Action::MakeScratch { parent: parent.clone(), name: of.name(run) },
    )
    .undone_by(Undo::RemoveOurScratch { parent: parent.clone(), of, on })
}

/// Make the run's directory of mount points in `parent`, where only root can be.
pub fn make_mount_points(step: u32, run: &str, parent: &RawPath) -> Step {
    Step::new(
        step,
        format!("create a directory for mount points in {parent}"),
        Action::MakeScratch { parent: parent.clone(), name: run.to_string() },
    )
    .undone_by(Undo::RemoveMountPoints)
}

/// Write the image in full, so that no candidate meets holes.
pub fn fill(step: u32, file: &RawPath, size_bytes: u64) -> Step {
    Step::new(
        step,
        format!("write the scratch image in full ({})", units::size(size_bytes)),
        Action::Fill { file: file.clone(), size_bytes },
    )
}

/// Attach the image to a loop device with direct I/O.
pub fn attach_loop(step: u32, file: &RawPath) -> Step {
    Step::new(
        step,
        "attach the image to a loop device with direct I/O",
        Action::AttachLoop {
            file: file.clone(),
            offset_bytes: 0,
            size_bytes: None,
            sector_bytes: None,
        },
    )
    .undone_by(Undo::DetachMarkedLoop)
}

/// Put the region of a target on a loop device of its own, past the page cache.
pub fn attach_region(step: u32, target: &RawPath, span: Span, sector_bytes: Option<u32>) -> Step {
    let Span { start_bytes: offset_bytes, size_bytes } = span;
    Step::new(
        step,
        format!(
            "attach {} at {} of {target} to a loop device with direct I/O",
            units::size(size_bytes),
            units::size(offset_bytes)
        ),
        Action::AttachLoop {
            file: target.clone(),
            offset_bytes,
            size_bytes: Some(size_bytes),
            // What the device below cannot do in 512 bytes, the loop device may not promise.
            sector_bytes: sector_bytes.filter(|bytes| *bytes > 512),
        },
    )
    .undone_by(Undo::DetachMarkedLoop)
}

/// Name of the device mapper volume of region `index`; carries the run id.
pub fn region_mapper(run: &str, index: u16) -> String {
    format!("bakeoff-{run}-region{index}")
}

/// Name of a device mapper volume of the run, in /dev/mapper.
pub fn volume_name(run: &str, volume: Volume) -> String {
    match volume {
        Volume::Region(index) => region_mapper(run, index),
        Volume::Crypt(slot) => crypt::mapper_name(run, slot),
        Volume::Lvm(slot) => lvm::mapper_name(run, slot),
    }
}

/// The mark of the loop device that a step of a run attaches, where the kernel keeps the name of
/// its file: nobody but root writes there.
pub fn loop_mark(run: &str, step: u32) -> String {
    format!("bakeoff-{run}-{step}")
}

/// Put the region of a target on a device mapper volume of its own, which costs next to nothing
/// and claims the target.
pub fn map_region(step: u32, run: &str, index: u16, target: &RawPath, span: Span) -> Step {
    const SECTOR_BYTES: u64 = 512;
    let name = region_mapper(run, index);
    let sectors = span.size_bytes / SECTOR_BYTES;
    let words = ["dmsetup", "create", &name, "--table"].map(RawPath::new);
    let table = format!("0 {sectors} linear {target} {}", span.start_bytes / SECTOR_BYTES);
    Step::new(
        step,
        format!(
            "map {} at {} of {target}",
            units::size(span.size_bytes),
            units::size(span.start_bytes)
        ),
        Action::Run { argv: words.into_iter().chain([RawPath::new(table)]).collect() },
    )
    .undone_by(Undo::RemoveVolume(Volume::Region(index)))
}

/// Write a region in full, so that every stack meets the same state, and read it back where asked.
pub fn overwrite(step: u32, device: &RawPath, size_bytes: u64, verify: bool) -> Step {
    let checked = match (verify, region::read_back_one_of(size_bytes)) {
        (false, _) => String::new(),
        (true, 1) => " and read it back".to_string(),
        (true, one_of) => format!(" and read one of {one_of} pieces back"),
    };
    Step::new(
        step,
        format!("write the region in full ({}){checked}", units::size(size_bytes)),
        Action::Overwrite { device: device.clone(), size_bytes, verify },
    )
    .destroying(format!("everything on {device}"))
}

pub fn save_originals(step: u32, saved: &RawPath, size_bytes: u64, drive: DriveId) -> Step {
    Step::new(
        step,
        format!("save what the probe overwrites in {saved}"),
        Action::Fill { file: saved.clone(), size_bytes },
    )
    .undone_by(Undo::RestoreSaved { drive })
}

pub fn discard(step: u32, device: &RawPath) -> Step {
    Step::new(
        step,
        "discard the region",
        Action::Run { argv: vec![RawPath::new("blkdiscard"), device.clone()] },
    )
    .destroying(format!("everything on {device}"))
}

/// Wipe what the last stack wrote to say what it is: nobody shall find half a volume group.
pub fn wipe(step: u32, device: &RawPath) -> Step {
    let argv = ["wipefs", "--all", "--quiet"].map(RawPath::new);
    Step::new(
        step,
        "wipe the last candidate's signatures",
        Action::Run { argv: argv.into_iter().chain([device.clone()]).collect() },
    )
    .destroying(format!("everything on {device}"))
}

pub fn mkfs(step: u32, name: &str, stack: &Stack, device: &RawPath) -> Step {
    Step::new(step, format!("create {name}"), Action::Run { argv: mkfs_argv(stack, device) })
        .destroying(format!("everything on {device}"))
}

pub fn mount(
    step: u32,
    name: &str,
    stack: &Stack,
    device: &RawPath,
    (at, slot): (&RawPath, u16),
) -> Step {
    Step::new(
        step,
        format!("mount {name}"),
        Action::Mount {
            device: device.clone(),
            at: at.clone(),
            fs: stack.fs.clone(),
            options: stack.mount.clone(),
        },
    )
    .undone_by(Undo::UnmountOurs { slot })
}

/// The mkfs command of a stack: `mkfs.FS` where no recipe names another program.
pub fn mkfs_argv(stack: &Stack, device: &RawPath) -> Vec<RawPath> {
    let program = match recipe::recipe_of(stack) {
        Some(recipe) => recipe.mkfs.to_string(),
        None => format!("mkfs.{}", stack.fs),
    };
    let mut argv = vec![RawPath::new(program)];
    argv.extend(stack.mkfs.iter().map(RawPath::new));
    argv.push(device.clone());
    argv
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::recipe::RECIPES;

    #[test]
    fn commands_read_as_they_would_be_typed() {
        let device = RawPath::new("/dev/loop0");
        let at = RawPath::new("/tmp/a b/mnt");
        let lines: Vec<String> = RECIPES
            .iter()
            .filter(|r| r.fs != crate::prepare::recipe::RAW)
            .flat_map(|r| {
                [
                    mkfs(0, r.name, &r.stack(), &device),
                    mount(1, r.name, &r.stack(), &device, (&at, 0)),
                ]
            })
            .map(|step| describe(&step.action))
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn every_change_that_lasts_has_its_way_back() {
        let file = RawPath::new("/x/image");
        assert!(make_scratch(0, "ab", ScratchOf::Run, (&RawPath::new("/x"), None)).undo.is_some());
        assert_eq!(attach_loop(1, &file).undo, Some(Undo::DetachMarkedLoop));
    }
}
