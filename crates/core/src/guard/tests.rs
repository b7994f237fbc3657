//! Situations a drive can be in, one a test, in the words a user reads.

use super::*;
use crate::model::host::Layer;
use crate::prepare::contents::{Contents, Sign};
use crate::prepare::device::{Content, FileUser, Mounted, Process, SwapOn, User};
use crate::sysinfo::mountinfo::Mount;
use crate::sysinfo::swaps::Swap;

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

    fn reasons(&self, name: &str) -> Vec<String> {
        match verdict(self.dev(name), &self.0, false) {
            Verdict::Safe => Vec::new(),
            Verdict::No(reasons) => reasons.iter().map(Reason::with_advice).collect(),
        }
    }
}

#[test]
fn an_unused_disk_is_safe_even_with_filesystems_on_it() {
    let machine = Machine::default().disk("sda").partition("sda1", "sda").edit(|d| {
        d.content = Some(Content { fs: Some("ext4".to_string()), ..Content::default() });
    });
    assert_eq!(machine.reasons("sda"), [""; 0]);
    assert_eq!(machine.reasons("sda1"), [""; 0]);
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
            "the system runs from it (mmcblk0p2 is mounted on /)",
            "the system boots from it (mmcblk0p1 is mounted on /boot/firmware)",
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
    let no = machine.reasons("sda2");
    assert_eq!(no.len(), 1);
    assert!(no[0].contains("--shares-disk-with-root"), "{no:?}");
    assert_eq!(verdict(machine.dev("sda2"), &machine.0, true), Verdict::Safe);
    // The consent is for unmounted partitions: not for the disk, not for the root itself.
    assert_ne!(verdict(machine.dev("sda"), &machine.0, true), Verdict::Safe);
    assert_ne!(verdict(machine.dev("sda1"), &machine.0, true), Verdict::Safe);
}

#[test]
fn an_unmounted_partition_beside_a_mounted_one_is_allowed_and_the_disk_is_not() {
    let machine = Machine::default()
        .disk("sdb")
        .partition("sdb1", "sdb")
        .mount(&["sdb1"], "/srv/a b\n")
        .partition("sdb2", "sdb");
    assert_eq!(machine.reasons("sdb2"), [""; 0]);
    assert_eq!(
        machine.reasons("sdb"),
        ["sdb1 is mounted on /srv/a b\\x0a. Run this first: umount $'/srv/a b\\x0a'"]
    );
}

#[test]
fn nobody_is_told_to_unmount_what_a_run_of_ours_mounted() {
    let machine = Machine::default().disk("sdb").mount(&["sdb"], "/run/bakeoff/0123/mnt");
    let reasons = machine.reasons("sdb");
    assert_eq!(reasons.len(), 1);
    assert!(reasons[0].starts_with("a bakeoff run has sdb mounted on /run/bakeoff/0123/mnt. "));
    assert!(reasons[0].contains("bakeoff clean") && !reasons[0].contains("umount"), "{reasons:?}");
    let near = Machine::default().disk("sdb").mount(&["sdb"], "/run/bakeoffs/mnt");
    assert!(near.reasons("sdb")[0].contains("umount"), "not ours");
}

#[test]
fn a_partition_of_a_disk_mounted_as_a_whole_is_refused() {
    let machine = Machine::default().disk("sdb").partition("sdb1", "sdb").mount(&["sdb"], "/srv");
    assert_eq!(machine.reasons("sdb1"), ["sdb is mounted on /srv. Run this first: umount /srv"]);
}

#[test]
fn swap_partitions_and_swap_files() {
    let mut machine = Machine::default().disk("sda").partition("sda1", "sda");
    let on = vec![machine.dev("sda1")];
    let swap = |path: &str, is_file| Swap { path: RawPath::new(path), is_file };
    machine.0.swaps = vec![SwapOn { swap: swap("/dev/sda1", false), on: on.clone(), file: None }];
    assert_eq!(machine.reasons("sda"), ["sda1 is used as swap. Run this first: swapoff /dev/sda1"]);
    machine.0.swaps = vec![SwapOn { swap: swap("/srv/swap", true), on, file: None }];
    assert_eq!(machine.reasons("sda"), ["swap is in the file /srv/swap on sda1"]);
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
            "LVM volume group vg-data uses cryptdata",
            "the encrypted volume cryptdata uses nvme0n1p3"
        ]
    );
    assert_eq!(machine.reasons("nvme0n1p3").len(), 2);
}

