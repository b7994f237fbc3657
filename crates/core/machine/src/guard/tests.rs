//! Situations a drive can be in, one a test.

use super::*;
use crate::prepare::contents::{Contents, Sign};
use crate::prepare::device::{DeviceContent, FileUser, Mounted, Process, SwapOn, User};
use crate::sysinfo::mountinfo::Mount;
use crate::sysinfo::swaps::Swap;
use bakeoff_model::host::Layer;

/// A machine put together in a test: names instead of numbers.
#[derive(Default)]
struct Machine(System);

impl Machine {
    fn add(mut self, name: &str, kind: LayerKind, below: &[&str]) -> Machine {
        let minor = self.0.devices.len() as u32;
        let below = below.iter().map(|n| self.dev(n)).collect();
        let layer = Layer { name: name.to_string(), kind, size_bytes: 1 << 30, ..Layer::default() };
        let dev = Dev::new(8, minor);
        self.0.devices.push(BlockDevice { dev, layer, below, ..BlockDevice::default() });
        self
    }

    fn disk(self, name: &str) -> Machine {
        self.add(name, LayerKind::Disk, &[])
    }

    fn partition(self, name: &str, disk: &str) -> Machine {
        self.add(name, LayerKind::Partition, &[disk])
    }

    fn edit(mut self, change: impl FnOnce(&mut BlockDevice)) -> Machine {
        change(self.0.devices.last_mut().expect("a device was added before"));
        self
    }

    fn dev(&self, name: &str) -> Dev {
        self.0.named(name).map(|d| d.dev).expect("the device was added before")
    }

    fn mount(mut self, names: &[&str], at: &str) -> Machine {
        let on = names.iter().map(|n| self.dev(n)).collect();
        let mount = Mount { mount_point: RawPath::new(at), ..Mount::default() };
        self.0.mounts.push(Mounted { mount, on, seen_by: None });
        self
    }

    fn reasons(&self, name: &str) -> Vec<RefusalReason> {
        match verdict(self.dev(name), &self.0, false) {
            GuardVerdict::Safe => Vec::new(),
            GuardVerdict::No(reasons) => reasons,
        }
    }
}

fn of(name: &str) -> GuardSubject {
    GuardSubject::Device(name.to_string())
}

fn mounted(name: &str, at: &str) -> RefusalReason {
    RefusalReason::mounted(&of(name), &RawPath::new(at))
}

fn in_use(text: &str) -> RefusalReason {
    RefusalReason::new(Why::InUse, text)
}

/// Of a device that is a member by its own signature.
fn member(name: &str, of: &str) -> RefusalReason {
    let erase = "If you no longer need its data, erase the signatures: wipefs --all";
    RefusalReason::new(Why::Member, format!("{name} is part of {of}. {erase} /dev/{name}"))
}

fn process(name: &str, pid: u32) -> Process {
    Process { name: RawPath::new(name), pid }
}

fn same_file(by: &str) -> RefusalReason {
    in_use(&format!("{by} is attached to the same file. Detach it: losetup --detach /dev/{by}"))
}

fn shares_drive(name: &str) -> RefusalReason {
    let text = format!(
        "the system runs from the same drive, {name}. To use an unmounted partition of it anyway, \
         add --shares-disk-with-root"
    );
    RefusalReason::new(Why::SharesDiskWithRoot, text)
}

#[test]
fn an_unused_disk_is_safe_even_with_filesystems_on_it() {
    let machine = Machine::default().disk("sda").partition("sda1", "sda").edit(|d| {
        d.content =
            Some(DeviceContent { fs: Some("ext4".to_string()), ..DeviceContent::default() });
    });
    assert_eq!(machine.reasons("sda"), []);
    assert_eq!(machine.reasons("sda1"), []);
}

#[test]
fn the_disk_of_the_system_is_refused_with_the_gravest_reason_first() {
    let machine = Machine::default()
        .disk("mmcblk0")
        .partition("mmcblk0p1", "mmcblk0")
        .mount(&["mmcblk0p1"], "/boot/firmware")
        .partition("mmcblk0p2", "mmcblk0")
        .mount(&["mmcblk0p2"], "/");
    assert_eq!(
        machine.reasons("mmcblk0"),
        [
            RefusalReason::new(Why::Root, "the system runs from it (mmcblk0p2 is mounted on /)"),
            RefusalReason::new(
                Why::Boot,
                "the system boots from it (mmcblk0p1 is mounted on /boot/firmware)"
            ),
        ]
    );
}

