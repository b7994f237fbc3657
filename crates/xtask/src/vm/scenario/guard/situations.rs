//! Situations a disk may be in, and whether it may be written then.

/// One situation.
pub struct Situation {
    /// Its name.
    pub name: &'static str,
    /// Makes it.
    pub setup: &'static str,
    /// What is to be written.
    pub target: &'static str,
    /// The words of consent.
    pub consent: &'static str,
    /// What has to come of it.
    pub answer: Answer,
    /// Ends it.
    pub teardown: &'static str,
}

/// What has to come of an attempt.
pub enum Answer {
    /// Nothing is written.
    Refused {
        /// Exit code.
        code: u64,
        /// What the reason has to say.
        says: &'static str,
    },
    /// It is.
    Written,
}

const A: &str = "--erase GUARD-A";

/// Refused for safety, with consent given.
const fn refused(
    name: &'static str,
    setup: &'static str,
    target: &'static str,
    says: &'static str,
    teardown: &'static str,
) -> Situation {
    let answer = Answer::Refused { code: 3, says };
    Situation { name, setup, target, consent: A, answer, teardown }
}

const fn with(
    name: &'static str,
    target: &'static str,
    consent: &'static str,
    answer: Answer,
) -> Situation {
    Situation { name, setup: "", target, consent, answer, teardown: "" }
}

const fn no(code: u64, says: &'static str) -> Answer {
    Answer::Refused { code, says }
}

