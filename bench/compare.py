"""bakeoff against fio, dd and sysbench on the same file: what `make bench` does.

In every round each contender runs once, in an order that rotates, so that a drift of the machine
affects all alike. A figure is the median over rounds; a comparison is the median of the ratios
within each round. The first round warms up and samples memory, which disturbs, so its rates do not
count. Nothing here passes or fails: it prints a table and writes docs/performance.md."""

import argparse
import json
import os
import resource
import shlex
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import instructions
from common import (
    ROOT,
    TARGET,
    Spread,
    answer,
    answer_json,
    disk_counters,
    events,
    first_line,
    machine,
    pss_bytes,
    released,
    table,
    tree,
    write_page,
)

MEMORY_INTERVAL_S = 0.05
STARTS, CHECKS, IOSTAT_S = 21, 5, 10


@dataclass(frozen=True)
class Case:
    """An access pattern. Tiny blocks use a small part of the file; `peers` are beside fio."""

    key: str
    name: str
    rw: str = "randread"
    bs: int = 4096
    engine: str = "psync"
    depth: int = 1
    direct: int = 0
    peers: tuple = ()


def tiny(key, rw, bs, name, *peers):
    return Case(key, name, rw, bs, peers=("dd", "bare loop", *peers))


CACHED, DIRECT = "4k random read, in page cache", "4k random read, O_DIRECT"
CASES = [
    Case("psync", f"{CACHED}, psync", peers=("fio, tuned", "sysbench")),
    Case(
        "uring", f"{CACHED}, io_uring, depth 32", engine="io_uring", depth=32, peers=("fio, tuned",)
    ),
    tiny("read8", "read", 8, "8 B sequential read, in page cache"),
    tiny("write8", "write", 8, "8 B sequential write, in page cache"),
    tiny("read64", "read", 64, "64 B sequential read, in page cache"),
    tiny("write64", "write", 64, "64 B sequential write, in page cache"),
    Case("null", "no I/O at all: the null engine", engine="null"),
    Case(
        "nop",
        "io_uring no-op requests, depth 32, against fio's null engine",
        engine="nop",
        depth=32,
    ),
    Case("slow4k", f"{CACHED}, psync, clock by system call", peers=("slow",)),
    tiny(
        "slow64", "write", 64, "64 B sequential write, in page cache, clock by system call", "slow"
    ),
    Case("direct1", f"{DIRECT}, io_uring, depth 1", engine="io_uring", direct=1),
    Case(
        "direct32",
        f"{DIRECT}, io_uring, depth 32",
        engine="io_uring",
        depth=32,
        direct=1,
        peers=("fio, tuned",),
    ),
    Case(
        "direct1m",
        "1 MiB sequential read, O_DIRECT, psync",
        "read",
        1 << 20,
        direct=1,
        peers=("dd",),
    ),
]

# Least rates against a peer, by case.
RATES = [
    ("psync", "fio", 1.2),
    ("uring", "fio", 1.65),
    ("uring", "fio, tuned", 1.25),
    *[
        (key, peer, least)
        for key in ("read8", "write8", "read64", "write64")
        for peer, least in (("fio", 1.7), ("dd", 1.5), ("bare loop", 0.9))
    ],
    ("direct32", "fio", 0.97),
    ("direct1m", "fio", 1.7),
    ("direct1m", "dd", 1.7),
    ("null", "fio", 8.0),
    ("nop", "fio", 8.0),
    ("slow4k", "fio", 1.8),
    ("slow64", "fio", 2.5),
]


@dataclass
class Contender:
    name: str
    command: list[str]
    environment: dict


@dataclass
class Sample:
    """One run. CPU is of the measuring thread where the tool reports it, else of all it started;
    `in_flight` is mean latency times rate."""

    iops: float
    user_us: float
    cpu_us: float
    requests: float
    in_flight: float
    pss_bytes: int


