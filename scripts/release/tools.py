"""What the scripts of a release share: they run other programs, and what failed is said with the
command and the end of what it printed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGET = Path(subprocess.check_output([ROOT / "scripts/target.sh"], text=True).strip())
# Lines of a failed program's output that are shown.
SHOWN_LINES = 20


class Failed(Exception):
    """Why there is nothing to publish, in words for people."""


def run(*words, codes=(0,), env=None, **options) -> str:
    """Runs a program and returns what it printed; that is shown only if it fails."""
    command = [str(word) for word in words]
    env = {**os.environ, **(env or {})}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        ended = subprocess.run(
            command, env=env, encoding="utf-8", errors="replace", **pipes, **options
        )
    except OSError as error:
        raise Failed(f"cannot run {' '.join(command)}: {error}") from None
    if ended.returncode not in codes:
        end = "\n".join((ended.stdout + ended.stderr).splitlines()[-SHOWN_LINES:])
        raise Failed(f"{' '.join(command)} ended with {ended.returncode}; it said:\n{end}")
    return ended.stdout


def show(*words, env=None, **options):
    """Runs a program with its output on ours."""
    command = [str(word) for word in words]
    env = {**os.environ, **(env or {})}
    try:
        code = subprocess.run(command, stdin=subprocess.DEVNULL, env=env, **options).returncode
    except OSError as error:
        raise Failed(f"cannot run {' '.join(command)}: {error}") from None
    if code:
        raise Failed(f"{' '.join(command)} ended with {code}")


def ensure(holds, what: str):
    """A check of what was made, which no option of Python leaves out."""
    if not holds:
        raise Failed(what)


def fetch_once(folder: Path, packages: list[str], fetch):
    """Fetches packages into a folder, unless they are what it was filled with before."""
    finished, wanted = folder / "packages", " ".join(packages)
    if finished.exists() and finished.read_text() == wanted:
        return
    fetch()
    finished.write_text(wanted)


def fetch_from_pypi(folder: Path, packages: list[str], limit_s: int):
    """Fetches packages of PyPI; `limit_s` is how long that may take."""
    pip = "python3 -m pip install --quiet --disable-pip-version-check --only-binary=:all: --upgrade"
    words = [*pip.split(), "--target", folder, *packages]
    fetch_once(folder, packages, lambda: run("timeout", limit_s, *words))


def renew(folder: Path):
    """Empties a folder, or makes it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def write(path: Path, content: str | bytes, mode=0o644):
    """Writes a file, and makes the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)


def copy(source: Path, to: Path):
    """Copies a file with its mode, and makes the folders above the copy."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, to)


def skip(check: str, needs: str, why: str):
    """Says that a check was skipped for want of something, here and in the list of the test run."""
    print(f"SKIPPED: {check}: {why}")
    if skips := os.environ.get("BAKEOFF_SKIPS"):
        with open(skips, "a") as notes:
            print(check, needs, why, sep="\t", file=notes)


def start(main):
    """Runs the script; what failed is one message and exit code 1."""
    try:
        main()
    except Failed as failed:
        sys.exit(f"{Path(sys.argv[0]).name}: {failed}")
