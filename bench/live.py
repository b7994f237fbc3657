"""What watching a run in browsers costs. Rewrites a part of docs/live.md.

Pairs of runs on the same two places, one of which is watched through `bakeoff serve`, in an order
that changes from pair to pair; then many readers of the stream of events, and the memory of the
server. A reader is a connection that loads the page and takes the events as a browser does."""

import argparse
import math
import re
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from common import (
    TARGET,
    TICKS_PER_S,
    Spread,
    answer_json,
    pss_bytes,
    released,
    table,
    tree,
    write_page,
)


class Server:
    """`bakeoff serve` on a free port."""

    def __init__(self, program, folder):
        serve = ["serve", "--listen", "127.0.0.1:0", "--allow-local-users"]
        self.process = subprocess.Popen(
            [program, "--store", folder / "live.db", *serve], stderr=subprocess.PIPE, text=True
        )
        lines = iter(self.process.stderr)
        self.address = next(
            found.group().rstrip("/") for line in lines if (found := re.search(r"http://\S+", line))
        )
        # It may print more, and must not wait for a reader.
        threading.Thread(target=lambda: list(lines), daemon=True).start()

    def memory(self) -> tuple[int, int]:
        own, *started = map(pss_bytes, tree(self.process.pid))
        return own, own + sum(started)

    def cpu_s(self) -> float:
        """CPU time of all its threads and of its children that have ended."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICKS_PER_S


class Reader(threading.Thread):
    """Reads the page and then the events until it is stopped; counts events and gaps."""

    def __init__(self, address: str):
        super().__init__(daemon=True)
        self.address, self.is_over, self.events, self.gaps = address, False, 0, 0
        self.start()

    def run(self):
        urllib.request.urlopen(self.address + "/", timeout=60).read()
        last = None
        for line in urllib.request.urlopen(self.address + "/api/1/events", timeout=60):
            if self.is_over:
                return
            if line.startswith(b"id: "):
                number = int(line.rsplit(b"-", 1)[1])
                # Of the states of the run only the latest is kept, so one may be missing.
                self.gaps += last is not None and not last < number <= last + 2
                self.events, last = self.events + 1, number

    def stop(self):
        self.is_over = True
        self.join()


def run(program, folder, time_limit) -> tuple[float, float]:
    """Speed of a run of two places, their geometric mean, and its noise in percent."""
    places = [folder / name for name in ("one", "two")]
    for place in places:
        place.mkdir(exist_ok=True)
    words = ["--quiet", "--workload", "randread", "--size", "64m", "--time", time_limit]
    said = answer_json(program, "quick", *places, *words, "--store", folder / "live.db")
    standings = said["verdicts"][0]["standings"]
    speed = statistics.geometric_mean(standing["mean"] for standing in standings)
    noise = math.sqrt(statistics.mean(standing["sd_log"] ** 2 for standing in standings))
    return speed, noise * 100


def in_pairs(program, folder, server, options) -> str:
    changes, noises = [], {False: [], True: []}
    for pair in range(options.pairs):
        speeds = {}
        for is_watched in (pair % 2 == 1, pair % 2 == 0):
            reader = Reader(server.address) if is_watched else None
            speeds[is_watched], noise = run(program, folder, options.time)
            noises[is_watched].append(noise)
            if reader:
                reader.stop()
        changes.append((speeds[True] / speeds[False] - 1) * 100)
    within = [b - a for a, b in zip(noises[False], noises[True])]
    rows = [
        ("speed with a reader relative to without", f"{Spread(changes):.2f} %"),
        ("noise of a run without a reader", f"{Spread(noises[False]):.2f} %"),
        ("noise of a run with a reader", f"{Spread(noises[True]):.2f} %"),
        ("change of the noise within a pair, percentage points", f"{Spread(within):.2f}"),
    ]
    title = f"{options.pairs} pairs of runs of {options.time} at most"
    return table([title, "median (range)"], rows) + "\n"


def with_readers(program, folder, server, options) -> str:
    readers = [Reader(server.address) for _ in range(options.readers)]
    started, before, most, runs = time.monotonic(), server.cpu_s(), (0, 0), []
    end = started + options.minutes * 60

    def keep_running():
        while time.monotonic() < end:
            runs.append(run(program, folder, "60s"))

    running = threading.Thread(target=keep_running)
    running.start()
    while time.monotonic() < end:
        most = tuple(map(max, most, server.memory()))
        time.sleep(0.2)
    share = (server.cpu_s() - before) / (time.monotonic() - started)
    for reader in readers:
        reader.stop()
    running.join()
    counts, gaps = [reader.events for reader in readers], sum(reader.gaps for reader in readers)
    own, everything = (f"{value / (1 << 20):.1f} MiB" for value in most)
    rows = [
        ("events of each reader", f"{min(counts)} to {max(counts)}, {gaps} gaps"),
        ("largest memory use of the server", own),
        ("the same with the processes that analyse the run", everything),
        ("CPU time of all of them", f"{share:.1%} of one processor"),
    ]
    title = f"{options.readers} readers for {options.minutes} min during {len(runs)} runs"
    return table([title, ""], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--time", default="60s", help="of each run of a pair")
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--dir", type=Path, default=TARGET)
    options = parser.parse_args()
    program = released()
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        folder = Path(folder)
        server = Server(program, folder)
        try:
            found = in_pairs(program, folder, server, options)
            found += with_readers(program, folder, server, options)
        finally:
            server.process.kill()
            server.process.wait()
    write_page("live.md", "live", found)


if __name__ == "__main__":
    main()
