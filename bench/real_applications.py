"""Applications on a directory as people run them, and what they themselves say of its storage: one
node of etcd, a cluster of PostgreSQL, and SQLite's shell. For `applications`, which compares that
with `bakeoff fit`.

Each is one client that waits for each answer, since storage is what is asked about."""

import base64
import http.client
import json
import math
import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# What a client stores in etcd: a WAL record of 2300 bytes, as etcd's documents advise to measure.
VALUE_BYTES = 2200
STARTED_WITHIN_S = 60


@dataclass
class Bucketed:
    """A histogram of Prometheus: seconds that buckets end at, and how many are in each."""

    ends_s: list[float]
    counts: list[float]

    @property
    def total(self) -> float:
        return sum(self.counts)

    def since(self, earlier: "Bucketed") -> "Bucketed":
        counts = [now - then for now, then in zip(self.counts, earlier.counts)]
        return Bucketed(self.ends_s, counts)

    def quantile(self, share: float) -> tuple[float, float, float]:
        """What `histogram_quantile` answers, and the bucket that it is in, all that is certain."""
        rank, before = share * self.total, 0.0
        for n, (end, count) in enumerate(zip(self.ends_s, self.counts)):
            start = self.ends_s[n - 1] if n else 0.0
            if before + count >= rank and count:
                if math.isinf(end):
                    return start, start, end
                return start + (end - start) * (rank - before) / count, start, end
            before += count
        raise ValueError("an empty histogram has no quantile")


def histogram(metrics: str, name: str) -> Bucketed:
    """Of the text format of Prometheus."""
    lines = re.findall(rf'^{name}_bucket{{le="([^"]+)"}} (\S+)$', metrics, re.MULTILINE)
    ends = [float(end) for end, _ in lines]
    up_to = [float(count) for _, count in lines]
    return Bucketed(ends, [now - then for now, then in zip(up_to, [0.0, *up_to])])


@dataclass
class Etcd:
    puts_per_s: float
    wal_fsync: Bucketed
    backend_commit: Bucketed


def etcd(folder: Path, seconds: float) -> Etcd:
    """One client that puts values into one node."""
    with etcd_node(folder / "etcd") as port:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=STARTED_WITHIN_S)

        def asked(method: str, path: str, body=None) -> str:
            client.request(method, path, body)
            answer = client.getresponse()
            text = answer.read().decode()
            if answer.status != 200:
                raise RuntimeError(f"etcd answers {path} with {answer.status}: {text}")
            return text

        def measured() -> list[Bucketed]:
            metrics = asked("GET", "/metrics")
            names = ("wal_fsync", "backend_commit")
            return [histogram(metrics, f"etcd_disk_{name}_duration_seconds") for name in names]

        def put(number: int):
            key, value = f"key-{number % 1000}".encode(), bytes([number % 251]) * VALUE_BYTES
            pair = {"key": base64.b64encode(key), "value": base64.b64encode(value)}
            asked(
                "POST",
                "/v3/kv/put",
                json.dumps({name: text.decode() for name, text in pair.items()}),
            )

        before = measured()
        puts, rate = repeated(put, seconds)
        wal, commit = (after.since(then) for after, then in zip(measured(), before))
        if wal.total < puts:
            raise RuntimeError(f"etcd synced its log {wal.total:.0f} times for {puts} puts")
        return Etcd(rate, wal, commit)


@contextmanager
def etcd_node(folder: Path):
    """The port of its clients."""
    client, peer = free_port(), free_port()
    urls = {"client": f"http://127.0.0.1:{client}", "peer": f"http://127.0.0.1:{peer}"}
    words = ["etcd", "--name=one", f"--data-dir={folder}", "--log-level=error", "--logger=zap"]
    words += [f"--listen-{kind}-urls={url}" for kind, url in urls.items()]
    words += [f"--advertise-client-urls={urls['client']}", "--initial-cluster-state=new"]
    words += [
        f"--initial-advertise-peer-urls={urls['peer']}",
        f"--initial-cluster=one={urls['peer']}",
    ]
    with open(folder.with_suffix(".log"), "w") as log:
        node = subprocess.Popen(words, stdout=log, stderr=log)
        try:
            await_answer(node, lambda: is_healthy(client))
            yield client
        finally:
            node.terminate()
            node.wait()


def is_healthy(port: int) -> bool:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        client.request("GET", "/health")
        return json.loads(client.getresponse().read()).get("health") == "true"
    except (OSError, http.client.HTTPException):
        return False


