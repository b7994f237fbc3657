"""The commands of a winner, run as they are printed: they make the layers that were measured."""

import json

import pytest
from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk
from emulated.runs import PLAN, end, small, start, wait_for, write_plan

GROUPS = [Group("recipe", PC, (Disk("target", 1024 * MIB, serial="TARGET"),))]
TARGET = "--target /dev/disk/by-id/virtio-TARGET --erase TARGET"

WON = [
    """fs = 'ext4'
crypt = { cipher = 'aes-xts-plain64', key_bits = 512, sector_size = 4096, no_read_workqueue = true }
""",
    "fs = 'ext4'\nlvm = true\n",
]
# Slower than either by so much that few blocks tell.
LOST = """
[region]
size = '320m'
[[stack]]
fs = 'btrfs'
crypt = { cipher = 'xchacha12,aes-adiantum-plain64', key_bits = 256, sector_size = 4096 }
[[stack]]
"""
# Kind, cipher, key's length and flags; what differs from one device to the next is left out.
MAPPED = r"""dmsetup table | grep : | grep -v -e adiantum -e region |
    sed -E 's/^[^:]*: [0-9]+ [0-9]+ //; s/ :64:logon:[^ ]+ / KEY512 /
    s/ [0-9a-f]{128} / KEY512 /; s/ [0-9]+:[0-9]+ [0-9]+/ DEVICE/g'"""
UNDO = """umount /mnt; vgremove -fq bakeoff; cryptsetup close bakeoff_crypt; wipefs -aq /dev/vda
udevadm settle --timeout=60"""


@pytest.mark.parametrize("stack", WON, ids=["encrypted", "lvm"])
def test_the_commands_of_a_winner_make_its_layers(guest, stack):
    """The commands of "ext4 + luks: best" made a disk without encryption."""
    write_plan(guest, small(LOST + stack))
    command = (
        f"bakeoff run --anyway {PLAN} {TARGET} --seed 1 --time 10m --max-write 100g --format json"
    )
    start(guest, command)
    wait_for(guest, f"{MAPPED} | grep -q .")
    measured = guest.ok(MAPPED)
    ended = end(guest)
    assert ended.code <= 1, ended.error
    lines = json.loads(ended.out)["recipe"]
    assert lines, f"no winner: {ended.out}"
    for line in lines:
        line = line.replace("/dev/DEVICE", "/dev/vda")
        guest.ok(f"printf 'a long enough phrase\\n' | {{\n{line}\n:\n}}")
    try:
        assert guest.ok(MAPPED) == measured
        assert guest.ok("findmnt --noheadings --output FSTYPE /mnt").strip() in stack
    finally:
        guest.run(UNDO)
