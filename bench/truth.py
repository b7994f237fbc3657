"""Decisions against known truth: the tables of docs/truth, from simulated runs and from disks of
an emulated machine that are held to a speed. Exits with 1 where fewer than nineteen of twenty runs
on those are right."""

import argparse
import csv
import subprocess
import sys
from pathlib import Path

from common import ROOT, TARGET, answer, write_page

sys.path.insert(0, str(ROOT / "tests/machines"))
from emulated import capped
from emulated.board import PC_OF_TWO
from emulated.machine import Lab


def simulated(runs: int, seed: int):
    program = TARGET / "release/bakeoff-truth"
    subprocess.run(["cargo", "build", "--release", "-p", program.name], cwd=ROOT, check=True)
    words = ["--runs", runs, "--seed", seed]
    write_tables(answer(program, *words), "verdicts", "turns", "advice")
    write_tables(answer(program, "gate", *words), "gate")
    write_tables(answer(program, "probe", *words), "probe")
    write_tables(answer(program, "fit", *words), "fit", "fit-year")


def write_tables(text: str, *names: str):
    """Each table in Markdown, as CSV."""
    tables = [part.strip().splitlines() for part in text.split("\n\n") if part.strip()[:1] == "|"]
    for name, (titles, _, *rows) in zip(names, tables, strict=True):
        with open(ROOT / f"docs/truth/{name}.csv", "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            for line in (titles, *rows):
                cells = line.replace(" %", "%").strip("|").split("|")
                out.writerow(cell.strip() for cell in cells)


def on_disks(binary, pair: str, runs: int) -> bool:
    """Runs a pair with seeds from 1, and writes what came of it."""
    guest = Lab(binary).machine(PC_OF_TWO, f"capped-{pair}", list(capped.DISKS)).boot()
    try:
        said = [capped.measure(guest, pair, seed) for seed in range(1, runs + 1)]
    finally:
        guest.kill()
    right, covered = sum(one.is_right for one in said), sum(one.covers for one in said)

    def percent(ratio):
        return f"{(ratio - 1) * 100:+.2f} %"

    estimates = [one.ratio[0] for one in said]
    low, high = min(one.ratio[1] for one in said), max(one.ratio[2] for one in said)
    title = pair.replace("-", ".0 against ") + ".0"
    write_page(
        "truth.md",
        pair,
        f"- **{title} MB/s**, a true difference of {percent(capped.truth(pair))}: the verdict is "
        f"right in {right} of {runs} runs and the interval contains the true difference in "
        f"{covered}. Estimates from {percent(min(estimates))} to {percent(max(estimates))}, no "
        f"interval beyond {percent(low)} and {percent(high)}. Seeds 1 to {runs}.\n",
    )
    return min(right, covered) * 20 >= runs * 19


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="simulated runs of each scenario")
    parser.add_argument("--seed", type=int, default=20_261_120)
    parser.add_argument("--capped", type=int, default=20, help="runs of each pair of disks")
    parser.add_argument("--pair", choices=capped.PAIRS, help="only this pair")
    parser.add_argument("--binary", type=Path, help="program for the emulated machine")
    options = parser.parse_args()
    if options.runs:
        simulated(options.runs, options.seed)
    is_right = True
    for pair in [options.pair] if options.pair else capped.PAIRS:
        if options.capped:
            is_right &= on_disks(options.binary, pair, options.capped)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
