"""Commands that need no disk of their own: `bench` and `quick`. `demo` is tested on loop devices,
in crates/bakeoff/tests/all/cases/demo.rs."""

import json

import pytest
from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk
from emulated.runs import check_store

GROUPS = [Group("files", PC, (Disk("home", 2048 * MIB, serial="HOME"),))]

MOUNT = "mkfs.ext4 -qF /dev/vda && mount /dev/vda /mnt"


@pytest.mark.parametrize("engine", ["psync", "io_uring"])
def test_bench(guest, engine):
    guest.ok(MOUNT)
    bench = guest.json(
        "bakeoff bench /mnt --rw=randwrite --bs=4k --size=16m --io_size=1m --direct=1 "
        f"--engine={engine} --format json"
    )
    assert bench["write"]["total_ios"] == 256
    guest.ok('[ -z "$(ls /mnt | grep -v lost+found)" ] && umount /mnt')


def test_quick(guest):
    guest.ok(f"{MOUNT} && mkdir /mnt/a /mnt/b")
    output = guest.run(
        "bakeoff quick /mnt/a /mnt/b --workload randread --time 60s --size 16m --seed 1 "
        "--format json"
    )
    assert output.code <= 1, output.error
    run = json.loads(output.text)
    assert len(run["candidates"]) == 2 and run["cells"] > 0
    check_store(guest)
    guest.ok('[ -z "$(ls /mnt/a /mnt/b | grep -v :)" ] && umount /mnt')
