"""Drives of known mechanism: what each request costs, and what it wrote to the flash.

A drive is one queue: a request ends after the ones before it, plus its own cost. The mechanisms are
those that published measurements of cards and sticks found (flashbench; uFLIP, CIDR 2009), the
parameters are plausible and not those of any product. `nbd` and `fuse_file` serve a drive."""

import random
import time
from collections import OrderedDict

MIB = 1 << 20
UNIT = 4 * MIB


class Drive:
    """Counts what the host wrote and what reached the flash, in bytes, and flushes. A subclass says
    in seconds what a request costs."""

    def __init__(self):
        self.written_bytes = self.flash_bytes = self.flushes = 0
        self._free_at = 0.0

    def read_s(self, offset: int, size: int) -> float:
        raise NotImplementedError

    def write_s(self, offset: int, size: int) -> float:
        """What reaches the flash is added to `flash_bytes`."""
        raise NotImplementedError

    def flush_s(self) -> float:
        return 0.0008

    def read(self, offset: int, size: int):
        self._wait(self.read_s(offset, size))

    def write(self, offset: int, size: int):
        self.written_bytes += size
        self._wait(self.write_s(offset, size))

    def flush(self):
        self.flushes += 1
        self._wait(self.flush_s())

    def _wait(self, cost_s: float):
        now = time.monotonic()
        self._free_at = max(now, self._free_at) + cost_s
        time.sleep(max(0.0, self._free_at - now))


class Card(Drive):
    """Writes allocation units of 4 MiB in order and keeps a few of them open. A write that does not
    continue an open unit copies what lies before it; closing a unit copies the rest."""

    def __init__(self, units: int):
        super().__init__()
        self.units = units
        self._open: OrderedDict[int, int] = OrderedDict()

    def read_s(self, offset, size):
        return 0.0003 + size / 45e6

    def write_s(self, offset, size):
        cost, end = 0.0, offset + size
        self.flash_bytes += size
        while offset < end:
            unit, at = divmod(offset, UNIT)
            part = min(end - offset, UNIT - at)
            cost += 0.00025 * max(1.0, part / 16384)
            if unit in self._open:
                position = self._open.pop(unit)
                if at >= position:
                    # A small gap is skipped, a large one is copied from the old unit.
                    gap = at - position
                    cost += self._copy(gap if gap >= 65536 else 0)
                else:
                    cost += self._copy(UNIT - position) + self._copy(at)
            else:
                if len(self._open) >= self.units:
                    cost += self._copy(UNIT - self._open.popitem(last=False)[1])
                cost += self._copy(at)
            self._open[unit] = at + part
            offset += part
        return cost

    def _copy(self, size: int) -> float:
        self.flash_bytes += size
        return size / 18e6


class PageMapped(Drive):
    """Writes anywhere, but keeps only a part of its map in memory: a miss reads a page of the map,
    which covers 4 MiB, and a changed one that is evicted is written."""

    def __init__(self, map_cache_bytes: int):
        super().__init__()
        self._pages: OrderedDict[int, bool] = OrderedDict()
        self._capacity = max(1, map_cache_bytes // UNIT)

    def read_s(self, offset, size):
        return self._map(offset, size, False) + 0.0002 + size / 90e6

    def write_s(self, offset, size):
        self.flash_bytes += size
        return self._map(offset, size, True) + 0.00035 + size / 80e6

    def _map(self, offset, size, is_write) -> float:
        cost = 0.0
        for page in range(offset // UNIT, (offset + max(size, 1) - 1) // UNIT + 1):
            was_changed = self._pages.pop(page, None)
            if was_changed is None:
                cost += 0.00025
                if len(self._pages) >= self._capacity and self._pages.popitem(last=False)[1]:
                    cost += 0.0012
                    self.flash_bytes += 16384
            self._pages[page] = is_write or bool(was_changed)
        return cost


class SlcCache(Drive):
    """Takes writes fast until its cache is full, and empties it while nothing is asked of it."""

    def __init__(self, cache_bytes: int = 48 * MIB, fast=80e6, slow=12e6):
        super().__init__()
        self._size, self._fast, self._slow = cache_bytes, fast, slow
        self._used, self._seen = 0.0, time.monotonic()

    def read_s(self, offset, size):
        return 0.0003 + size / 80e6

    def write_s(self, offset, size):
        # Once into the cache and once out of it.
        self.flash_bytes += 2 * size
        now = time.monotonic()
        self._used = max(0.0, self._used - (now - self._seen) * self._slow)
        self._seen = now
        fits = min(size, max(0.0, self._size - self._used))
        self._used += fits
        return 0.0002 + fits / self._fast + (size - fits) / self._slow


class HardDisk(Drive):
    """Seeks by distance and half a turn at 5,400/min; in order it does neither."""

    def __init__(self, size_bytes: int):
        super().__init__()
        self._size, self._at = size_bytes, 0

    def _move(self, offset, size) -> float:
        distance, self._at = abs(offset - self._at), offset + size
        seek = 0.0 if distance < 65536 else 0.002 + 0.012 * (distance / self._size) ** 0.5 + 0.0055
        return seek + size / 110e6

    def read_s(self, offset, size):
        return self._move(offset, size)

    def write_s(self, offset, size):
        self.flash_bytes += size
        return self._move(offset, size)

    def flush_s(self):
        return 0.0055


class Even(Drive):
    """The same for every request: an SSD, or a drive that is held to a rate."""

    def __init__(self, request_s: float, bytes_per_s: float):
        super().__init__()
        self._request_s, self._bytes_per_s = request_s, bytes_per_s

    def read_s(self, offset, size):
        return self._request_s + size / self._bytes_per_s

    def write_s(self, offset, size):
        self.flash_bytes += size
        return self.read_s(offset, size)


class Erratic(Even):
    """Stalls for half a second to two seconds once in so many writes on average."""

    def __init__(self, seed: int, writes: int = 400):
        super().__init__(0.001, 20e6)
        self._random, self._writes = random.Random(seed), writes

    def write_s(self, offset, size):
        stall = self._random.uniform(0.5, 2.0) if self._random.random() < 1 / self._writes else 0.0
        return stall + super().write_s(offset, size)


def make(name: str, size_bytes: int) -> Drive:
    return {
        "card-2": lambda: Card(2),
        "card-6": lambda: Card(6),
        "card-32": lambda: Card(32),
        "map-32m": lambda: PageMapped(32 * MIB),
        "map-128m": lambda: PageMapped(128 * MIB),
        "slc-cache": SlcCache,
        "hard-disk": lambda: HardDisk(size_bytes),
        "ssd": lambda: Even(0.00008, 500e6),
        "throttled": lambda: Even(1 / 300, 15e6),
        "erratic": lambda: Erratic(1),
    }[name]()


NAMES = (
    "card-2",
    "card-6",
    "card-32",
    "map-32m",
    "map-128m",
    "slc-cache",
    "hard-disk",
    "ssd",
    "throttled",
    "erratic",
)
