"""How well forecasts hold: every built-in plan on a loop device of each speed, for a few minutes.

What the run reported before its first block is compared with what happened by its last complete
block: time by its own clock, bytes by the drive's counter. Rewrites a part of docs/plans.md. Needs
root and cgroup v1, whose root group can limit a device (cgroup-v1/blkio-controller.rst)."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common import ROOT, TARGET, answer, answer_json, events, machine, released, table, write_page

SIZE_MIB = 512
LIMITS = Path("/sys/fs/cgroup/blkio")
# Seconds of a run, words, and limits of the device.
SPEEDS = {
    "card": (
        300,
        "10 MB/s and 300 IOPS written, 25 MB/s and 1,500 IOPS read",
        {"write_bps": 10_000_000, "write_iops": 300, "read_bps": 25_000_000, "read_iops": 1_500},
    ),
    "usb": (
        120,
        "60 MB/s and 3,000 IOPS written, 100 MB/s and 5,000 IOPS read",
        {"write_bps": 60_000_000, "write_iops": 3_000, "read_bps": 10**8, "read_iops": 5_000},
    ),
    "free": (90, "the drive of the machine, unlimited", {}),
}
# How far off a forecast may be, and a limit of time.
WANTED, LIMIT = 0.20, 0.05


@contextmanager
def drive(folder: Path, limits: dict):
    """A loop device on an image without holes, as slow as the limits for everybody."""
    image = folder / "drive.img"
    with image.open("wb") as file:
        for _ in range(SIZE_MIB):
            file.write(b"\xa5" * (1 << 20))
        os.fsync(file.fileno())
    attach = ["losetup", "--find", "--show", "--direct-io=on", image]
    device = subprocess.run(attach, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    number = Path(f"/sys/block/{Path(device).name}/dev").read_text().strip()

    def limit(factor):
        for name, value in limits.items():
            path = LIMITS / f"blkio.throttle.{name}_device"
            path.write_text(f"{number} {value * factor}")

    try:
        limit(1)
        yield device
    finally:
        limit(0)
        subprocess.run(["losetup", "--detach", device], check=True)


def written_bytes(device: str) -> int:
    """Documentation/block/stat.rst."""
    stat = Path(f"/sys/block/{Path(device).name}/stat").read_text().split()
    return int(stat[6]) * 512


@dataclass
class Forecast:
    """Forecast and outcome, in seconds and bytes; `wall_s`: of the whole command, and its limit."""

    blocks: int
    time_s: tuple[float, float]
    bytes: tuple[float, float]
    wall_s: tuple[float, float]

    @property
    def errors(self):
        return [said / was - 1 for said, was in (self.time_s, self.bytes)]


def run(program, plan, mode, time_s, device, folder) -> Forecast:
    place = {"cwd": folder}
    on = ["--target", device, "--max-write", "100g", "--quiet", "--store", "bench.db"]
    token = answer_json(program, "plan", plan, *on, **place)["targets"][0]["erase_token"]
    before, started = written_bytes(device), time.monotonic()
    words = ["--erase", token, "--mode", mode, "--time", f"{time_s}s"]
    answer(program, "run", "--anyway", plan, *words, *on, **place)
    wall_s = time.monotonic() - started
    written = written_bytes(device) - before
    return outcome(events(program, "--store", "bench.db", **place), written, (wall_s, time_s))


def outcome(said: list, written: int, wall_s) -> Forecast:
    at = {"rehearsed": [], "block_started": [], "block_done": [], "stopped": []}
    for event in said:
        for kind in at.keys() & event["what"].keys():
            at[kind].append((event["elapsed_ns"] / 1e9, event["what"][kind]))
    ready_s, forecast = at["rehearsed"][0]
    stopped_s, stopped = at["stopped"][-1]
    assert at["block_done"], f"no complete block: {stopped.get('note')}"
    starts, ends = ([second for second, _ in at[kind]] for kind in ("block_started", "block_done"))
    n, last = len(ends), ends[-1]
    setup = forecast["expected_write_bytes"]
    setup -= forecast["protocol"]["looks"][0] * forecast["block_write_bytes"]
    # The drive's counter has what the block that was cut off wrote; its share of time is known.
    share = (stopped_s - starts[-1]) / ((last - starts[0]) / n) if starts[-1] >= last else 0
    forecast_s = ready_s + (n * forecast["block_ns"] + forecast.get("calibration_ns", 0)) / 1e9
    bytes_said = setup + (n + share) * forecast["block_write_bytes"]
    return Forecast(n, (forecast_s, last), (bytes_said, written), wall_s)


def section(facts: dict, found: list) -> str:
    text = "\n## How accurate forecasts are\n\nWritten by `bench/forecasts.py`: each built-in plan "
    text += "for a few minutes, on drives of three speeds. "
    text += "; ".join(f"{name}: {value}" for name, value in facts.items())
    text += ". The forecast is the one that `run` prints before the first block. It is compared at "
    text += "the last complete block.\n\n"
    text += "".join(f"- {name}: {words}\n" for name, (_, words, _) in SPEEDS.items())
    columns = ["plan", "drive", " blocks", " time, forecast", " time", " off", " bytes, forecast"]
    rows = []
    for plan, speed, one in found:
        if isinstance(one, str):
            rows.append((plan, speed, "–", "–", "–", "–", "–", "–", "–", one))
            continue
        time_off, bytes_off = one.errors
        rows.append(
            (
                plan,
                speed,
                one.blocks,
                f"{one.time_s[0]:.0f} s",
                f"{one.time_s[1]:.0f} s",
                f"{time_off:+.0%}",
                f"{one.bytes[0] / 1e6:.0f} MB",
                f"{one.bytes[1] / 1e6:.0f} MB",
                f"{bytes_off:+.0%}",
                f"{one.wall_s[0]:.0f} s of {one.wall_s[1]:.0f}",
            )
        )
    text += "\n" + table(columns + [" bytes", " off", " whole run"], rows)
    known = [one for *_, one in found if not isinstance(one, str)]
    within = [sum(abs(one.errors[kind]) <= WANTED for one in known) for kind in (0, 1)]
    kept = sum(one.wall_s[0] <= one.wall_s[1] * (1 + LIMIT) for one in known)
    text += (
        f"\nWithin {WANTED:.0%}: time in {within[0]} of {len(known)} runs, bytes in {within[1]}. "
    )
    return text + f"The whole command stayed within {LIMIT:.0%} of its limit in {kept}.\n"


def main():
    plans = sorted(path.stem for path in ROOT.rglob("plan/builtin/*.toml"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", type=int, help="seconds of each run")
    parser.add_argument("--plan", choices=plans, help="writes no page")
    parser.add_argument("--speed", choices=SPEEDS, help="writes no page")
    parser.add_argument("--mode", default="quick")
    parser.add_argument("--dir", type=Path, default=TARGET)
    options = parser.parse_args()
    program, found = released(), []
    for speed, (time_s, _, limits) in SPEEDS.items():
        for plan in plans:
            if options.speed not in (None, speed) or options.plan not in (None, plan):
                continue
            with tempfile.TemporaryDirectory(dir=options.dir) as folder:
                with drive(Path(folder), limits) as device:
                    words = (plan, options.mode, options.time or time_s, device, folder)
                    try:
                        one = run(program, *words)
                    except (RuntimeError, AssertionError, KeyError, IndexError) as error:
                        one = f"{type(error).__name__}: {error}"
            print(plan, speed, one, file=sys.stderr)
            found.append((plan, speed, one))
    text = section(machine(options.dir), found)
    if options.plan or options.speed:
        print(text)
    else:
        write_page("plans.md", "forecasts", text)


if __name__ == "__main__":
    main()
