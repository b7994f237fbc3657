"""`watch` beside netdata over one load. Both read the same counters of the kernel once a second;
what differs by more than 2 % is a failure. Rewrites a part of docs/live.md. Needs Debian's
netdata-core.

netdata moves its figures to whole seconds by interpolation (https://learn.netdata.cloud, "RRD"), so
sums are compared over an interval that begins and ends without the load. Its `system.cpu` is a
share of the ticks of all processors, and one that does I/O can have fewer of them counted than one
that computes, so the mean of `cpu.cpu0`, `cpu.cpu1`, … is what has to agree."""

import argparse
import getpass
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from common import TARGET, disk_counters, released, table, write_page

# Most that two figures may differ; figures below LEAST are too small: netdata rounds utilisation to
# whole milliseconds.
MOST, LEAST = 0.02, 0.5
# Seconds without the load at both ends.
EDGE_S = 5
CONFIG = """[global]
update every = 1
run as user = {user}
[db]
mode = ram
[web]
bind to = 127.0.0.1:{port}
[registry]
enabled = no
[statsd]
enabled = no
[health]
enabled = no
[ml]
enabled = no
[plugins]
cgroups = no
tc = no
apps = no
python.d = no
charts.d = no
go.d = no
ebpf = no
perf = no
diskspace = no
[plugin:proc:/proc/stat]
per cpu core utilization = yes
[directories]
config = {folder}
cache = {folder}
lib = {folder}
log = {folder}
"""


class Netdata:
    """A netdata of our own."""

    def __init__(self, folder: Path, disk: str):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        config = folder / "netdata.conf"
        config.write_text(CONFIG.format(user=getpass.getuser(), port=self.port, folder=folder))
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(["netdata", "-D", "-c", config], **quiet)
        for _ in range(1200):
            if all(len(self.rows(chart)[1]) > 3 for chart in (f"disk.{disk}", "cpu.cpu0")):
                return
            time.sleep(0.1)
        sys.exit(f"netdata has no chart of {disk}")

    def rows(self, chart: str):
        query = "after=-600&points=600&format=json&options=seconds,absolute"
        try:
            address = f"http://127.0.0.1:{self.port}/api/v1/data?chart={chart}&{query}"
            data = json.load(urllib.request.urlopen(address, timeout=10))
            return data["labels"][1:], data["data"]
        except OSError:
            return [], []

    def sum(self, chart: str, start: float, end: float, is_wanted=lambda name: True) -> float:
        """The sum over an interval of the wanted dimensions: a point is a rate over the seconds
        that end then. Stalls have a point every other second."""
        names, rows = self.rows(chart)
        step = abs(rows[0][0] - rows[1][0])
        total = 0.0
        for at, *values in rows:
            part = min(max(min(at, end) - max(at - step, start), 0), step)
            total += part * sum(value or 0 for name, value in zip(names, values) if is_wanted(name))
        return total


def load(folder: Path, seconds: int):
    """Writes and reads past the page cache, and works on one processor."""
    file = folder / "load"
    disk = (
        f"while :; do dd if=/dev/zero of={file} bs=64k count=1000 oflag=direct conv=fsync; "
        f"dd if={file} of=/dev/null bs=16k count=4000 iflag=direct; done"
    )
    loads = [
        subprocess.Popen(["timeout", str(seconds), "sh", "-c", words], stderr=subprocess.DEVNULL)
        for words in (disk, "while :; do :; done")
    ]
    for one in loads:
        one.wait()


def compared(netdata, frames, disk):
    """What, each one's name of it, and the sums of netdata and of watch."""
    end = frames[-1]["unix_ns"] / 1e9
    start = end - sum(frame["elapsed_ns"] for frame in frames) / 1e9

    def theirs(chart, is_wanted=lambda name: True):
        return netdata.sum(chart, start, end, is_wanted)

    def ours(figure):
        return sum(figure(frame) * frame["elapsed_ns"] / 1e9 for frame in frames)

    def busy(frame):
        cpus = frame["machine"]["cpu_percent"]
        return sum(cpus) / len(cpus)

    io, stall = f"disk.{disk}", "system.io_some_pressure_stall_time"
    count = len(frames[0]["machine"]["cpu_percent"])
    cpu = sum(
        theirs(f"cpu.cpu{number}", lambda name: name not in ("iowait", "idle"))
        for number in range(count)
    )
    return [
        (
            "reads, MiB",
            "`disk.*` reads",
            "`rkB/s`",
            theirs(io, lambda name: name == "reads") / 1024,
            ours(lambda frame: frame["disk"][0]["rkB/s"]) / 1024,
        ),
        (
            "writes, MiB",
            "`disk.*` writes",
            "`wkB/s`",
            theirs(io, lambda name: name == "writes") / 1024,
            ours(lambda frame: frame["disk"][0]["wkB/s"]) / 1024,
        ),
        (
            "utilisation, s",
            "`disk_util.*` utilization",
            "`util`",
            theirs(f"disk_util.{disk}") / 100,
            ours(lambda frame: frame["disk"][0]["util"]) / 100,
        ),
        (
            "waiting for I/O, s",
            f"`{stall}`",
            "`io_some_percent`",
            theirs(stall) / 1e3,
            ours(lambda frame: frame["machine"]["io_some_percent"]) / 100,
        ),
        (
            "CPU, s of all processors",
            "mean of `cpu.cpu*` without iowait",
            "mean of `cpu_percent`",
            cpu / count / 100,
            ours(busy) / 100,
        ),
    ]


def difference(theirs: float, ours: float) -> float | None:
    return ours / theirs - 1 if max(theirs, ours) >= LEAST else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--dir", type=Path, default=TARGET)
    options = parser.parse_args()
    program = released()
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        folder = Path(folder)
        disk = disk_counters(folder).resolve().parent.name
        netdata = Netdata(folder, disk)
        try:
            seconds = options.seconds + 2 * EDGE_S
            words = ["watch", disk, "--format", "json", "--interval", "1s", "--time", f"{seconds}s"]
            watch = subprocess.Popen([program, *words], stdout=subprocess.PIPE, text=True)
            time.sleep(EDGE_S)
            load(folder, options.seconds)
            frames = [json.loads(line) for line in watch.communicate()[0].splitlines()]
            # netdata's last second is there a moment later.
            time.sleep(3)
            figures = compared(netdata, frames, disk)
        finally:
            netdata.process.terminate()
            netdata.process.wait(20)
    rows, worst = [], 0.0
    for what, theirs_name, ours_name, theirs, ours in figures:
        off = difference(theirs, ours)
        worst = max(worst, abs(off or 0))
        said = "too small" if off is None else f"{off:+.2%}"
        rows.append((what, theirs_name, ours_name, f"{theirs:.2f}", f"{ours:.2f}", said))
    columns = ["figure", "netdata", "`bakeoff watch --format json`", " netdata's sum", " `watch`"]
    text = f"Sums over one load of {options.seconds} s (kernel {os.uname().release}, netdata of "
    text += "Debian). `bench/netdata.py` repeats\nit, and fails where the two differ by more than "
    write_page("live.md", "netdata", f"{text}2 %.\n\n{table(columns + [' difference'], rows)}")
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
