"""Decisions against known truth: the tables of docs/truth.md, from simulated runs and from disks of
an emulated machine that are held to a speed. Exits with 1 where fewer than nineteen of twenty runs
on those are right."""

import argparse
import sys
from pathlib import Path

import rivals
from common import ROOT, answer, released, write_page

sys.path.insert(0, str(ROOT / "tests/machines"))
from emulated import capped
from emulated.board import PC_OF_TWO
from emulated.machine import Lab


def simulated(program, runs: int, seed: int):
    words = f"self simulate --runs {runs} --seed {seed} --format markdown"
    found = f"`bakeoff {words}`\n\n{answer(program, *words.split())}\n{rivals.tables(runs, seed)}"
    write_page("truth.md", "figures", f"\n{found}\n")
    for of in ("gate", "probe", "fit"):
        words = f"self simulate --{of} --runs {runs} --seed {seed} --format markdown"
        write_page("truth.md", of, f"\n`bakeoff {words}`\n\n{answer(program, *words.split())}\n")


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
        simulated(released(), options.runs, options.seed)
    is_right = True
    for pair in [options.pair] if options.pair else capped.PAIRS:
        if options.capped:
            is_right &= on_disks(options.binary, pair, options.capped)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
