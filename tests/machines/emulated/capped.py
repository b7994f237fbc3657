"""Disks that QEMU holds to a speed, so the ratio of two caps is the truth.

The emulator can do several times as much. On a machine so busy that it cannot, something else holds
the disks back: a run in which any cell of a disk fell short of its cap says nothing and is made
again. QEMU's throttle lets a tenth of a second's worth through at once after a pause
(util/throttle.c), in proportion to the cap, so the ratio is unaffected in cells of equal length."""

import time
from dataclasses import dataclass

from .disk import MIB, Disk

# A plan of half a minute, most of it in cells of a second and raw reads of the sentinel.
PLAN = """
title = 'disks held to a speed'
[region]
size = '64m'
[[stack]]
fs = 'raw'
[[workload]]
rw = 'read'
bs = '128k'
direct = true
iodepth = 4
size = '4m'
[protocol]
mode = 'decide'
flash_state = 'trimmed'
cell_min = '1s'
"""
SERIALS = {"vda": "CAP-40-A", "vdb": "CAP-38", "vdc": "CAP-32", "vdd": "CAP-40-D"}
CAPS = {"vda": 40_000_000, "vdb": 38_000_000, "vdc": 32_000_000, "vdd": 40_000_000}
# The faster disk first.
PAIRS = {"40-38": ("vda", "vdb"), "40-32": ("vda", "vdc"), "40-40": ("vda", "vdd")}
DISKS = tuple(
    Disk(name, 192 * MIB, serial=SERIALS[name]).at_most_bytes_per_s(rate)
    for name, rate in CAPS.items()
)
# How often a run is tried on a busy machine, and seconds of rest in between.
TRIES, REST_S = 5, 10


class TooBusy(Exception):
    """The disks do less than QEMU lets through: no run says anything."""


@dataclass
class Said:
    """What a run says of a pair: how many times as fast the first is (estimate, low, high)."""

    truth: float
    ratio: tuple[float, float, float]
    verdict: str
    winner: str | None
    findings: list

    @property
    def covers(self) -> bool:
        return self.ratio[1] <= self.truth <= self.ratio[2]

    @property
    def is_right(self) -> bool:
        if self.truth == 1.0:
            return self.verdict == "as_fast"
        return self.verdict == "fastest" and self.winner == "first"


def truth(pair: str) -> float:
    fast, slow = PAIRS[pair]
    return CAPS[fast] / CAPS[slow]


def measure(guest, pair: str, seed: int) -> Said:
    """Measures a pair once, while the emulator has the processors it needs."""
    for _ in range(TRIES):
        verdict = run(guest, pair, seed)
        slowest = {
            device: one["min"]
            for one in verdict["standings"]
            for device in PAIRS[pair]
            if one["candidate"].endswith(device)
        }
        said = read(pair, verdict)
        print(f"{pair} seed {seed}, slowest {slowest}: {said}")
        if all(slowest[device] >= CAPS[device] for device in PAIRS[pair]):
            return said
        time.sleep(REST_S)
    raise TooBusy("the machine is too busy: its disks do less than they are let through")


def run(guest, pair: str, seed: int) -> dict:
    words = " ".join(
        f"--target /dev/disk/by-id/virtio-{SERIALS[device]} --erase {SERIALS[device]}"
        for device in PAIRS[pair]
    )
    ended = guest.run(
        f"""cat >/tmp/plan.toml <<'END'\n{PLAN}END
        bakeoff run --anyway /tmp/plan.toml {words} --seed {seed} --max-write 100g --format json \\
            >/tmp/result"""
    )
    assert ended.code <= 1, ended.error
    return guest.json("cat /tmp/result")["verdicts"][0]


def read(pair: str, verdict: dict) -> Said:
    fast, slow = PAIRS[pair]
    effect = verdict["effects"][0]
    ratio = effect["ratio"], effect["low"], effect["high"]
    if effect["a"].endswith(slow):
        ratio = 1 / ratio[0], 1 / ratio[2], 1 / ratio[1]
    leader = verdict.get("leader") or ""
    winner = "first" if leader.endswith(fast) else "second" if leader.endswith(slow) else None
    findings = [f"{found['id']} {found['evidence']}" for found in verdict["findings"]]
    return Said(truth(pair), ratio, verdict["verdict"], winner, findings)