@dataclass
class Postgresql:
    """`fdatasyncs_per_s` as `pg_test_fsync` says it, the rest as `pgbench -N` does."""

    fdatasyncs_per_s: float
    commits_per_s: float
    commit_p99_s: float


def postgresql(folder: Path, seconds: float) -> Postgresql:
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    data, sockets = folder / "postgresql", folder / "postgresql-socket"
    for made in (data, sockets):
        made.mkdir()
        shutil.chown(made, "postgres", "postgres")

    def postgres(program: str, *words) -> str:
        command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        command += [programs / program, *words]
        return output([str(word) for word in command], cwd=sockets)

    tested = postgres("pg_test_fsync", "--secs-per-test=1", f"--filename={data / 'test'}")
    postgres("initdb", "--pgdata", data, "--no-sync", "--auth=trust", "--no-instructions")
    options = f"-c listen_addresses= -c unix_socket_directories={sockets} -c autovacuum=off"
    server = ["--pgdata", data, "--log", data / "log", "--wait", "-t", STARTED_WITHIN_S]
    postgres("pg_ctl", *server, "--options", options, "start")
    try:
        to = ["--host", sockets, "postgres"]
        postgres("pgbench", "--initialize", "--quiet", *to)
        postgres("psql", "--command=CHECKPOINT", *to)
        # -N: no updates of the two small tables that all clients wait for.
        run = ["-N", "--client=1", f"--time={seconds:.0f}", "--no-vacuum", "--log"]
        said = postgres("pgbench", *run, *to)
        [log] = sockets.glob("pgbench_log.*")
        took_us = [int(line.split()[2]) for line in log.read_text().splitlines()]
    finally:
        postgres("pg_ctl", *server, "--mode=immediate", "stop")
    tps = re.search(r"^tps = ([0-9.]+)", said, re.MULTILINE)
    return Postgresql(fdatasync_rate(tested), float(tps[1]), percentile(took_us, 0.99) / 1e6)


def fdatasync_rate(said: str) -> float:
    """Of one write of 8 KiB, in what `pg_test_fsync` prints first."""
    return float(
        re.search(r"one 8kB write:.*?^\s+fdatasync\s+([0-9.]+) ops/sec", said, re.M | re.S)[1]
    )


@dataclass
class Sqlite:
    commits_per_s: float
    commit_p99_s: float


def sqlite(folder: Path, seconds: float, journal: str) -> Sqlite:
    """Inserts, each a transaction of its own, with `synchronous=FULL`."""
    took_s: list[float] = []
    words = ["sqlite3", "-batch", "-init", "/dev/null", str(folder / f"sqlite-{journal}.db")]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as shell:

        def ask(sql: str) -> str:
            shell.stdin.write(f"{sql} SELECT 'done';\n")
            lines = []
            while not lines or lines[-1] != "done":
                line = shell.stdout.readline()
                if not line:
                    raise RuntimeError(f"sqlite3 ended at: {sql}")
                lines.append(line.strip())
            return "".join(lines[:-1])

        is_set = ask(f"PRAGMA journal_mode={journal}; PRAGMA synchronous=FULL; PRAGMA synchronous;")
        if is_set != f"{journal}2":
            raise RuntimeError(f"sqlite3 answers {is_set}")
        ask("CREATE TABLE states(id INTEGER PRIMARY KEY, at INTEGER, state TEXT);")

        def insert(number: int):
            started = time.monotonic()
            ask(f"INSERT INTO states(at, state) VALUES({number}, '{'x' * 200}');")
            took_s.append(time.monotonic() - started)

        _, rate = repeated(insert, seconds)
        shell.stdin.close()
    return Sqlite(rate, percentile(took_s, 0.99))


def repeated(once, seconds: float) -> tuple[int, float]:
    """How often it was done in so many seconds, and how often a second."""
    started, done = time.monotonic(), 0
    while time.monotonic() < started + seconds:
        once(done)
        done += 1
    return done, done / (time.monotonic() - started)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def await_answer(process: subprocess.Popen, answers):
    end = time.monotonic() + STARTED_WITHIN_S
    while not answers():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{process.args[0]} does not answer; see its log")
        time.sleep(0.2)


def output(command: list[str], **options) -> str:
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    ended = subprocess.run(command, text=True, **pipes, **options)
    if ended.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stdout}")
    return ended.stdout
