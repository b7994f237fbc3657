"""The same plan in interleaved slices and in visits, on ten disks of different nature: for each
pair of candidates the intervals of the two runs overlap."""

import pytest
from conftest import Group
from emulated.board import PC_OF_TWO
from emulated.disk import MIB, Disk
from emulated.runs import result, write_plan

pytestmark = pytest.mark.alone

SIZE = 320 * MIB
SPEEDS = Group(
    "by-speed",
    PC_OF_TWO,
    (
        Disk("vda", SIZE),
        Disk("vdb", SIZE).at_most_iops(200),
        Disk("vdc", SIZE).at_most_bytes_per_s(20_000_000),
        Disk("vdd", SIZE).write_cache(2_000_000, 4_000_000),
        Disk("vde", SIZE),
    ),
)
KINDS = Group(
    "by-kind",
    PC_OF_TWO,
    (
        Disk("vda", SIZE, cache="writeback"),
        Disk("vdb", SIZE, cache="none"),
        Disk("sata", SIZE, "sata", serial="SATA", cache="writeback"),
        Disk("NVME", SIZE, "nvme"),
        Disk("usb", SIZE, "usb", serial="USB"),
    ),
)
GROUPS = [SPEEDS, KINDS]
DRIVES = {
    "by-speed": {
        "unlimited": ("vda", 0),
        "200-requests-a-second": ("vdb", 0),
        "20-mb-a-second": ("vdc", 0),
        "a-slow-write-back-cache": ("vdd", 0),
        "8-ms-late": ("vde", 8),
    },
    "by-kind": {
        "nvme": ("nvme0n1", 0),
        "usb": ("sdb", 0),
        "sata-cache-writeback": ("sda", 0),
        "virtio-cache-writeback": ("vda", 0),
        "virtio-cache-none": ("vdb", 0),
    },
}
PLAN = """
title = 'slices and visits'
[region]
size = '64m'
[[stack]]
fs = 'ext4'
[[stack]]
fs = 'ext2'
[[workload]]
rw = 'randwrite'
bs = '4k'
direct = true
fsync = 1
size = '4m'
[protocol]
mode = 'quick'
cell_min = '500ms'
cell_min_ios = 20
"""


def test_turns_and_visits(guest, seat):
    apart = []
    for name, (device, delay_ms) in DRIVES[seat.group.name].items():
        target = f"/dev/{device}"
        if delay_ms:
            table = f"0 {SIZE // 512} delay {target} 0 {delay_ms}"
            guest.ok(f"dmsetup create late --table '{table}'")
            target = "/dev/mapper/late"
        try:
            turns, visits = (measured(guest, target, kind) for kind in ("slices", "visit"))
        finally:
            guest.ok("udevadm settle; [ ! -e /dev/mapper/late ] || dmsetup remove --retry late")
        for pair, turn in turns.items():
            visit = visits[pair]
            agree = turn[1] <= visit[2] and visit[1] <= turn[2]
            row = f"| {name} | {pair} | {written(turn)} | {written(visit)} |"
            print(row, "agree |" if agree else "differ |")
            apart += [] if agree else [row]
    assert not apart, "\n".join(apart)


def written(ratio) -> str:
    return "{:.2f} ({:.2f} to {:.2f})".format(*ratio)


def measured(guest, target, isolation) -> dict:
    """The ratio of each pair with its interval, the pair's names in the order of the alphabet."""
    write_plan(guest, f"{PLAN}isolation = '{isolation}'\n")
    guest.ok(f"wipefs -aq {target}")
    ratios = {}
    for effect in result(guest, target)["verdicts"][0]["effects"]:
        a, b, ratio = effect["a"], effect["b"], (effect["ratio"], effect["low"], effect["high"])
        if a > b:
            a, b, ratio = b, a, (1 / ratio[0], 1 / ratio[2], 1 / ratio[1])
        ratios[f"{a} / {b}"] = ratio
    assert ratios, "no pair was compared"
    return ratios
