"""A flash drive of known mechanism, which is the program in `flash`: for a trace, or as a loop
device of this machine on a file that the program mounts. That needs root and FUSE, and no NBD."""

import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .image import locked

SOURCES = Path(__file__).with_name("flash")


def program(target: Path) -> Path:
    """Compiles it in the folder `target`, unless it is newer there than its source."""
    target.mkdir(parents=True, exist_ok=True)
    built = target / "emulated-flash"
    with locked(target / "emulated-flash.lock"):
        newest = max(source.stat().st_mtime for source in SOURCES.iterdir())
        if not built.exists() or built.stat().st_mtime < newest:
            command = ["cc", "-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread"]
            subprocess.run([*command, "-o", built, *SOURCES.glob("*.c")], check=True)
    return built


def words(design: dict) -> list[str]:
    return [f"{name}={value}" for name, value in design.items()]


def traced(program: Path, size_bytes: int, design: dict, requests) -> dict:
    """What the drive counts and how long it takes (`busy_us`) for requests `(kind, offset, size)`,
    in no time."""
    lines = "".join(f"{kind} {offset} {size}\n" for kind, offset, size in requests)
    command = [program, "trace", str(size_bytes), *words(design)]
    done = subprocess.run(command, input=lines, text=True, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


@dataclass
class Flash:
    """A drive that is attached; `server` counts."""

    device: str
    server: subprocess.Popen
    _before: int = 0

    def __post_init__(self):
        self._before = self.kernel_written_bytes()

    def counted(self) -> dict:
        self.server.send_signal(signal.SIGUSR1)
        return json.loads(self.server.stdout.readline())

    def kernel_written_bytes(self) -> int:
        """What the kernel counted since the drive was attached: a loop device's counters stay."""
        stat = Path("/sys/block", Path(self.device).name, "stat").read_text().split()
        return 512 * int(stat[6]) - self._before


@contextmanager
def attached(program: Path, folder: Path, size_bytes: int, design: dict):
    """The drive as a loop device, as long as the block runs."""
    shown, backing = folder / "drive", folder / "backing"
    for path in (backing, shown):
        path.touch()
    os.truncate(backing, size_bytes)
    command = [program, "fuse", shown, backing, *words(design)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    device = None
    try:
        end = time.monotonic() + 60
        while shown.stat().st_size != size_bytes:
            assert server.poll() is None and time.monotonic() < end, "no drive is served"
            time.sleep(0.02)
        attach = ["losetup", "--find", "--show", "--direct-io=on", shown]
        device = subprocess.check_output(attach, text=True).strip()
        yield Flash(device, server)
    finally:
        # Whatever fails here, the rest is still put away.
        if device:
            subprocess.run(["losetup", "--detach", device], check=False)
        subprocess.run(["umount", "--lazy", shown], check=False)
        server.terminate()
        server.wait()
        backing.unlink()
