//! Who uses a file: loop devices it backs, mounts and swap that are made of it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_machine::prepare::device::{BlockDevice, System};
use bakeoff_model::path::RawPath;
use bakeoff_model::step::Inode;

/// Kernel names of the loop devices that a file backs, by whichever of its names.
pub fn loops_of_file(file: Inode, system: &System) -> Vec<String> {
    let is_it = |device: &&BlockDevice| device.backing == Some(file);
    system.devices.iter().filter(is_it).map(|device| device.layer.name.clone()).collect()
}

/// Sources of mounts and swap files that are this file, whatever it is called there.
pub fn used_as(file: Inode, system: &System) -> Vec<RawPath> {
    let is_it = |path: &RawPath| super::inode_of(path.as_path()) == Some(file);
    let sources = system.mounts.iter().map(|m| &m.mount.source);
    // The source of most mounts is a word, or a path under /dev.
    let sources = sources.filter(|source| {
        let bytes = source.as_bytes();
        bytes.starts_with(b"/") && !bytes.starts_with(b"/dev/") && is_it(source)
    });
    let swaps = system.swaps.iter().filter(|s| s.file == Some(file)).map(|s| &s.swap.path);
    sources.chain(swaps).cloned().collect()
}

/// Whether two looks were at the same file.
pub fn is_same(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Whether two paths lead to the same file; a path that leads nowhere leads to no file.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let looked = std::fs::metadata(a).and_then(|a| Ok((a, std::fs::metadata(b)?)));
    looked.is_ok_and(|(a, b)| is_same(&a, &b))
}
