//! The guard: may a block device be written, and if not, why not.
//!
//! Pure. It refuses for anything that uses the device or what is made of it; whether the contents
//! are dear to anybody is not its business, that is what the erase token is for. Right before
//! writing the shell asks the kernel as well (O_EXCL): a table read a moment ago is no lock.

pub mod image;
mod reason;

pub use reason::{Holder, Reason, Subject, Why, is_ours};

use crate::distinct;
use crate::model::host::LayerKind;
use crate::model::path::{RawPath, printable};
use crate::model::step::Inode;
use crate::prepare::device::{BlockDevice, Mounted, SwapOn, System};
use crate::sysinfo::dev::Dev;

/// What the guard says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing that can be seen uses it.
    Safe,
    /// It must not be written; most important reason first.
    No(Vec<Reason>),
}

/// Decides about the device of that number. `shares_disk_with_root` is the user's consent to write
/// an unmounted partition of the disk the system runs from; nothing else can be waived.
pub fn verdict(dev: Dev, system: &System, shares_disk_with_root: bool) -> Verdict {
    let Some(device) = system.device(dev) else {
        return Verdict::No(vec![Reason::Gone]);
    };
    let mut reasons = unfit(device);
    let chain = system.chain(&[dev]);
    for part in system.tree(dev).into_iter().chain(written_too(device, system)) {
        reasons.extend(uses(part, system, &chain));
    }
    for disk in disks_of_partitions(device, system) {
        if !shares_disk_with_root && holds_root(disk, system) {
            reasons.push(Reason::SharesDrive { drive: name_of(disk) });
        }
    }
    reasons.extend(shares_file(device, system));
    leave_to_its_run(&mut reasons);
    let reasons = distinct::sorted(reasons);
    if reasons.is_empty() { Verdict::Safe } else { Verdict::No(reasons) }
}

/// Who uses a device, or what is made of it: mounts and processes, wherever they are. For a device
/// that was in our hands alone and is not free.
pub fn users(dev: Dev, system: &System) -> Vec<Reason> {
    let parts = system.tree(dev).into_iter();
    distinct::sorted(parts.flat_map(|part| uses(part, system, &[])))
}

/// From a device down through what only passes writes on: partitions, and loop devices that are
/// attached to another device.
fn straight_down<'a>(device: &'a BlockDevice, system: &'a System) -> Vec<&'a BlockDevice> {
    let passes_on = |at: &&BlockDevice| at.layer.kind == LayerKind::Partition || at.is_over_device;
    let chain = system.chain(&[device.dev]);
    let passing = chain.iter().take_while(|at| passes_on(at)).count();
    chain.into_iter().take(passing + 1).collect()
}

/// What is written with a device though it is not made of it: the disk of a partition, and the
/// device that a loop device is attached to, with all that is made of that one.
fn written_too<'a>(device: &'a BlockDevice, system: &'a System) -> Vec<&'a BlockDevice> {
    let below = straight_down(device, system);
    let pairs = below.windows(2);
    pairs
        .flat_map(|pair| match pair[0].layer.kind {
            LayerKind::Partition => vec![pair[1]],
            LayerKind::Disk | LayerKind::Dm | LayerKind::Md | LayerKind::Loop | LayerKind::Ram => {
                system.tree(pair[1].dev)
            }
        })
        .collect()
}

/// The disks of partitions among what a device passes writes on to.
fn disks_of_partitions<'a>(device: &'a BlockDevice, system: &'a System) -> Vec<&'a BlockDevice> {
    let below = straight_down(device, system);
    let of_partition = below.windows(2).filter(|pair| pair[0].layer.kind == LayerKind::Partition);
    of_partition.map(|pair| pair[1]).collect()
}

/// The first loop device over a file, from a device down: writing the device writes that file.
fn loop_below<'a>(device: &'a BlockDevice, system: &'a System) -> Option<&'a BlockDevice> {
    let has_file = |d: &&BlockDevice| {
        d.layer.kind == LayerKind::Loop && !d.is_over_device && d.layer.backing_file.is_some()
    };
    system.chain(&[device.dev]).into_iter().find(has_file)
}

