"""The guard in front of real disks: what must not be written is not, and the rest is.

Whether something was written is read from the kernel's own count of sectors, so a refusal that came
too late is found as well."""

from dataclasses import dataclass

import pytest
from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk

pytestmark = pytest.mark.each_time

# In the order of $A, $B and so on below.
GROUPS = [
    Group(
        "guard",
        PC,
        (
            Disk("a", 128 * MIB, serial="GUARD-A"),
            Disk("b", 128 * MIB, serial="GUARD-B"),
            Disk("nameless", 48 * MIB),
            Disk("protected", 64 * MIB, serial="RO-1", read_only=True),
            Disk("native", 64 * MIB, serial="4K-1", block_bytes=4096),
            Disk("twin1", 64 * MIB, "usb", serial="TWIN"),
            Disk("twin2", 64 * MIB, "usb", serial="TWIN"),
        ),
    )
]

# `release` ends the process that /tmp/holder names, and waits until it has closed everything; a
# process has done so before it is a zombie.
RELEASE = """release() {
    kill $(cat /tmp/holder)
    while grep -q '^State:.[^Z]' /proc/$(cat /tmp/holder)/status 2>/dev/null; do sleep 0.1; done
}"""

# `hold` keeps the descriptor 9, which is open by then, in another process.
PREFACE = """
A=/dev/vda B=/dev/vdb NAMELESS=/dev/vdc RO=/dev/vdd NATIVE=/dev/vde TWIN=/dev/sda
format() { mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$@"; }
halves() { printf 'size=60M\\nsize=60M\\n' | sfdisk -q --label gpt "$1" && udevadm settle; }
hold() { sleep 900 >/dev/null 2>&1 & echo $! >/tmp/holder; exec 9<&-; }
written() { awk -v name="${1#/dev/}" '$3 == name {print $10}' /proc/diskstats; }
"""

# No partition and no signature is left. A filesystem that was unmounted lazily may still write its
# superblock: the kernel reports it as busy.
WIPE = """
udevadm settle
for disk in $A $B; do
    [ ! -e ${disk}1 ] || { sfdisk -q --delete $disk; wipefs -aqf ${disk}1; }
    n=0
    while [ $n -lt 600 ] && wipefs -aq $disk 2>&1 | grep -q busy; do n=$((n+1)); sleep 0.1; done
    wipefs -aqf $disk
done
udevadm settle
"""


@dataclass(frozen=True)
class Situation:
    """A script that makes it, what is to be written with which consent, and what the refusal has to
    contain; None where the disk has to be written."""

    name: str
    refused: str | None
    setup: str = ""
    target: str = "$A"
    consent: str = "--erase GUARD-A"
    code: int = 3
    teardown: str = ""


NO_GROUP = "vgremove -qfy guard >/dev/null; pvremove -q $A >/dev/null"