#[test]
fn raid_members_in_use_and_at_rest() {
    let member = |d: &mut BlockDevice| {
        let fs = Some("linux_raid_member".to_string());
        d.content = Some(Content { fs, ..Content::default() });
    };
    let at_rest = Machine::default().disk("sda").edit(member);
    assert_eq!(
        at_rest.reasons("sda"),
        ["sda is part of a RAID array. If you no longer need its data, erase the signatures: \
             wipefs --all /dev/sda"]
    );
    let in_use = at_rest.disk("sdb").add("md0", LayerKind::Md, &["sda", "sdb"]).edit(|d| {
        d.title = Some("raid1".to_string());
    });
    assert_eq!(in_use.reasons("sdb"), ["RAID array md0 (raid1) uses sdb"]);
}

/// The kernel lists no holder of a ZFS disk, so the signature has to do, on a partition too.
#[test]
fn zfs_and_bcache_are_refused_by_their_signature() {
    for (signature, what) in [
        ("zfs_member", "a ZFS pool"),
        ("bcache", "a bcache set"),
        ("drbd", "a DRBD resource"),
        ("LVM2_member", "an LVM volume group"),
    ] {
        let content = Content { fs: Some(signature.to_string()), ..Content::default() };
        let machine = Machine::default()
            .disk("sda")
            .partition("sda1", "sda")
            .edit(|d| d.content = Some(content.clone()));
        for asked in ["sda1", "sda"] {
            let reasons = machine.reasons(asked);
            assert!(reasons[0].starts_with(&format!("sda1 is part of {what}")), "{reasons:?}");
        }
    }
    let plain = Content { fs: Some("ext4".to_string()), ..Content::default() };
    let machine = Machine::default().disk("sda").edit(|d| d.content = Some(plain));
    assert_eq!(machine.reasons("sda"), Vec::<String>::new());
}

#[test]
fn every_disk_of_a_mounted_btrfs_is_in_use() {
    let machine = Machine::default().disk("sda").disk("sdb").mount(&["sda", "sdb"], "/data");
    assert_eq!(machine.reasons("sdb"), ["sdb is mounted on /data. Run this first: umount /data"]);
}

#[test]
fn a_loop_over_a_file_on_it_holds_it() {
    let machine = Machine::default()
        .disk("sda")
        .partition("sda1", "sda")
        .add("loop0", LayerKind::Loop, &["sda1"])
        .edit(|d| d.layer.backing_file = Some(RawPath::new("/srv/image")));
    assert_eq!(machine.reasons("sda"), ["loop0 is the file /srv/image on sda1"]);
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
    assert_eq!(
        machine.reasons("sda"),
        ["loop7 is attached to sda. Detach it: losetup --detach /dev/loop7"]
    );
    // Through the loop device the disk is written, which nothing else uses.
    assert_eq!(machine.reasons("loop7"), [""; 0]);
    let machine = machine.mount(&["loop7"], "/mnt");
    assert_eq!(machine.reasons("sda")[0], "loop7 is mounted on /mnt. Run this first: umount /mnt");
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
    assert_eq!(machine.reasons("loop7")[0], "sda1 is mounted on /srv. Run this first: umount /srv");
    assert_eq!(
        machine.reasons("loop7p1")[0],
        "sda1 is mounted on /srv. Run this first: umount /srv"
    );
    let beside = Machine::default()
        .disk("sda")
        .partition("sda1", "sda")
        .mount(&["sda1"], "/")
        .partition("sda2", "sda")
        .add("loop6", LayerKind::Loop, &["sda2"])
        .edit(attached_to("/dev/sda2"));
    let no = beside.reasons("loop6");
    assert!(no.len() == 1 && no[0].contains("--shares-disk-with-root"), "{no:?}");
    assert_eq!(verdict(beside.dev("loop6"), &beside.0, true), Verdict::Safe);
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
    assert_eq!(
        machine.reasons("loop0"),
        ["loop1 is attached to the same file. Detach it: losetup --detach /dev/loop1"]
    );
    assert_eq!(machine.reasons("loop2"), [""; 0]);
}

#[test]
fn a_holder_nobody_knows_still_holds() {
    let machine = Machine::default().disk("sda").edit(|d| d.holders = vec!["bcache0".to_string()]);
    assert_eq!(machine.reasons("sda"), ["bcache0 uses sda"]);
}

