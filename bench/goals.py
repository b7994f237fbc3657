"""The targets of `compare.py`, and why one is not reached on the machine that was measured."""

from cases import RATES
from common import Spread


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
    yield at_most("CPU of watching the machine, of one core", fixed["watching"], 0.5, " %")
    yield at_most("process start to first I/O", fixed["first_io"], 10, " ms")
    yield at_most("clock reads per I/O, psync", fixed["clock_reads"], 1)
