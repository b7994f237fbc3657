//! The whole picture for the guard and for `devices`, and the part of it a place needs.

use std::io;

use bakeoff_machine::prepare::device::{BlockDevice, System};
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_model::host::LayerKind;
use bakeoff_model::step::Inode;

use super::drive::dev;
use super::loops::{self, Under};
use super::root::Root;
use super::{block, mounts, users};

/// Block devices, our own mounts and swap: enough to say what lies below a directory.
pub fn layout(root: &Root) -> io::Result<System> {
    let mut devices = block::devices(root);
    let mounts = mounts::own(root, &devices)?;
    let under: Vec<Option<Under>> =
        devices.iter().map(|device| loops::under(root, device)).collect();
    let over: Vec<Option<Dev>> = devices
        .iter()
        .zip(&under)
        .map(|(device, under)| match under {
            Some(Under::Device(dev)) => Some(*dev).filter(|dev| *dev != device.dev),
            Some(Under::File(_)) => None,
            None => attached_to(root, &devices, device),
        })
        .collect();
    let numbers: Vec<Dev> = devices.iter().map(|device| device.dev).collect();
    for ((device, over), under) in devices.iter_mut().zip(over).zip(under) {
        device.is_over_device = over.is_some();
        if let Some(Under::File(file)) = under {
            device.backing = Some(file);
        }
        match (over, device.layer.kind, &device.layer.backing_file) {
            (Some(over), ..) => device.below = vec![over],
            (None, LayerKind::Loop, Some(file)) => {
                device.below = mounts::under_file(root, &mounts, file);
                // A file that is deleted, hidden or of another namespace still says its filesystem.
                let on = device.backing.map(|file| dev(file.dev));
                device.below.extend(on.filter(|dev| numbers.contains(dev)));
                device.below.dedup();
            }
            _ => {}
        }
    }
    let swaps = mounts::swap(root, &devices, &mounts)?;
    Ok(System { devices, mounts, swaps, ..System::default() })
}

fn attached_to(root: &Root, devices: &[BlockDevice], device: &BlockDevice) -> Option<Dev> {
    let file =
        device.layer.backing_file.as_ref().filter(|_| device.layer.kind == LayerKind::Loop)?;
    // A device file that was removed while its device is in use: rather the device that has its
    // name now is in use than none.
    let name = file.as_bytes().strip_suffix(b" (deleted)").unwrap_or(file.as_bytes());
    mounts::named_device(root, devices, name).filter(|over| *over != device.dev)
}

/// Everything that can be seen using a device: other mount namespaces and open files too.
pub fn system(root: &Root) -> io::Result<System> {
    let mut system = layout(root)?;
    let (elsewhere, saw_mounts) = mounts::elsewhere(root, &system.devices, &system.mounts);
    let files: Vec<Inode> = system.devices.iter().filter_map(|device| device.backing).collect();
    let opened = users::Opened::take(root, &files);
    system.mounts.extend(elsewhere);
    system.users = opened.devices;
    system.file_users = opened.files;
    system.saw_all = saw_mounts && opened.saw_all;
    Ok(system)
}
