"""`bakeoff run` on a disk: every stack and scheduler of the kernel, and what may go wrong."""

import pytest
from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk
from emulated.runs import (
    ENDLESS,
    check_store,
    end,
    events,
    exported,
    interrupted,
    one_block,
    run_until,
    small,
    start,
    targets,
    wait_for,
    write_plan,
)

DISK = Disk("target", 1024 * MIB, serial="TARGET")
STICK = Disk("stick", 640 * MIB, "usb", serial="STICK-1")
GROUPS = [
    Group(
        "run",
        PC,
        (
            DISK,
            Disk("native", 256 * MIB, serial="4K-1", block_bytes=4096),
            Disk("protected", 256 * MIB, serial="RO-1", read_only=True),
            STICK,
        ),
    )
]

TARGET = "--target /dev/disk/by-id/virtio-TARGET --erase TARGET"
NATIVE = "--target /dev/disk/by-id/virtio-4K-1 --erase 4K-1"
ON_STICK = f"bakeoff run --anyway /tmp/plan.toml --target /dev/sda --erase STICK-1 {ENDLESS}"

FILESYSTEMS = """
[region]
size = '320m'
[axes]
fs = ['ext2', 'ext3', 'ext4', 'vfat', 'exfat', 'ntfs', 'f2fs', 'reiserfs', 'btrfs', 'xfs', 'jfs',
    'nilfs2', 'udf', 'bcachefs']
[[stack]]
[[stack]]
fs = 'ext4'
mkfs = ['-O', '^has_journal']
"""
RAW = """
[region]
size = '64m'
[axes]
fs = ['ext4', 'raw']
"""
LAYERS = """
[region]
size = '320m'
[[stack]]
fs = 'ext4'
crypt = { cipher = 'aes-xts-plain64', key_bits = 256 }
[[stack]]
fs = 'ext4'
crypt = { cipher = 'aes-xts-plain64', key_bits = 512, sector_size = 4096, no_read_workqueue = true }
[[stack]]
fs = 'ext4'
crypt = { kind = 'plain', cipher = 'aes-xts-plain64', key_bits = 512, sector_size = 4096 }
[[stack]]
fs = 'btrfs'
crypt = { cipher = 'xchacha12,aes-adiantum-plain64', key_bits = 256, sector_size = 4096 }
[[stack]]
fs = 'xfs'
lvm = true
"""
SCHEDULERS = """
[region]
size = '64m'
[axes]
fs = ['ext4']
scheduler = ['none', 'mq-deadline', 'bfq', 'kyber']
"""

# Only the run sees it.
IS_MOUNTED = "grep -qs ^/dev/mapper/bakeoff- /proc/[0-9]*/mounts"
IS_LAID_OUT = "find /mnt/a -type f -size +8192k | grep -q ."
QUICK = "bakeoff quick /mnt/a --workload randwrite --time 4h --size 16m --seed 1"


def one_block_of(guest, target, before=""):
    """Measures one block of the plan that is there; `before` are words before the program's name.
    Each candidate has a cell, or was skipped with a reason before."""
    one_block(guest, f"{before} bakeoff run --anyway /tmp/plan.toml {target} {ENDLESS}")
    said = events(guest)
    started = [what["started"] for what in said if "started" in what]
    candidates = started[-1]["candidates"]
    for what in said:
        left = what.get("rehearsed", {}).get("candidates") or candidates
        assert len(left) == len(candidates), guest.ok("cat /tmp/job.err")
    measured = {what["cell_done"]["candidate"] for what in said if "cell_done" in what}
    invalid = [what["cell_invalid"] for what in said if "cell_invalid" in what]
    for at, candidate in enumerate(candidates):
        assert at in measured or candidate.get("skip"), f"not measured: {candidate}; {invalid}"


def test_every_filesystem(guest):
    """What the kernel lacks, or nobody packages, is left out with the reason."""
    write_plan(guest, small(FILESYSTEMS))
    one_block_of(guest, TARGET)
    left_out = guest.ok("grep -A 2 '^ *Skipped ' /tmp/job.err")
    assert left_out.count("Skipped ") == left_out.count("bcachefs: mkfs"), left_out
    assert "bcachefs-tools" in left_out


