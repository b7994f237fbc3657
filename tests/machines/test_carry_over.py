"""A disk made to misbehave: the finding `carry-over` fires on it, and on four others it does not.

The disk has a write-back cache that ignores flushes. A fast candidate fills it and the next one
waits; during the slices of a slow candidate the cache empties, and the next one is faster. The
candidates are two stacks on each half of a disk, and the second half answers late (dm-delay)."""

import pytest
from conftest import Group
from emulated.board import PC_OF_TWO
from emulated.disk import MIB, Disk
from emulated.runs import result, write_plan

pytestmark = pytest.mark.alone

HALF = 160 * MIB
# Writing 256 KiB within this time leaves a quarter of 14 MB/s unused.
SLOW_MS = 16
# The slow candidate still needs more than a limited disk gives. QEMU's throttle saves up a tenth of
# a second of what nobody uses, which is a small cache of the kind to be found.
HARDLY_MS = 4
GROUPS = [
    Group(
        "carry-over",
        PC_OF_TWO,
        (
            Disk("vda", 2 * HALF).write_cache(14_000_000, 14_000_000),
            Disk("vdb", 2 * HALF),
            Disk("vdc", 2 * HALF).at_most_iops(50),
            Disk("vdd", 2 * HALF).at_most_bytes_per_s(20_000_000),
            Disk("vde", 2 * HALF),
        ),
    )
]
PLAN = """
title = 'carry-over'
[region]
size = '64m'
[[stack]]
fs = 'raw'
[[stack]]
fs = 'ext4'
[[workload]]
rw = 'randwrite'
bs = '256k'
direct = true
size = '8m'
[protocol]
mode = 'quick'
flash_state = 'trimmed'
"""


@pytest.mark.parametrize(
    "disk, delays_ms, carries_over",
    [
        pytest.param("vda", (0, SLOW_MS), True, id="a-slow-write-back-cache"),
        pytest.param("vdb", (0, SLOW_MS), False, id="none-on-a-fast-disk"),
        pytest.param("vdc", (0, HARDLY_MS), False, id="none-on-50-requests-a-second"),
        pytest.param("vdd", (0, HARDLY_MS), False, id="none-on-20-mb-a-second"),
        pytest.param("vde", (8, SLOW_MS), False, id="none-on-a-late-disk"),
    ],
)
def test_carry_over(guest, disk, delays_ms, carries_over):
    sectors = HALF // 512
    for half, delay_ms in enumerate(delays_ms):
        end = f"/dev/{disk} {half * sectors}"
        kind = f"delay {end} {delay_ms}" if delay_ms else f"linear {end}"
        guest.ok(f"dmsetup create half{half} --table '0 {sectors} {kind}'")
    try:
        write_plan(guest, PLAN)
        run = result(guest, "/dev/mapper/half0", "/dev/mapper/half1")
    finally:
        guest.ok("udevadm settle; for i in 0 1; do dmsetup remove --retry half$i; done")
    # Cells in one piece say nothing about it.
    assert run["protocol"]["isolation"] == "slices"
    found = {one["id"] for one in run["findings"] + run["verdicts"][0]["findings"]}
    assert ("carry-over" in found) == carries_over, found
