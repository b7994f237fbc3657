//! The guard: may a block device be written, and if not, why not.
//!
//! Pure. It refuses for anything that uses the device or what is made of it; whether the contents
//! are dear to anybody is not its business, that is what the erase token is for. Right before
//! writing the shell asks the kernel as well (O_EXCL): a table read a moment ago is no lock.

pub mod image;
mod reason;

pub use reason::{GuardSubject, RefusalReason, Why};

use crate::prepare::device::{BlockDevice, Mounted, Process, SwapOn, System};
use crate::sysinfo::dev::Dev;
use bakeoff_model::host::LayerKind;
use bakeoff_model::path::{RawPath, printable};
use bakeoff_model::step::Inode;
use bakeoff_stats::distinct;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardVerdict {
    Safe,
    /// It must not be written; most important reason first.
    No(Vec<RefusalReason>),
}

/// Decides about the device of that number. `shares_disk_with_root` is the user's consent to write
/// an unmounted partition of the disk the system runs from; nothing else can be waived.
pub fn verdict(dev: Dev, system: &System, shares_disk_with_root: bool) -> GuardVerdict {
    let Some(device) = system.device(dev) else {
        return GuardVerdict::No(vec![RefusalReason::new(Why::Gone, "there is no such device")]);
    };
    let mut reasons = unfit(device);
    let chain = system.chain(&[dev]);
    for part in system.tree(dev).into_iter().chain(written_too(device, system)) {
        reasons.extend(uses(part, system, &chain));
    }
    for disk in disks_of_partitions(device, system) {
        if !shares_disk_with_root && holds_root(disk, system) {
            let text = format!(
                "the system runs from the same drive, {}. To use an unmounted partition of it \
                 anyway, add --shares-disk-with-root",
                name_of(disk)
            );
            reasons.push(RefusalReason::new(Why::SharesDiskWithRoot, text));
        }
    }
    reasons.extend(shares_file(device, system));
    leave_to_its_run(&mut reasons);
    let reasons = distinct::sorted(reasons);
    if reasons.is_empty() { GuardVerdict::Safe } else { GuardVerdict::No(reasons) }
}

/// Who uses a device, or what is made of it: mounts and processes, wherever they are. For a device
/// that was in our hands alone and is not free.
pub fn users(dev: Dev, system: &System) -> Vec<RefusalReason> {
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
fn shares_file(device: &BlockDevice, system: &System) -> Vec<RefusalReason> {
    let Some(below) = loop_below(device, system) else { return Vec::new() };
    let chain = system.chain(&[device.dev]);
    let others = system.devices.iter().filter(|other| !chain.contains(other));
    let twins = others.filter(|other| is_same_file(below, other));
    let twins = twins.map(|other| {
        let by = name_of(other);
        let text =
            format!("{by} is attached to the same file. Detach it: losetup --detach /dev/{by}");
        RefusalReason::new(Why::InUse, text)
    });
    let what = GuardSubject::FileBehind(name_of(below));
    let is_file = |file: Option<Inode>| file.is_some() && file == below.backing;
    let swaps = system.swaps.iter().filter(|s| is_file(s.file));
    let swaps = swaps.map(|s| RefusalReason::swap(&what, &s.swap.path));
    let writers = system.file_users.iter().filter(|user| user.writes && is_file(Some(user.file)));
    let writers = writers.map(|user| RefusalReason::open(&user.process, &what));
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

fn unfit(device: &BlockDevice) -> Vec<RefusalReason> {
    let memory = (device.layer.kind == LayerKind::Ram).then_some("it is memory, not a drive");
    let mut reasons: Vec<RefusalReason> = device
        .unfit
        .into_iter()
        .chain(memory)
        .map(|text| RefusalReason::new(Why::NoDrive, text))
        .collect();
    if device.layer.size_bytes == 0 {
        let text = if device.layer.kind == LayerKind::Loop {
            "it is a loop device without a backing file (size 0)"
        } else {
            "it contains no medium"
        };
        reasons.push(RefusalReason::new(Why::NoMedium, text));
    }
    if device.read_only {
        reasons.push(RefusalReason::read_only(&GuardSubject::Device(name_of(device))));
    }
    reasons
}

/// What uses this one device, not what is made of it. The devices of `chain`, from what is to be
/// written down to its disk, are no strangers to each other.
fn uses<'a>(
    device: &'a BlockDevice,
    system: &'a System,
    chain: &'a [&BlockDevice],
) -> impl Iterator<Item = RefusalReason> + 'a {
    let name = move || name_of(device);
    let what = move || GuardSubject::Device(name_of(device));
    let mounts = system.mounts_of(device.dev).map(|mounted| mount_reason(device, mounted));
    let swaps = system.swaps.iter().filter(|s| s.on.contains(&device.dev));
    let swaps = swaps.map(move |SwapOn { swap, .. }| {
        if swap.is_file {
            RefusalReason::new(
                Why::Swap,
                format!("swap is in the file {} on {}", swap.path, name()),
            )
        } else {
            RefusalReason::swap(&what(), &swap.path)
        }
    });
    let holders = system
        .above(device)
        .filter(|(holder, is_partition)| !is_partition && !chain.contains(holder))
        .map(move |(above, _)| RefusalReason::new(Why::InUse, uses_it(above, &name())));
    let strangers = device.holders.iter().filter(|h| system.named(h).is_none());
    let strangers = strangers.map(move |h| {
        RefusalReason::new(Why::InUse, format!("{} uses {}", printable(h.as_bytes()), name()))
    });
    let users = system.users.iter().filter(|u| u.dev == device.dev);
    let users = users.map(move |u| RefusalReason::open(&u.process, &what()));
    let within = members_within(device, system);
    // For ZFS a pool in use is seen nowhere in /sys, so the signature has to do.
    let member = device.member_of().map(|of| {
        let text = format!(
            "{} is part of {of}. If you no longer need its data, erase the signatures: wipefs \
             --all /dev/{}",
            name(),
            printable(device.layer.name.as_bytes())
        );
        RefusalReason::new(Why::Member, text)
    });
    mounts.chain(swaps).chain(holders).chain(strangers).chain(users).chain(member).chain(within)
}