#[test]
fn a_partition_beside_the_system_needs_its_own_consent() {
    let machine = Machine::default()
        .disk("sda")
        .partition("sda1", "sda")
        .mount(&["sda1"], "/")
        .partition("sda2", "sda");
    assert_eq!(machine.reasons("sda2"), [shares_drive("sda")]);
    assert_eq!(verdict(machine.dev("sda2"), &machine.0, true), GuardVerdict::Safe);
    // The consent is for unmounted partitions: not for the disk, not for the root itself.
    assert_ne!(verdict(machine.dev("sda"), &machine.0, true), GuardVerdict::Safe);
    assert_ne!(verdict(machine.dev("sda1"), &machine.0, true), GuardVerdict::Safe);
}

#[test]
fn an_unmounted_partition_beside_a_mounted_one_is_allowed_and_the_disk_is_not() {
    let machine = Machine::default()
        .disk("sdb")
        .partition("sdb1", "sdb")
        .mount(&["sdb1"], "/srv/a b\n")
        .partition("sdb2", "sdb");
    assert_eq!(machine.reasons("sdb2"), []);
    let reasons = machine.reasons("sdb");
    assert_eq!(reasons, [mounted("sdb1", "/srv/a b\n")]);
    assert_eq!(reasons[0].frees.as_deref(), Some("umount $'/srv/a b\\x0a'"));
}

#[test]
fn nobody_is_told_to_unmount_what_a_run_of_ours_mounted() {
    let at = "/run/bakeoff/0123/mnt";
    let machine = Machine::default().disk("sdb").mount(&["sdb"], at);
    let by_run = RefusalReason::mounted_by_run(&of("sdb"), &RawPath::new(at));
    assert_eq!(by_run.frees, None);
    assert_eq!(machine.reasons("sdb"), [by_run]);
    let near = Machine::default().disk("sdb").mount(&["sdb"], "/run/bakeoffs/mnt");
    assert_eq!(near.reasons("sdb"), [mounted("sdb", "/run/bakeoffs/mnt")], "not ours");
}

#[test]
fn a_partition_of_a_disk_mounted_as_a_whole_is_refused() {
    let machine = Machine::default().disk("sdb").partition("sdb1", "sdb").mount(&["sdb"], "/srv");
    assert_eq!(machine.reasons("sdb1"), [mounted("sdb", "/srv")]);
}

#[test]
fn swap_partitions_and_swap_files() {
    let mut machine = Machine::default().disk("sda").partition("sda1", "sda");
    let on = vec![machine.dev("sda1")];
    let swap = |path: &str, is_file| Swap { path: RawPath::new(path), is_file };
    machine.0.swaps = vec![SwapOn { swap: swap("/dev/sda1", false), on: on.clone(), file: None }];
    let reason = RefusalReason::swap(&of("sda1"), &RawPath::new("/dev/sda1"));
    assert_eq!(reason.frees.as_deref(), Some("swapoff /dev/sda1"));
    assert_eq!(machine.reasons("sda"), [reason]);
    machine.0.swaps = vec![SwapOn { swap: swap("/srv/swap", true), on, file: None }];
    let in_file = RefusalReason::new(Why::Swap, "swap is in the file /srv/swap on sda1");
    assert_eq!(machine.reasons("sda"), [in_file]);
}

#[test]
fn lvm_on_luks_is_named_at_every_level() {
    let dm = |target: &str, title: &str| {
        let (target, title) = (target.to_string(), title.to_string());
        move |d: &mut BlockDevice| {
            d.layer.dm_target = Some(target);
            d.title = Some(title);
        }
    };
    let machine = Machine::default()
        .disk("nvme0n1")
        .partition("nvme0n1p3", "nvme0n1")
        .add("dm-0", LayerKind::Dm, &["nvme0n1p3"])
        .edit(dm("crypt", "cryptdata"))
        .add("dm-1", LayerKind::Dm, &["dm-0"])
        .edit(dm("lvm", "vg--data-home"));
    assert_eq!(
        machine.reasons("nvme0n1"),
        [
            in_use("LVM volume group vg-data uses cryptdata"),
            in_use("the encrypted volume cryptdata uses nvme0n1p3"),
        ]
    );
    assert_eq!(machine.reasons("nvme0n1p3").len(), 2);
}

