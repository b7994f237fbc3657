"""Causes made on purpose: each is attributed to itself.

What holds a cell back is made strong enough that the speed of the emulator does not matter. Heat
and power, which an emulator does not have, are tested on recorded series."""

from dataclasses import dataclass

import pytest
from conftest import Group
from emulated.board import PC_OF_TWO
from emulated.disk import MIB, Disk

pytestmark = pytest.mark.alone
# vda is as fast as the emulator.
GROUPS = [
    Group(
        "causes",
        PC_OF_TWO,
        (
            Disk("target", 1200 * MIB, serial="TARGET"),
            Disk("capped", 1200 * MIB, serial="CAPPED").at_most_bytes_per_s(6 * MIB),
        ),
    )
]


@dataclass(frozen=True)
class Made:
    """A cause, the scripts that make it and take it away, and what is measured: a workload in
    /mnt/a, or a plan on a target. `subject` is in the evidence where it is set."""

    name: str
    cause: str
    make: str
    undo: str
    workload: str = ""
    run: str = ""
    plan: str = ""
    subject: str | None = None

    def script(self) -> str:
        words = f"run /tmp/plan.toml {self.run} --time 400s"
        if self.workload:
            words = f"quick /mnt/a --workload {self.workload} --time 150s --size 32m"
        return f"""cat >/tmp/plan.toml <<'END'
title = 'made'
{self.plan}
[protocol]
mode = 'quick'
cell_min = '500ms'
cell_min_ios = 10
flash_state = 'trimmed'
END
bakeoff {words} --seed 1 --format json >/tmp/result"""


def mounted(device: str) -> str:
    return f"mkfs.ext4 -qF {device} && mount {device} /mnt && mkdir /mnt/a"


CAUSES = [
    Made(
        "one-request-at-a-time",
        "queue_depth",
        "echo 0 2457600 delay /dev/vda 0 10 | dmsetup create slow; " + mounted("/dev/mapper/slow"),
        "umount /mnt; dmsetup remove --retry slow",
        workload="randread",
    ),
    Made(
        "slow-flushes",
        "flush",
        "echo 0 2457600 delay /dev/vda 0 0 /dev/vda 0 0 /dev/vda 0 30 | dmsetup create slow; "
        + mounted("/dev/mapper/slow"),
        "umount /mnt; dmsetup remove --retry slow",
        workload="randwrite",
    ),
    Made("a-capped-disk", "device", mounted("/dev/vdb"), "umount /mnt", workload="seqread"),
    Made(
        "another-process",
        "foreign",
        mounted("/dev/vda")
        + """
        dd if=/dev/zero of=/mnt/big bs=1M count=64 2>/dev/null; sync
        (while :; do
            dd if=/mnt/big of=/dev/null bs=256k count=16 iflag=direct; sleep 0.1
        done) >/dev/null 2>&1 &
        echo $! >/tmp/other""",
        "kill $(cat /tmp/other); sleep 1; umount /mnt",
        workload="randread",
    ),
    Made(
        "a-cipher-on-memory",
        "cpu",
        """modprobe -a dm_crypt aes_generic xts ecb; modprobe brd rd_nr=1 rd_size=786432
        echo key | cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 \\
            --hash sha256 --batch-mode /dev/ram0 slow
        mkfs.ext4 -qF -E nodiscard /dev/mapper/slow
        mount /dev/mapper/slow /mnt && mkdir /mnt/a""",
        "umount /mnt; cryptsetup close slow; rmmod brd",
        workload="seqread",
        subject="kcryptd",
    ),
    Made(
        "the-limit-of-dirty-pages",
        "writeback",
        mounted("/dev/vdb")
        + "\nsysctl -qw vm.dirty_background_bytes=1048576 vm.dirty_bytes=2097152",
        "sysctl -qw vm.dirty_background_ratio=10 vm.dirty_ratio=20; umount /mnt",
        workload="seqwrite",
    ),
    # Eight parts, each slower than the one before it, as towards the inner edge of a disk.
    Made(
        "a-slow-end",
        "position",
        """for part in 0 1 2 3 4 5 6 7; do
            echo $((part * 24576)) 24576 delay /dev/vda $((part * 24576)) $((part * 6))
        done | dmsetup create slow""",
        "dmsetup remove --retry slow",
        run="--target /dev/mapper/slow --erase dm-0-100663296-no-table",
        plan="""[region]
size = '64m'
[[stack]]
fs = 'raw'
[[workload]]
rw = 'read'
bs = '1m'
direct = true""",
    ),
]


@pytest.mark.parametrize("made", CAUSES, ids=lambda made: made.name)
def test_cause(guest, made):
    guest.ok(made.make)
    ended = guest.run(made.script())
    guest.ok(made.undo)
    assert ended.code <= 1, ended.error
    held = guest.json("cat /tmp/result")["verdicts"][0]["held_back"][0]
    reason = held["reason"]
    assert reason["cause"] == made.cause, held
    if made.subject:
        assert reason["subject"] == made.subject, held


# What a clean machine can have, and CPU time that is not the caller's.
CLEAN = {"device", "bus", "queue_depth", "flush", "unattributed"}
OTHERS = {"other processes"}


def test_no_cause_on_a_clean_disk(guest):
    """A guest that does nothing else: what a whole `quick` reports there is no alarm."""
    guest.ok(mounted("/dev/vda"))
    command = "bakeoff quick /mnt/a --time 200s --size 32m --seed 1 --format json >/tmp/result"
    ended = guest.run(command)
    guest.ok("umount /mnt")
    assert ended.code <= 1, ended.error
    verdicts = guest.json("cat /tmp/result")["verdicts"]
    assert len(verdicts) == 4
    for verdict in verdicts:
        reason = verdict["held_back"][0]["reason"]
        is_own = reason["cause"] == "cpu" and reason.get("subject") not in OTHERS
        assert is_own or reason["cause"] in CLEAN, verdict["held_back"]
