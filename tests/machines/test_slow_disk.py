"""`bakeoff demo` on a drive that reads and writes 20 MB/s: it reports beforehand what fits into its
three minutes, keeps to them and has an answer."""

import json

import pytest
from conftest import Group
from emulated.board import PC_OF_TWO
from emulated.disk import MIB, Disk

pytestmark = pytest.mark.alone
GROUPS = [
    Group("slow-disk", PC_OF_TWO, (Disk("slow", 6144 * MIB).at_most_bytes_per_s(20_000_000),))
]


def test_a_demo_answers(guest):
    guest.ok(
        """modprobe -a ext4 xfs btrfs vfat f2fs
        mkfs.ext4 -qF -E lazy_itable_init=0,lazy_journal_init=0 /dev/vda
        mount /dev/vda /mnt && mkdir /mnt/a"""
    )
    ended = guest.run("cd /mnt/a && COLUMNS=80 bakeoff demo --seed 1")
    result = json.loads(guest.run("bakeoff show last --format json").text)
    guest.ok("cd / && umount /mnt")
    # For whoever judges whether a newcomer would be content.
    print(ended.error, ended.text, sep="\n")
    assert ended.code <= 1, ended.error
    for one in result.get("skipped", []) + result.get("dropped_workloads", []):
        assert one["name"] in ended.error, f"{one['name']} is left out without a word"
    assert any(
        len(verdict.get("standings", [])) > 1 and verdict["lead"] is not None
        for verdict in result["verdicts"]
    ), f"no workload has figures: {result}"