#[test]
fn raid_members_in_use_and_at_rest() {
    let signed = |d: &mut BlockDevice| {
        let fs = Some("linux_raid_member".to_string());
        d.content = Some(DeviceContent { fs, ..DeviceContent::default() });
    };
    let at_rest = Machine::default().disk("sda").edit(signed);
    assert_eq!(at_rest.reasons("sda"), [member("sda", "a RAID array")]);
    let running = at_rest.disk("sdb").add("md0", LayerKind::Md, &["sda", "sdb"]).edit(|d| {
        d.title = Some("raid1".to_string());
    });
    assert_eq!(running.reasons("sdb"), [in_use("RAID array md0 (raid1) uses sdb")]);
}

/// The kernel lists no holder of a ZFS disk, so the signature has to do, on a partition too.
#[test]
fn zfs_and_bcache_are_refused_by_their_signature() {
    for (signature, group) in [
        ("zfs_member", "a ZFS pool"),
        ("bcache", "a bcache set"),
        ("drbd", "a DRBD resource"),
        ("LVM2_member", "an LVM volume group"),
    ] {
        let content = DeviceContent { fs: Some(signature.to_string()), ..DeviceContent::default() };
        let machine = Machine::default()
            .disk("sda")
            .partition("sda1", "sda")
            .edit(|d| d.content = Some(content.clone()));
        for asked in ["sda1", "sda"] {
            assert_eq!(machine.reasons(asked), [member("sda1", group)]);
        }
    }
    let plain = DeviceContent { fs: Some("ext4".to_string()), ..DeviceContent::default() };
    let machine = Machine::default().disk("sda").edit(|d| d.content = Some(plain));
    assert_eq!(machine.reasons("sda"), []);
}

#[test]
fn every_disk_of_a_mounted_btrfs_is_in_use() {
    let machine = Machine::default().disk("sda").disk("sdb").mount(&["sda", "sdb"], "/data");
    assert_eq!(machine.reasons("sdb"), [mounted("sdb", "/data")]);
}

#[test]
fn a_loop_over_a_file_on_it_holds_it() {
    let machine = Machine::default()
        .disk("sda")
        .partition("sda1", "sda")
        .add("loop0", LayerKind::Loop, &["sda1"])
        .edit(|d| d.layer.backing_file = Some(RawPath::new("/srv/image")));
    assert_eq!(machine.reasons("sda"), [in_use("loop0 is the file /srv/image on sda1")]);
}

fn attached_to(path: &str) -> impl FnOnce(&mut BlockDevice) {
    let path = RawPath::new(path);
    move |d| {
        d.is_over_device = true;
        d.layer.backing_file = Some(path);
    }
}

#[test]
fn a_loop_attached_to_the_disk_itself_holds_it() {
    let machine = Machine::default()
        .disk("sda")
        .add("loop7", LayerKind::Loop, &["sda"])
        .edit(attached_to("/dev/sda"));
    let attached = in_use("loop7 is attached to sda. Detach it: losetup --detach /dev/loop7");
    assert_eq!(machine.reasons("sda"), [attached]);
    // Through the loop device the disk is written, which nothing else uses.
    assert_eq!(machine.reasons("loop7"), []);
    let machine = machine.mount(&["loop7"], "/mnt");
    assert_eq!(machine.reasons("sda")[0], mounted("loop7", "/mnt"));
}

