"""The power cut: a run continues from the end of its journal, wherever that is, and `probe` finds out
whether a drive keeps flushed writes."""

import json
import random

from emulated.board import PC
from emulated.disk import MIB, Disk
from emulated.runs import (
    check_store,
    events_are_recorded,
    one_block,
    small,
    start,
    wait_for,
    write_plan,
)

CUTS, SEED = 10, 3
# Most events between two cuts. Preparing takes about twenty, a visit ten.
EVENTS = 48

# In a mode that continues after every cut. Discarding takes an emulated processor a moment where
# writing takes a minute.
PLAN = (
    small(
        """
[region]
size = '64m'
[axes]
fs = ['ext4']
scheduler = ['none', 'bfq']
"""
    ).replace("'quick'", "'decide'")
    + "flash_state = 'trimmed'\n"
)
RESUME = "bakeoff resume --time 4h --erase TARGET"


def test_power_cut_and_resume(lab):
    disks = [Disk("home", 128 * MIB, serial="HOME"), Disk("target", 512 * MIB, serial="TARGET")]
    machine = lab.machine(PC, "power", disks)
    points = random.Random(SEED)
    command = (
        "bakeoff run --anyway /root/plan.toml --target /dev/vdb --erase TARGET --time 4h --seed 1 "
        "--max-write 100g"
    )
    for cut in range(CUTS):
        guest = machine.boot()
        if cut == 0:
            guest.ok("mkfs.ext4 -qF /dev/vda && mount /dev/vda /root")
            write_plan(guest, PLAN, "/root/plan.toml")
        else:
            guest.ok("mount /dev/vda /root")
            if guest.json("bakeoff runs --format json")["runs"]:
                check_store(guest)
                command = RESUME
        point = events_are_recorded(guest, points.randint(1, EVENTS))
        start(guest, command)
        wait_for(guest, point)
        guest.kill()
    guest = machine.boot()
    before = guest.state()
    guest.ok("mount /dev/vda /root")
    check_store(guest)
    one_block(guest, RESUME)
    # Scripts begin in it.
    guest.ok("cd / && umount /root")
    guest.assert_unchanged(before)
    guest.kill()


def test_flushed_writes_survive_a_power_cut(lab):
    disks = [Disk("home", 128 * MIB, serial="HOME"), Disk("target", 128 * MIB, serial="TARGET")]
    machine = lab.machine(PC, "flushed", disks)
    guest = machine.boot()
    guest.ok("mkfs.ext4 -qF /dev/vda && mount /dev/vda /root")
    start(guest, "bakeoff probe /dev/vdb --power-cut --erase TARGET")
    guest.ok(
        """while ! grep -rqs '"flushed":[1-9][0-9][0-9]' /root --include='power-cut-*'; do
            [ ! -e /tmp/job.code ] || exit 1
            sleep 0.2
        done"""
    )
    guest.kill()
    guest = machine.boot()
    guest.ok("mount /dev/vda /root")
    guest.expect("bakeoff probe /dev/vdb --power-cut", 0)
    # As if the drive had kept a part in its cache.
    guest.ok("dd if=/dev/zero of=/dev/vdb bs=1M count=16 conv=fsync")
    found = json.loads(guest.expect("bakeoff probe /dev/vdb --power-cut --format json", 1).text)
    assert found["answer"] == "failing" and "have lost it" in found["parts"][0]["found"], found
    guest.kill()
