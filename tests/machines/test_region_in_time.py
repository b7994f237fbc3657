"""A region is as large as its time is enough for: a slow drive gets a smaller one than its kind."""

from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk
from emulated.runs import PLAN, exported, write_plan

# A fifth of that is 30 s, in which a drive is taken to write all of it and to read it back.
TIME = "--time 150s --max-write 100g"
BYTES_PER_S = 20_000_000
GROUPS = [
    Group(
        "region-in-time",
        PC,
        (Disk("target", 2048 * MIB, serial="TARGET").at_most_bytes_per_s(BYTES_PER_S),),
    )
]
TWO = """
title = 'region'
[[stack]]
fs = 'ext4'
[[stack]]
fs = 'ext2'
[[workload]]
rw = 'randwrite'
bs = '4k'
direct = true
io_size = '64k'
[protocol]
mode = 'quick'
"""


def test_a_slow_drive_gets_a_region_that_its_time_is_enough_for(guest):
    write_plan(guest, TWO)
    [target] = guest.json(f"bakeoff plan {PLAN} --target /dev/vda {TIME} --format json")["targets"]
    assert target["region_size_bytes"] > 1600 * MIB and target["region_parts"] >= 2
    ended = guest.run(
        f"bakeoff run --anyway {PLAN} --target /dev/vda --erase TARGET --seed 1 {TIME}"
    )
    assert ended.code <= 1, f"ended with {ended.code}: {ended.error}"
    assert "the region shrinks from" in ended.error, ended.error
    record = exported(guest)
    written = [line for line in record.splitlines() if '"verified"' in line]
    assert len(written) == 1, written
    # Written and read back in a fifth of the time.
    assert 150 * MIB < int(written[0].split('"verified_bytes":')[1].split(",")[0]) < 400 * MIB


def test_a_run_of_90_s_on_a_slow_drive_ends_with_an_answer_or_before_it_prepares(guest):
    write_plan(guest, TWO)
    short = TIME.replace("150s", "90s")
    ended = guest.run(f"bakeoff run --anyway {PLAN} --target /dev/vda --erase TARGET {short}")
    assert ended.code in (0, 1, 2), f"ended with {ended.code}: {ended.error}"
    assert ended.code < 2 or "more than half of the time limit" in ended.error, ended.error
