//! The whole picture for the guard and for `devices`, and the part of it a place needs.

use std::io;

use bakeoff_core::model::host::LayerKind;
use bakeoff_core::prepare::device::System;

use super::root::Root;
use super::{block, mounts, users};

/// Block devices, our own mounts and swap: enough to say what lies below a directory.
pub fn layout(root: &Root) -> io::Result<System> {
    let mut devices = block::devices(root);
    let mounts = mounts::own(root, &devices)?;
    for device in &mut devices {
        if let (LayerKind::Loop, Some(file)) = (device.layer.kind, &device.layer.backing_file) {
            device.below = mounts::under_file(root, &mounts, file);
        }
    }
    let swaps = mounts::swap(root, &devices, &mounts)?;
    Ok(System { devices, mounts, swaps, ..System::default() })
}

/// Everything that can be seen using a device: other mount namespaces and open files too.
pub fn system(root: &Root) -> io::Result<System> {
    let mut system = layout(root)?;
    let (elsewhere, saw_mounts) = mounts::elsewhere(root, &system.devices, &system.mounts);
    let (users, saw_files) = users::of_devices(root);
    system.mounts.extend(elsewhere);
    system.users = users;
    system.saw_all = saw_mounts && saw_files;
    Ok(system)
}
