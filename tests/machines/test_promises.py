"""No acknowledged fsync is lost by a power cut: on each filesystem, at points of a real log.

bakeoff writes through dm-log-writes and records what each fsync acknowledges; every line of the
record becomes a mark in the log, behind what had reached the disk by then. The disk is then made
anew as it was at marks and flushes, without any write that was not flushed, and bakeoff looks for
what was acknowledged. Without barriers ext4 has to lose some, or this would prove nothing."""

import json
import subprocess

from emulated.board import PC
from emulated.disk import MIB, Disk
from emulated.log_writes import Log

# mkfs.xfs makes nothing below 300 MiB.
SIZE = 320 * MIB
SECTORS = SIZE // 512
POINTS = 6
DATA, LOG, CRASHED = (Disk(name, SIZE) for name in ("data", "log", "crashed"))

# mkfs, type, mount options.
KEEP = {
    "ext4": ("mkfs.ext4 -qF", "ext4", "defaults"),
    "ext4 without journal": ("mkfs.ext4 -qF -O ^has_journal", "ext4", "defaults"),
    "xfs": ("mkfs.xfs -qf", "xfs", "defaults"),
    "btrfs": ("mkfs.btrfs -qf", "btrfs", "defaults"),
    "f2fs": ("mkfs.f2fs -qf", "f2fs", "defaults"),
    "vfat": ("mkfs.vfat -F 32", "vfat", "defaults"),
}
LOSE = {"ext4 nobarrier": ("mkfs.ext4 -qF", "ext4", "nobarrier")}


def test_acknowledged_fsyncs_survive(lab):
    machine = lab.machine(PC, "promises", [DATA, LOG, CRASHED])
    guest = machine.boot()
    before = guest.state()
    guest.ok("modprobe brd rd_nr=1 rd_size=65536 && mkdir -p /tmp/after")
    for name, case in KEEP.items():
        lost = losses(machine, guest, *case)
        assert not lost, f"{name} lost acknowledged writes: {lost}"
    for name, case in LOSE.items():
        assert losses(machine, guest, *case), f"{name} lost nothing: this test proves nothing"
    guest.assert_unchanged(before)
    guest.kill()


def losses(machine, guest, mkfs, fs, options) -> list:
    """What was lost at each point, as bakeoff reports it."""
    guest.ok(
        f"""wipefs -qa /dev/vda && {mkfs} /dev/vda >/dev/null && mount -t {fs} /dev/vda /mnt
        : >/mnt/file && sync && umount /mnt && dd if=/dev/zero of=/dev/vdb bs=4096 count=1"""
    )
    data, crashed = machine.content(DATA), machine.content(CRASHED)
    # QEMU has the file open, so it stays the same one.
    subprocess.run(["cp", "--sparse=always", data, crashed], check=True)
    guest.ok(f"FS={fs} OPTIONS={options} SECTORS={SECTORS}\n{WRITE}")
    log = Log(machine.content(LOG))
    first = next(at for at, entry in enumerate(log.entries) if entry.mark)
    points = [at for at in range(first, len(log.entries)) if log.entries[at].is_point]
    assert len(points) >= POINTS, f"only {len(points)} points in the log"
    lost, acked, done = [], 0, 0
    with crashed.open("r+b", buffering=0) as disk:
        for point in (points[n * len(points) // POINTS - 1] for n in range(1, POINTS + 1)):
            for entry in log.entries[done : point + 1]:
                log.replay(entry, disk)
                lane, _, operations = (entry.mark or "").partition(":")
                acked = int(operations) if lane == "0" else acked
            done = point + 1
            assert acked > 0, f"nothing was acknowledged by entry {point}"
            lost += look(guest, fs, acked)
    return lost


# Writes slowly, so that each mark is in the log before much else is.
WRITE = r"""
dmsetup create log --table "0 $SECTORS log-writes /dev/vda /dev/vdb"
dmsetup mknodes
mount -t $FS -o $OPTIONS /dev/mapper/log /mnt
rm -f /tmp/acks && mkfifo /tmp/acks
{
    read -r head && echo "$head" >/tmp/head
    while read -r lane ops; do dmsetup message log 0 mark "$lane:$ops" || exit 1; done
} </tmp/acks &
bakeoff bench /mnt/file --overwrite --rw randwrite --bs 4k --size 256k --io_size 384k \
    --fsync 4 --rate_iops 40 --verify --verify_state_save /tmp/acks >/dev/null || exit 1
wait $! || exit 1
umount /mnt && dmsetup remove --retry log
"""


def look(guest, fs, acked) -> list:
    """Mounts what is left, which repairs it as far as the filesystem does, and looks; the disk
    itself stays as it is."""
    output = guest.run(
        f"""{{ cat /tmp/head; echo 0 {acked}; }} >/tmp/record
        dmsetup create crash --table '0 {SECTORS} snapshot /dev/vdc /dev/ram0 N 8' || exit 2
        dmsetup mknodes
        [ {fs} != btrfs ] || btrfs device scan --forget
        mount -t {fs} /dev/mapper/crash /tmp/after || exit 3
        bakeoff bench /tmp/after/file --verify_state_load /tmp/record --format json
        code=$?
        umount /tmp/after && dmsetup remove --retry crash || exit 4
        exit $code"""
    )
    assert output.code <= 1, f"ended with {output.code}: {output.error}"
    kept = json.loads(output.text)
    assert kept["blocks"] > 0 and kept["acknowledged_ios"] == acked, kept
    return [kept] if output.code else []