/// Members in partitions that the kernel has no device for: those of a loop device attached without
/// its partitions.
fn members_within<'a>(
    device: &'a BlockDevice,
    system: &'a System,
) -> impl Iterator<Item = RefusalReason> + 'a {
    let signs = device.contents.iter().flat_map(|contents| &contents.signs);
    signs.filter_map(|sign| {
        let part = sign.part.as_deref().filter(|part| system.named(part).is_none())?;
        let of = sign.member_of()?;
        let text = format!("{part} of {} is part of {of}", name_of(device));
        Some(RefusalReason::new(Why::Member, text))
    })
}

/// Where bakeoff is at work, what holds the target is its own: nobody shall be told to detach it.
pub(super) fn leave_to_its_run(reasons: &mut Vec<RefusalReason>) {
    if reasons.iter().any(|reason| reason.is_ours) {
        reasons.retain(|reason| reason.why != Why::InUse);
    }
}

fn mount_reason(device: &BlockDevice, mounted: &Mounted) -> RefusalReason {
    const BOOT: [&str; 4] = ["/boot", "/boot/firmware", "/boot/efi", "/efi"];
    let (name, at) = (name_of(device), &mounted.mount.mount_point);
    if let Some(Process { name: seen_by, pid }) = &mounted.seen_by {
        let text = format!(
            "{name} is mounted on {at} in the mount namespace of {seen_by} (process {pid})"
        );
        RefusalReason::new(Why::Mounted, text)
    } else if *at == RawPath::new("/") {
        RefusalReason::new(Why::Root, format!("the system runs from it ({name} is mounted on /)"))
    } else if BOOT.iter().any(|boot| *at == RawPath::new(boot)) {
        RefusalReason::new(
            Why::Boot,
            format!("the system boots from it ({name} is mounted on {at})"),
        )
    } else {
        mounted_here(&GuardSubject::Device(name), at)
    }
}

/// Where bakeoff mounts: directories that only root can make.
const OWN_MOUNTS: [&str; 2] = ["/run/bakeoff/", "/var/lib/bakeoff/"];

/// Whether bakeoff mounted it: nobody shall be told to unmount that.
pub(super) fn is_own_mount(at: &RawPath) -> bool {
    OWN_MOUNTS.iter().any(|dir| at.as_bytes().starts_with(dir.as_bytes()))
}

pub(super) fn mounted_here(what: &GuardSubject, at: &RawPath) -> RefusalReason {
    if is_own_mount(at) {
        RefusalReason::mounted_by_run(what, at)
    } else {
        RefusalReason::mounted(what, at)
    }
}

fn uses_it(device: &BlockDevice, below: &str) -> String {
    let (name, layer) = (name_of(device), &device.layer);
    let title = device.title.as_ref().map(|title| printable(title.as_bytes()));
    let by = match (layer.kind, layer.dm_target.as_deref(), title, &layer.backing_file) {
        (LayerKind::Loop, ..) if device.is_over_device => {
            return format!(
                "{name} is attached to {below}. Detach it: losetup --detach /dev/{name}"
            );
        }
        (LayerKind::Loop, _, _, Some(file)) => {
            return format!("{name} is the file {file} on {below}");
        }
        (LayerKind::Dm, Some("lvm"), Some(title), _) => {
            format!("LVM volume group {}", volume_group(&title))
        }
        (LayerKind::Dm, Some("crypt"), Some(title), _) => format!("the encrypted volume {title}"),
        (LayerKind::Dm, _, Some(title), _) => format!("the device mapper volume {title}"),
        (LayerKind::Md, _, Some(level), _) => format!("RAID array {name} ({level})"),
        (LayerKind::Md, _, None, _) => format!("RAID array {name}"),
        _ => name,
    };
    format!("{by} uses {below}")
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
