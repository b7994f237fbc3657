"""The runs that people posted: docs/usual/posts.txt, and the tables and the page made of it.

    usual_posts.py FILE...      take the pasted runs out of any texts (- is standard input)
    usual_posts.py              make the tables and the page again
    usual_posts.py --check      check that they are those of the posts

`--source TEXT` says where a text is from, such as the address of an issue; otherwise its file name.
posts.txt has the lines as `bakeoff show --paste` prints them, each with its source. The program
reads them (`bakeoff show - --format json`), so this script has no reader of its own: build it
first, or name another with `--program`. docs/post.md says which runs count."""

import argparse
import csv
import datetime
import io
import json
import re
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "release"))

import usual
import usual_page
from tools import ROOT, TARGET, Failed, ensure, start

FOLDER = ROOT / "docs/usual"
POSTS, ROWS, SUMMARY, PAGE = "posts.txt", "rows.csv", "summary.csv", "index.html"
# A line of ours, whatever its version: the program says what is wrong with one.
BEGINNING = re.compile(r"bakeoff[1-9]\d{0,2}:(?=[A-Za-z0-9_-])")
# Characters that one line may take, however it was wrapped and quoted.
LONGEST = 1 << 14
# Runs of one text that are taken. Somebody with more posts them apart, where people see it.
MOST_RUNS = 20
# Lines of one text that are read: a damaged one costs as much as a good one.
MOST_LINES = 2000
LEAST_BLOCKS = 3
# A figure whose interval spans more says nothing.
WIDEST = 10
# Posts that a group has to be from: one person can invent any number of drives.
LEAST_SOURCES = 3
# How far beyond the slowest and fastest drive of its kind a figure may be.
FAR = 10
# When the first version was written.
FIRST_DAY = "2026-11-20"
# Of drives of a kind and link of which too little is published: those of any drive of 2026.
EXTREMES = {
    "seqread": (1e6, 15e9),
    "seqwrite": (1e5, 15e9),
    "randread": (20, 100_000),
    "randwrite": (1, 100_000),
}
UNFLUSHED = ("rand_write_4k_iops",)
BLOCK_BYTES = {"seqread": 1, "seqwrite": 1, "randread": 4096, "randwrite": 4096}
FIELDS = (
    "run day version board kernel medium link drive filesystem test mean low high blocks source"
).split()
# As scripts/usual.py reads files of published figures, so that posted ones can be one more.
COLUMNS = (
    "run day version board kernel device_class link device_model filesystem figure_name si_value "
    "si_unit low high blocks tool_params cached_suspect source note"
).split()
CLASSES = {medium: name for name, medium in usual.MEDIA.items()}
NO_DRIVE = {"loop", "network"}


@dataclass
class Tables:
    """What is known of drives and links: bytes or operations a second."""

    links: dict[str, float]
    bounds: dict[tuple[str, str, str], tuple[float, float]]

    @classmethod
    def read(cls) -> "Tables":
        links = {row["link"]: float(row["nominal_MBps"]) * 1e6 for row in table("links.csv")}
        bounds = {
            (of.medium, of.link, of.test): (of.tenths[0], of.tenths[-1])
            for of in usual_page.published()
        }
        # A flush makes no write faster.
        for of in usual_page.published(UNFLUSHED):
            bounds[of.medium, of.link, "randwrite"] = 0.0, of.tenths[-1]
        return cls(links, bounds)

    def bounds_of(self, medium: str, link: str, test: str) -> tuple[float, float]:
        link = usual_page.group(link)
        found = self.bounds.get((medium, link, test)) or self.bounds.get((medium, "", test))
        return found or EXTREMES[test]


def table(name: str) -> list[dict]:
    """Rows of a table of the program. The last field may have commas, and no quotes."""
    head, *lines = (usual.DATA / name).read_text().splitlines()
    columns = head.split(",")
    return [dict(zip(columns, line.split(",", len(columns) - 1), strict=True)) for line in lines]


class Program:
    def __init__(self, path: Path):
        self.path = path
        self.read = {}
        said = self.run(["--version"]).stdout.split()
        ensure(len(said) > 1 and number(said[1]), f"{path} is not bakeoff")
        self.version = said[1]

    def run(self, words: list[str], text: str = "") -> subprocess.CompletedProcess:
        try:
            return subprocess.run(
                [self.path, *words], input=text, capture_output=True, encoding="utf-8"
            )
        except OSError as error:
            raise Failed(f"cannot run {self.path}: {error}. Build it first") from None

    def decode(self, piece: str) -> tuple[dict | None, str]:
        """The run of a text with one line of ours, or why there is none."""
        if piece not in self.read:
            self.read[piece] = self.decoded(piece)
        return self.read[piece]

    def decoded(self, piece: str) -> tuple[dict | None, str]:
        ended = self.run(["show", "-", "--format", "json"], piece)
        if ended.returncode == 0:
            return json.loads(ended.stdout)["runs"][0], ""
        said = ended.stderr.splitlines() or ["it said nothing"]
        ensure(ended.returncode == 2, f"bakeoff ended with {ended.returncode}: {said[0]}")
        return None, re.sub(r"^bakeoff: (standard input, line \d+: )?", "", said[0])


