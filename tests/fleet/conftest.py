"""Fixtures of the tests of the Ansible collection: real Ansible over real SSH.

Hosts are namespaces of this machine (`host.sh`), with `--machines` also emulated machines. `make
test-fleet` starts pytest as root in namespaces of its own, where it may make interfaces and mounts.
The steps of a module build on each other, so the first that fails ends them (`-x`)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests/machines")]

from emulated.machine import TARGET
from site_of_hosts import Tools


def pytest_addoption(parser):
    parser.addoption("--binary", type=Path, help="program under test (target/debug/bakeoff)")
    parser.addoption("--machines", action="store_true", help="also on emulated machines")
    parser.addoption("--released", action="store_true", help="what make dist built there")


def pytest_collection_modifyitems(config, items):
    wanted = config.getoption("--machines")
    left = [item for item in items if ("test_machines" in item.nodeid) != wanted]
    left = [item for item in left if "test_collection" not in item.nodeid]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


@pytest.fixture(scope="session")
def program(request) -> Path:
    given = request.config.getoption("--binary") or TARGET / "debug/bakeoff"
    assert given.exists(), f"there is no {given}: cargo build"
    return given.resolve()


@pytest.fixture(scope="session")
def tools() -> Tools:
    """Ansible and the collection, built and installed."""
    tools = Tools(TARGET / "fleet")
    built, collections = tools.folder / "built", tools.folder / "collections"
    for folder in (built, collections, tools.folder / "home"):
        subprocess.run(["rm", "-rf", folder], check=True)
        folder.mkdir(parents=True)
    source = ROOT / "packaging/ansible"
    said = tools.run("ansible-galaxy", "collection", "build", "--output-path", built, source)
    assert "warning" not in said.lower(), said
    [archive] = built.iterdir()
    where = ["--offline", "--collections-path", collections, archive]
    tools.run("ansible-galaxy", "collection", "install", *where)
    return tools


@pytest.fixture(scope="session")
def network():
    """The network of the hosts, in which this machine is the controller."""
    assert os.environ.get("BAKEOFF_FLEET_INSIDE"), "run as root: make test-fleet"
    for words in (
        "link set lo up",
        "link add boards type bridge",
        "addr add 192.0.2.1/24 dev boards",
        "link set boards up",
    ):
        subprocess.run(["ip", *words.split()], check=True)
