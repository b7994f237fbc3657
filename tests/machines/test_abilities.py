"""The abilities of filesystems by which a use rules one out, tried on the real thing: owners, files
over 4 GiB, and synced data that survives a cut in the middle."""

import shlex
import tomllib
from pathlib import Path

import pytest
from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk

DISK, COPY = Disk("disk", 384 * MIB, serial="DISK"), Disk("copy", 384 * MIB, serial="COPY")
GROUPS = [Group("abilities", PC, (DISK, COPY))]
TABLE = Path(__file__).parents[2] / "crates/core/machine/data/filesystems.toml"
# Those of the guest's kernel and packages.
NAMES = ["ext4", "xfs", "btrfs", "f2fs", "vfat", "exfat"]
ROWS = {row["name"]: row for row in tomllib.loads(TABLE.read_text())["filesystem"]}

# Every file is synced by itself, and other data is not. What is on the device then is what a power
# cut leaves: it is copied while the filesystem is mounted.
WRITE = r"""mkdir /tmp/m
mount -t %(fs)s /dev/vda /tmp/m || exit 1
touch /tmp/m/owned
chown 1234:1234 /tmp/m/owned 2>/dev/null || true
big=small
said=$(dd if=/dev/zero of=/tmp/m/big bs=1 count=1 seek=4294967296 2>&1) && big=large
case $said in *"No space left"*) big=large ;; esac
rm -f /tmp/m/big
i=0
while [ $i -lt 10 ]; do
    echo "synced $i" | dd of=/tmp/m/f$i conv=fsync 2>/dev/null
    i=$((i + 1))
done
sync /tmp/m
dd if=/dev/zero of=/tmp/m/noise bs=64k count=100 2>/dev/null &
i=10
while [ $i -lt 20 ]; do
    echo "synced $i" | dd of=/tmp/m/f$i conv=fsync 2>/dev/null
    i=$((i + 1))
done
wait
dd if=/dev/vda of=/dev/vdb bs=1M iflag=direct oflag=direct 2>/dev/null
umount /tmp/m
mount -t %(fs)s /dev/vda /tmp/m
owner=$(stat -c %%u /tmp/m/owned)
umount /tmp/m
echo "$big $owner"
"""
READ = r"""dd if=/dev/vdb of=/dev/vda bs=1M oflag=direct 2>/dev/null
wipefs --all --quiet /dev/vdb
mount -t %(fs)s /dev/vda /tmp/m || exit 1
i=0
while [ $i -lt 20 ]; do
    [ "$(cat /tmp/m/f$i)" = "synced $i" ] || echo "lost $i"
    i=$((i + 1))
done
umount /tmp/m
wipefs --all --quiet /dev/vda
rmdir /tmp/m
"""


@pytest.mark.parametrize("name", NAMES)
def test_what_the_table_says_of_it_is_so(guest, name):
    row = ROWS[name]
    words = {"fs": row["fs"]}
    guest.ok(shlex.join([row["mkfs"], *row.get("options", []), "/dev/vda"]))
    large, owner = guest.ok(WRITE % words).split()
    # exFAT refuses a file that is larger than this disk, whatever its limit is.
    if name != "exfat":
        assert (large == "large") == row.get("has_large_files", True), large
    if row.get("can_boot", True):
        assert owner == "1234", "Linux can boot from what keeps owners"
    if name in ("vfat", "exfat"):
        assert owner != "1234"
    if row.get("has_journal", True) and row.get("survives_cuts", True):
        lost = guest.ok(READ % words)
        assert lost == "", f"synced and lost in a cut: {lost}"
    else:
        guest.ok("wipefs --all --quiet /dev/vda /dev/vdb; rmdir /tmp/m")
