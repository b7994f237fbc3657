"""Fixtures of the tests that install a release on clean systems: `make test-install`, as root."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests/machines")]

from emulated.machine import TARGET


def pytest_addoption(parser):
    parser.addoption("--test-release", action="store_true", help="files of `release.py --test`")


@pytest.fixture(scope="session")
def folder() -> Path:
    """Where the systems are made once, below target."""
    assert os.geteuid() == 0, "run as root: clean systems need namespaces"
    folder = TARGET / "systems"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def files(request, folder) -> Path:
    """The files of the release, with an apt repository signed by a key that nobody keeps."""
    is_test = request.config.getoption("--test-release")
    files = TARGET / ("release-test" if is_test else "release-files")
    assert files.exists(), f"there is no {files}: run `make release` first"
    home, apt = folder / "gnupg", files / "apt"
    for emptied in (home, apt):
        shutil.rmtree(emptied, ignore_errors=True)
        emptied.mkdir(mode=0o700)
    name = "A key of bakeoff's tests <key@bakeoff.example>"
    quiet = ["--batch", "--quiet", "--passphrase", ""]
    gpg = ["gpg", "--homedir", home, *quiet, "--quick-generate-key", name]
    subprocess.run([*gpg, "ed25519", "sign", "never"], check=True)
    script = ROOT / "scripts/release/repository.py"
    repository = ["python3", script, apt, "key@bakeoff.example"]
    subprocess.run(repository, check=True, cwd=ROOT, env={**os.environ, "GNUPGHOME": str(home)})
    subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=True)
    return files


ROWS = []


@pytest.fixture
def table():
    """Rows of the table in docs/install.md, which is printed at the end."""
    return ROWS


def pytest_terminal_summary(terminalreporter):
    if ROWS:
        terminalreporter.write_line("| file | system | commands | installed | time |")
        terminalreporter.write_line("|---|---|---|--:|--:|")
        for row in ROWS:
            terminalreporter.write_line(f"| {' | '.join(row)} |")
