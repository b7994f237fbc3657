"""How other rules name a winner on simulated drives, and how often the best possible test finds a
wave of one candidate: two tables of docs/truth.md. The random numbers are those of the program."""

import argparse
import math

from common import table

MASK = (1 << 64) - 1
BLOCKS = (5, 8, 12, 18, 27)
FALSE_ALARMS, GOING_ON = 0.02, 0.1
# Lag-1 autocorrelation and standard deviation of a wave, on drives with 2 % noise.
WAVES = ((0.5, 0.1), (0.8, 0.04), (0.8, 0.1), (0.9, 0.1))
NOISE, GAP = 0.02, 0.06
# Runs of each candidate: at least, at most. The two last ones differ in their order.
RULES = {
    "1 run each, compare": (1, 1),
    "3 runs each, compare means": (3, 3),
    "until 2.5 % deviation, compare means": (3, 12),
    "10 runs each, t test at 5 %": (10, 10),
    # As hyperfine prints them (its documentation, "relative speed").
    "10 runs each, ratio beyond its deviation": (10, 10),
    "10 runs each, random order, Bonferroni": (10, 10),
}
MEANS, TTEST, RATIO, RANDOM = list(RULES)[:3], *list(RULES)[3:]
DRIFT = {"drift": math.log(1.1), "lag1": 0.5}
DRIVES = {
    "quiet drive": {"k": 2},
    "drift 10 %, common lag-1 0.5": {"k": 2, **DRIFT},
    "own partitions of a hard disk, the better one inside": {
        "k": 2,
        "gradient": math.log(1 / 0.69),
    },
    "four candidates, quiet drive": {"k": 4},
    "four candidates, drift 10 %, common lag-1 0.5": {"k": 4, **DRIFT},
}


def mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


class Random:
    """SplitMix64, with normal deviates after Box and Muller (crates/core/stats/src/prng.rs)."""

    def __init__(self, seed: int, *words: int):
        self.state = seed
        for word in words:
            self.state = self.next() ^ mix(word)

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return mix(self.state)

    def uniform(self) -> float:
        return (self.next() >> 11) / (1 << 53)

    def deviate(self) -> float:
        u, v = 1 - self.uniform(), self.uniform()
        return math.sqrt(-2 * math.log(u)) * math.cos(math.tau * v)

    def shuffle(self, items: list):
        for i in range(len(items) - 1, 0, -1):
            j = self.next() * (i + 1) >> 64
            items[i], items[j] = items[j], items[i]


class Drive:
    """A drive in use: each visit of a candidate is one cell."""

    def __init__(self, means, seed, drift=0.0, lag1=0.0, gradient=0.0):
        self.means, self.drift, self.lag1, self.gradient = means, drift, lag1, gradient
        self.random, self.visits = Random(seed, 0x6469736B), 0
        self.common, _ = self.random.deviate(), self.random.deviate()

    def cell(self, candidate: int) -> float:
        fresh = math.sqrt(1 - self.lag1 * self.lag1) * self.random.deviate()
        self.common = self.lag1 * self.common + fresh
        k = len(self.means)
        y = self.drift * self.visits / (5 * k) + self.means[candidate]
        y += NOISE * self.common if self.lag1 else 0
        self.visits += 1
        # The better candidates lie inside, where a drive is slow.
        inside = (k - 1 - candidate) / max(k - 1, 1)
        return math.exp(y + NOISE * self.random.deviate() - self.gradient * inside)


def mean(values) -> float:
    return sum(values) / len(values)


def sd(values) -> float:
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return math.sqrt(sum((v - middle) ** 2 for v in values) / (len(values) - 1))


def measure(rule: str, drive: Drive, seed: int) -> list[list[float]]:
    (least, most), k = RULES[rule], len(drive.means)
    rates: list[list[float]] = [[] for _ in range(k)]
    if rule == RANDOM:
        order = [i % k for i in range(k * least)]
        Random(seed, 0x6F72646572).shuffle(order)
        for candidate in order:
            rates[candidate].append(drive.cell(candidate))
        return rates
    for candidate, own in enumerate(rates):
        while len(own) < least or len(own) < most and sd(own) > 0.025 * mean(own):
            own.append(drive.cell(candidate))
    return rates


def beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(front + a * math.log(x) + b * math.log1p(-x)) / a if x > 0 else 0.0
    f, c, d = 1.0, 1.0, 0.0
    for i in range(400):
        m = i // 2
        if i == 0:
            term = 1.0
        elif i % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + term * d or 1e-30)
        c = 1 + term / c or 1e-30
        f *= c * d
        if abs(1 - c * d) < 1e-12:
            break
    return front * (f - 1)


def welch(a, b) -> float:
    """Two-sided p of Welch's test (Biometrika 34, 1947)."""
    u, v = sd(a) ** 2 / len(a), sd(b) ** 2 / len(b)
    df = (u + v) ** 2 / (u * u / (len(a) - 1) + v * v / (len(b) - 1))
    t = (mean(a) - mean(b)) / math.sqrt(u + v)
    return beta(df / 2, 0.5, df / (df + t * t))


