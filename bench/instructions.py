"""User instructions that the load generator takes for one I/O: a figure that repeats exactly.

Valgrind counts them, kernel excluded, in the release build of the engine. The same job runs with
few and with many I/Os; the difference, divided by the I/Os between, leaves start and end out. A
time depends on the machine and on who else uses it; this does not, so `make test` holds it to a
committed figure. Exits with 1 where a case takes more than it may."""

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, TARGET

# Far enough apart that the histogram at the end, which has more entries the more latencies differ,
# counts for little on a busy machine too.
FEW, MANY = 20_000, 320_000
# Counts of a case that takes too many, of which the smallest is held to the limit.
TRIES = 3
FILE_BYTES = 64 << 20
# By how much a count may differ from what is committed.
MARGIN = 0.05

# rw, bs, engine, iodepth, whether it is one slice of a cell, the count when it was committed on
# x86-64, and the most that was promised.
CASES = {
    "4k random read, psync": ("randread", 4096, "psync", 1, False, 74.8, 75),
    "4k random read, io_uring, depth 32": ("randread", 4096, "io_uring", 32, False, 95.8, 100),
    "4k random read, psync, a slice": ("randread", 4096, "psync", 1, True, 74.8, 75),
    "4k random read, io_uring, a slice": ("randread", 4096, "io_uring", 32, True, 95.8, 100),
    "8 B sequential read, psync": ("read", 8, "psync", 1, False, 62.9, None),
    "4k random read, no I/O": ("randread", 4096, "null", 1, False, 56.5, None),
}


def build() -> Path:
    words = "build --release --quiet --package bakeoff-engine --bin engine"
    subprocess.run(["cargo", *words.split()], cwd=ROOT, check=True)
    return TARGET / "release/engine"


def task(file: str, rw: str, bs: int, engine: str, iodepth: int, ios: int) -> str:
    """What the engine reads on its standard input."""
    job = {
        "rw": rw,
        "bs": bs,
        "size": FILE_BYTES,
        "io_size": ios * bs,
        "runtime_ns": None,
        "min_ios": 0,
        "time_limit_ns": None,
        "iodepth": iodepth,
        "numjobs": 1,
        "direct": False,
        "engine": engine,
        "fsync": 0,
        "fdatasync": 0,
        "end_fsync": False,
        "rwmixread": 50,
        "rate_iops": None,
        "offsets": "uniform",
        "data": "random",
        "verify": False,
        "mem": "auto",
        "seed": 1,
    }
    return json.dumps({"job": job, "target": file, "target_kind": "file"})


def one_slice(ios: int) -> str:
    """A request for one slice of so many I/Os, whatever its time."""
    request = {
        "slice_ns": 0,
        "least_ios": ios,
        "least_flushes": 0,
        "least_bytes": 0,
        "most_bytes": 0,
        "limit_ns": 2**64 - 1,
    }
    return "\n" + json.dumps(request) + "\nnull\n"


def count(engine: Path, file: str, case: tuple, ios: int) -> int | None:
    """Instructions of one run; None where the kernel lacks the engine."""
    rw, bs, name, iodepth, is_slice, _, _ = case
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no"]
    command += ["--cachegrind-out-file=/dev/null", str(engine), *(["slices"] if is_slice else [])]
    text = task(file, rw, bs, name, iodepth, ios) + (one_slice(ios) if is_slice else "")
    # Valgrind disturbs the readings that calibrate the clock.
    environment = {**os.environ, "BAKEOFF_CLOCK": "counter"}
    ended = subprocess.run(command, input=text, capture_output=True, text=True, env=environment)
    last = json.loads(ended.stdout.strip().split("\n")[-1])
    reply = last.get("ok") or last.get("parts")
    assert reply, f"no reply: {ended.stdout}{ended.stderr}"
    if (reply[0] if isinstance(reply, list) else reply)["engine"] != name:
        return None
    [refs] = [line for line in ended.stderr.splitlines() if "refs:" in line and "I" in line]
    return int(refs.split(":")[1].replace(",", ""))


def slope(engine: Path, file: str, case: tuple) -> float | None:
    many, few = count(engine, file, case, MANY), count(engine, file, case, FEW)
    return None if many is None else (many - few) / (MANY - FEW)


def figures():
    """Each case with its instructions an I/O; None where the kernel lacks the engine."""
    engine = build()
    with tempfile.NamedTemporaryFile(dir=TARGET) as file:
        # Holes are read as any page is: only the user's side is counted.
        file.truncate(FILE_BYTES)
        for name, case in CASES.items():
            limit = min(case[5] * (1 + MARGIN), case[6] or float("inf"))
            now = slope(engine, file.name, case)
            for _ in range(1, TRIES):
                if now is not None and now > limit:
                    now = min(now, slope(engine, file.name, case))
            yield name, case, limit, now


def skip(name: str, needs: str):
    """Notes a skip where `cargo xtask test` sums them up."""
    print(f"SKIPPED: instructions: {name}: there is no {needs} here")
    if path := os.environ.get("BAKEOFF_SKIPS"):
        with open(path, "a") as notes:
            notes.write(f"instructions: {name}\t{needs}\tthere is no {needs} here\n")


def main() -> int:
    if platform.machine() != "x86_64":
        skip("all", "x86-64 processor")
        return 0
    wrong = 0
    print(f"{'user instructions per I/O':<40}{'now':>8}{'committed':>12}{'at most':>9}")
    for name, case, limit, now in figures():
        committed, most = case[5:]
        if now is None:
            skip(name, f"kernel {case[2]}")
            continue
        print(f"{name:<40}{now:>8.1f}{committed:>12}{most or '-':>9}")
        if now > limit:
            print("  too many: shorten the loop, or commit the new figure with its reason")
        elif now < committed * (1 - MARGIN):
            print("  fewer than committed: commit the new figure, so that it stays")
        wrong += not committed * (1 - MARGIN) <= now <= limit
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
