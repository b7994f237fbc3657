#!/usr/bin/env python3
"""Compares latencies of bakeoff bench and fio on ext4, btrfs and xfs, on new files and old ones.

Prints for each case the rate, the mean latency times the rate (the depth, if latencies are right)
and the least latency. Needs root for loop devices. Exit code 1 if a depth of bakeoff is off by more
than 10 %.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

ENGINES = [("psync", 1), ("libaio", 1), ("libaio", 16), ("io_uring", 1), ("io_uring", 16)]


def call(*words):
    """Runs a program and gives what it prints."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def figures(command):
    """Operations a second, operations in flight, least latency in microseconds."""
    text = call(*command)
    job = json.loads(text[text.index("{") :])["jobs"][0]["write"]
    return job["iops"], job["iops"] * job["lat_ns"]["mean"] / 1e9, job["lat_ns"]["min"] / 1e3


def cases(bakeoff, mount, seconds):
    """Each engine with each pattern on a new file and on an old one."""
    path = os.path.join(mount, "file")
    for rw in ("write", "randwrite"):
        for engine, depth in ENGINES:
            words = [
                f"--filename={path}",
                "--name=x",
                f"--rw={rw}",
                "--bs=4k",
                "--size=64m",
                "--direct=1",
                f"--ioengine={engine}",
                f"--iodepth={depth}",
                "--norandommap",
                f"--runtime={seconds}",
                "--time_based",
                "--output-format=json",
            ]
            for state in ("new", "old"):
                for tool in ("fio", "bakeoff"):
                    if state == "new" and os.path.exists(path):
                        os.unlink(path)
                    command = ["fio", *words]
                    if tool == "bakeoff":
                        command = [bakeoff, "bench", "--quiet", *words]
                        command += ["--overwrite"] if os.path.exists(path) else []
                    if state == "old" and not os.path.exists(path):
                        source, amount = "if=/dev/urandom", ("bs=1M", "count=64")
                        call("dd", source, f"of={path}", *amount, "conv=fsync")
                    name = f"{rw} {engine} depth {depth}, {state} file"
                    yield tool, name, depth, figures(command)
            if os.path.exists(path):
                os.unlink(path)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bakeoff", default="target/release/bakeoff")
    options.add_argument("--dir", default="target")
    options.add_argument("--seconds", default="1")
    options = options.parse_args()
    if os.geteuid() != 0:
        print("Skipped: comparing latencies on filesystems needs root for loop devices")
        return 0
    bakeoff, is_wrong = os.path.abspath(options.bakeoff), False
    print(f"{'case':44} {'tool':8} {'IOPS':>8} {'in flight':>9} {'min us':>8}")
    with tempfile.TemporaryDirectory(dir=options.dir) as top:
        os.environ["XDG_DATA_HOME"] = os.path.join(top, "data")
        for kind, force in (("ext4", "-F"), ("btrfs", "-f"), ("xfs", "-f")):
            image, mount = os.path.join(top, "image"), os.path.join(top, "mnt")
            os.makedirs(mount, exist_ok=True)
            call("truncate", "-s", "1G", image)
            call(f"mkfs.{kind}", "-q", force, image)
            device = call("losetup", "--find", "--show", "--direct-io=on", image).strip()
            try:
                call("mount", device, mount)
                try:
                    for tool, name, depth, found in cases(bakeoff, mount, options.seconds):
                        iops, flight, least = found
                        is_off = tool == "bakeoff" and abs(flight / depth - 1) > 0.1
                        is_wrong |= is_off
                        mark = "  <- not the depth" if is_off else ""
                        name = f"{kind} {name}"
                        numbers = f"{iops:8.0f} {flight:9.2f} {least:8.1f}"
                        print(f"{name:44} {tool:8} {numbers}{mark}", flush=True)
                finally:
                    call("umount", mount)
            finally:
                call("losetup", "--detach", device)
                os.unlink(image)
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
