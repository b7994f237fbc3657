"""What the benches share: runs of the program, medians with their range, and parts of pages in docs
between two marks, of which the rest is written by hand."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = Path(subprocess.check_output([ROOT / "scripts/target.sh"], text=True).strip())
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def released() -> Path:
    """The program as `make build` makes it."""
    program = TARGET / "release/bakeoff"
    if not program.exists():
        sys.exit(f"{program} is not built: run `make build`")
    return program


def answer(program, *words, **options) -> str:
    """Runs bakeoff, which ends with 1 where its answer is open, and returns what it printed."""
    command = [str(word) for word in (program, *words)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)
    if ended.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} ended with {ended.returncode}")
    return ended.stdout


def answer_json(program, *words, **options):
    return json.loads(answer(program, *words, "--format", "json", **options))


def events(program, *words, **options) -> list[dict]:
    """The events of the last run."""
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "run.bundle"
        answer(program, "show", "last", "-o", bundle, *words, **options)
        # Without the head and the seal.
        return [json.loads(line) for line in bundle.read_text().splitlines()[1:-1]]


class Spread:
    """The median of a few values with the smallest and the largest."""

    def __init__(self, values):
        values = list(values)
        self.median, self.low, self.high = statistics.median(values), min(values), max(values)

    def __format__(self, form: str) -> str:
        median, low, high = (format(value, form) for value in (self.median, self.low, self.high))
        return median if low == high else f"{median} ({low} to {high})"


def table(columns: list[str], rows) -> str:
    """A table in Markdown; columns whose name begins with a blank are of numbers."""
    lines = [[name.strip() for name in columns]]
    lines.append(["--:" if name.startswith(" ") else "---" for name in columns])
    lines += [[str(cell) for cell in row] for row in rows]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    rule = f"| {' | '.join(lines[1])} |"
    return text.replace(rule, rule.replace(" ", ""), 1)


def write_page(page: str, part: str, found: str):
    """Prints what was found and puts it between the marks of its part of a page in docs."""
    print(found, end="")
    path = ROOT / "docs" / page
    begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->\n"
    head, begun, rest = path.read_text().partition(begin)
    _, ended, tail = rest.partition(end)
    if not begun or not ended:
        sys.exit(f"{path} has lost its marks of {part}")
    path.write_text(head + begin + found + end + tail)


def first_line(*command) -> str:
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return " ".join(text.split("\n")[0].split())


def machine(folder) -> dict[str, str]:
    """What the figures were measured on."""
    cpu = Path("/proc/cpuinfo").read_text()
    models = [line.split(": ")[1] for line in cpu.splitlines() if line.startswith("model name")]
    place = ("findmnt", "--noheadings", "--output", "FSTYPE,OPTIONS", "--target", str(folder))
    memory = Path("/proc/meminfo").read_text().split("\n")[0]
    return {
        "CPU": f"{os.cpu_count()} x {models[0] if models else 'unknown'}",
        "memory": memory.removeprefix("MemTotal:").strip(),
        "kernel": os.uname().release,
        "filesystem": first_line(*place),
    }


def disk_counters(folder) -> Path:
    """Where the kernel counts the requests of the disk under a folder."""
    words = ("findmnt", "--noheadings", "--output", "MAJ:MIN", "--target", str(folder))
    path = Path(f"/sys/dev/block/{first_line(*words)}/stat")
    if not path.exists():
        sys.exit(f"{folder} is on no disk of its own: choose another --dir")
    return path


def tree(process: int) -> list[int]:
    """A process and all below it, as far as they still exist."""
    found = [process]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except OSError:
                pass
    return found


def pss_bytes(process: int) -> int:
    """Pss of a process, 0 when it has ended."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) << 10