# A cryptsetup before the real one, which keeps the key that it is given. /dev/shm is memory. The
# end of the run may stop it at any point, so a key replaces the last one whole.
KEEP_KEY = r"""mkdir -p /tmp/keep
cat >/tmp/keep/cryptsetup <<END
#!/bin/dash
case " \$* " in
    *' --key-file - '*)
        cat >/dev/shm/key.new && mv /dev/shm/key.new /dev/shm/key
        exec $(command -v cryptsetup) "\$@" </dev/shm/key ;;
esac
exec $(command -v cryptsetup) "\$@"
END
chmod +x /tmp/keep/cryptsetup"""
KEPT = """cat /tmp/job.out /tmp/job.err $HOME/.local/share/bakeoff/*
for run in $(bakeoff runs --format csv | tail -n +2 | cut -d , -f 1); do
    bakeoff show $run --details || [ $? = 1 ]
done"""


@pytest.mark.each_time
def test_encrypted_and_lvm(guest):
    """Every kind of encryption; the key is neither on the disk nor in the record."""
    write_plan(guest, small(LAYERS))
    guest.ok(KEEP_KEY)
    one_block_of(guest, TARGET, "env PATH=/tmp/keep:$PATH")
    key = guest.run("cat /dev/shm/key").out
    assert len(key) == 64 and len(set(key)) > 1, f"no key: {key!r}"
    assert not holds(guest.content(DISK), key), "the key is on the disk"
    kept = guest.expect(KEPT, 0).out
    for form in (key, key.hex().encode(), ",".join(map(str, key)).encode()):
        assert form not in kept, "the key is in the record"
    guest.ok("rm -r /tmp/keep /dev/shm/key*")


def holds(path, data: bytes) -> bool:
    """Whether a file contains the bytes, also across two chunks."""
    end = b""
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            if data in end + chunk:
                return True
            end = chunk[1 - len(data) :]
    return False


def test_raw_and_4k_native(guest):
    write_plan(guest, small(RAW))
    one_block_of(guest, NATIVE)


def test_every_scheduler(guest):
    """The queue's length, which no scheduler sets, survives them."""
    queue = "/sys/block/vda/queue"
    guest.ok(f"cat {queue}/nr_requests >/tmp/nr; echo 48 >{queue}/nr_requests")
    write_plan(guest, small(SCHEDULERS))
    try:
        one_block_of(guest, TARGET)
    finally:
        left = guest.ok(f"cat {queue}/nr_requests; cat /tmp/nr >{queue}/nr_requests")
    assert left.strip() == "48"


@pytest.mark.each_time
def test_what_does_not_fit_is_refused(guest):
    write_plan(guest, small(SCHEDULERS))
    guest.ok(
        """sed s/64m/2g/ /tmp/plan.toml >/tmp/large.toml
        { cat /tmp/plan.toml; echo "flash_state = 'trimmed'"; } >/tmp/trimmed.toml
        printf "title = 'none'\\n[axes]\\nfs = []\\n" >/tmp/none.toml"""
    )
    written = "awk '$3 ~ /^(vd[abc]|sda)$/ {print $3, $10}' /proc/diskstats"
    before = guest.ok(written)
    two = "--target /dev/vda --target /dev/vdb --erase TARGET"
    for code, words, says in [
        (3, "/tmp/plan.toml --target /dev/vdc --erase RO-1", "write-protected"),
        (3, "/tmp/plan.toml --target /dev/vda --erase 4K-1", "not the erase token"),
        (3, f"/tmp/plan.toml {two}", "token of /dev/vdb"),
        (4, "/tmp/plan.toml --target /dev/vda7 --erase TARGET", "bakeoff devices"),
        (3, "/tmp/plan.toml --target /dev/null --erase TARGET", "neither a block device"),
        (2, "/tmp/large.toml --target /dev/vdb --erase 4K-1", "/dev/vdb"),
        (2, "/tmp/none.toml --target /dev/vda --erase TARGET", ""),
        (4, "/tmp/trimmed.toml --target /dev/sda --erase STICK-1", "cannot discard a region"),
    ]:
        output = guest.run(f"bakeoff run --anyway {words} --max-write 100g")
        assert (output.code, says in output.error) == (code, True), f"{words}: {output.error}"
    assert guest.ok(written) == before, "something was written"


