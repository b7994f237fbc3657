"""The page docs/usual/index.html: how the published and the posted figures of drives are spread, as
strips by kind of storage, link and board. It has no script and fetches nothing, so it works as a
file. usual_posts.py writes it."""

import math
import re
import statistics
from collections import defaultdict
from dataclasses import dataclass
from html import escape

import usual

MEDIA = {
    "sd": "SD cards",
    "emmc": "eMMC",
    "usb-stick": "USB sticks and card readers",
    "usb-ssd": "SSDs on USB",
    "usb-hdd": "Hard disks on USB",
    "ata-hdd": "Hard disks",
    "ata-ssd": "SATA SSDs",
    "nvme": "NVMe SSDs",
    "virtio": "Virtio disks",
    "virtual": "Virtual disks",
}
TESTS = {
    "randread": ("Random reads", "4 KiB at a time, one after the other"),
    "randwrite": ("Random writes", "4 KiB at a time, each flushed"),
    "seqread": ("Sequential reads", "1 MiB at a time"),
    "seqwrite": ("Sequential writes", "1 MiB at a time, flushed every 16 MiB"),
}
IN_BYTES = {"seqread", "seqwrite"}
# First digits of the labels of an axis: the first with at most six labels.
DIGITS = ((1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
# Most boards of a figure that have a strip of their own.
MOST_BOARDS = 30


@dataclass
class Published:
    """Tenths of the published figures of a group: bytes or operations a second."""

    medium: str
    link: str
    test: str
    n: int
    tenths: list[float]
    sources: str


def group(link: str) -> str:
    """The link of a drive as the published figures are grouped by."""
    return "usb3" if link.startswith("usb3-") else link


def published(names=tuple(TESTS)) -> list[Published]:
    found = []
    for line in usual.TABLE.read_text().splitlines()[1:]:
        medium, link, test, n, *tenths, sources = line.split(",", len(usual.HEAD) - 1)
        if test in names:
            scale = 1e6 if test in IN_BYTES else 1
            values = [float(tenth) * scale for tenth in tenths]
            found.append(Published(medium, link, test, int(n), values, sources))
    return found


def link_names() -> dict[str, str]:
    lines = (usual.DATA / "links.csv").read_text().splitlines()[1:]
    return {"usb3": "USB 3", **{line.split(",")[0]: line.split(",")[1] for line in lines}}


@dataclass
class Drive:
    """A posted drive on a board: the median of its figures."""

    name: str
    board: str
    link: str
    rate: float
    runs: int


def drives(rows: list[dict]) -> dict[tuple[str, str], list[Drive]]:
    """Those of each kind of storage and figure. Revisions of a board are one board."""
    rates, runs = defaultdict(list), defaultdict(set)
    for row in rows:
        board = re.sub(r" Rev \d+(\.\d+)*$", "", row["board"])
        of = row["medium"], row["test"], row["drive"], board, group(row["link"])
        rates[of].append(row["mean"])
        runs[of].add(row["run"])
    found = defaultdict(list)
    for (medium, test, *of), values in sorted(rates.items()):
        rate = statistics.median(values)
        found[medium, test].append(Drive(*of, rate, len(runs[medium, test, *of])))
    return found


def three_digits(value: float) -> str:
    digits = max(0, 2 - math.floor(math.log10(value)))
    return f"{value:,.{digits}f}"


def figure(test: str, rate: float) -> str:
    if test not in IN_BYTES:
        return f"{three_digits(rate)}/s"
    return f"{three_digits(rate / 1e9)} GB/s" if rate >= 1e9 else f"{three_digits(rate / 1e6)} MB/s"


def round_figure(test: str, rate: float) -> str:
    if test not in IN_BYTES:
        return f"{rate:,.5g}/s"
    return f"{rate / 1e9:.3g} GB/s" if rate >= 1e9 else f"{rate / 1e6:.3g} MB/s"


class Axis:
    """A scale of logarithms over all figures of a kind of storage, in percent of the width."""

    def __init__(self, values: list[float]):
        low, high = math.log10(min(values)), math.log10(max(values))
        margin = max((high - low) * 0.06, 0.05)
        self.low, self.width = low - margin, high - low + 2 * margin

    def share(self, value: float) -> float:
        return (math.log10(value) - self.low) / self.width

    def at(self, value: float) -> str:
        return f"{100 * self.share(value):.2f}%"

    def ticks(self) -> list[float]:
        """At most six round figures, whose labels do not reach over the ends."""
        for digits in DIGITS:
            powers = range(math.floor(self.low), math.ceil(self.low + self.width) + 1)
            found = [digit * 10.0**power for power in powers for digit in digits]
            found = [x for x in found if 0.04 < self.share(x) < 0.94]
            if len(found) <= 6:
                break
        return found[:6] or [10 ** (self.low + self.width / 2)]


def words(of: Published) -> str:
    say = [figure(of.test, of.tenths[at]) for at in (0, 1, 5, 9, 10)]
    return (
        f"slowest {say[0]}, a tenth below {say[1]}, median {say[2]}, "
        f"a tenth above {say[3]}, fastest {say[4]}"
    )


def strip(axis: Axis, test: str, label: str, of: Published | None, posted: list[Drive]) -> str:
    """One line of the plot: the tenths of the published figures, and a dot for a posted drive."""
    shapes, says = [], []
    if of:
        low, first, last, high = (axis.at(of.tenths[at]) for at in (0, 1, 9, 10))
        width = float(last[:-1]) - float(first[:-1])
        shapes.append(f'<line class="range" x1="{low}" x2="{high}" y1="14" y2="14"/>')
        shapes.append(f'<rect class="most" x="{first}" width="{width:.2f}%" y="5" height="18"/>')
        for at in range(1, 10):
            kind, top, end = ("median", 2, 26) if at == 5 else ("tenth", 5, 23)
            x = axis.at(of.tenths[at])
            shapes.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{top}" y2="{end}"/>')
        says.append(f"{of.n} drives published: {words(of)}")
    for drive in posted:
        runs = "1 run" if drive.runs == 1 else f"{drive.runs} runs"
        name = f"{drive.name}, {drive.board}: {figure(test, drive.rate)} ({runs})"
        shapes.append(
            f'<circle class="posted" cx="{axis.at(drive.rate)}" cy="14" r="5">'
            f"<title>{escape(name)}</title></circle>"
        )
        says.append(f"posted: {name}")
    count = [f"{of.n} published"] if of else []
    count += [f"{len(posted)} posted"] if posted else []
    return (
        f'<div class="row"><div class="label">{escape(label)} <span>{", ".join(count)}</span></div>'
        f'<svg role="img" height="28" aria-label="{escape("; ".join(says))}">{"".join(shapes)}'
        "</svg></div>\n"
    )


def scale(axis: Axis, test: str) -> str:
    marks = "".join(
        f'<text x="{axis.at(tick)}" y="12">{round_figure(test, tick)}</text>'
        for tick in axis.ticks()
    )
    return f'<div class="row"><div></div><svg height="18" aria-hidden="true">{marks}</svg></div>\n'


def plot(test: str, known: list[Published], posted: list[Drive], links: dict[str, str]) -> str:
    title, how = TESTS[test]
    axis = Axis([x for of in known for x in of.tenths] + [drive.rate for drive in posted])
    lines = []
    of_link = {of.link: of for of in known}
    for link in sorted({*of_link, *(drive.link for drive in posted)}):
        ours = [drive for drive in posted if drive.link == link] if link else []
        # All links together have a strip where they have one in the table.
        if link or link in of_link:
            label = links.get(link, link) if link else "All links"
            lines.append(
                strip(axis, test, label, of_link.get(link), ours or ([] if link else posted))
            )
    boards = defaultdict(list)
    for drive in posted:
        boards[drive.board].append(drive)
    most = sorted(boards, key=lambda board: (-len(boards[board]), board))[:MOST_BOARDS]
    lines += [strip(axis, test, board, None, boards[board]) for board in most]
    if len(boards) > len(most):
        lines.append(f"<p>{len(boards) - len(most)} more boards are in rows.csv.</p>\n")
    return f"<h3>{title}</h3>\n<p>{how}</p>\n{''.join(lines)}{scale(axis, test)}"


def numbers(known: list[Published], posted: list[Drive], test: str, links) -> list[list[str]]:
    """Rows of the table for readers who do not see the plot."""
    rows = [
        [TESTS[test][0], links.get(of.link, of.link) or "all links", "", f"{of.n} published"]
        + [figure(test, of.tenths[at]) for at in (0, 1, 5, 9, 10)]
        for of in known
    ]
    return rows + [
        [
            TESTS[test][0],
            links.get(d.link, d.link),
            d.board,
            d.name,
            "",
            "",
            figure(test, d.rate),
            "",
            "",
        ]
        for d in posted
    ]


def section(medium: str, known: list[Published], posted: dict, links: dict[str, str]) -> str:
    plots, rows, sources, empty = [], [], set(), []
    for test, (title, _) in TESTS.items():
        of = [one for one in known if one.test == test]
        ours = posted.get((medium, test), [])
        if not of and not ours:
            empty.append(title.lower())
            continue
        plots.append(plot(test, of, ours, links))
        rows += numbers(of, ours, test, links)
        sources |= {source for one in of for source in one.sources.split("; ")}
    if empty:
        plots.append(f"<p>Too few drives so far: {', '.join(empty)}.</p>\n")
    head = ["figure", "link", "board", "drives", "slowest", "10 %", "median", "90 %", "fastest"]
    cells = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    titles = "".join(f"<th>{cell}</th>" for cell in head)
    listed = "".join(f"<li>{escape(source)}</li>" for source in sorted(sources))
    listed = (
        f"<details><summary>Sources of the published figures</summary><ul>{listed}</ul></details>"
    )
    listed = listed if sources else ""
    return (
        f'<section id="{medium}"><h2>{MEDIA[medium]}</h2>\n{"".join(plots)}'
        f"<details><summary>Figures as a table</summary><div class=wide><table><tr>{titles}</tr>\n"
        f"{cells}</table></div></details>\n"
        f"{listed}\n</section>\n"
    )


STYLE = """
:root{color-scheme:light dark;--paper:#fff;--text:#1b1f24;--muted:#59636e;--line:#d1d9e0;
--most:#b6d4f2;--mark:#1f5f9e;--posted:#b3430e}
@media (prefers-color-scheme:dark){:root{--paper:#0f1419;--text:#e6edf3;--muted:#9aa7b4;
--line:#3a444e;--most:#24476b;--mark:#8cc2f5;--posted:#ff9d5c}}
@media print{:root{color-scheme:light;--paper:#fff;--text:#000;--muted:#444;--line:#999;
--most:#b6d4f2;--mark:#1f5f9e;--posted:#b3430e}*{print-color-adjust:exact}}
body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--paper);color:var(--text);
font:1rem/1.5 system-ui,sans-serif}
h2{margin:2.5rem 0 0;border-top:1px solid var(--line);padding-top:1rem}h3{margin:1.5rem 0 0}
p{margin:.25rem 0 .5rem}a{color:var(--mark)}nav{margin:1rem 0;line-height:2}
nav a{margin-right:1rem;white-space:nowrap}
.row{display:grid;grid-template-columns:15rem 1fr;gap:.75rem;align-items:center;break-inside:avoid}
.label{overflow-wrap:anywhere;line-height:1.2;padding:.2rem 0}
.label span{white-space:nowrap}
.label span,h3+p{color:var(--muted);font-size:.85rem}
svg{width:100%;overflow:visible;display:block}text{fill:var(--muted);font-size:12px;
text-anchor:middle}
.range{stroke:var(--mark);stroke-width:1}.most{fill:var(--most)}
.tenth{stroke:var(--mark);stroke-width:1;opacity:.55}.median{stroke:var(--mark);stroke-width:3}
.posted{fill:var(--posted);stroke:var(--paper);stroke-width:1.5}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--muted)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}
th,td{border-bottom:1px solid var(--line);padding:.25rem .5rem;text-align:left;white-space:nowrap}
li{overflow-wrap:anywhere}
@media (max-width:40rem){.row{grid-template-columns:1fr;gap:0}}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(rows: list[dict]) -> str:
    known, posted, links = published(), drives(rows), link_names()
    media = [
        medium
        for medium in MEDIA
        if any(of.medium == medium for of in known) or any(key[0] == medium for key in posted)
    ]
    sections = [
        section(medium, [of for of in known if of.medium == medium], posted, links)
        for medium in media
    ]
    runs = len({row["run"] for row in rows})
    count = f"{runs} posted runs count so far." if runs else "No run was posted yet."
    few = ", ".join(name for medium, name in MEDIA.items() if medium not in media)
    few = f"<p>No figures of {usual.LEAST} drives so far: {few}.</p>\n" if few else ""
    nav = " ".join(f'<a href="#{medium}">{MEDIA[medium]}</a>' for medium in media)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>Usual figures of drives</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Usual figures of drives</h1>
<p>Each strip shows how the published figures of at least {usual.LEAST} drives are spread. The thin
line is from the slowest to the fastest drive, the box has all but the slowest and the fastest
tenth, each line in it is a tenth, and the thick line is the median. A dot is a drive that somebody
measured with bakeoff and posted. A drive counts once in a strip: the median of its figures. Figures
come from people who chose to publish them, so cheap and worn drives are rare.</p>
<p>{count} To add yours, see <a href="../post.md">post.md</a>.</p>
<nav aria-label="Kinds of storage">{nav}</nav>
{"".join(sections)}{few}</body>
</html>
"""
