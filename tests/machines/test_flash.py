"""Emulated flash drives: does the model do what is known of flash, do its counters agree with the
kernel's, and does bakeoff name the right filesystem on it?

No guest: the drives are loop devices of this machine."""

import json
import math
import os
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from emulated import flash
from emulated.board import PC
from emulated.machine import TARGET

pytestmark = pytest.mark.each_time

KIB, MIB = 1 << 10, 1 << 20
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or not os.path.exists("/dev/fuse"), reason="mounting needs root and FUSE"
)
# A page is one sector, so that nothing is programmed but what is written.
PLAIN = {"page": 4 * KIB, "block": MIB}


def trace(size_bytes, design, requests):
    return flash.traced(flash.program(TARGET), size_bytes, design, requests)


def attached(folder, size_bytes, design):
    return flash.attached(flash.program(TARGET), folder, size_bytes, design)


def random_writes(span_bytes: int, count: int, seed=1):
    numbers = random.Random(seed)
    sectors = span_bytes // 4096
    return (("w", numbers.randrange(sectors) * 4096, 4096) for _ in range(count))


def amplification(counted: dict) -> float:
    return counted["flash_bytes"] / counted["host_written_bytes"]


def cleaning(used: float) -> float:
    """Write amplification of uniformly random writes where the oldest block is cleaned, by the
    share of the flash that holds data (Desnoyers, SYSTOR 2012). Cleaning the emptiest block is
    better by a few percent."""
    alpha, kept = 1 / used, 0.0
    # The valid share of a block when its turn comes: v = exp(-alpha (1 - v)).
    for _ in range(1000):
        kept = math.exp(-alpha * (1 - kept))
    return 1 / (1 - kept)


