"""A drive without serial number is exchanged while a run on it is interrupted: `resume` asks for
the token again, and does not write the drive that has the name now."""

from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk
from emulated.runs import run_until, small, write_plan
from test_run import IS_MOUNTED, SCHEDULERS, plugged_in

STICK, OTHER = (Disk(name, 320 * MIB, "usb", serial="") for name in ("stick", "other"))
GROUPS = [Group("resumed", PC, (STICK, OTHER))]


def test_another_drive_of_the_same_name_and_size(guest):
    guest.unplug(STICK)
    guest.unplug(OTHER)
    plugged_in(guest, STICK)
    write_plan(guest, small(SCHEDULERS))
    consent = token(guest)
    assert consent.startswith("sda-"), f"the drive has a serial number: {consent}"
    run_until(guest, f"--target /dev/sda --erase {consent}", IS_MOUNTED)
    guest.unplug(STICK)
    plugged_in(guest, OTHER)
    # Blank, it has the very token of the first.
    assert token(guest) == consent
    not_resumed(guest, "", "it was unplugged or replaced", "--erase")
    guest.ok("mkfs.ext4 -q -F -L THEIRS /dev/sda && udevadm settle")
    not_resumed(guest, f"--erase {consent}", 'ext4 "THEIRS"', "is not the erase token")
    guest.unplug(OTHER)
    plugged_in(guest, STICK)
    guest.plug_as("sdb", OTHER)


def token(guest) -> str:
    drives = guest.json("bakeoff devices --format json")["drives"]
    return next(drive["erase_token"] for drive in drives if drive["name"] == "sda")


def not_resumed(guest, words, *says):
    """`resume` with those words is refused, says all of that, and changes no byte."""
    checksum = "sync && echo 3 >/proc/sys/vm/drop_caches && sha256sum </dev/sda"
    before = guest.ok(checksum)
    refused = guest.expect(f"bakeoff resume --time 4h {words}", 3).error
    assert all(text in refused for text in says), refused
    assert guest.ok(checksum) == before, f"{words!r}: the other drive was written"