class Bench:
    """The file, the helpers in C, and how each contender is started."""

    def __init__(self, options, folder: Path):
        self.options, self.folder, self.bakeoff = options, folder, released()
        # The name that sysbench gives its files.
        self.file = folder / "test_file.0"
        with self.file.open("wb") as file:
            for _ in range(options.size):
                file.write(os.urandom(1 << 20))
            os.fsync(file.fileno())
        self.disk = disk_counters(options.dir)
        self.loop, self.slow_clock = folder / "bare_loop", folder / "slow_clock.so"
        source = ROOT / "bench"
        subprocess.run(["cc", "-O2", "-o", self.loop, source / "bare_loop.c"], check=True)
        library = ["-O2", "-shared", "-fPIC", "-o", self.slow_clock, source / "slow_clock.c"]
        subprocess.run(["cc", *library], check=True)

    def contenders(self, case: Case) -> list[Contender]:
        whole, seconds = self.options.size << 20, self.options.runtime
        span = min(case.bs << 21, whole) if case.bs < 4096 else whole
        writes = "--overwrite --data zero" if case.rw == "write" else ""
        ours = (
            f"{self.bakeoff} bench {self.file} --rw {case.rw} --bs {case.bs} --size {span} "
            f"--runtime {seconds} --engine {case.engine} --iodepth {case.depth} "
            f"--direct {case.direct} --format json --quiet {writes}"
        )
        engine = "null" if case.engine == "nop" else case.engine
        # By default fio throws the cache away first.
        fio = (
            f"fio --name=bench --filename={self.file} --rw={case.rw} --bs={case.bs} --size={span} "
            f"--runtime={seconds} --time_based --ioengine={engine} --iodepth={case.depth} "
            f"--direct={case.direct} --invalidate=0 --output-format=json"
        )
        # What fio's manual offers for speed without giving up latencies.
        tuned = f"{fio} --norandommap --randrepeat=0 --thread"
        tuned += " --registerfiles=1 --fixedbufs=1" if case.engine == "io_uring" else ""
        tuned += (
            " --iodepth_batch_submit=16 --iodepth_batch_complete_min=1"
            " --iodepth_batch_complete_max=32"
            if case.depth > 1
            else ""
        )
        dd = f"dd if={self.file} of=/dev/null bs={case.bs} count={span // case.bs}"
        dd += " iflag=direct" if case.direct else ""
        if case.rw == "write":
            dd = f"dd if=/dev/zero of={self.file} bs={case.bs} count={span // case.bs} conv=notrunc"
        sysbench = (
            f"sysbench fileio --file-num=1 --file-total-size={span} --file-test-mode=rndrd "
            f"--file-block-size={case.bs} --time={seconds} run"
        )
        way = "w" if case.rw == "write" else "r"
        loop = f"{self.loop} {way} {self.file} {case.bs} {span} {seconds}"
        commands = {"fio, tuned": tuned, "dd": dd, "sysbench": sysbench, "bare loop": loop}
        wanted = {"bakeoff": ours, "fio": fio}
        wanted |= {peer: commands[peer] for peer in case.peers if peer != "slow"}
        return [
            Contender(name, *self._clock(name, shlex.split(command), "slow" in case.peers))
            for name, command in wanted.items()
        ]

    def _clock(self, name, command, is_slow):
        if not is_slow:
            return command, {}
        if name == "bakeoff":
            return command, {"BAKEOFF_CLOCK": "syscall"}
        clock = ["--clocksource=clock_gettime"] if name == "fio" else []
        return command + clock, {"LD_PRELOAD": str(self.slow_clock)}

    def requests(self) -> int:
        """Requests the disk has completed: Documentation/admin-guide/iostats.rst, 1 and 5."""
        fields = self.disk.read_text().split()
        return int(fields[0]) + int(fields[4])

    def run(self, contender: Contender, with_memory: bool) -> Sample:
        before, requests = resource.getrusage(resource.RUSAGE_CHILDREN), self.requests()
        child = subprocess.Popen(
            contender.command,
            cwd=self.folder,
            env={**os.environ, "LC_ALL": "C", **contender.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        sums, over = [], threading.Event()

        def watch():
            while not over.wait(MEMORY_INTERVAL_S):
                sums.append(sum(map(pss_bytes, tree(child.pid))))

        watching = threading.Thread(target=watch)
        if with_memory:
            watching.start()
        out, err = child.communicate()
        over.set()
        if with_memory:
            watching.join()
        assert child.returncode == 0, f"{contender.command} failed: {err}"
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        ios, iops, in_flight, cpu_ns = read(contender, out, err)
        user_ns, system_ns = cpu_ns or (
            (after.ru_utime - before.ru_utime) * 1e9,
            (after.ru_stime - before.ru_stime) * 1e9,
        )
        return Sample(
            iops,
            user_ns / 1e3 / ios,
            (user_ns + system_ns) / 1e3 / ios,
            (self.requests() - requests) / ios,
            in_flight,
            # The first and the last may be of the start and of the end.
            max(sums[1:-1] or sums or [0]),
        )


def read(contender: Contender, out: str, err: str):
    """I/Os, I/Os a second, I/Os in flight, and user and system time in ns where it is reported."""
    if contender.name == "dd":
        line = next(line for line in err.splitlines() if " copied, " in line)
        block = next(int(word[3:]) for word in contender.command if word.startswith("bs="))
        ios = int(line.split()[0]) / block
        return ios, ios / float(line.split(" copied, ")[1].split()[0]), 0.0, None
    if contender.name == "sysbench":
        values = dict(line.strip().split(":", 1) for line in out.splitlines() if ":" in line)
        return float(values["total number of events"]), float(values["reads/s"]), 0.0, None
    if contender.name == "bare loop":
        ios, ns = map(float, out.split())
        return ios, ios * 1e9 / ns, 0.0, None
    report = json.loads(out)
    job = report if contender.name == "bakeoff" else report["jobs"][0]
    way = job["read"] if job["read"].get("total_ios") else job["write"]
    if contender.name == "bakeoff":
        cpu_ns = job["usr_cpu_ns"], job["sys_cpu_ns"]
    else:
        percent_ns = job["job_runtime"] * 1e6 / 100
        cpu_ns = job["usr_cpu"] * percent_ns, job["sys_cpu"] * percent_ns
    in_flight = (way["lat_ns"].get("mean") or 0.0) * way["iops"] / 1e9
    return way["total_ios"], way["iops"], in_flight, cpu_ns


def paired(ours, theirs, figure) -> Spread:
    """Ours to theirs, round by round, without the warm-up."""
    return Spread(figure(a) / figure(b) for a, b in zip(ours[1:], theirs[1:]))


def middle(samples, figure) -> float:
    return Spread(map(figure, samples[1:])).median


def reached_in(ours, theirs, is_reached) -> str:
    rounds = list(zip(ours[1:], theirs[1:]))
    return f"reached in {sum(is_reached(a, b) for a, b in rounds)} of {len(rounds)} rounds"


def why_not(series, ours, theirs, least) -> str:
    """Why a rate is not reached: what the bare loop of the same calls reaches on this machine, or
    what the kernel takes of an I/O; otherwise in how many rounds it was reached."""
    if "bare loop" in series:
        limit = paired(series["bare loop"], theirs, lambda one: one.iops).median
        if limit < least:
            return (
                f"the bare loop of the same calls, without clock and latencies, reaches {limit:.2f}"
            )
    ratio = paired(ours, theirs, lambda one: one.iops).median
    whole = middle(ours, lambda one: one.cpu_us)
    kernel = middle(ours, lambda one: one.cpu_us - one.user_us)
    is_busy = middle(ours, lambda one: one.cpu_us * one.iops / 1e6) >= 0.9
    if is_busy and ratio * whole / kernel < least:
        return (
            f"{kernel:.3f} of {whole:.3f} µs per I/O are kernel time, which limits the ratio to "
            f"{ratio * whole / kernel:.2f}"
        )
    return reached_in(ours, theirs, lambda a, b: a.iops / b.iops >= least)


def goals(results: dict, fixed: dict):
    """Rows of figure, measured, target, reached."""

    def at_most(figure, spread, most, unit="", why=""):
        is_met = spread.median <= most
        return figure, f"{spread:.2f}{unit}", f"at most {most}{unit}", verdict(is_met, why)

    def at_least(figure, spread, least, unit="", why=""):
        is_met = spread.median >= least
        return figure, f"{spread:.2f}{unit}", f"at least {least}{unit}", verdict(is_met, why)

    def verdict(is_met, why):
        return "yes" if is_met else f"**no**: {why}" if why else "**no**"

    for name, count, most in fixed["instructions"]:
        if most:
            yield at_most(f"user instructions per I/O, {name}", Spread([count]), most)
    for key, peer, least in RATES:
        case, series = results[key]
        ours, theirs = series["bakeoff"], series[peer]
        why = why_not(series, ours, theirs, least)
        ratio = paired(ours, theirs, lambda one: one.iops)
        yield at_least(f"rate to {peer}: {case.name}", ratio, least, why=why)
    case, series = results["direct32"]
    ours, fio = series["bakeoff"], series["fio"]
    for what, figure, most in (
        ("user CPU", lambda one: one.user_us, 0.2),
        ("all CPU", lambda one: one.cpu_us, 0.8),
    ):
        why = reached_in(ours, fio, lambda a, b: figure(a) / figure(b) <= most)
        yield at_most(f"{what} to fio: {case.name}", paired(ours, fio, figure), most, why=why)
    case, series = results["direct1m"]
    requests = Spread(one.requests for one in series["bakeoff"][1:])
    yield at_most(f"device requests per I/O: {case.name}", requests, 1.05)
    for key in ("psync", "uring", "direct32"):
        case, series = results[key]
        off = [abs(one.in_flight / case.depth - 1) * 100 for one in series["bakeoff"][1:]]
        yield at_most(f"mean latency x rate off depth: {case.name}", Spread(off), 1, " %")
    memory = (results["uring"][1]["bakeoff"][0].pss_bytes - 32 * 4096) / 1e6
    what = "PSS of all processes while running, without 32 buffers of 4 KiB"
    yield at_most(what, Spread([memory]), 10, " MB")
    what = f"CPU of watching the machine, {fixed['sources']} sources, of one core"
    yield at_most(what, fixed["watching"], 0.5, " %")
    yield at_most("memory of watching the machine", fixed["watching_mb"], 3, " MB")
    yield at_most("process start to first I/O", fixed["first_io"], 10, " ms")
    yield at_most("clock reads per I/O, psync", fixed["clock_reads"], 1)
    yield at_least("generating data, one core", fixed["fill"], 15, " GB/s")
    yield at_least("verifying data, one core", fixed["verify"], 15, " GB/s")


def fixed_figures(bench: Bench) -> dict:
    """What does not depend on a disk."""
    one_io = [bench.bakeoff, "bench", bench.file, "--bs", 4096, "--io_size", 4096, "--quiet"]
    fio = ["fio", "--name=one", f"--filename={bench.file}", "--rw=randread", "--bs=4k"]
    checks = [answer_json(bench.bakeoff, "check", "--engine")["engine"] for _ in range(CHECKS)]
    counts = [(name, now, case[6]) for name, case, _, now in instructions.figures() if now]
    return {
        "start": starts([bench.bakeoff, "--version"]),
        "first_io": first_io(one_io),
        "one_io": starts(one_io),
        "fio_one_io": starts([*fio, "--io_size=4k", "--size=1m"]),
        "clock_reads": clock_reads(bench),
        "fill": Spread(check["fill_bytes_per_s"] / 1e9 for check in checks),
        "verify": Spread(check["verify_bytes_per_s"] / 1e9 for check in checks),
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


def clock_reads(bench: Bench) -> Spread:
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


def watching(bench: Bench) -> dict:
    """What watching the machine costs during a cell: shares of one core, and memory."""
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
    [watched] = [what["watching"] for what in said if "watching" in what]
    return {
        "watching": Spread(shares),
        "watching_mb": Spread([watched["memory_bytes"] / 1e6]),
        "sources": len(watched["sources"]),
    }


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


def page(facts: dict, fixed: dict, results: dict, options) -> str:
    text = f"""`make bench` writes this page. It ran {options.rounds} rounds of {options.runtime} s on \
one file of {options.size} MiB. In each
round every contender runs once, in rotating order. A figure is the median of the rounds. "Ratio" is
the median of bakeoff's ratio to that contender within each round, with the smallest and the largest.
CPU is the user and system time of the measuring process or thread, as bakeoff and fio report it,
and of the whole process for other tools. PSS is the largest sum over all processes of a tool, sampled
every 50 ms in a separate round.

Each tool uses its own buffers. For blocks of 64 KiB and more, bakeoff uses huge pages and fio uses
ordinary ones. A request of 1 MiB can have more ordinary pages than a device accepts at once.

"""
    facts = {
        **facts,
        "`bakeoff --version`": f"{fixed['start']:.1f} ms",
        "process start to first I/O of bakeoff": f"{fixed['first_io']:.1f} ms",
        "one I/O with bakeoff, start to end": f"{fixed['one_io']:.1f} ms",
        "one I/O with fio, start to end": f"{fixed['fio_one_io']:.1f} ms",
        "`iostat -x 1`, for comparison with the cost of monitoring": (
            f"{fixed['iostat']:.2f} % of one core, {fixed['iostat_mb']:.2f} MB"
        ),
    }
    text += "".join(f"- {name}: {value}\n" for name, value in facts.items())
    columns = ["figure", " measured", " target", "reached"]
    text += f"\n## Targets\n\n{table(columns, goals(results, fixed))}"
    text += """
Percentiles are within 0.4 % of an exact recording by design; tests check this. Latency is the time
from submission to completion. A target that was not reached has the measurement that explains it,
or how often it was reached.
"""
    for case, series in results.values():
        text += f"\n## {case.name}\n\n{case_table(series)}\n```text\n"
        for contender in case_commands(series):
            text += f"{contender}\n"
        text += "```\n"
    return text


def case_table(series: dict) -> str:
    ours = series["bakeoff"]

    def ratio(name, samples, figure):
        return "-" if name == "bakeoff" else f"{paired(ours, samples, figure):.2f}"

    columns = ["contender", " IOPS", " ratio", " user CPU per I/O, µs", " all CPU, µs", " ratio"]
    columns += [" requests per I/O", " PSS, MiB"]
    return table(
        columns,
        (
            (
                name,
                f"{middle(samples, lambda one: one.iops):.0f}",
                ratio(name, samples, lambda one: one.iops),
                f"{middle(samples, lambda one: one.user_us):.3f}",
                f"{middle(samples, lambda one: one.cpu_us):.2f}",
                ratio(name, samples, lambda one: one.cpu_us),
                f"{middle(samples, lambda one: one.requests):.2f}",
                f"{samples[0].pss_bytes / (1 << 20):.1f}",
            )
            for name, samples in series.items()
            if not name.startswith("$")
        ),
    )


def case_commands(series: dict):
    """Commands without the folders of this machine."""
    for contender in series["$"]:
        words = [f"{name}={Path(value).name}" for name, value in contender.environment.items()]
        for word in contender.command:
            option, equals, value = word.rpartition("=")
            named = "FILE" if value.endswith("/test_file.0") else value
            keep = equals and not value.endswith("/test_file.0")
            words.append(
                word if keep else option + equals + (Path(named).name if not equals else named)
            )
        yield " ".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="counted rounds")
    parser.add_argument("--runtime", type=int, default=2, help="seconds of each run")
    parser.add_argument("--size", type=int, default=1024, help="MiB of the file")
    parser.add_argument("--dir", type=Path, default=TARGET, help="where the file is")
    parser.add_argument("--only", choices=[case.key for case in CASES], help="writes no page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        bench, results = Bench(options, Path(folder)), {}
        for case in CASES:
            if options.only not in (None, case.key):
                continue
            if case.direct:
                # dd(1) describes this use of oflag=nocache.
                drop = "if=/dev/null oflag=nocache conv=notrunc,fdatasync count=0 status=none"
                subprocess.run(["dd", *drop.split(), f"of={bench.file}"], check=True)
            else:
                subprocess.run(["cat", bench.file], stdout=subprocess.DEVNULL, check=True)
            contenders = bench.contenders(case)
            series = {contender.name: [] for contender in contenders}
            for number in range(options.rounds + 1):
                for turn in range(len(contenders)):
                    contender = contenders[(number + turn) % len(contenders)]
                    sample = bench.run(contender, with_memory=number == 0)
                    print(f"{case.key} {number} {contender.name:<12}{sample.iops:>12.0f} IOPS")
                    series[contender.name].append(sample)
            results[case.key] = (case, {**series, "$": contenders})
        if options.only:
            print(case_table(results[options.only][1]))
            return
        facts = machine(options.dir) | {
            name: first_line(name, "--version") for name in ("fio", "dd", "sysbench")
        }
        facts["compiler"] = first_line("rustc", "--version")
        facts["binary"] = f"{bench.bakeoff.stat().st_size / 1e6:.2f} MB"
        write_page("performance.md", "figures", page(facts, fixed_figures(bench), results, options))


if __name__ == "__main__":
    main()
