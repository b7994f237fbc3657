"""`bakeoff devices` in front of disks of every kind."""

import pytest
from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk
from test_guard import RELEASE

pytestmark = pytest.mark.each_time

STICK = Disk("stick", 64 * MIB, "usb", serial="STICK-1")
GROUPS = [
    Group(
        "devices",
        PC,
        (
            Disk("plain", 64 * MIB),
            Disk("serial", 64 * MIB, serial="VIRTIO-1"),
            STICK,
            Disk("protected", 64 * MIB, serial="RO-1", read_only=True),
            Disk("native", 64 * MIB, serial="4K-1", block_bytes=4096),
            Disk("slow", 64 * MIB, serial="SLOW").at_most_iops(50).at_most_bytes_per_s(MIB),
        ),
    )
]


def drives(guest):
    return guest.json("bakeoff devices --format json")["drives"]


def drive(guest, serial):
    return next(drive for drive in drives(guest) if drive["serial"] == serial)


@pytest.mark.parametrize(
    "serial, bus, is_safe",
    [
        ("VIRTIO-1", "virtio", True),
        ("STICK-1", "usb", True),
        ("RO-1", "virtio", False),
        ("4K-1", "virtio", True),
    ],
)
def test_every_disk_is_listed(guest, serial, bus, is_safe):
    found = drive(guest, serial)
    assert found["bus"] == bus and found["safe_to_erase"] == is_safe
    assert found["size_bytes"] == 64 * MIB


def test_one_disk_has_no_serial_number(guest):
    assert sum(drive["serial"] is None for drive in drives(guest)) == 1


def test_a_stick_comes_back_under_another_name(guest):
    before = drive(guest, "STICK-1")
    # A process that has it open keeps its name taken until it has ended.
    guest.ok("exec 9</dev/sda; sleep 600 >/dev/null 2>&1 & echo $! >/tmp/holder")
    guest.unplug(STICK)
    guest.wait_for("[ ! -e /sys/block/sda ]")
    guest.plug_as("sdb", STICK)
    after = drive(guest, "STICK-1")
    guest.ok(f"{RELEASE}\nrelease")
    guest.unplug(STICK)
    guest.wait_for("[ ! -e /sys/block/sdb ]")
    guest.plug_as("sda", STICK)
    assert (before["name"], after["name"]) == ("sda", "sdb")
    assert before["erase_token"] == after["erase_token"]


def test_hostile_label(guest):
    disk = "/dev/disk/by-id/virtio-VIRTIO-1"
    guest.ok(f"mkfs.ext4 -q -L \"$(printf '\\033[2J$(id)<b>')\" {disk}\nudevadm settle")
    for words in ("", "devices --format markdown", "devices --format csv"):
        output = guest.expect(f"bakeoff {words}", 0)
        assert b"\x1b" not in output.out and "uid=0" not in output.text, output.text
    guest.ok(f"wipefs -aq {disk}")


def test_throttled_disk(guest):
    """Whatever the host does, a disk that gives 50 answers a second gives no more."""
    bench = guest.json(
        "bakeoff bench /dev/disk/by-id/virtio-SLOW --rw=randread --bs=4k --io_size=400k --direct=1 "
        "--format json"
    )
    assert bench["read"]["iops"] < 150
