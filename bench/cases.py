"""The access patterns that `compare.py` measures, and the least rates against each peer."""

from dataclasses import dataclass


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
]