@pytest.mark.parametrize("spare", [10, 25, 50])
def test_a_used_drive_cleans_as_theory_says(spare):
    size = 256 * MIB
    counted = trace(
        size, {**PLAIN, "spare": spare, "used": 4}, random_writes(size, 2 * size // 4096)
    )
    expected = cleaning(1 / (1 + spare / 100))
    assert 0.85 * expected < amplification(counted) < 1.05 * expected


def test_a_fresh_drive_does_not_clean():
    size = 256 * MIB
    counted = trace(size, PLAIN, random_writes(size, 8 * MIB // 4096))
    assert (amplification(counted), counted["erases"]) == (1, 0)


@pytest.mark.parametrize("span, missed", [(48 * MIB, 0), (640 * MIB, 0.9)])
def test_a_map_cache_misses_what_is_outside_of_it(span, missed):
    count = 20_000
    counted = trace(1024 * MIB, {**PLAIN, "map": 64 * MIB}, random_writes(span, count))
    assert counted["map_reads"] / count == pytest.approx(missed, abs=0.01)


@pytest.mark.parametrize("streams, copies", [(4, False), (8, True)])
def test_units_are_copied_where_more_streams_write_than_are_open(streams, copies):
    requests = [
        ("w", 4 * MIB * stream + at, 64 * KIB)
        for at in range(0, 4 * MIB, 64 * KIB)
        for stream in range(streams)
    ]
    counted = trace(64 * MIB, {"units": 6}, requests)
    assert (amplification(counted) > 5) == copies


def test_a_full_fast_cache_makes_writes_slow():
    def cost(count):
        requests = [("w", n * MIB, MIB) for n in range(count)]
        return trace(256 * MIB, {"slc": 16 * MIB, "bus": 1000}, requests)["busy_us"] / count

    assert cost(64) > 2 * cost(16)


def test_a_flush_programs_a_page_that_is_not_full():
    counted = trace(64 * MIB, {"page": 64 * KIB}, [("w", 0, 4096), ("f", 0, 0)])
    assert counted["flash_bytes"] == 64 * KIB


FILESYSTEMS = {
    "ext4": "mkfs.ext4 -qF -O ^has_journal -E nodiscard,lazy_itable_init=0",
    "btrfs": "mkfs.btrfs -qfK",
}
# A cheap card that writes fast in order: flushes and changes of the map take milliseconds.
CARD = {"page": 128 * KIB, "program": 600, "bus": 200, "flush": 6000}
CARD |= {"map": 64 * MIB, "map_program": 8000, "read": 300}
FLUSHED_EVERY = 4


@contextmanager
def mounted(filesystem: str, device: str, folder):
    command = [*FILESYSTEMS[filesystem].split(), device]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    folder.mkdir()
    subprocess.run(["mount", "-o", "noatime", device, folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def drive_time(filesystem, design, size_bytes, file_bytes, writes, flushed_every, folder) -> float:
    """Microseconds of the drive for a random write of 4 KiB on a filesystem that has it alone, over
    the last quarter of so many, by a loop of our own. The drive takes no time, but counts it."""
    folder.mkdir()
    block, numbers = os.urandom(MIB), random.Random(1)
    with attached(folder, size_bytes, {**design, "hurry": 1}) as drive:
        with mounted(filesystem, drive.device, folder / "mount") as mount:
            with open(mount / "file", "wb", buffering=0) as file:
                for _ in range(file_bytes // MIB):
                    file.write(block)
                os.fsync(file)
                os.sync()
                for number in range(writes):
                    if number == writes - writes // 4:
                        before = drive.counted()["busy_us"]
                    at = numbers.randrange(file_bytes // 4096) * 4096
                    os.pwrite(file.fileno(), block[number : number + 4096], at)
                    if number % flushed_every == flushed_every - 1:
                        os.fsync(file)
                return (drive.counted()["busy_us"] - before) / (writes // 4)


def answer(binary, region_mib, file_mib, folder) -> dict:
    """What `bakeoff run` says of the filesystems on the card."""
    folder.mkdir()
    stacks = "[[stack]]\nfs = 'ext4'\nmkfs = ['-O', '^has_journal']\n[[stack]]\nfs = 'btrfs'\n"
    plan = f"""title = 'flash'
[region]
size = '{region_mib}m'
{stacks}[[workload]]
rw = 'randwrite'
bs = '4k'
fsync = {FLUSHED_EVERY}
size = '{file_mib}m'
[protocol]
mode = 'quick'
"""
    (folder / "plan.toml").write_text(plan)
    with attached(folder, 2048 * MIB, CARD) as drive:
        words = ["--target", drive.device, "--time", "130s", "--max-write", "100g", "--seed", "1"]
        words += ["--store", "store.db", "--format", "json", "--quiet"]

        def bakeoff(*more):
            command = [binary, *more, *words]
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True)
            assert done.returncode <= 1, f"{command} ended with {done.returncode}"
            return json.loads(done.stdout)

        [target] = bakeoff("plan", "plan.toml")["targets"]
        # However busy the machine is: the drive is slower.
        result = bakeoff("run", "plan.toml", "--anyway", "--erase", target["erase_token"])
        served = drive.counted()["host_written_bytes"]
        assert drive.kernel_written_bytes() == pytest.approx(served, rel=0.05)
        return result


@needs_root
def test_a_small_region_names_another_winner_than_a_large_one(lab, tmp_path):
    """Files of the small regions fit together into the 64 MiB of the map that are in memory. The
    large one is three times as large, so most random writes in place change a page of the map that
    is not, and copy on write wins."""
    small, large = (163, 16), (400, 192)
    truth = {
        filesystem: [
            drive_time(
                filesystem,
                CARD,
                region * MIB,
                file * MIB,
                1600,
                FLUSHED_EVERY,
                tmp_path / f"{filesystem}-{file}",
            )
            for region, file in (small, large)
        ]
        for filesystem in FILESYSTEMS
    }
    assert truth["ext4"][0] < truth["btrfs"][0] and truth["ext4"][1] > truth["btrfs"][1], truth
    binary = lab.program(PC)
    with ThreadPoolExecutor() as at_once:
        each = [
            at_once.submit(answer, binary, *sizes, tmp_path / f"run-{sizes[1]}")
            for sizes in (small, large)
        ]
        [of_small], [of_large] = (run.result()["verdicts"] for run in each)
    assert of_small["leader"].startswith("ext4"), of_small
    assert of_large["leader"] == "btrfs", of_large


@needs_root
def test_a_used_drive_ranks_otherwise_than_a_fresh_one(tmp_path):
    """Fresh, nothing is cleaned, and copy on write, which fills pages, wins. On a drive that was
    overwritten and has 3 % to spare, every byte is cleaned for, and the filesystem has come into
    use as well: its free space is in pieces, and it writes many times as much."""
    design = {"page": 64 * KIB, "block": MIB, "spare": 3}
    fresh, used = (
        {
            filesystem: drive_time(
                filesystem,
                {**design, "used": times},
                256 * MIB,
                110 * MIB,
                writes,
                64,
                tmp_path / f"{filesystem}-{times}",
            )
            for filesystem in FILESYSTEMS
        }
        for times, writes in ((0, 4000), (1, 20_000))
    )
    assert fresh["btrfs"] < fresh["ext4"] and used["btrfs"] > used["ext4"], (fresh, used)
