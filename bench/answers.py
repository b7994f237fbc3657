"""How soon and how surely a demo answers: demos of three minutes one after the other, quiet and
beside a compiler, and `quick` on two directories. Rewrites a part of docs/performance.md. Nothing
here passes or fails.

With --against, an earlier program alternates with this one; the noise of a block is compared."""

import argparse
import json
import math
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

from common import ROOT, TARGET, Spread, answer, events, machine, released, table, write_page

STORE = ["--store", "bench.db"]


def measured(program, folder: Path, *words) -> tuple[dict, float]:
    started = time.monotonic()
    options = ["--quiet", "--format", "json", *STORE]
    said = answer(program, *words, *options, cwd=folder)
    return json.loads(said), time.monotonic() - started


def demo(program, folder: Path) -> dict:
    """Seconds, blocks, and by workload verdict, leader, lead and the noise of a block."""
    run, seconds = measured(program, folder, "demo", "--time", "3m")
    noises = noise([event["what"] for event in events(program, *STORE, cwd=folder)])
    answers = {
        verdict["workload"]: {**verdict, "noise": noises.get(verdict["workload"])}
        for verdict in run["verdicts"]
    }
    print(f"{program}: {seconds:.0f} s, {run['blocks']} blocks", file=sys.stderr)
    return {"seconds": seconds, "blocks": run["blocks"], "answers": answers}


def noise(said: list) -> dict[str, float]:
    """By workload the median over pairs of candidates of the standard deviation of the logarithm of
    their ratio from block to block."""
    names, cells = [], defaultdict(lambda: defaultdict(dict))
    for what in said:
        if "rehearsed" in what:
            names = [workload["name"] for workload in what["rehearsed"]["workloads"]]
        if cell := what.get("cell_done"):
            done = cell["measurement"]
            ios = sum((done.get(way) or {}).get("total_ios", 0) for way in ("read", "write"))
            if ios:
                rate = math.log(ios / done["elapsed_ns"])
                cells[cell["workload"]][cell["candidate"]][cell["block"]] = rate
    found = {}
    for workload, candidates in cells.items():
        differences = (
            [a[block] - b[block] for block in a.keys() & b.keys()]
            for a, b in combinations(candidates.values(), 2)
        )
        deviations = [statistics.stdev(values) for values in differences if len(values) > 2]
        if deviations and workload < len(names):
            found[names[workload]] = statistics.median(deviations)
    return found


@contextmanager
def compiling(folder: Path):
    """A compiler that starts again and again."""
    again = "while :; do rm -rf load-target; cargo build --quiet --target-dir load-target; done"
    again = f"cd {ROOT} && {again.replace('load-target', str(folder / 'load-target'))}"
    load = subprocess.Popen(["setsid", "sh", "-c", again], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        subprocess.run(["pkill", "-KILL", "-s", str(load.pid)], check=False)
        load.wait()


@contextmanager
def two_users_of_the_disk(folder: Path):
    """One writes and one reads past the page cache."""
    file = folder / "load"
    write = f"while :; do dd if=/dev/zero of={file} bs=64k count=4000 oflag=direct; done"
    read = f"while :; do dd if={file} of=/dev/null bs=16k iflag=direct; sleep 0.01; done"
    loads = [
        subprocess.Popen(["setsid", "sh", "-c", words], stderr=subprocess.DEVNULL)
        for words in (write, read)
    ]
    try:
        yield
    finally:
        for load in loads:
            subprocess.run(["pkill", "-KILL", "-s", str(load.pid)], check=False)
            load.wait()


def bound(one: dict) -> float | None:
    """How much faster another could be: the median over the workloads without a winner."""
    leads = [verdict["lead"] for verdict in one["answers"].values()]
    open_leads = [-lead for lead in leads if lead is not None and lead < 0]
    return statistics.median(open_leads) if open_leads else None


def section(facts: dict, quiet, busy, pairs, quick_s) -> str:
    rows = []
    for when, demos, wanted in (("quiet", quiet, "4 %"), ("beside a compiler", busy, "10 %")):
        bounds = [value * 100 for value in map(bound, demos) if value is not None]
        if demos:
            figure = f"how much faster another could be, {when}, {len(demos)} demos"
            said = f"{Spread(bounds):.1f} %" if bounds else "every workload has a winner"
            rows.append((figure, said, f"at most {wanted}"))
            rows.append((f"blocks, {when}", f"{Spread(one['blocks'] for one in demos):.0f}", "-"))
            rows.append((f"seconds, {when}", f"{Spread(one['seconds'] for one in demos):.0f}", "-"))
            counts = Counter(v["verdict"] for one in demos for v in one["answers"].values())
            said = ", ".join(f"{count} `{verdict}`" for verdict, count in sorted(counts.items()))
            rows.append((f"answers, {when}", said, "-"))
    winners = defaultdict(set)
    for one in quiet:
        for workload, verdict in one["answers"].items():
            if verdict["verdict"] == "fastest":
                winners[workload].add(verdict["leader"])
    if len(quiet) > 1:
        differ = sum(len(names) > 1 for names in winners.values())
        rows.append(("workloads on which two quiet demos name different winners", differ, "0"))
    if quick_s:
        figure = "`quick` on two directories, random writes, seconds to its answer"
        rows.append((figure, f"{Spread(quick_s):.0f}", "at most 20"))
    ratios = [
        verdict["noise"] / earlier["answers"][workload]["noise"]
        for ours, earlier in pairs
        for workload, verdict in ours["answers"].items()
        if verdict["noise"] and earlier["answers"].get(workload, {}).get("noise")
    ]
    if ratios:
        figure = f"noise of a block to the earlier program's, disk in use, {len(pairs)} pairs"
        rows.append((figure, f"{Spread(ratios):.2f}", "-"))
    text = "\n## How soon bakeoff answers\n\nWritten by `bench/answers.py`. Demos of three minutes "
    text += "on this machine, one after the other:\n\n"
    text += "; ".join(f"{name}: {value}" for name, value in facts.items()) + ".\n\n"
    text += table(["figure", " measured", " wanted"], rows)
    text += "\nFigures are medians, with the smallest and the largest in brackets. How much faster "
    return text + "another one could be is the\nmedian over the workloads without a winner.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--demos", type=int, default=10, help="on an idle machine")
    parser.add_argument("--compiler", type=int, default=3, help="while a compiler runs")
    parser.add_argument("--against", type=Path, help="an earlier bakeoff")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--dir", type=Path, default=TARGET)
    options = parser.parse_args()
    program, folder = released(), options.dir / "bench-answers"
    # An earlier program does not read the store of a later one.
    apart = folder / "earlier"
    for place in (apart, folder / "a", folder / "b"):
        place.mkdir(parents=True, exist_ok=True)
    quiet, busy, pairs, quick_s = [], [], [], []
    for _ in range(options.demos):
        quiet.append(demo(program, folder))
        quick_s.append(measured(program, folder, "quick", "a", "b", "--workload", "randwrite")[1])
    for _ in range(options.compiler):
        with compiling(folder):
            busy.append(demo(program, folder))
    for _ in range(options.pairs if options.against else 0):
        with two_users_of_the_disk(folder):
            pairs.append((demo(program, folder), demo(options.against.resolve(), apart)))
    facts = machine(options.dir)
    write_page("performance.md", "answers", section(facts, quiet, busy, pairs, quick_s))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
