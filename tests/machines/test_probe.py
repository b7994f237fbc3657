"""`bakeoff probe` on drives that are honest, lie about their size, or cannot be read everywhere:
the device mapper makes them of an honest one."""

import json
from contextlib import contextmanager

from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk

GROUPS = [Group("probe", PC, (Disk("a", 256 * MIB, serial="PROBED"),))]
HALF = 128 * MIB // 512
DRIVE = "/dev/mapper/drive"
# Up for no time, down for a day, in which it drops what is written.
LOSES = f"flakey /dev/vda {HALF} 0 86400 1 drop_writes"


@contextmanager
def drive(guest, *table):
    lines = "\n".join(table)
    guest.ok(f"set -e; modprobe -a dm_mod dm_flakey\ndmsetup create drive <<'END'\n{lines}\nEND")
    guest.ok("udevadm settle")
    try:
        yield
    finally:
        guest.ok("udevadm settle; dmsetup remove --retry drive")


def probed(guest, words, code):
    return json.loads(guest.expect(f"bakeoff probe {DRIVE} --format json {words}", code).text)


def with_token(guest):
    """The options that the examination without a token prints for the capacity."""
    left_out = probed(guest, "", 0)["left_out"]
    command = next(left["command"] for left in left_out if left["part"] == "capacity")
    return command[command.index("--erase") :]


def checksum(guest):
    return guest.ok("sha256sum </dev/vda")


def test_an_honest_drive_keeps_its_contents(guest):
    with drive(guest, f"0 {2 * HALF} linear /dev/vda 0"):
        guest.ok("dd if=/dev/urandom of=/dev/vda bs=1M count=256 conv=fsync")
        before = checksum(guest)
        found = probed(guest, f"--read-all {with_token(guest)}", 0)
        assert found["answer"] == "nothing_wrong_found", found
        assert found["verdict"] == "no_evidence", found
        assert checksum(guest) == before


def test_a_drive_that_begins_again_is_a_fake(guest):
    halves = (f"0 {HALF} linear /dev/vda 0", f"{HALF} {HALF} linear /dev/vda 0")
    with drive(guest, *halves):
        found = probed(guest, with_token(guest), 1)
        assert found["answer"] == "fake", found
        assert found["wraps_at_bytes"] == HALF * 512, found


def test_a_drive_that_loses_what_lies_beyond_its_end_is_a_fake(guest):
    with drive(guest, f"0 {HALF} linear /dev/vda 0", f"{HALF} {HALF} {LOSES}"):
        assert probed(guest, with_token(guest), 1)["answer"] == "fake"
        found = probed(guest, f"--full {with_token(guest)}", 1)
        assert found["answer"] == "fake" and not found["is_whole"], "samples were enough"


def test_a_drive_that_cannot_be_read_everywhere_fails(guest):
    table = (
        f"0 {HALF} linear /dev/vda 0",
        f"{HALF} 128 error",
        f"{HALF + 128} {HALF - 128} linear /dev/vda {HALF + 128}",
    )
    with drive(guest, *table):
        found = probed(guest, "--read-all", 1)
        assert found["answer"] == "failing", found
        (contents,) = [part for part in found["parts"] if part["part"] == "contents"]
        assert "1 piece of 64 KiB could not be read" in contents["found"], contents