SITUATIONS = [
    Situation("unused-is-written", refused=None),
    Situation("no-consent", consent="", refused="--erase GUARD-A"),
    Situation("wrong-token", consent="--erase nonsense", refused="not the erase token"),
    Situation("token-of-another-disk", consent="--erase GUARD-B", refused="not the erase token"),
    Situation("no-such-partition", target="${A}9", code=2, refused="does not exist"),
    Situation("character-device", target="/dev/null", refused=""),
    Situation("fifo", target="$(mkfifo /tmp/fifo; echo /tmp/fifo)", refused=""),
    Situation("write-protected", target="$RO", consent="--erase RO-1", refused="write-protected"),
    Situation(
        "two-with-one-serial",
        target="$TWIN",
        consent="--erase TWIN",
        refused="same serial number",
    ),
    Situation(
        "loop-without-file",
        target="/dev/loop7",
        consent="--erase x",
        refused="not an available",
    ),
    Situation("4k-native-is-written", target="$NATIVE", consent="--erase 4K-1", refused=None),
    Situation("no-serial-wrong-token", target="$NAMELESS", refused="not the erase token"),
    Situation(
        "no-serial-is-written",
        target="$NAMELESS",
        consent="--erase vdc-50331648-no-table",
        refused=None,
    ),
    Situation(
        "mounted",
        setup="format $A; mount $A /mnt",
        refused="mounted on /mnt",
        teardown="umount /mnt",
    ),
    Situation(
        "mounted-read-only",
        setup="format $A; mount -o ro $A /mnt",
        refused="mounted on /mnt",
        teardown="umount /mnt",
    ),
    Situation(
        "partition-mounted",
        setup="halves $A; format ${A}1; mount ${A}1 /mnt",
        target="${A}1",
        refused="mounted on /mnt",
        teardown="umount /mnt",
    ),
    Situation(
        "disk-of-a-mounted-partition",
        setup="halves $A; format ${A}1; mount ${A}1 /mnt",
        refused="mounted on /mnt",
        teardown="umount /mnt",
    ),
    Situation(
        "partition-beside-a-mounted-one-is-written",
        setup="halves $A; format ${A}1; mount ${A}1 /mnt",
        target="${A}2",
        consent="--erase GUARD-A-part2",
        refused=None,
        teardown="umount /mnt",
    ),
    Situation(
        "mounted-as-boot",
        setup="mkfs.vfat $A >/dev/null; mkdir -p /boot; mount $A /boot",
        refused="the system boots from it",
        teardown="umount /boot; rmdir /boot",
    ),
    Situation(
        "mounted-over",
        setup="format $A; mount $A /mnt; mount -t tmpfs none /mnt",
        refused="mounted on /mnt",
        teardown="umount /mnt; umount /mnt",
    ),
    Situation(
        "mounted-in-another-namespace",
        setup="""format $A
        unshare -m sh -c "mount --make-rprivate /; mount $A /mnt; exec sleep 900" >/dev/null 2>&1 &
        echo $! >/tmp/holder
        while ! grep -q /mnt /proc/$(cat /tmp/holder)/mounts; do sleep 0.1; done""",
        refused="in the mount namespace of",
        teardown="release",
    ),
    Situation(
        "unmounted-but-still-open",
        setup="format $A; mount $A /mnt; exec 9</mnt/lost+found; hold; umount -l /mnt",
        refused="",
        teardown="release",
    ),
    Situation(
        "bind-mounted-folder",
        setup="""format $A; mount $A /mnt; mkdir -p /mnt/d /tmp/bound
        mount --bind /mnt/d /tmp/bound; umount /mnt""",
        refused="mounted on /tmp/bound",
        teardown="umount /tmp/bound",
    ),
    Situation(
        "swap",
        setup="mkswap $A >/dev/null; swapon $A",
        refused="is used as swap",
        teardown="swapoff $A",
    ),
    Situation(
        "disk-of-a-swap-partition",
        setup="halves $A; mkswap ${A}2 >/dev/null; swapon ${A}2",
        refused="is used as swap",
        teardown="swapoff ${A}2",
    ),
    Situation(
        "swap-in-a-file",
        setup="""format $A; mount $A /mnt; dd if=/dev/zero of=/mnt/swap bs=1M count=20 2>/dev/null
        chmod 600 /mnt/swap; mkswap /mnt/swap >/dev/null; swapon /mnt/swap""",
        refused="swap is in the file",
        teardown="swapoff /mnt/swap; umount /mnt",
    ),
    Situation(
        "in-a-raid-array",
        setup="""modprobe raid1
        mdadm --create /dev/md7 --run --level=1 --raid-devices=2 $A missing 2>/dev/null""",
        refused="RAID array",
        teardown="mdadm --stop /dev/md7 2>/dev/null; mdadm --zero-superblock $A",
    ),
    Situation(
        "of-a-raid-array-at-rest",
        setup="""modprobe raid1
        mdadm --create /dev/md7 --run --level=1 --raid-devices=2 $A missing 2>/dev/null
        udevadm settle; mdadm --stop /dev/md7 2>/dev/null""",
        refused="part of a RAID array",
        teardown="udevadm settle; mdadm --stop --scan 2>/dev/null; mdadm --zero-superblock $A",
    ),
    Situation(
        "in-a-volume-group",
        setup="vgcreate -q guard $A >/dev/null; lvcreate -qq -L 16M -n one guard >/dev/null",
        refused="LVM volume group guard",
        teardown=NO_GROUP,
    ),
    Situation(
        "in-a-volume-group-at-rest",
        setup="""vgcreate -q guard $A >/dev/null; lvcreate -qq -L 16M -n one guard >/dev/null
        udevadm settle; vgchange -qan guard >/dev/null""",
        refused="part of an LVM volume group",
        teardown=NO_GROUP,
    ),
    Situation(
        "logical-volume-mounted",
        setup="""vgcreate -q guard $A >/dev/null; lvcreate -qq -L 32M -n one guard >/dev/null
        format /dev/guard/one; mount /dev/guard/one /mnt""",
        refused="mounted on /mnt",
        teardown=f"umount /mnt; udevadm settle; {NO_GROUP}",
    ),
    Situation(
        "under-a-mapping",
        setup='dmsetup create guard --table "0 $(blockdev --getsz $A) linear $A 0"',
        refused="device mapper volume guard",
        teardown="dmsetup remove --retry guard",
    ),
    Situation(
        "encrypted-and-open",
        setup="""echo x | cryptsetup -q luksFormat --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \\
            --key-file=- $A
        echo x | cryptsetup open --key-file=- $A guard""",
        refused="encrypted volume guard",
        teardown="cryptsetup close guard",
    ),
    Situation(
        "under-a-loop-device",
        setup="losetup /dev/loop7 $A",
        refused="losetup --detach /dev/loop7",
        teardown="losetup -d /dev/loop7",
    ),
    Situation(
        "loop-device-over-a-mounted-disk",
        setup="format $A; mount $A /mnt; losetup /dev/loop7 $A",
        target="/dev/loop7",
        consent="--erase loop7-134217728-no-table",
        refused="mounted on /mnt",
        teardown="losetup -d /dev/loop7; umount /mnt",
    ),
    Situation(
        "with-the-file-of-a-loop-device",
        setup="""format $A; mount $A /mnt; dd if=/dev/zero of=/mnt/file bs=1M count=8 2>/dev/null
        losetup /dev/loop7 /mnt/file; umount -l /mnt""",
        refused="",
        teardown="losetup -d /dev/loop7",
    ),
    Situation(
        "second-disk-of-a-mounted-btrfs",
        setup="""modprobe btrfs; mkfs.btrfs -qf -d single -m raid1 $A $B; udevadm settle
        btrfs device scan >/dev/null; mount $B /mnt""",
        refused="",
        teardown="umount /mnt",
    ),
    Situation(
        "journal-of-a-mounted-ext4",
        setup="""mkfs.ext4 -q -b 4096 -O journal_dev $A; format -b 4096 -J device=$A $B
        mount $B /mnt""",
        refused="",
        teardown="umount /mnt",
    ),
    Situation(
        "mounted-through-fuse",
        setup="mkfs.ntfs -qfF $A >/dev/null 2>&1; ntfs-3g $A /mnt",
        refused="mounted on /mnt",
        teardown="umount /mnt; while pidof ntfs-3g >/dev/null; do sleep 0.1; done",
    ),
    Situation("open-for-reading", setup="exec 9<$A; hold", refused="open", teardown="release"),
    Situation("open-for-writing", setup="exec 9>>$A; hold", refused="open", teardown="release"),
    Situation(
        "open-through-a-node-elsewhere",
        setup="""mknod /tmp/node b $((0x$(stat -c %t $A))) $((0x$(stat -c %T $A)))
        exec 9</tmp/node; hold; rm /tmp/node""",
        refused="open",
        teardown="release",
    ),
    Situation(
        "member-at-rest-without-udev",
        setup="""vgcreate -q guard $A >/dev/null; vgchange -qan guard >/dev/null
        rm -f /run/udev/data/b$(cat /sys/block/${A#/dev/}/dev)""",
        refused="part of an LVM volume group",
        teardown=f"{NO_GROUP}; udevadm trigger -s block",
    ),
    Situation(
        "token-from-before-a-filesystem",
        setup="format -L MYPHOTOS $A",
        refused='ext4 "MYPHOTOS"',
    ),
    Situation(
        "made-read-only",
        setup="blockdev --setro $A",
        refused="write-protected",
        teardown="blockdev --setrw $A",
    ),
    Situation(
        "through-a-symbolic-link",
        setup="format $A; mount $A /mnt; ln -sf $A /tmp/link",
        target="/tmp/link",
        refused="mounted on /mnt",
        teardown="umount /mnt; rm /tmp/link",
    ),
    Situation(
        "memory-is-no-drive",
        setup="modprobe brd rd_nr=1 rd_size=16384",
        target="/dev/ram0",
        consent="--erase x",
        refused="memory",
        teardown="rmmod brd",
    ),
]