/// Whether two loop devices have the same file. By number where both are known: a file has as many
/// paths as it has hard links and bind mounts.
fn is_same_file(a: &BlockDevice, b: &BlockDevice) -> bool {
    match (a.backing, b.backing) {
        (Some(a), Some(b)) => a == b,
        _ => a.layer.backing_file.is_some() && a.layer.backing_file == b.layer.backing_file,
    }
}

/// What uses the file under a loop device beside that device: other loop devices, swap, processes
/// that can write to it.
fn shares_file(device: &BlockDevice, system: &System) -> Vec<Reason> {
    let Some(below) = loop_below(device, system) else { return Vec::new() };
    let chain = system.chain(&[device.dev]);
    let others = system.devices.iter().filter(|other| !chain.contains(other));
    let twins = others.filter(|other| is_same_file(below, other));
    let twins = twins.map(|other| Reason::SameFile { by: name_of(other) });
    let what = Subject::FileBehind(name_of(below));
    let is_file = |file: Option<Inode>| file.is_some() && file == below.backing;
    let swaps = system.swaps.iter().filter(|s| is_file(s.file));
    let swaps = swaps.map(|s| Reason::Swap { what: what.clone(), path: s.swap.path.clone() });
    let writers = system.file_users.iter().filter(|user| user.writes && is_file(Some(user.file)));
    let writers =
        writers.map(|user| Reason::Open { process: user.process.clone(), what: what.clone() });
    twins.chain(swaps).chain(writers).collect()
}

fn holds_root(disk: &BlockDevice, system: &System) -> bool {
    system
        .tree(disk.dev)
        .iter()
        .any(|part| system.mounts_of(part.dev).any(|m| m.mount.mount_point == RawPath::new("/")))
}

/// The name a person knows: of a device mapper volume its own, not dm-0.
fn name_of(device: &BlockDevice) -> String {
    let name = match (device.layer.kind, &device.title) {
        (LayerKind::Dm, Some(title)) => title,
        _ => &device.layer.name,
    };
    printable(name.as_bytes())
}

/// What is wrong with the device itself, whoever uses it.
fn unfit(device: &BlockDevice) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = device.unfit.map(Reason::Unfit).into_iter().collect();
    if device.layer.kind == LayerKind::Ram {
        reasons.push(Reason::Memory);
    }
    if device.layer.size_bytes == 0 {
        reasons.push(match device.layer.kind {
            LayerKind::Loop => Reason::EmptyLoop,
            LayerKind::Disk
            | LayerKind::Partition
            | LayerKind::Dm
            | LayerKind::Md
            | LayerKind::Ram => Reason::NoMedium,
        });
    }
    if device.read_only {
        reasons.push(Reason::ReadOnly { what: Subject::Device(name_of(device)) });
    }
    reasons
}

/// What uses this one device, not what is made of it. The devices of `chain`, from what is to be
/// written down to its disk, are no strangers to each other.
fn uses<'a>(
    device: &'a BlockDevice,
    system: &'a System,
    chain: &'a [&BlockDevice],
) -> impl Iterator<Item = Reason> + 'a {
    let name = move || name_of(device);
    let what = move || Subject::Device(name_of(device));
    let mounts = system.mounts_of(device.dev).map(|mounted| mount_reason(device, mounted));
    let swaps = system.swaps.iter().filter(|s| s.on.contains(&device.dev));
    let swaps = swaps.map(move |SwapOn { swap, .. }| {
        let path = swap.path.clone();
        match swap.is_file {
            true => Reason::SwapFile { path, device: name() },
            false => Reason::Swap { what: what(), path },
        }
    });
    let holders = system
        .above(device)
        .filter(|(holder, is_partition)| !is_partition && !chain.contains(holder))
        .map(move |(above, _)| Reason::InUse { by: holder(above), device: name() });
    let strangers = device.holders.iter().filter(|h| system.named(h).is_none());
    let strangers = strangers.map(move |h| {
        let by = Holder::Other(printable(h.as_bytes()));
        Reason::InUse { by, device: name() }
    });
    let users = system.users.iter().filter(|u| u.dev == device.dev);
    let users = users.map(move |u| Reason::Open { process: u.process.clone(), what: what() });
    let within = members_within(device, system);
    // For ZFS a pool in use is seen nowhere in /sys, so the signature has to do.
    let member = device.member_of().map(|of| {
        let kernel_name = printable(device.layer.name.as_bytes());
        Reason::Member { device: name(), kernel_name, of }
    });
    mounts.chain(swaps).chain(holders).chain(strangers).chain(users).chain(member).chain(within)
}