#[test]
fn a_loop_over_a_disk_in_use_is_in_use() {
    let machine = Machine::default()
        .disk("sda")
        .partition("sda1", "sda")
        .mount(&["sda1"], "/srv")
        .partition("sda2", "sda")
        .add("loop6", LayerKind::Loop, &["sda2"])
        .edit(attached_to("/dev/sda2"))
        .add("loop7", LayerKind::Loop, &["sda"])
        .edit(attached_to("/dev/sda"))
        .partition("loop7p1", "loop7");
    assert_eq!(machine.reasons("loop7")[0], mounted("sda1", "/srv"));
    assert_eq!(machine.reasons("loop7p1")[0], mounted("sda1", "/srv"));
    let beside = Machine::default()
        .disk("sda")
        .partition("sda1", "sda")
        .mount(&["sda1"], "/")
        .partition("sda2", "sda")
        .add("loop6", LayerKind::Loop, &["sda2"])
        .edit(attached_to("/dev/sda2"));
    assert_eq!(beside.reasons("loop6"), [shares_drive("sda")]);
    assert_eq!(verdict(beside.dev("loop6"), &beside.0, true), GuardVerdict::Safe);
}

#[test]
fn two_loops_over_one_file_are_one_place() {
    let over = |file: &'static str| {
        move |d: &mut BlockDevice| d.layer.backing_file = Some(RawPath::new(file))
    };
    let machine = Machine::default()
        .disk("sda")
        .mount(&["sda"], "/srv")
        .add("loop0", LayerKind::Loop, &["sda"])
        .edit(over("/srv/image"))
        .add("loop1", LayerKind::Loop, &["sda"])
        .edit(over("/srv/image"))
        .add("loop2", LayerKind::Loop, &["sda"])
        .edit(over("/srv/other"));
    assert_eq!(machine.reasons("loop0"), [same_file("loop1")]);
    assert_eq!(machine.reasons("loop2"), []);
}

#[test]
fn a_holder_nobody_knows_still_holds() {
    let machine = Machine::default().disk("sda").edit(|d| d.holders = vec!["bcache0".to_string()]);
    assert_eq!(machine.reasons("sda"), [in_use("bcache0 uses sda")]);
}

#[test]
fn a_process_and_another_namespace_hold_too() {
    let mut machine = Machine::default().disk("sda").partition("sda1", "sda");
    let dev = machine.dev("sda1");
    machine.0.users = vec![User { dev, process: process("dd", 123) }];
    let open = RefusalReason::open(&process("dd", 123), &of("sda1"));
    assert_eq!(machine.reasons("sda"), [open]);
    let mut machine = machine.mount(&["sda1"], "/data");
    machine.0.users.clear();
    machine.0.mounts[0].seen_by = Some(process("sleep", 77));
    let elsewhere = RefusalReason::new(
        Why::Mounted,
        "sda1 is mounted on /data in the mount namespace of sleep (process 77)",
    );
    assert_eq!(machine.reasons("sda"), users(machine.dev("sda"), &machine.0));
    assert_eq!(machine.reasons("sda"), [elsewhere]);
    assert_eq!(users(machine.dev("sda1"), &machine.0).len(), 1);
}

#[test]
fn what_is_no_drive_is_never_safe() {
    let machine = Machine::default()
        .disk("sda")
        .edit(|d| d.read_only = true)
        .disk("sdb")
        .edit(|d| d.layer.size_bytes = 0)
        .add("zram0", LayerKind::Ram, &[])
        .disk("sr0")
        .edit(|d| d.unfit = Some("it is an optical or floppy drive"));
    let no_drive = |text: &str| RefusalReason::new(Why::NoDrive, text);
    assert_eq!(machine.reasons("sda"), [RefusalReason::read_only(&of("sda"))]);
    assert_eq!(
        machine.reasons("sdb"),
        [RefusalReason::new(Why::NoMedium, "it contains no medium")]
    );
    assert_eq!(machine.reasons("zram0"), [no_drive("it is memory, not a drive")]);
    assert_eq!(machine.reasons("sr0"), [no_drive("it is an optical or floppy drive")]);
    let gone = RefusalReason::new(Why::Gone, "there is no such device");
    assert_eq!(verdict(Dev::new(99, 0), &machine.0, true), GuardVerdict::No(vec![gone]));
}

fn over(file: &'static str, ino: u64) -> impl FnOnce(&mut BlockDevice) {
    move |d| {
        d.layer.backing_file = Some(RawPath::new(file));
        d.backing = Some(Inode { dev: 2049, ino });
    }
}

