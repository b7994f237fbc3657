"""False alarms: `bakeoff quick` again and again on a machine that does nothing else, and the
bottleneck that it names. Prints the table of docs/diagnosis.md.

An alarm is a cause that a clean machine does not have. Clean is a machine on which `bakeoff check`
finds no load and no background I/O before each run."""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

# What a clean machine can have: the drive, its link, one request at a time, flushes that the
# workload asks for, and none that can be named.
CLEAN = {"device", "bus", "queue_depth", "flush", "unattributed"}
# CPU time that is not the caller's.
OTHERS = {"other processes", "quota of the control group"}
UNREST = ("CPU load", "background I/O")
LOOKS = 100
WORKLOADS = ("randwrite", "seqread", "randread", "seqwrite")


def is_alarm(reason: dict) -> bool:
    if reason.get("cause") == "cpu":
        return reason.get("subject") in OTHERS
    return reason.get("cause") not in CLEAN


def answer(program: Path, *words) -> dict:
    ended = subprocess.run([program, *words], stdout=subprocess.PIPE, text=True)
    if ended.returncode not in (0, 1):
        sys.exit(f"bakeoff {' '.join(map(str, words))} ended with {ended.returncode}")
    return json.loads(ended.stdout)


def wait_until_clean(program: Path, place: str):
    for _ in range(LOOKS):
        checks = answer(program, "check", "--format", "json", place)["checks"]
        asked = {check["id"]: check for check in checks if check["id"] in UNREST}
        assert set(asked) == set(UNREST), f"check looks for {sorted(asked)} only"
        unrest = [check["found"] for check in asked.values() if check["status"] != "pass"]
        if not unrest:
            return
    sys.exit(f"this machine does not come to rest ({unrest}): no alarm on it would be false")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("--runs", type=int, default=50)
    options = parser.parse_args()
    said, alarms = Counter(), 0
    with tempfile.TemporaryDirectory(dir=options.program.resolve().parent) as place:
        for workload in itertools.islice(itertools.cycle(WORKLOADS), options.runs):
            wait_until_clean(options.program, place)
            words = ["--workload", workload, "--time", "60s", "--size", "64m", "--quiet"]
            words += ["--format", "json", "--store", f"{place}/store.db", place]
            run = answer(options.program, "quick", *words)
            held = run["verdicts"][0]["held_back"][0]
            alarms += is_alarm(held["reason"])
            subject = held["reason"].get("subject")
            cause = held["reason"]["cause"].replace("_", " ") + (f" ({subject})" if subject else "")
            said[workload, f"{cause}, {held['reason']['grade']}"] += 1
            print(workload, cause, file=sys.stderr)
    print(f"{alarms} false alarms in {options.runs} clean runs.\n")
    print("| workload | bottleneck | runs |\n|---|---|--:|")
    for (workload, cause), count in sorted(said.items()):
        print(f"| `{workload}` | {cause} | {count} |")


if __name__ == "__main__":
    main()
