#!/usr/bin/env python3
"""Compares what bakeoff bench and the installed fio do with the same job files.

Not how fast: which files they use, how much of them is laid out before the measured part, how many
reads, writes and flushes they do, of how many bytes, and at which offsets. Counts are from the JSON
of both, the rest from strace. Prints a table; exit code 1 if a job differs.
"""

import argparse
import collections
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SIZE = 1 << 20


def job_files(count):
    """Job files of one section each; a short list has some of every kind."""
    patterns = ["read", "write", "randread", "randwrite", "rw", "randrw"]
    engines = [("psync", 1), ("libaio", 8), ("psync", 1), ("libaio", 1), ("io_uring", 4)]
    extras = [
        "",
        "numjobs=3",
        "filename=shared",
        "fsync=4",
        "io_size=256k",
        "loops=2",
        "overwrite=1",
        "bs=64k",
        "filename=shared\nnumjobs=2",
        "norandommap=1",
        "name=other\nbs=8k",
        "rate_iops=2000",
        "rwmixread=80\nfdatasync=8",
        "io_size=128k",
        "end_fsync=1\nsize=512k",
    ]
    # Every extra with every pattern, the engines in turn.
    pairs = [(rw, extra) for extra, rw in itertools.product(extras, patterns)]
    step = 29  # coprime with their number
    for number in range(count):
        rw, extra = pairs[number * step % len(pairs)]
        engine, depth = engines[number % len(engines)]
        lines = [f"rw={rw}", f"ioengine={engine}", f"iodepth={depth}", "bs=16k", "size=1m"]
        yield "[job]\n" + "\n".join(lines + extra.split("\n")) + "\n"


CALL = re.compile(r"^(\d+) +(\w+)\((.*)\) += +(-?\d+|\?)", re.DOTALL)
AT = re.compile(r"<([^<>]*)>")
PIECE = re.compile(
    r"IOCB_CMD_P(READ|WRITE), aio_fildes=\d+<([^<>]*)>.*?aio_nbytes=(\d+), aio_offset=(\d+)"
)


class Did:
    """What one call of a tool did."""

    def __init__(self):
        self.counts = {}
        self.laid_out = collections.Counter()
        self.offsets = collections.defaultdict(set)
        self.files = set()


def traced(command, folder):
    """Runs a command; its JSON and its system calls as (process, call, arguments, result)."""
    log = os.path.join(folder, "..", "strace.txt")
    calls = "pread64,pwrite64,write,io_submit,fallocate,ftruncate,clone,clone3,fork,vfork"
    words = ["strace", "-f", "-y", "-qq", "-s", "8", "-e", f"trace={calls}", "-o", log]
    ran = subprocess.run(words + command, cwd=folder, capture_output=True, text=True, check=False)
    start = ran.stdout.find("{")
    if ran.returncode != 0 or start < 0:
        raise RuntimeError(f"{command}: {ran.returncode}: {ran.stderr}{ran.stdout}")
    with open(log, encoding="utf-8", errors="replace") as lines:
        return json.loads(ran.stdout[start:]), list(calls_of(lines))


def calls_of(lines):
    """Calls in their order, those that strace cuts in two joined; threads as their process."""
    begun, process = {}, {}
    for line in lines:
        task, _, rest = line.rstrip("\n").partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            begun[task] = rest.removesuffix("<unfinished ...>")
            continue
        if rest.startswith("<... "):
            rest = begun.pop(task, "") + rest.partition("resumed>")[2]
        found = CALL.match(f"{task} {rest}")
        if not found:
            continue
        _, name, arguments, result = found.groups()
        owner = process.setdefault(task, task)
        if name in ("clone", "clone3", "fork", "vfork") and result.isdigit():
            process[result] = owner if "CLONE_THREAD" in arguments else result
        yield owner, name, arguments, result


def transfers(calls, folder):
    """Reads and writes below the folder: process, is it a write, file, offset, bytes."""
    for process, name, arguments, result in calls:
        if name in ("pread64", "pwrite64") and result.isdigit():
            path = AT.search(arguments).group(1)
            offset = int(arguments.rsplit(",", 1)[1])
            pieces = [(name == "pwrite64", path, offset, int(result))]
        elif name == "io_submit":
            pieces = [
                (way == "WRITE", path, int(offset), int(size))
                for way, path, size, offset in PIECE.findall(arguments)
            ]
        else:
            continue
        for is_write, path, offset, size in pieces:
            if path.startswith(folder):
                yield process, is_write, os.path.basename(path), offset, size


def preallocated(calls, folder, did):
    """What was laid out by fallocate, ftruncate, or, by fio, with write."""
    for _, name, arguments, result in calls:
        path = AT.search(arguments)
        if not path or not path.group(1).startswith(folder) or not result.isdigit():
            continue
        file = os.path.basename(path.group(1))
        last = arguments.rsplit(",", 1)[1].strip()
        if name == "fallocate":
            did.laid_out[file] = max(did.laid_out[file], int(last))
        elif name == "write":
            did.laid_out[file, "written"] += int(result)
    for key in [key for key in did.laid_out if isinstance(key, tuple)]:
        did.laid_out[key[0]] = max(did.laid_out[key[0]], did.laid_out.pop(key))


