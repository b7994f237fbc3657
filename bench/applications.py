"""Does `fit` agree with the applications themselves? etcd, PostgreSQL and SQLite run on emulated
drives, and what they say of their storage is put beside the verdict of `fit` in the same directory.
Rewrites a part of docs/agreement.md. Nothing here passes or fails. Needs root, FUSE and
the packages of the group `applications` (`scripts/install.sh applications`).

The drives are loop devices of this machine on a file of the emulated flash drive. All of it has
real-time priority, the threads of the kernel below it included: beside other programs, a drive
would be as late as the CPU is."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common import ROOT, TARGET, first_line, machine, released, table, write_page
from real_applications import Bucketed, etcd, postgresql, sqlite

sys.path.insert(0, str(ROOT / "tests/machines"))
from emulated import flash

MIB = 1 << 20
SIZE_BYTES = 3072 * MIB
# Times in microseconds. What is not set is that of a card of the middle class.
DRIVES = {
    "fast": {"page": 4096, "read": 20, "program": 60, "request": 40, "flush": 100, "bus": 400},
    "card": {},
    "slow card": {"program": 6000, "flush": 3000},
    "60 IOPS": {"request": 1e6 / 60},
}


@dataclass
class Own:
    """What an application says of one demand: in words, and whether it says that the limit is met;
    `None` where a histogram has the limit inside of the bucket."""

    application: str
    workload: str
    said: str
    is_met: bool | None


@contextmanager
def undisturbed():
    """Whatever works for a drive has real-time priority, also what the kernel starts meanwhile."""
    ended = threading.Event()

    def keep():
        while not ended.wait(1):
            kernel_threads(os.SCHED_FIFO, 1)

    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(5))
    keeper = threading.Thread(target=keep)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
        kernel_threads(os.SCHED_OTHER, 0)


def kernel_threads(policy: int, priority: int):
    """Of loop devices: their journals, and the workers that any of them may have next."""
    for comm in Path("/proc").glob("[0-9]*/comm"):
        try:
            if re.match(r"kworker/(u\d+|\d+):\d+(?!H)|jbd2/loop", comm.read_text()):
                pid = int(comm.parent.name)
                os.sched_setscheduler(pid, policy, os.sched_param(priority))
        except OSError:
            pass  # It has ended.


@contextmanager
def drive(design: dict):
    """A directory on the drive."""
    # In memory, so that nothing else of this machine takes part.
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with flash.attached(flash.program(TARGET), folder, SIZE_BYTES, design) as attached:
            mount = folder / "mount"
            mount.mkdir()
            quick = "nodiscard,lazy_itable_init=0,lazy_journal_init=0"
            run("mkfs.ext4", "-qF", "-E", quick, attached.device)
            run("mount", attached.device, mount)
            try:
                yield mount
            finally:
                run("umount", mount)


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stdin=subprocess.DEVNULL)


def asked(folder: Path, seconds: float) -> list[Own]:
    """All applications, one after the other, by the limits that `fit` has for them."""
    node = etcd(folder, seconds)
    found = [
        bucketed("etcd", "etcd-log", node.wal_fsync, 0.010, "wal_fsync"),
        bucketed("etcd", "etcd-commit", node.backend_commit, 0.025, "backend_commit"),
    ]
    server = postgresql(folder, seconds)
    rates = f"{server.commits_per_s:.0f} commits/s (`pg_test_fsync`: {server.fdatasyncs_per_s:.0f})"
    found.append(Own("postgresql", "log-8k", rates, server.commits_per_s >= 100))
    shell = sqlite(folder, seconds, "wal")
    said = f"99 % of commits within {milliseconds(shell.commit_p99_s)}"
    found.append(Own("k3s", "sqlite-log", said, shell.commit_p99_s <= 0.1))
    return found


def bucketed(application: str, workload: str, of: Bucketed, limit_s: float, name: str) -> Own:
    value, low, high = of.quantile(0.99)
    bucket = f"{milliseconds(low)} to {milliseconds(high)}"
    said = f"`{name}` p99 {milliseconds(value)} (bucket: {bucket}) of {of.total:.0f}"
    is_met = True if high <= limit_s else False if low >= limit_s else None
    return Own(application, workload, said, is_met)


def milliseconds(value_s: float) -> str:
    return f"{value_s * 1e3:.3g} ms"


def judged(program: Path, folder: Path, application: str) -> dict:
    """Demands by their workload, as `fit` judges the first of each."""
    words = [program, "fit", application, folder, "--quiet", "--format", "json"]
    ended = subprocess.run(
        [str(word) for word in [*words, "--store", TARGET / "applications.db"]],
        stdout=subprocess.PIPE,
        text=True,
    )
    if ended.returncode not in (0, 1, 5):
        raise RuntimeError(f"bakeoff fit {application} ended with {ended.returncode}")
    [rated] = json.loads(ended.stdout)["applications"]
    demands: dict = {}
    for demand in rated["demands"]:
        demands.setdefault(demand["workload"], demand["alone"])
    return demands


def figure(rating: dict) -> str:
    """The estimate with its interval."""
    is_latency = "latency" in rating["need"]
    ends = [rating["low"], rating["estimate"], rating["high"]]
    low, value, high = (
        "?" if end is None else milliseconds(end / 1e9) if is_latency else f"{end:.0f}/s"
        for end in ends
    )
    return f"{value} ({low} to {high})"


def verdict(rating: dict) -> str:
    of = rating["verdict"]
    return of if isinstance(of, str) else "too close"


def compared(name: str, own: Own, rating: dict) -> list[str]:
    fit, met = verdict(rating), {True: "met", False: "missed", None: "cannot say"}[own.is_met]
    is_open = fit == "too close" or own.is_met is None
    agrees = "–" if is_open else "yes" if (fit == "yes") == own.is_met else "NO"
    demand = f"{own.application}, `{own.workload}`"
    return [name, demand, own.said, met, figure(rating), fit, agrees]


def section(facts: dict, seconds: float, rows: list[list[str]]) -> str:
    columns = ["drive", "demand", "the application itself", "limit", "`fit`", "verdict", "agree"]
    versions = ", ".join(
        f"{name} {re.search(r'[0-9]+[.][0-9.]+', first_line(name, '--version'))[0]}"
        for name in ("etcd", "pgbench", "sqlite3")
    )
    designs = "".join(
        f"- {name}: {', '.join(f'{key} {value:.0f}' for key, value in design.items())}\n"
        for name, design in DRIVES.items()
        if design
    )
    return (
        f"Measured on {facts['CPU']}, kernel {facts['kernel']}, with {versions}, "
        f"{seconds:.0f} s for each. The drives are those of `tests/machines/emulated/flash`, a "
        f"card by default. What the others change (µs; bytes; bytes per µs):\n\n{designs}\n"
        + table(columns, rows)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, help="bakeoff (default: the release build)")
    parser.add_argument("--seconds", type=float, default=20, help="time for each application")
    parser.add_argument("drives", nargs="*", choices=[[], *DRIVES], help="default: all")
    words = parser.parse_args()
    program, rows = words.program or released(), []
    for name in words.drives or DRIVES:
        with undisturbed(), drive(DRIVES[name]) as folder:
            fits = {of: judged(program, folder, of) for of in ("etcd", "postgresql", "k3s")}
            for own in asked(folder, words.seconds):
                rows.append(compared(name, own, fits[own.application][own.workload]))
                print(" | ".join(rows[-1]), file=sys.stderr)
    found = section(machine("/dev/shm"), words.seconds, rows)
    write_page("agreement.md", "applications", found)


if __name__ == "__main__":
    main()
