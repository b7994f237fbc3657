"""Fixtures of the tests on emulated machines: `pytest tests/machines`.

Starting a guest takes seconds, so tests of a module that leave nothing behind share one: the module
names its machines in GROUPS, and a test takes the running guest as `guest`. After each test the
guest has to be as it was before; the next test gets a new one otherwise. `--dist loadfile -n 2`
runs two modules at a time.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from emulated.board import Board
from emulated.disk import Disk
from emulated.guest import Guest
from emulated.machine import Lab


def pytest_addoption(parser):
    parser.addoption(
        "--binary",
        type=Path,
        help="program for the PC, statically linked (default: that of make dist --test)",
    )
    parser.addoption("--released", action="store_true", help="test what make dist built")
    parser.addoption(
        "--alone", action="store_true", help="also run the tests that need an idle machine"
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "each_time: protects people's data; part of make test")
    config.addinivalue_line("markers", "alone: needs a machine that does nothing else")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--alone") or config.getoption("markexpr"):
        return
    left = [item for item in items if item.get_closest_marker("alone")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


@dataclass(frozen=True)
class Group:
    """Tests that share a guest."""

    name: str
    board: Board
    disks: tuple[Disk, ...]


def pytest_generate_tests(metafunc):
    if "guest" in metafunc.fixturenames:
        groups = metafunc.module.GROUPS
        ids = [group.name for group in groups]
        metafunc.parametrize("seat", groups, ids=ids, indirect=True, scope="module")


@pytest.fixture(scope="session")
def lab(request) -> Lab:
    binary = request.config.getoption("--binary")
    return Lab(binary and binary.resolve(), request.config.getoption("--released"))


class Seat:
    """The guest of a group, from the first test that takes it to the first that spoils it."""

    def __init__(self, lab: Lab, group: Group):
        self.lab, self.group = lab, group
        self.guest: Guest | None = None
        self.before: list[str] = []

    def take(self) -> Guest:
        if self.guest is None:
            group = self.group
            self.guest = self.lab.machine(group.board, group.name, list(group.disks)).boot()
            self.before = self.guest.state()
        return self.guest

    def leave(self):
        guest, self.guest = self.guest, None
        try:
            # What a test wrote last, and what udev makes of that, is not the next one's.
            guest.ok("sync")
            guest.settle()
            guest.assert_unchanged(self.before)
            # Each test begins with an empty store.
            guest.ok("rm -rf $HOME/.local/share/bakeoff")
        except BaseException:
            guest.kill()
            raise
        self.guest = guest


@pytest.fixture(scope="module")
def seat(request, lab):
    seat = Seat(lab, request.param)
    yield seat
    if seat.guest:
        seat.guest.kill()


@pytest.fixture
def guest(seat):
    yield seat.take()
    seat.leave()