@pytest.mark.each_time
def test_udev_is_kept_off_and_swap_left_on(guest):
    """Nothing is left for udev to wait for: it cannot open a locked disk, and would try for three
    minutes. Nothing of the user's is stopped: swap stays on."""
    swaps = "awk '{print $1, $3}' /proc/swaps"
    write_plan(guest, small(SCHEDULERS))
    guest.ok("mkswap /dev/vdb && swapon /dev/vdb")
    before = guest.ok(swaps)
    assert "/dev/vdb" in before
    start(guest, f"bakeoff run --anyway /tmp/plan.toml {TARGET} {ENDLESS}")
    wait_for(guest, IS_MOUNTED)
    guest.ok(
        """udevadm settle --timeout=60
        for volume in /dev/mapper/bakeoff-*; do
            udevadm info --query=property $volume >/tmp/said
            grep -qx UDISKS_IGNORE=1 /tmp/said || { cat /tmp/said; exit 1; }
        done"""
    )
    meanwhile = guest.ok("grep -c ^/dev/vdb /proc/swaps || true")
    interrupted(guest)
    assert meanwhile.strip() == "1", "swap was off meanwhile"
    assert guest.ok(swaps) == before
    guest.ok("swapoff /dev/vdb && wipefs -aq /dev/vdb; udevadm settle --timeout=60")


def test_a_slope_shrinks_the_region(guest):
    """A disk that reads slower and slower towards its end. Parts differ by a tick of the slowest
    timer a kernel has, so that no rounding levels them."""
    sectors = 32 * MIB // 512
    table = "".join(
        f"{at} {sectors} delay /dev/vda {at} {20 + 10 * part} /dev/vda {at} 0\n"
        for part, at in enumerate(range(0, 9 * sectors, sectors))
    )
    guest.ok(f"dmsetup create slope <<'END'\n{table}END")
    write_plan(guest, small("[region]\nsize = '280m'\n[[stack]]\nfs = 'ext4'\n"))
    said = run_until(guest, targets(guest, "/dev/mapper/slope"), IS_MOUNTED).error
    assert "Speed from start to end: " in said and "the region shrinks to 64 MiB" in said, said
    recorded = events(guest)
    [speeds] = [what["surveyed"]["positions"] for what in recorded if "surveyed" in what]
    assert len(speeds) == 9 and speeds[0]["bytes_per_s"] > speeds[8]["bytes_per_s"]
    for what in recorded:
        assert what.get("verified", {}).get("verified_bytes", 64 * MIB) == 64 * MIB
    check_store(guest)
    guest.ok("dmsetup remove --retry slope")


def test_writes_that_are_dropped(guest):
    """A disk that takes every write and keeps none is found before anything is measured on it."""
    sectors = 128 * MIB // 512
    # Broken from the first second on, and for longer than any run.
    table = f"0 {sectors} flakey /dev/vda 0 0 3600 1 drop_writes"
    guest.ok(f"dmsetup create liar --table '{table}'")
    write_plan(guest, small(RAW))
    words = targets(guest, "/dev/mapper/liar")
    output = guest.run(f"bakeoff run --anyway /tmp/plan.toml {words} --max-write 100g")
    assert output.code in (1, 4) and "returns different data than was written" in output.error
    record = exported(guest)
    assert '"L11"' in record and '"block_started"' not in record and '"verified"' not in record
    check_store(guest)
    guest.ok("dmsetup remove --retry liar")


def refused(ended, says):
    assert ended.code in (3, 4) and says in ended.error, f"{ended.code}: {ended.error}"


def plugged_in(guest, disk):
    """Puts a stick in where none is, which makes it sda."""
    guest.wait_for("! ls /sys/block | grep -q ^sd")
    guest.plug_as("sda", disk)


def sectors_written(guest, name) -> str:
    return guest.ok(f"awk '$3 == \"{name}\" {{print $10}}' /proc/diskstats")


@pytest.mark.each_time
def test_stick_pulled_out(guest):
    """The drive vanishes in the middle and comes back as another one."""
    write_plan(guest, small(SCHEDULERS))
    start(guest, ON_STICK)
    wait_for(guest, IS_MOUNTED)
    guest.unplug(STICK)
    refused(end(guest), "unplugged")
    guest.plug(STICK)
    guest.wait_for("[ -e /dev/disk/by-id/usb-*STICK-1* ]")
    guest.ok("bakeoff clean")
    check_store(guest)
    guest.ok("! grep -q /dev/sd /proc/mounts")
    guest.unplug(STICK)
    plugged_in(guest, STICK)


@pytest.mark.each_time
def test_stick_back_before_the_run_noticed(guest):
    """The drive that the user agreed to is there, as sdb."""
    write_plan(guest, small(SCHEDULERS))
    start(guest, ON_STICK)
    wait_for(guest, IS_MOUNTED)
    guest.ok("kill -STOP $(cat /tmp/job.pid)")
    guest.unplug(STICK)
    guest.plug_as("sdb", STICK)
    before = sectors_written(guest, "sdb")
    guest.ok("kill -CONT $(cat /tmp/job.pid)")
    refused(end(guest), "unplugged")
    assert sectors_written(guest, "sdb") == before
    guest.ok("bakeoff clean")
    check_store(guest)
    guest.unplug(STICK)
    plugged_in(guest, STICK)


