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
from dataclasses import dataclass
from pathlib import Path

from cases import CASES, Case
from common import (
    ROOT,
    TARGET,
    disk_counters,
    first_line,
    machine,
    pss_bytes,
    released,
    table,
    tree,
    write_page,
)
from fixed import fixed_figures
from goals import goals, middle, paired

MEMORY_INTERVAL_S = 0.05


@dataclass
class Contender:
    name: str
    command: list[str]


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
        # By default fio throws the cache away first.
        fio = (
            f"fio --name=bench --filename={self.file} --rw={case.rw} --bs={case.bs} --size={span} "
            f"--runtime={seconds} --time_based --ioengine={case.engine} --iodepth={case.depth} "
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
        wanted |= {peer: commands[peer] for peer in case.peers}
        return [Contender(name, shlex.split(command)) for name, command in wanted.items()]

    def requests(self) -> int:
        """Requests the disk has completed: Documentation/admin-guide/iostats.rst, 1 and 5."""
        fields = self.disk.read_text().split()
        return int(fields[0]) + int(fields[4])

    def run(self, contender: Contender, with_memory: bool) -> Sample:
        before, requests = resource.getrusage(resource.RUSAGE_CHILDREN), self.requests()
        child = subprocess.Popen(
            contender.command,
            cwd=self.folder,
            env={**os.environ, "LC_ALL": "C"},
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


INTRODUCTION = """\
`make bench` writes this page. It ran {rounds} rounds of {runtime} s on one file of {size} MiB. In
each round every contender runs once, in rotating order. A figure is the median of the rounds.
A ratio is the median of bakeoff's ratio to that contender within each round, with the smallest and
the largest. CPU is the user and system time of the measuring process or thread, as bakeoff and fio
report it, and of the whole process for other tools. PSS is the largest sum over all processes of a
tool, sampled every 50 ms in a separate round. `bench/cases.py` has the commands.

Each tool uses its own buffers. For blocks of 64 KiB and more, bakeoff uses huge pages and fio uses
ordinary ones. A request of 1 MiB can have more ordinary pages than a device accepts at once.

"""


def page(facts: dict, fixed: dict, results: dict, options) -> str:
    text = INTRODUCTION.format(**vars(options))
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