/// All of them.
pub const ALL: &[Situation] = &[
    with("unused-is-written", "$A", A, Answer::Written),
    with("no-consent", "$A", "", no(3, "--erase GUARD-A")),
    with("wrong-token", "$A", "--erase nonsense", no(3, "not the erase token")),
    with("token-of-another-disk", "$A", "--erase GUARD-B", no(3, "not the erase token")),
    with("no-such-partition", "${A}9", A, no(2, "does not exist")),
    with("character-device", "/dev/null", A, no(3, "")),
    with("fifo", "$(mkfifo /tmp/fifo; echo /tmp/fifo)", A, no(3, "")),
    with("write-protected", "$RO", "--erase RO-1", no(3, "write-protected")),
    with("two-with-one-serial", "$TWIN", "--erase TWIN", no(3, "same serial number")),
    with("loop-without-file", "/dev/loop7", "--erase x", no(3, "not an available")),
    with("4k-native-is-written", "$NATIVE", "--erase 4K-1", Answer::Written),
    with("no-serial-wrong-token", "$NAMELESS", A, no(3, "not the erase token")),
    with("no-serial-is-written", "$NAMELESS", "--erase vdc-50331648-no-table", Answer::Written),
    refused("mounted", "format $A; mount $A /mnt", "$A", "mounted on /mnt", "umount /mnt"),
    refused(
        "mounted-read-only",
        "format $A; mount -o ro $A /mnt",
        "$A",
        "mounted on /mnt",
        "umount /mnt",
    ),
    refused(
        "partition-mounted",
        "halves $A; format ${A}1; mount ${A}1 /mnt",
        "${A}1",
        "mounted on /mnt",
        "umount /mnt",
    ),
    refused(
        "disk-of-a-mounted-partition",
        "halves $A; format ${A}1; mount ${A}1 /mnt",
        "$A",
        "mounted on /mnt",
        "umount /mnt",
    ),
    Situation {
        name: "partition-beside-a-mounted-one-is-written",
        setup: "halves $A; format ${A}1; mount ${A}1 /mnt",
        target: "${A}2",
        consent: "--erase GUARD-A-part2",
        answer: Answer::Written,
        teardown: "umount /mnt",
    },
    refused(
        "mounted-as-boot",
        "mkfs.vfat $A >/dev/null; mkdir -p /boot; mount $A /boot",
        "$A",
        "the system boots from it",
        "umount /boot; rmdir /boot",
    ),
    refused(
        "mounted-over",
        "format $A; mount $A /mnt; mount -t tmpfs none /mnt",
        "$A",
        "mounted on /mnt",
        "umount /mnt; umount /mnt",
    ),
    refused(
        "mounted-in-another-namespace",
        "format $A
        unshare -m sh -c \"mount --make-rprivate /; mount $A /mnt; exec sleep 900\" >/dev/null \
        2>&1 &
        echo $! >/tmp/holder
        while ! grep -q /mnt /proc/$(cat /tmp/holder)/mounts; do sleep 0.1; done",
        "$A",
        "in the mount namespace of",
        "release",
    ),
    refused(
        "unmounted-but-still-open",
        "format $A; mount $A /mnt; exec 9</mnt/lost+found; hold; umount -l /mnt",
        "$A",
        "",
        "release",
    ),
    refused(
        "bind-mounted-folder",
        "format $A; mount $A /mnt; mkdir -p /mnt/d /tmp/bound
        mount --bind /mnt/d /tmp/bound; umount /mnt",
        "$A",
        "mounted on /tmp/bound",
        "umount /tmp/bound",
    ),
    refused("swap", "mkswap $A >/dev/null; swapon $A", "$A", "is used as swap", "swapoff $A"),
    refused(
        "disk-of-a-swap-partition",
        "halves $A; mkswap ${A}2 >/dev/null; swapon ${A}2",
        "$A",
        "is used as swap",
        "swapoff ${A}2",
    ),
    refused(
        "swap-in-a-file",
        "format $A; mount $A /mnt; dd if=/dev/zero of=/mnt/swap bs=1M count=20 2>/dev/null
        chmod 600 /mnt/swap; mkswap /mnt/swap >/dev/null; swapon /mnt/swap",
        "$A",
        "swap is in the file",
        "swapoff /mnt/swap; umount /mnt",
    ),
    refused(
        "in-a-raid-array",
        "modprobe raid1
        mdadm --create /dev/md7 --run --level=1 --raid-devices=2 $A missing 2>/dev/null",
        "$A",
        "RAID array",
        "mdadm --stop /dev/md7 2>/dev/null; mdadm --zero-superblock $A",
    ),
    refused(
        "of-a-raid-array-at-rest",
        "modprobe raid1
        mdadm --create /dev/md7 --run --level=1 --raid-devices=2 $A missing 2>/dev/null
        udevadm settle; mdadm --stop /dev/md7 2>/dev/null",
        "$A",
        "part of a RAID array",
        // udev may have put it together again.
        "udevadm settle; mdadm --stop --scan 2>/dev/null; mdadm --zero-superblock $A",
    ),
    refused(
        "in-a-volume-group",
        "vgcreate -q guard $A >/dev/null; lvcreate -qq -L 16M -n one guard >/dev/null",
        "$A",
        "LVM volume group guard",
        "vgremove -qfy guard >/dev/null; pvremove -q $A >/dev/null",
    ),
    refused(
        "in-a-volume-group-at-rest",
        "vgcreate -q guard $A >/dev/null; lvcreate -qq -L 16M -n one guard >/dev/null
        udevadm settle; vgchange -qan guard >/dev/null",
        "$A",
        "part of an LVM volume group",
        "vgremove -qfy guard >/dev/null; pvremove -q $A >/dev/null",
    ),
    refused(
        "logical-volume-mounted",
        "vgcreate -q guard $A >/dev/null; lvcreate -qq -L 32M -n one guard >/dev/null
        format /dev/guard/one; mount /dev/guard/one /mnt",
        "$A",
        "mounted on /mnt",
        "umount /mnt; udevadm settle; vgremove -qfy guard >/dev/null; pvremove -q $A >/dev/null",
    ),
    refused(
        "under-a-mapping",
        "dmsetup create guard --table \"0 $(blockdev --getsz $A) linear $A 0\"",
        "$A",
        "device mapper volume guard",
        "dmsetup remove --retry guard",
    ),
    refused(
        "encrypted-and-open",
        "echo x | cryptsetup -q luksFormat --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
            --key-file=- $A
        echo x | cryptsetup open --key-file=- $A guard",
        "$A",
        "encrypted volume guard",
        "cryptsetup close guard",
    ),
    refused(
        "under-a-loop-device",
        "losetup /dev/loop7 $A",
        "$A",
        "losetup --detach /dev/loop7",
        "losetup -d /dev/loop7",
    ),
    Situation {
        name: "loop-device-over-a-mounted-disk",
        setup: "format $A; mount $A /mnt; losetup /dev/loop7 $A",
        target: "/dev/loop7",
        consent: "--erase loop7-134217728-no-table",
        answer: no(3, "mounted on /mnt"),
        teardown: "losetup -d /dev/loop7; umount /mnt",
    },
    refused(
        "with-the-file-of-a-loop-device",
        "format $A; mount $A /mnt; dd if=/dev/zero of=/mnt/file bs=1M count=8 2>/dev/null
        losetup /dev/loop7 /mnt/file; umount -l /mnt",
        "$A",
        "",
        "losetup -d /dev/loop7",
    ),
    refused(
        "second-disk-of-a-mounted-btrfs",
        "modprobe btrfs; mkfs.btrfs -qf -d single -m raid1 $A $B; udevadm settle
        btrfs device scan >/dev/null; mount $B /mnt",
        "$A",
        "",
        "umount /mnt",
    ),
    refused(
        "journal-of-a-mounted-ext4",
        "mkfs.ext4 -q -b 4096 -O journal_dev $A; format -b 4096 -J device=$A $B; mount $B /mnt",
        "$A",
        "",
        "umount /mnt",
    ),
    refused(
        "mounted-through-fuse",
        "mkfs.ntfs -qfF $A >/dev/null 2>&1; ntfs-3g $A /mnt",
        "$A",
        "mounted on /mnt",
        "umount /mnt; while pidof ntfs-3g >/dev/null; do sleep 0.1; done",
    ),
    refused("open-for-reading", "exec 9<$A; hold", "$A", "open", "release"),
    refused("open-for-writing", "exec 9>>$A; hold", "$A", "open", "release"),
    refused(
        "open-through-a-node-elsewhere",
        "mknod /tmp/node b $((0x$(stat -c %t $A))) $((0x$(stat -c %T $A)))
        exec 9</tmp/node; hold; rm /tmp/node",
        "$A",
        "open",
        "release",
    ),
    refused(
        "member-at-rest-without-udev",
        "vgcreate -q guard $A >/dev/null; vgchange -qan guard >/dev/null
        rm -f /run/udev/data/b$(cat /sys/block/${A#/dev/}/dev)",
        "$A",
        "part of an LVM volume group",
        "vgremove -qfy guard >/dev/null; pvremove -q $A >/dev/null; udevadm trigger -s block",
    ),
    Situation {
        name: "token-from-before-a-filesystem",
        setup: "format -L MYPHOTOS $A",
        target: "$A",
        consent: A,
        answer: no(3, "ext4 \"MYPHOTOS\""),
        teardown: "",
    },
    refused(
        "made-read-only",
        "blockdev --setro $A",
        "$A",
        "write-protected",
        "blockdev --setrw $A",
    ),
    refused(
        "through-a-symbolic-link",
        "format $A; mount $A /mnt; ln -sf $A /tmp/link",
        "/tmp/link",
        "mounted on /mnt",
        "umount /mnt; rm /tmp/link",
    ),
    Situation {
        name: "memory-is-no-drive",
        setup: "modprobe brd rd_nr=1 rd_size=16384",
        target: "/dev/ram0",
        consent: "--erase x",
        answer: Answer::Refused { code: 3, says: "memory" },
        teardown: "rmmod brd",
    },
];