/// Members in partitions that the kernel has no device for: those of a loop device attached without
/// its partitions.
fn members_within<'a>(
    device: &'a BlockDevice,
    system: &'a System,
) -> impl Iterator<Item = Reason> + 'a {
    let signs = device.contents.iter().flat_map(|contents| &contents.signs);
    signs.filter_map(|sign| {
        let part = sign.part.as_deref().filter(|part| system.named(part).is_none())?;
        let of = sign.member_of()?;
        Some(Reason::MemberWithin { part: part.to_string(), device: name_of(device), of })
    })
}

/// Where bakeoff is at work, what holds the target is its own: nobody shall be told to detach it.
pub(super) fn leave_to_its_run(reasons: &mut Vec<Reason>) {
    if reasons.iter().any(Reason::is_ours) {
        reasons.retain(|reason| reason.why() != Why::InUse);
    }
}

fn mount_reason(device: &BlockDevice, mounted: &Mounted) -> Reason {
    const BOOT: [&str; 4] = ["/boot", "/boot/firmware", "/boot/efi", "/efi"];
    let (name, at) = (name_of(device), mounted.mount.mount_point.clone());
    if let Some(process) = &mounted.seen_by {
        let seen_by = Some(process.clone());
        Reason::Mounted { what: Subject::Device(name), at, seen_by }
    } else if at == RawPath::new("/") {
        Reason::Root { device: name }
    } else if BOOT.iter().any(|boot| at == RawPath::new(boot)) {
        Reason::Boot { device: name, at }
    } else {
        mounted_here(Subject::Device(name), at)
    }
}

/// Where bakeoff mounts: directories that only root can make.
const OWN_MOUNTS: [&str; 2] = ["/run/bakeoff/", "/var/lib/bakeoff/"];

/// Whether bakeoff mounted it: nobody shall be told to unmount that.
pub(super) fn is_own_mount(at: &RawPath) -> bool {
    OWN_MOUNTS.iter().any(|dir| at.as_bytes().starts_with(dir.as_bytes()))
}

/// It is mounted where we can see it, by a run of ours or by somebody else.
pub(super) fn mounted_here(what: Subject, at: RawPath) -> Reason {
    match is_own_mount(&at) {
        true => Reason::MountedByRun { what, at },
        false => Reason::Mounted { what, at, seen_by: None },
    }
}

/// What a device that is made of another is.
fn holder(device: &BlockDevice) -> Holder {
    let (name, layer) = (name_of(device), &device.layer);
    let title = device.title.as_ref().map(|title| printable(title.as_bytes()));
    match (layer.kind, layer.dm_target.as_deref(), title, &layer.backing_file) {
        (LayerKind::Loop, ..) if device.is_over_device => Holder::LoopOver(name),
        (LayerKind::Loop, _, _, Some(file)) => Holder::LoopFile { name, file: file.clone() },
        (LayerKind::Dm, Some("lvm"), Some(title), _) => Holder::VolumeGroup(volume_group(&title)),
        (LayerKind::Dm, Some("crypt"), Some(title), _) => Holder::Encrypted(title),
        (LayerKind::Dm, _, Some(title), _) => Holder::Mapped(title),
        (LayerKind::Md, _, level, _) => Holder::Raid { name, level },
        _ => Holder::Other(name),
    }
}

/// `vg--0` and `root` are joined to `vg----0-root`: LVM doubles every hyphen of a name and joins
/// with a single one. Source: lvm2, "dm_build_dm_name".
fn volume_group(dm_name: &str) -> String {
    let mut group = String::new();
    let mut chars = dm_name.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '-' && chars.next_if_eq(&'-').is_none() {
            break;
        }
        group.push(c);
    }
    group
}

#[cfg(test)]
mod tests;
