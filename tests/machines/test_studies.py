"""The built-in plans on disks, one block of each: everything they name can be made and measured.

Cells are as short as can be; what a plan measures, and on what, is as it is built in."""

import pytest
from conftest import Group
from emulated.board import PC
from emulated.disk import MIB, Disk
from emulated.machine import ROOT
from emulated.runs import write_plan
from test_run import one_block_of

GROUPS = [
    Group(
        "studies",
        PC,
        (
            Disk("target", 1024 * MIB, serial="TARGET"),
            Disk("second", 1024 * MIB, serial="SECOND"),
        ),
    )
]
BUILT_IN = ROOT / "crates/core/judge/src/plan/builtin"
ONE = "--target /dev/vda --erase TARGET"

# The smallest region that all filesystems of a plan can be made in, and what its profiles work on.
SIZES = {
    "mountpoints": ("64m", "size = '4m'"),
    "usb-stick": ("128m", "size = '4m'"),
    "journal-scheduler": ("64m", "size = '4m'"),
    "luks-btrfs": ("160m", "size = '4m'"),
    "block-size-sweep": ("160m", "size = '4m'"),
    "sd-card": ("128m", "size = '4m'"),
    "nas": ("320m", "size = '4m'"),
}
# The end of [protocol].
SHORT = """cell_min = '50ms'
cell_max = '8s'
cell_min_ios = 2
flash_state = 'trimmed'
"""


def test_every_built_in_plan_is_here():
    assert {path.stem for path in BUILT_IN.glob("*.toml")} == set(SIZES)


@pytest.mark.parametrize("name", SIZES)
def test_study(guest, name):
    write_plan(guest, shortened(name))
    two = " --target /dev/vdb --erase SECOND" if name == "mountpoints" else ""
    one_block_of(guest, ONE + two)


def shortened(name) -> str:
    """The plan with short cells on a small region."""
    region, sizes = SIZES[name]
    lines = []
    for line in (BUILT_IN / f"{name}.toml").read_text().splitlines():
        if line.startswith("runtime = "):
            line = "runtime = '60ms'"
        elif line.startswith("profile = "):
            line += f"\n{sizes}"
        elif line.startswith("rw = "):
            line += "\nsize = '16m'"
        lines.append(line)
    text = "\n".join(lines)
    assert text.rsplit("\n[", 1)[1].startswith("protocol]"), "the last table is not [protocol]"
    return f"{text}\n{SHORT}[region]\nsize = '{region}'\n"