#[test]
fn a_process_and_another_namespace_hold_too() {
    let mut machine = Machine::default().disk("sda").partition("sda1", "sda");
    let dev = machine.dev("sda1");
    machine.0.users = vec![User { dev, process: Process { pid: 123, name: RawPath::new("dd") } }];
    assert_eq!(machine.reasons("sda"), ["dd (process 123) has sda1 open"]);
    let mut machine = machine.mount(&["sda1"], "/data");
    machine.0.users.clear();
    machine.0.mounts[0].seen_by = Some(Process { pid: 77, name: RawPath::new("sleep") });
    assert_eq!(
        machine.reasons("sda"),
        ["sda1 is mounted on /data in the mount namespace of sleep (process 77)"]
    );
    assert_eq!(users(machine.dev("sda"), &machine.0)[0].why, Why::Mounted);
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
        .edit(|d| d.unfit = Some(Unfit::Optical))
        .disk("mmcblk0boot0")
        .edit(|d| d.unfit = Some(Unfit::Firmware));
    assert_eq!(machine.reasons("sda"), ["sda is write-protected"]);
    assert_eq!(machine.reasons("sdb"), ["it contains no medium"]);
    assert_eq!(machine.reasons("zram0"), ["it is memory, not a drive"]);
    assert_eq!(machine.reasons("sr0"), ["it is an optical or floppy drive"]);
    assert_eq!(machine.reasons("mmcblk0boot0"), ["it contains firmware, not files"]);
    let gone = verdict(Dev::new(99, 0), &machine.0, true);
    assert!(matches!(gone, Verdict::No(reasons) if reasons[0].why == Why::Gone));
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
        let said = ["loop1 is attached to the same file. Detach it: losetup --detach /dev/loop1"];
        assert_eq!(machine.reasons("loop0"), said);
        assert_eq!(machine.reasons("loop0p1"), said);
        // The same path of another file: one was moved into the place of the other.
        assert_eq!(machine.reasons("loop2"), [""; 0]);
    }
}

/// The file under a loop device that somebody else was writing was not counted.
#[test]
fn rejects_loop_device_whose_file_is_being_written() {
    let mut machine = Machine::default()
        .disk("sda")
        .add("loop0", LayerKind::Loop, &["sda"])
        .edit(over("/srv/image", 7));
    let user = |writes, ino| {
        let process = Process { pid: 71, name: RawPath::new("qemu") };
        FileUser { file: Inode { dev: 2049, ino }, process, writes }
    };
    machine.0.file_users = vec![user(false, 7), user(true, 8)];
    assert_eq!(machine.reasons("loop0"), [""; 0]);
    machine.0.file_users.push(user(true, 7));
    assert_eq!(machine.reasons("loop0"), ["qemu (process 71) has the backing file of loop0 open"]);
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
    let said =
        ["the backing file of loop0 is used as swap. Run this first: swapoff /srv/other-name"];
    assert_eq!(machine.reasons("loop0"), said);
}

/// Without udev's database a member at rest was an empty disk.
#[test]
fn rejects_member_at_rest_by_any_signature_read_from_the_device() {
    let signs = ["dos", "ext4", "LVM2_member"]
        .map(|kind| Sign { kind: kind.to_string(), ..Sign::default() });
    let machine = Machine::default()
        .disk("sda")
        .edit(|d| d.contents = Some(Contents { signs: signs.to_vec() }));
    let reasons = machine.reasons("sda");
    assert!(reasons[0].starts_with("sda is part of an LVM volume group"), "{reasons:?}");
}

/// A loop device over nothing ended with 4, as if the machine lacked something.
#[test]
fn rejects_loop_device_of_size_0() {
    let machine =
        Machine::default().add("loop0", LayerKind::Loop, &[]).edit(|d| d.layer.size_bytes = 0);
    assert_eq!(machine.reasons("loop0"), ["it is a loop device without a backing file (size 0)"]);
}

#[test]
fn what_a_run_of_ours_holds_is_left_to_it_and_what_others_hold_is_named() {
    let reasons = |is_ours| {
        let mut all = vec![
            Reason { is_ours, ..Reason::new(Why::Open, "it is open".to_string()) },
            Reason::new(Why::InUse, "dm-0 holds it".to_string()),
        ];
        leave_to_its_run(&mut all);
        all.iter().map(|reason| reason.why).collect::<Vec<_>>()
    };
    assert_eq!(reasons(true), [Why::Open]);
    assert_eq!(reasons(false), [Why::Open, Why::InUse]);
}