def pieces(text: str):
    """A text cut before each line of ours, and the number of the line where that begins."""
    begins = [found.start() for found in BEGINNING.finditer(text)]
    line, last = 1, 0
    for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
        line += text.count("\n", last, begin)
        last = begin
        yield line, text[begin : min(end, begin + LONGEST)]


def number(version: str) -> tuple[int, ...] | None:
    found = re.match(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", version)
    return tuple(map(int, found.groups())) if found else None


def figures(run: dict) -> tuple:
    """What makes two runs the same, whatever they call themselves."""
    of = ("candidate", "mean", "low", "high", "blocks")
    levels = (
        (w["workload"], *(level[k] for k in of)) for w in run["workloads"] for level in w["levels"]
    )
    return tuple(levels)


def refused(run: dict, here: str, today: str) -> str | None:
    """Why a run does not count, whatever its figures."""
    made = number(run["version"])
    if made is None:
        return f"“{run['version']}” is no version of bakeoff"
    if made > number(here):
        return f"made by bakeoff {run['version']}, later than {here} here: update bakeoff first"
    if not FIRST_DAY <= run["day"] <= today:
        return f"dated {run['day']}, which is before the first version or in the future"
    return None


def rows_of(run: dict, source: str, tables: Tables) -> tuple[list[dict], list[str], str | None]:
    """The rows of a run, why other figures do not count, and why none of them does."""
    rows, left_out, reads = [], [], defaultdict(dict)
    for workload in run["workloads"]:
        for level in workload["levels"]:
            what = f"{workload['workload']} of {level['candidate']}"
            if why := unfit(workload, level):
                left_out.append(f"{what}: {why}")
                continue
            link, test = level["link"] or "", workload["test"]
            if why := impossible(level["medium"], link, test, level["mean"], tables):
                return [], [], f"{what}: {why}"
            reads[level["candidate"]][test] = level["mean"] * BLOCK_BYTES[test]
            row = {**run, **level, "link": link, "test": test, "source": source}
            rows.append({name: row[name] for name in FIELDS})
    for candidate, of in reads.items():
        if "seqread" in of and of.get("randread", 0) > of["seqread"]:
            why = "random reads are faster than sequential ones: from memory, or made up"
            return [], [], f"{candidate}: {why}"
    return rows, left_out, None


def unfit(workload: dict, level: dict) -> str | None:
    if workload["test"] is None:
        return "not one of the four workloads of quick as it measures them"
    if workload["is_forbidden"]:
        return "a finding of the run forbids claims about it"
    if level["medium"] is None:
        return "the kind of storage is not in the line"
    if level["medium"] in NO_DRIVE:
        return f"on {level['medium']} storage, which is not a drive"
    if level["encrypted"]:
        return "encrypted: limited by the processor as well"
    if level["blocks"] < LEAST_BLOCKS:
        return f"measured {level['blocks']} times, {LEAST_BLOCKS} at least"
    if level["high"] > WIDEST * level["low"]:
        return f"its 95 % interval spans more than a factor of {WIDEST}"
    return None


def impossible(medium: str, link: str, test: str, mean: float, tables: Tables) -> str | None:
    rate = mean * BLOCK_BYTES[test]
    most = tables.links.get(link, float("inf"))
    if rate > most:
        return f"{rate / 1e6:.4g} MB/s over a link that carries {most / 1e6:.4g} MB/s"
    low, high = tables.bounds_of(medium, link, test)
    if not low / FAR <= mean <= high * FAR:
        slow = mean < low
        than, of = ("slower", "slowest") if slow else ("faster", "fastest")
        return f"more than {FAR} times {than} than the {of} {medium} known"
    return None


@dataclass
class Collection:
    """Runs that count, by their ID, and the rows they make."""

    program: Program
    tables: Tables
    today: str
    runs: dict[str, tuple] = field(default_factory=dict)
    posts: list[str] = field(default_factory=list)
    rows: list[dict] = field(default_factory=list)
    copies: dict[tuple, str] = field(default_factory=dict)

    def take(self, piece: str, source: str) -> tuple[str | None, list[str]]:
        """Adds a run; why it is left out, or which of its figures are."""
        run, why = self.program.decode(piece)
        if run is None:
            return why, []
        short, own = run["run"], figures(run)
        if short in self.runs:
            is_same = self.runs[short] == own
            return f"run {short} again" + ("" if is_same else ", with other figures"), []
        if own in self.copies:
            return f"has the figures of run {self.copies[own]} under another ID", []
        if why := refused(run, self.program.version, self.today):
            return why, []
        rows, left_out, why = rows_of(run, source, self.tables)
        if why or not rows:
            return why or f"no figure counts: {left_out[0] if left_out else 'it has none'}", []
        self.runs[short], self.copies[own] = own, short
        self.posts.append(f"{run['line']} {source}")
        self.rows.extend(rows)
        return None, left_out

    def take_all(self, text: str, source: str) -> tuple[int, Counter]:
        """The runs of a text: how many were taken, and what was left out, with the first line."""
        taken, reasons, first = 0, Counter(), {}
        for at, (line, piece) in enumerate(pieces(text)):
            if at >= MOST_LINES:
                why, left_out = f"more than {MOST_LINES} lines in one text: split it", []
            elif taken >= MOST_RUNS:
                why, left_out = f"more than {MOST_RUNS} runs in one text: post them apart", []
            else:
                why, left_out = self.take(piece, source)
                taken += why is None
            for reason in [why] if why else left_out:
                reasons[reason] += 1
                first.setdefault(reason, line)
        return taken, Counter({(first[why], why): times for why, times in reasons.items()})


def summary(rows: list[dict]) -> list[dict]:
    """Groups as in others.csv; a drive counts once in each, with the median of its figures. A group
    of few drives or few posts has no tenths."""
    groups, sources = defaultdict(lambda: defaultdict(list)), defaultdict(set)
    for row in rows:
        key = row["medium"], usual_page.group(row["link"]), row["test"]
        groups[key][row["drive"]].append(row["mean"] / scale(row["test"]))
        sources[key].add(row["source"].replace(",", "%2C").replace(";", "%3B"))
    found = []
    for key, drives in sorted(groups.items()):
        values = sorted(statistics.median(of) for of in drives.values())
        enough = len(values) >= usual.LEAST and len(sources[key]) >= LEAST_SOURCES
        share = [f"{usual.percentile(values, t / 10):.4g}" if enough else "" for t in usual.TENTHS]
        found.append(
            dict(
                zip(
                    usual.HEAD,
                    [*key, len(values), *share, "; ".join(sorted(sources[key]))],
                    strict=True,
                )
            )
        )
    return found


def scale(test: str) -> float:
    return 1e6 if test in usual_page.IN_BYTES else 1.0


def written(row: dict) -> dict:
    """A row with the names and units of published figures."""
    by = scale(row["test"])
    return row | {
        "device_class": CLASSES.get(row["medium"], row["medium"]),
        "device_model": row["drive"],
        "figure_name": row["test"],
        "si_value": row["mean"] / by,
        "si_unit": "1/s" if by == 1 else "MB/s",
        "low": row["low"] / by,
        "high": row["high"] / by,
        "tool_params": "bakeoff quick",
        "cached_suspect": "no",
        "note": "",
    }


def as_csv(columns, rows: list[dict]) -> str:
    """A table; a name that a spreadsheet would take for a formula is text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)

    def cell(value) -> str:
        if isinstance(value, float):
            return f"{value:.6g}"
        return f"'{value}" if str(value)[:1] in "=+-@" and str(value) else str(value)

    writer.writerows([cell(row[name]) for name in columns] for row in rows)
    return out.getvalue()


def files(of: Collection) -> dict[str, str]:
    posts = "".join(f"{post}\n" for post in of.posts)
    return {
        POSTS: posts,
        ROWS: as_csv(COLUMNS, [written(row) for row in of.rows]),
        SUMMARY: as_csv(usual.HEAD, summary(of.rows)),
        PAGE: usual_page.page(of.rows),
    }


def stored(folder: Path, program: Program, today: str) -> tuple[Collection, list[str]]:
    """The runs that were taken before, and what is wrong with them now."""
    of, wrong = Collection(program, Tables.read(), today), []
    posts = folder / POSTS
    lines = posts.read_text().splitlines() if posts.exists() else []
    for at, post in enumerate(lines, 1):
        line, _, source = post.partition(" ")
        why, _ = of.take(line, source)
        if why:
            wrong.append(f"{POSTS}:{at}: {why}")
    return of, wrong


def check(folder: Path, of: Collection, wrong: list[str]) -> list[str]:
    differ = [
        f"{name} is not what the posts make: run python3 scripts/usual_posts.py"
        for name, text in files(of).items()
        if not (folder / name).exists() or (folder / name).read_text() != text
    ]
    return wrong + differ


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="texts with pasted runs; - reads stdin"
    )
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if stale")
    parser.add_argument("--source", help="where the texts are from (default: their names)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="(default: docs/usual)")
    parser.add_argument("--program", type=Path, default=TARGET / "debug/bakeoff")
    return parser.parse_args(words)


def main(words=None):
    asked = arguments(words)
    today = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)).date().isoformat()
    of, wrong = stored(asked.folder, Program(asked.program), today)
    if asked.check:
        wrong = check(asked.folder, of, wrong)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    ensure(not wrong, f"{len(wrong)} things to fix in {asked.folder}")
    if asked.check:
        return
    for name in asked.files:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(errors="replace")
        source = re.sub(r"[^!-~]+", "-", asked.source or Path(name).name)[:120]
        taken, left_out = of.take_all(text, source)
        print(f"{name}: {taken} taken, {left_out.total()} left out")
        for (line, why), times in sorted(left_out.items()):
            print(f"  line {line}{f' and {times - 1} more' if times > 1 else ''}: {why}")
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name, made in files(of).items():
        (asked.folder / name).write_text(made)


if __name__ == "__main__":
    start(main)