@pytest.mark.parametrize("one", SITUATIONS, ids=lambda one: one.name)
def test_guard(guest, one):
    output = guest.run(
        f"""{PREFACE}{RELEASE}
        (set -e; {one.setup}\nudevadm settle) >/dev/null
        [ $? = 0 ] || echo 'could not be set up'
        target="{one.target}"
        whole=$(lsblk -ndo PKNAME "$target" 2>/dev/null | head -1)
        whole=${{whole:-${{target#/dev/}}}}
        sync
        before=$(written $whole)
        bakeoff bench "$target" --rw=write --bs=64k --io_size=1m --direct=1 {one.consent} \\
            >/dev/null 2>/tmp/said
        code=$?
        sync
        after=$(written $whole)
        echo "$code $((${{after:-0}} - ${{before:-0}}))"
        cat /tmp/said
        (true; {one.teardown}\n) || echo 'could not be put back'
        {WIPE}"""
    )
    assert "could not be" not in output.text + output.error, output.text + output.error
    numbers, said = output.text.split("\n", 1)
    code, written = map(int, numbers.split())
    if one.refused is None:
        assert code == 0 and written >= 2048, f"{code}, {written} sectors written: {said}"
    else:
        assert code == one.code and one.refused in said, f"ended with {code}: {said}"
        # A filesystem that was just mounted may write its superblock meanwhile.
        assert written < 128, f"{written} sectors were written before the refusal: {said}"