/// A twin under another name of the image, by hard link or bind mount, was written while it was
/// mounted: the two were compared as text.
#[test]
fn rejects_loop_device_with_a_twin_under_another_path() {
    for path in ["/srv/second-name", "/bound/image"] {
        let machine = Machine::default()
            .disk("sda")
            .mount(&["sda"], "/srv")
            .add("loop0", LayerKind::Loop, &["sda"])
            .edit(over("/srv/image", 7))
            .add("loop1", LayerKind::Loop, &["sda"])
            .edit(over(path, 7))
            .add("loop2", LayerKind::Loop, &["sda"])
            .edit(over("/srv/image", 8))
            .partition("loop0p1", "loop0");
        assert_eq!(machine.reasons("loop0"), [same_file("loop1")]);
        assert_eq!(machine.reasons("loop0p1"), [same_file("loop1")]);
        // The same path of another file: one was moved into the place of the other.
        assert_eq!(machine.reasons("loop2"), []);
    }
}

/// The file under a loop device that somebody else was writing was not counted.
#[test]
fn rejects_loop_device_whose_file_is_being_written() {
    let mut machine = Machine::default()
        .disk("sda")
        .add("loop0", LayerKind::Loop, &["sda"])
        .edit(over("/srv/image", 7));
    let user = |writes, ino| FileUser {
        file: Inode { dev: 2049, ino },
        process: process("qemu", 71),
        writes,
    };
    machine.0.file_users = vec![user(false, 7), user(true, 8)];
    assert_eq!(machine.reasons("loop0"), []);
    machine.0.file_users.push(user(true, 7));
    let what = GuardSubject::FileBehind("loop0".into());
    assert_eq!(machine.reasons("loop0"), [RefusalReason::open(&process("qemu", 71), &what)]);
}

#[test]
fn rejects_loop_device_whose_file_is_swap() {
    let mut machine = Machine::default()
        .disk("sda")
        .add("loop0", LayerKind::Loop, &["sda"])
        .edit(over("/srv/image", 7));
    let swap = Swap { path: RawPath::new("/srv/other-name"), is_file: true };
    let file = Some(Inode { dev: 2049, ino: 7 });
    machine.0.swaps = vec![SwapOn { swap, on: vec![machine.dev("sda")], file }];
    let path = RawPath::new("/srv/other-name");
    let swap = RefusalReason::swap(&GuardSubject::FileBehind("loop0".into()), &path);
    assert_eq!(swap.frees.as_deref(), Some("swapoff /srv/other-name"));
    assert_eq!(machine.reasons("loop0"), [swap]);
}

/// Without udev's database a member at rest was an empty disk.
#[test]
fn rejects_member_at_rest_by_any_signature_read_from_the_device() {
    let signs = ["dos", "ext4", "LVM2_member"]
        .map(|kind| Sign { kind: kind.to_string(), ..Sign::default() });
    let machine = Machine::default()
        .disk("sda")
        .edit(|d| d.contents = Some(Contents { signs: signs.to_vec() }));
    assert_eq!(machine.reasons("sda")[0], member("sda", "an LVM volume group"));
}

/// A loop device over nothing ended with 4, as if the machine lacked something.
#[test]
fn rejects_loop_device_of_size_0() {
    let machine =
        Machine::default().add("loop0", LayerKind::Loop, &[]).edit(|d| d.layer.size_bytes = 0);
    let text = "it is a loop device without a backing file (size 0)";
    assert_eq!(machine.reasons("loop0"), [RefusalReason::new(Why::NoMedium, text)]);
}

#[test]
fn what_a_run_of_ours_holds_is_left_to_it_and_what_others_hold_is_named() {
    let reasons = |name: &str| {
        let open = RefusalReason::open(&process(name, 71), &of("sda"));
        let mut all = vec![open, in_use("dm-0 uses sda")];
        leave_to_its_run(&mut all);
        all.iter().map(|reason| reason.why).collect::<Vec<_>>()
    };
    assert_eq!(reasons("bakeoff"), [Why::Open]);
    assert_eq!(reasons("dd"), [Why::Open, Why::InUse]);
}