def verdict(rule: str, best, others) -> tuple[float, bool]:
    """How clear the best is of the others in the rule's own measure, and whether it is named."""
    clear, is_named = math.inf, True
    pairs = len(others) * (len(others) + 1) / 2
    for other in others:
        if rule in (TTEST, RANDOM):
            p = welch(best, other)
            own, named = -p, p < 0.05 / (pairs if rule == RANDOM else 1)
        elif rule == RATIO:
            x, y = mean(best), mean(other)
            own = x / y - x / y * math.sqrt((sd(best) / x) ** 2 + (sd(other) / y) ** 2)
            named = own > 1
        else:
            own = mean(best) - mean(other)
            named = own > 0
        clear, is_named = min(clear, own), is_named and named
    return clear, is_named


def play(rule: str, drive: dict, runs: int, seed: int) -> list[str]:
    """Runs between equals and as many at a gap, the first one ahead."""
    rest = {key: value for key, value in drive.items() if key != "k"}
    cells, found = 0, ([], [])
    for half, gap in enumerate((0.0, GAP)):
        means = [0.0] + [-math.log1p(gap)] * (drive["k"] - 1)
        for i in range(runs):
            own = Random(seed, i, half).next()
            rates = measure(rule, Drive(means, own, **rest), own)
            cells += sum(map(len, rates))
            best = max(range(len(rates)), key=lambda c: mean(rates[c]))
            others = [rates[c] for c in range(len(rates)) if c != best]
            found[half].append((*verdict(rule, rates[best], others), best == 0))
    bar = sorted(clear for clear, _, _ in found[0])[math.ceil(0.95 * runs) - 1]
    return [
        share(named for _, named, _ in found[0]),
        share(named and first for _, named, first in found[1]),
        share(clear > bar and first for clear, _, first in found[1]),
        f"{cells / runs / 2:.1f}",
    ]


class Steps:
    """A normal distribution of the steps from block to block: the lower triangle of its covariance,
    by Cholesky's method."""

    def __init__(self, n: int, covariance):
        at = [[covariance(i, j) for j in range(n)] for i in range(n)]
        self.lower = [[0.0] * (n - 1) for _ in range(n - 1)]
        for i, row in enumerate(self.lower):
            for j in range(i + 1):
                left = at[i + 1][j + 1] - at[i + 1][j] - at[i][j + 1] + at[i][j]
                left -= sum(row[k] * self.lower[j][k] for k in range(j))
                row[j] = math.sqrt(left) if i == j else left / self.lower[j][j]

    def draw(self, random: Random) -> list[float]:
        deviates = [random.deviate() for _ in self.lower]
        return [sum(a * b for a, b in zip(row, deviates, strict=True)) for row in self.lower]

    def distance(self, steps) -> float:
        """Squared distance of steps from none, in the units of the distribution."""
        solved: list[float] = []
        for row, step in zip(self.lower, steps, strict=True):
            known = sum(a * b for a, b in zip(row, solved, strict=False))
            solved.append((step - known) / row[len(solved)])
        return sum(v * v for v in solved)


def bounds(lag1: float, deviation: float, blocks: int, runs: int, seed: int) -> list[str]:
    """The shares found by a test that knows wave and noise, and by one that knows the wave only."""

    def still(i, j):
        return 2 * NOISE * NOISE if i == j else 0.0

    def wave(i, j):
        return deviation**2 * lag1 ** abs(i - j) + still(i, j)

    random, both = Random(seed, blocks), (Steps(blocks, still), Steps(blocks, wave))
    seen: list[list[tuple[float, float]]] = []
    for truth in both:
        drawn = [truth.draw(random) for _ in range(runs)]
        pairs = [tuple(steps.distance(one) for steps in both) for one in drawn]
        seen.append([(plain - waving, plain / waving) for plain, waving in pairs])
    quiet, found = seen
    tests = ((0, FALSE_ALARMS), (1, FALSE_ALARMS), (1, GOING_ON))
    shares = []
    for test, alarms in tests:
        limit = sorted(q[test] for q in quiet)[math.ceil((1 - alarms) * runs) - 1]
        shares.append(share(f[test] > limit for f in found))
    return shares


def share(events) -> str:
    events = list(events)
    return f"{sum(events) / len(events) * 100:.1f} %"


def tables(runs: int, seed: int) -> str:
    columns = ["drive", "rule", " false winner", " right winner", " right at 5 % error", " cells"]
    rows = [
        [name, rule, *play(rule, drive, runs, seed)]
        for name, drive in DRIVES.items()
        for rule in RULES
    ]
    known = ("wave and noise", "the wave only", "the wave only, 10 % alarms")
    found = [
        [f"{deviation * 100:.0f} % (lag-1 {lag1})", what, *shares]
        for lag1, deviation in WAVES
        for what, *shares in zip(
            known, *(bounds(lag1, deviation, b, runs, seed) for b in BLOCKS), strict=True
        )
    ]
    waves = ["the wave", "the best test that knows", *(f" {b} blocks" for b in BLOCKS)]
    return f"{table(columns, rows)}\n{table(waves, found)}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=20_261_120)
    options = parser.parse_args()
    print(tables(options.runs, options.seed), end="")
