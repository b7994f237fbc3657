"""Turns against visits: the same plan in interleaved slices and by visits, on drives of known
mechanism and on regions of one size. Prints a table. Needs root, and mfusepy of
PyPI for the drives, which are files on FUSE behind loop devices.

Two runs agree on a pair when their intervals overlap, and on a level when it differs by at most a
tenth or by less than the intervals."""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common import ROOT, TARGET, answer, answer_json, released, table

sys.path.insert(0, str(ROOT / "tests/machines"))
from emulated import drives

SERVER = ROOT / "tests/machines/emulated/fuse_file.py"
WORKLOADS = {
    "random writes": "rw = 'randwrite'\nbs = '4k'\nfsync = 1\ndirect = true",
    "small files": "rw = 'smallfiles'",
    "sequential writes": "rw = 'write'\nbs = '1m'\nfsync = 16",
    "random reads": "rw = 'randread'\nbs = '4k'\ndirect = true",
    "sqlite": "profile = 'sqlite'",
}
STACKS = {
    "ext4": "fs = 'ext4'",
    "no journal": "fs = 'ext4'\nmkfs = ['-O', '^has_journal']",
    "xfs": "fs = 'xfs'",
    "btrfs": "fs = 'btrfs'",
    "exfat": "fs = 'exfat'",
}


@contextmanager
def drive(name: str, size_mib: int, folder: Path):
    """A loop device over an emulated drive."""
    mount, backing = folder / "mount", folder / "backing"
    mount.mkdir(exist_ok=True)
    with backing.open("wb") as file:
        file.truncate(size_mib << 20)
    packages = {**os.environ, "PYTHONPATH": str(TARGET / "mfusepy")}
    server = subprocess.Popen([sys.executable, SERVER, mount, backing, name], env=packages)
    try:
        while not (mount / "disk.img").exists():
            assert server.poll() is None, "no FUSE drive"
            time.sleep(0.1)
        attach = ["losetup", "--find", "--show", "--direct-io=on", mount / "disk.img"]
        device = subprocess.check_output(attach, text=True).strip()
        try:
            yield device
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)
    finally:
        subprocess.run(["umount", mount], check=False)
        server.wait()


@dataclass
class Measured:
    """One run: of each workload the ratios of pairs with their intervals and the levels of
    candidates; seconds, and what each candidate had of the drive."""

    ratios: dict
    levels: dict
    seconds: float
    isolation: str
    region_mib: int


def run(program, device, folder, options, workload, isolation, region_mib) -> Measured:
    stacks = options.stack
    plan = f"title = 'turns'\n[region]\nsize = '{region_mib}m'\n"
    plan += "".join(f"[[stack]]\nname = '{name}'\n{STACKS[name]}\n" for name in stacks)
    plan += f"[[workload]]\n{WORKLOADS[workload]}\n[protocol]\nmode = '{options.mode}'\n"
    plan += f"isolation = '{isolation}'\n"
    (folder / "plan.toml").write_text(plan)
    subprocess.run(["wipefs", "-aq", device], check=True)
    on = ["--target", device, "--max-write", "100g", "--quiet", "--store", "turns.db"]
    planned = answer_json(program, "plan", "plan.toml", *on, cwd=folder)
    token = planned["targets"][0]["erase_token"]
    # Slices share the region, also with the control where it has room; a visit has all of it.
    shares = len(planned["candidates"]) if isolation == "slices" else 1
    words = [
        "run",
        "--anyway",
        "plan.toml",
        "--erase",
        token,
        "--time",
        options.time,
        "--format",
        "json",
    ]
    started = time.monotonic()
    result = json.loads(answer(program, *words, *on, cwd=folder))
    ratios, levels = {}, {}
    for verdict in result["verdicts"]:
        for effect in verdict["effects"]:
            a, b, ratio = effect["a"], effect["b"], [effect["ratio"], effect["low"], effect["high"]]
            if a > b:
                a, b, ratio = b, a, [1 / ratio[0], 1 / ratio[2], 1 / ratio[1]]
            ratios[verdict["workload"], a, b] = ratio
        for one in verdict["standings"]:
            levels[verdict["workload"], one["candidate"]] = one["mean"]
    seconds = time.monotonic() - started
    isolation = result["protocol"].get("isolation", "visit")
    return Measured(ratios, levels, seconds, isolation, region_mib // shares)


def compared(drive_name, turns: Measured, visits: Measured):
    """A row for each pair: whether intervals overlap, and whether levels are within a tenth."""
    for key in sorted(turns.ratios.keys() & visits.ratios.keys()):
        workload, *pair = key
        a, b = turns.ratios[key], visits.ratios[key]
        agree = a[1] <= b[2] and b[1] <= a[2]
        levels = [turns.levels[workload, name] / visits.levels[workload, name] for name in pair]
        words = ["{:.2f} ({:.2f} to {:.2f})".format(*ratio) for ratio in (a, b)]
        level = ", ".join(f"{value:.2f}" for value in levels)
        said = "yes" if agree else "**no**"
        seconds = f"{turns.seconds:.0f} s, {visits.seconds:.0f} s"
        how = "" if turns.isolation == "slices" else f" ({turns.isolation})"
        yield drive_name, workload, " / ".join(pair), words[0] + how, words[1], said, level, seconds


def both(program, options, name, workload):
    """The rows of one drive and workload: first in turns, then by visits on as large a region."""
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        folder = Path(folder)
        all_mib = (len(options.stack) + 1) * options.region
        with drive(name, all_mib + 64, folder) as device:
            common = (program, device, folder, options, workload)
            turns = run(*common, "slices", all_mib)
            visits = run(*common, "visit", turns.region_mib)
    rows = list(compared(name, turns, visits))
    print(*rows, sep="\n", file=sys.stderr, flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drive", choices=drives.NAMES, action="append")
    parser.add_argument("--workload", choices=WORKLOADS, action="append")
    parser.add_argument("--stack", choices=STACKS, action="append")
    parser.add_argument("--region", type=int, default=320, help="MiB for each candidate")
    parser.add_argument("--mode", choices=["quick", "decide", "precise"], default="quick")
    parser.add_argument("--time", default="8m", help="of each run")
    parser.add_argument("--jobs", type=int, default=1, help="drives at once: most of them sleep")
    parser.add_argument("--dir", type=Path, default=TARGET, help="of the files behind the drives")
    parser.add_argument("--binary", type=Path)
    options = parser.parse_args()
    options.stack = options.stack or list(STACKS)
    packages = TARGET / "mfusepy"
    if not packages.exists():
        pip = "-m pip install --quiet --target".split()
        subprocess.run([sys.executable, *pip, packages, "mfusepy==3.1.1"], check=True)
    program = (options.binary or released()).resolve()
    wanted = itertools.product(options.drive or drives.NAMES, options.workload or WORKLOADS)
    with ThreadPoolExecutor(options.jobs) as jobs:
        each = jobs.map(lambda one: both(program, options, *one), wanted)
        rows = [row for rows in each for row in rows]
    agreed = sum(row[5] == "yes" for row in rows)
    columns = ["drive", "workload", "pair", "in turns", "by visits", "agree", "levels", "time"]
    print(f"{agreed} of {len(rows)} pairs agree.\n\n{table(columns, rows)}")


if __name__ == "__main__":
    main()