@pytest.mark.each_time
def test_disk_exchanged_between_two_steps(guest):
    """The name is another disk's from the moment on at which the first filesystem is made."""
    write_plan(guest, small(SCHEDULERS))
    guest.ok(
        r"""mkdir -p /tmp/exchange
cat >/tmp/exchange/mkfs.ext4 <<END
#!/bin/dash
$(command -v mkfs.ext4) "\$@" || exit
mv /dev/vda /dev/vda.was
cp -a /dev/vdb /dev/vda
END
chmod +x /tmp/exchange/mkfs.ext4"""
    )
    before = sectors_written(guest, "vdb")
    path = "env PATH=/tmp/exchange:$PATH"
    start(guest, f"{path} bakeoff run --anyway /tmp/plan.toml {TARGET} {ENDLESS}")
    ended = end(guest)
    guest.ok("mv /dev/vda.was /dev/vda; rm -r /tmp/exchange; bakeoff clean")
    refused(ended, "/dev/vda has changed from device")
    assert sectors_written(guest, "vdb") == before
    check_store(guest)


@pytest.mark.each_time
def test_disk_exchanged_while_it_waits(guest):
    """Ten hours pass; what is plugged in then has the same name and size."""
    write_plan(guest, small(SCHEDULERS))
    at = guest.ok("date -d @$(($(date +%s) + 36000)) +%H:%M").strip()
    start(guest, f"{ON_STICK} --at {at}")
    wait_for(guest, "grep -q 'Waiting until' /tmp/job.err")
    guest.unplug(STICK)
    guest.wait_for("[ ! -e /sys/block/sda ]")
    other = Disk("stick", STICK.size_bytes, "usb", serial="STICK-2")
    guest.plug_as("sda", other)
    before = sectors_written(guest, "sda")
    guest.ok("date -s @$(($(date +%s) + 36000)) >/dev/null")
    refused(end(guest), "target drive has changed, and nothing was written")
    assert sectors_written(guest, "sda") == before
    guest.unplug(other)
    plugged_in(guest, STICK)


def test_disk_errors_in_a_cell(guest):
    """Every request fails from the moment on at which there are files of bakeoff."""
    # On less than the whole there would be no space for a file: 512 MiB stay free.
    sectors = DISK.size_bytes // 512
    guest.ok(
        f"""dmsetup create flaky --table '0 {sectors} linear /dev/vda 0'
        mkfs.ext4 -qF /dev/mapper/flaky && mount /dev/mapper/flaky /mnt && mkdir /mnt/a"""
    )
    start(guest, QUICK)
    wait_for(guest, IS_LAID_OUT)
    guest.ok(
        f"""dmsetup suspend --nolockfs flaky
        dmsetup load flaky --table '0 {sectors} flakey /dev/vda 0 0 60'
        dmsetup resume flaky"""
    )
    ended = end(guest)
    assert ended.code in (1, 4), ended.error
    guest.ok("umount -l /mnt; sleep 1; dmsetup remove --retry flaky; bakeoff clean; true")
    check_store(guest)


def test_remounted_read_only_in_a_cell(guest):
    """What the kernel does after an error of its journal, and an administrator by hand."""
    guest.ok("mkfs.ext4 -qF /dev/vda && mount /dev/vda /mnt && mkdir /mnt/a")
    start(guest, QUICK)
    wait_for(guest, IS_LAID_OUT)
    guest.ok("echo u >/proc/sysrq-trigger")
    guest.wait_for("grep -q ' /mnt ext4 ro' /proc/mounts")
    ended = end(guest)
    assert ended.code in (1, 4), ended.error
    guest.ok("umount /mnt; bakeoff clean; true")
    check_store(guest)


def test_no_space(guest):
    """An image promises more than its filesystem has."""
    guest.ok("mkfs.ext4 -qF /dev/vda 100M && mount /dev/vda /mnt && truncate -s 1G /mnt/image")
    write_plan(guest, small(SCHEDULERS.replace("64m", "128m")))
    output = guest.run(
        "bakeoff run --anyway /tmp/plan.toml --target /mnt/image --erase image"
        " --time 4h --max-write 100g"
    )
    assert output.code in (2, 3, 4), output.error
    guest.ok("umount /mnt")
