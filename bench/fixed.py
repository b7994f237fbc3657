"""What `compare.py` measures that does not depend on a disk: starts, clock readings, and what
watching the machine costs."""

import os
import subprocess
import time
from pathlib import Path

import instructions
from common import Spread, answer, answer_json, events, pss_bytes

STARTS, IOSTAT_S = 21, 10


def fixed_figures(bench) -> dict:
    """What does not depend on a disk."""
    one_io = [bench.bakeoff, "bench", bench.file, "--bs", 4096, "--io_size", 4096, "--quiet"]
    fio = ["fio", "--name=one", f"--filename={bench.file}", "--rw=randread", "--bs=4k"]
    counts = [(name, now, case[6]) for name, case, _, now in instructions.figures() if now]
    return {
        "start": starts([bench.bakeoff, "--version"]),
        "first_io": first_io(one_io),
        "one_io": starts(one_io),
        "fio_one_io": starts([*fio, "--io_size=4k", "--size=1m"]),
        "clock_reads": clock_reads(bench),
        "instructions": counts,
        **watching(bench),
        **iostat(),
    }


def starts(command) -> Spread:
    """A command from start to end, in ms."""
    times = []
    for _ in range(STARTS):
        started = time.monotonic()
        subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, check=True)
        times.append((time.monotonic() - started) * 1e3)
    return Spread(times)


def first_io(command) -> Spread:
    """From before the program is started to its first I/O, which it reports by the same clock."""
    times = []
    for _ in range(STARTS):
        started_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        times.append((answer_json(*command)["monotonic_ns"] - started_ns) / 1e6)
    return Spread(times)


def clock_reads(bench) -> Spread:
    """What the preloaded clock counts over 20,000 more I/Os, divided by them."""
    engine, counts = instructions.build(), []
    environment = {"LD_PRELOAD": str(bench.slow_clock), "COUNT_CLOCK": "1", "BAKEOFF_CLOCK": "vdso"}
    for ios in (10_000, 30_000):
        task = instructions.task(str(bench.file), "randread", 4096, "psync", 1, ios)
        ended = subprocess.run(
            [engine], input=task, env={**os.environ, **environment}, capture_output=True, text=True
        )
        calls = [
            int(line.split(": ")[1])
            for line in ended.stderr.splitlines()
            if line.startswith("clock_gettime calls: ")
        ]
        assert calls, f"nobody counted clock readings: {ended.stderr}"
        counts.append(sum(calls))
    return Spread([(counts[1] - counts[0]) / 20_000])


def watching(bench) -> dict:
    """What watching the machine costs during a cell: shares of one core."""
    place, store = bench.folder / "watching", ["--store", bench.folder / "watching.db"]
    place.mkdir()
    quick = ["--workload", "randread", "--size", "64m", "--time", "60s", "--quiet"]
    answer(bench.bakeoff, "quick", place, *quick, *store)
    said = [event["what"] for event in events(bench.bakeoff, *store)]
    cells = [what["cell_done"] for what in said if "cell_done" in what]
    shares = [
        cell["telemetry"]["cost"]["cpu_ns"] / cell["measurement"]["elapsed_ns"] * 100
        for cell in cells
    ]
    return {"watching": Spread(shares)}


def iostat() -> dict:
    """The same of iostat, once a second."""
    child = subprocess.Popen(["iostat", "-x", "1"], stdout=subprocess.DEVNULL)
    readings = []
    for _ in range(IOSTAT_S + 2):
        readings.append(int(Path(f"/proc/{child.pid}/schedstat").read_text().split()[0]))
        time.sleep(1)
    memory = pss_bytes(child.pid)
    child.kill()
    child.wait()
    # The first second is its start.
    shares = [(b - a) / 1e7 for a, b in zip(readings[1:], readings[2:])]
    return {"iostat": Spread(shares), "iostat_mb": memory / 1e6}
