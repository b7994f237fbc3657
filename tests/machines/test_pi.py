"""The emulated Raspberry Pis: the cross-built program, and the board and card that it reports."""

from conftest import Group
from emulated.board import PI1, PI3
from emulated.disk import MIB, Disk
from emulated.runs import check_store, events, run_until, small, targets, write_plan

# A power of two, as the emulated slot wants, with half a GiB to stay free.
CARD = Disk("card", 1024 * MIB, "card")
GROUPS = [Group("pi1", PI1, (CARD,)), Group("pi3", PI3, (CARD,))]
MODELS = {
    "pi1": ("Raspberry Pi Model A+", "armv6l"),
    "pi3": ("Raspberry Pi 3 Model B", "aarch64"),
}
# As little as can be written to an emulated card.
MAKE = "mkfs.ext4 -qF -E nodiscard -O ^has_journal -N 1024 /dev/mmcblk0"
# The start of the id that QEMU's hw/sd/sd.c gives its card.
CARD_ID = "aa585951454d552101deadbeef"


def test_card(guest):
    drive = guest.json("bakeoff devices --format json")["drives"][0]
    assert (drive["name"], drive["size_bytes"]) == ("mmcblk0", CARD.size_bytes)
    assert drive["model"] == "QEMU!" and drive["safe_to_erase"]
    guest.ok("bakeoff >/tmp/shown && grep -q QEMU! /tmp/shown")


def test_bench(guest):
    guest.ok(f"{MAKE} && mount /dev/mmcblk0 /mnt")
    bench = guest.json(
        "bakeoff bench /mnt --rw=randwrite --bs=4k --size=1m --io_size=256k --direct=1 "
        "--engine=psync --format json; umount /mnt"
    )
    assert bench["write"]["total_ios"] == 64


def test_quick(guest, seat):
    guest.ok(f"{MAKE} && mount /dev/mmcblk0 /mnt && mkdir /mnt/a")
    output = guest.run(
        "bakeoff quick /mnt/a --workload randread --time 30s --size 16m --seed 1 --format json"
    )
    assert output.code <= 1, output.error
    record = guest.ok("bakeoff show last --format json")
    for expected in (*MODELS[seat.group.name], "QEMU!", CARD_ID):
        assert expected in record
    check_store(guest)
    guest.ok("umount /mnt")


def test_run(guest):
    """Prepared, measured and taken away, until a block is complete."""
    write_plan(guest, small("[region]\nsize = '64m'\n[[stack]]\nfs = 'ext4'\n"))
    # There is no sqlite3 on it.
    is_done = (
        "sleep 4; bakeoff show last -o /tmp/r.bundle 2>/dev/null; grep -qs block_done /tmp/r.bundle"
    )
    run_until(guest, targets(guest, "/dev/mmcblk0"), is_done)
    assert any("cell_done" in what for what in events(guest))
    check_store(guest)