def done_by(tool, command, folder, is_traced):
    """Runs a tool and gathers what it did."""
    os.makedirs(folder)
    found, calls = traced(command, folder)
    did = Did()
    for way in ("read", "write"):
        # bakeoff leaves out what a job did not do, and the list where there is one job.
        done = [job[way] for job in found.get("jobs", [found]) if way in job]
        did.counts[way] = sum(of["total_ios"] for of in done)
        did.counts[f"{way} bytes"] = sum(of["io_bytes"] for of in done)
    preallocated(calls, folder, did)
    moved = list(transfers(calls, folder))
    # bakeoff lays files out in processes of their own; the last one measures.
    last = moved[-1][0] if moved and tool == "bakeoff" else None
    last = last if is_traced else tool == "bakeoff" and "none"
    written = collections.Counter()
    for process, is_write, file, offset, size in moved:
        if last and process != last:
            if is_write:
                written[file] += size
            continue
        did.files.add(file)
        did.offsets[is_write].add((file, offset, size))
    for file, size in written.items():
        did.laid_out[file] = max(did.laid_out[file], size)
    if not is_traced:
        # io_uring: no calls tell of its I/Os.
        did.files, did.offsets = set(), collections.defaultdict(set)
    shutil.rmtree(folder)
    return did


def differences(job, fio, ours):
    """In words; none when both did the same."""
    text = []
    has = job.splitlines()
    rw = next(line[3:] for line in has if line.startswith("rw="))
    is_mixed = rw in ("rw", "randrw")
    is_random = rw.startswith("rand")
    total = {way: fio.counts[way] + 0 for way in ("read", "write")}
    for key, value in fio.counts.items():
        # Which of a mix are reads is drawn: five standard deviations.
        ios = sum(total.values())
        slack = 0
        if is_mixed and not any("rate_iops" in line for line in has):
            slack = 5 * (ios * 0.25) ** 0.5 + 1
            if "bytes" in key:
                slack *= max(fio.counts["read bytes"], fio.counts["write bytes"]) / max(1, ios / 2)
        elif is_mixed:
            slack = 1 if "bytes" not in key else 65536
        if abs(value - ours.counts[key]) > slack:
            text.append(f"{key}: fio {value}, bakeoff {ours.counts[key]}")
    all_ios = [sum(did.counts[way] for way in ("read", "write")) for did in (fio, ours)]
    if all_ios[0] != all_ios[1]:
        text.append(f"operations: fio {all_ios[0]}, bakeoff {all_ios[1]}")
    if fio.files != ours.files:
        text.append(f"files: fio {sorted(fio.files)}, bakeoff {sorted(ours.files)}")
    used = {file for file, size in fio.laid_out.items() if size} | {
        file for file, size in ours.laid_out.items() if size
    }
    for file in sorted(used):
        if fio.laid_out[file] != ours.laid_out[file]:
            both = f"fio {fio.laid_out[file]}, bakeoff {ours.laid_out[file]}"
            text.append(f"laid out of {file}: {both}")
    one_pass = not any(line.startswith(("norandommap", "io_size", "rate_iops")) for line in has)
    if one_pass or not (is_random or is_mixed):
        sets = [did.offsets[False] | did.offsets[True] for did in (fio, ours)]
        if sets[0] != sets[1] and not (is_mixed and not is_random):
            text.append(f"offsets: {len(sets[0] ^ sets[1])} of {len(sets[0])} differ")
    return text


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bakeoff", default="target/release/bakeoff")
    options.add_argument("--dir", help="where files are made (default: target)", default="target")
    options.add_argument("--jobs", type=int, default=100)
    options = options.parse_args()
    bakeoff = os.path.abspath(options.bakeoff)
    differing = 0
    with tempfile.TemporaryDirectory(dir=options.dir) as top:
        top = os.path.realpath(top)
        os.environ["XDG_DATA_HOME"] = os.path.join(top, "data")
        print(f"{'job':72} {'reads':>6} {'writes':>6} {'files':>5} {'laid out':>9}  same")
        for number, job in enumerate(job_files(options.jobs)):
            path = os.path.join(top, "job.fio")
            with open(path, "w", encoding="utf-8") as file:
                file.write(job)
            is_traced = "io_uring" not in job
            commands = {
                "fio": ["fio", "--output-format=json", "--thread", path],
                "bakeoff": [bakeoff, "bench", path, "--output-format=json", "--quiet"],
            }
            if "(" in job:
                # Debian's fio is built without arithmetic.
                plain = os.path.join(top, "plain.fio")
                with open(plain, "w", encoding="utf-8") as file:
                    file.write(job.replace("(512*1024)", "512k"))
                commands["fio"][-1] = plain
            did = {
                tool: done_by(tool, command, os.path.join(top, f"{tool}{number}"), is_traced)
                for tool, command in commands.items()
            }
            text = differences(job, did["fio"], did["bakeoff"])
            differing += bool(text)
            ours = did["bakeoff"]
            laid_out = sum(ours.laid_out.values()) >> 10
            shown = " ".join(job.splitlines()[1:])
            print(
                f"{shown:72} {ours.counts['read']:6} {ours.counts['write']:6} "
                f"{len(ours.files) or '-':>5} {laid_out:5} KiB  {'yes' if not text else 'NO'}"
            )
            for line in text:
                print(f"    {line}")
    print(f"{options.jobs - differing} of {options.jobs} job files do what they do in fio")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
