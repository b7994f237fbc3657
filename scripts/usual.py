"""The distributions of published figures: crates/core/machine/data/others.csv.

    usual.py [FILE...]          check the table, and with files that it is what they make
    usual.py --write FILE...    make it of them

A file has a line for each figure that somebody published: device_class, device_model, board, link,
tool_params, figure_name, si_value, cached_suspect, source, note. The table has no figure of a
drive, only how those of at least eight drives are distributed. What does not count:

- figures that memory may have answered, or whose queue depth, block size or options are unknown;
- cards with command queueing or overclocked, and the rates of links that a board clocks down;
- buffered writes of small blocks over fast links, which the processor limits, not the drive."""

import csv
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT / "crates/core/machine/data"
TABLE = DATA / "others.csv"
TENTHS = range(11)
HEAD = ["medium", "link", "figure", "n", *(f"p{10 * tenth}" for tenth in TENTHS), "sources"]
LEAST = 8
MEDIA = {
    "microsd": "sd",
    "sd": "sd",
    "emmc": "emmc",
    "usb-stick": "usb-stick",
    "usb-ssd": "usb-ssd",
    "usb-hdd": "usb-hdd",
    "sata-ssd": "ata-ssd",
    "hdd": "ata-hdd",
    "nvme": "nvme",
}
# Keys of links.csv; both transports of USB 3 are one group. Others are of no known link.
LINKS = {
    "usb3": "usb3",
    "usb3-uas": "usb3",
    "usb3-bot": "usb3",
    "sata": "sata3",
    "pcie2x1": "pcie2-x1",
    "pcie3x1": "pcie3-x1",
    "pcie3x4": "pcie3-x4",
}
SAME = {"usb2", "sata3", "emmc-hs200", "emmc-hs400"} | {
    f"sd-{mode}" for mode in ("hs", "sdr50", "ddr50", "sdr104")
}
# Figures that are those of bakeoff's workloads, by their names. Drives of these media have no cache
# that a flush empties; writes of others are published without the flushes in between.
OURS = {"seq_read_mb_s": "seqread", "rand_read_4k_iops": "randread"}
FLUSHED = {"seq_write_mb_s": "seqwrite"}
CACHELESS = {"sd", "emmc", "usb-stick"}
UNKNOWN = re.compile(r"not stated|presumed|large blocks|taken as|CrystalDiskMark")
SMALL_BLOCKS = re.compile(r"^dd bs=[48]k ")
SLOW_LINKS = {"usb2", "sd-hs", "sd-sdr50", "sd-ddr50", "sd-sdr104"}


def medium_and_link(row):
    link = row["link"].split(" (")[0]
    link = LINKS.get(link, link)
    return MEDIA.get(row["device_class"]), link if link in SAME | set(LINKS.values()) else ""


def counts(row, link):
    """Whether a figure says what it is of, and is one of the drive."""
    params = row["tool_params"]
    return not (
        row["cached_suspect"] != "no"
        or "_qdx_" in row["figure_name"]
        or UNKNOWN.search(params)
        or row["note"].startswith("command queueing ON")
        or "overclocked" in row["link"]
        or ("clock limited" in row["link"] and row["si_unit"] == "MB/s")
        or (SMALL_BLOCKS.search(params) and link not in SLOW_LINKS)
    )


def figure(row, medium):
    ours = {**OURS, **(FLUSHED if medium in CACHELESS else {})}
    return ours.get(row["figure_name"], row["figure_name"])


def source(text):
    """Where a figure is published: the site, or the repository."""
    text = re.sub(r",? ?\(?public GitHub files?, index ids?.*?(?=[\")]|$)\)?", "", text).strip(" ,")
    text = re.sub(r"^https?://(www\.)?", "", text)
    quoted = re.search(r'"([^"]+)"', text)
    if match := re.match(r"github\.com/[^/\s]+/[^/\s,]+|(gist\.github|pastebin)\.com/\S+", text):
        return match.group()
    if match := re.match(r"pibenchmarks\.com/benchmark/\d+", text):
        return match.group()
    if match := re.match(r"[a-z0-9.-]+\.[a-z]{2,}(?=[/ ]|$)", text):
        return match.group()
    if quoted:
        return f"“{quoted.group(1)}” (a file on GitHub)"
    text = re.sub(r"^Storage\.sh output in the | of \d{4}-\d\d-\d\d.*", "", text)
    return text.replace(";", ",") if text[:1].isalpha() else "files on GitHub without a title"


def device(row):
    """One drive, however often and on whichever boards it was measured."""
    model = row["device_model"]
    is_named = not re.match(r"unnamed|unknown|NVMe \(model", model)
    return model if is_named else f"{model} {row['board']} {row['source']}"


def percentile(values, share):
    """Linear between ranks; `values` are sorted."""
    at = share * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def table(files):
    """The lines of the table. All links together are a group where the link is part of the drive,
    and of random reads, which it limits little."""
    groups, sources = defaultdict(lambda: defaultdict(list)), defaultdict(set)
    for file in files:
        with open(file, newline="") as lines:
            for row in csv.DictReader(lines):
                medium, link = medium_and_link(row)
                if medium is None or not counts(row, link):
                    continue
                name = figure(row, medium)
                is_any = medium == "emmc" or name == "randread"
                for of in {link} | ({""} if is_any else set()):
                    if of or is_any:
                        groups[medium, of, name][device(row)].append(float(row["si_value"]))
                        sources[medium, of, name].add(source(row["source"]))
    order = list(dict.fromkeys(MEDIA.values()))
    for key in sorted(groups, key=lambda key: (order.index(key[0]), *key[1:])):
        values = sorted(statistics.median(of) for of in groups[key].values())
        if len(values) >= LEAST:
            tenths = [f"{percentile(values, tenth / 10):.4g}" for tenth in TENTHS]
            tenths = [f"{float(tenth):.10g}" for tenth in tenths]
            yield [*key, str(len(values)), *tenths, "; ".join(sorted(sources[key]))]


def text(rows):
    # The sources are the last field, which may hold commas: no quotes.
    return "".join(",".join(row) + "\n" for row in rows)


def problems():
    """What is wrong with the table by itself."""
    head, *lines = TABLE.read_text().splitlines()
    links = {line.split(",")[0] for line in (DATA / "links.csv").read_text().splitlines()[1:]}
    if head != ",".join(HEAD):
        yield f"the columns are {head}"
    seen = set()
    for number, line in enumerate(lines, 2):
        row = dict(zip(HEAD, line.split(",", len(HEAD) - 1), strict=False))
        key = line.split(",")[:3]
        tenths = [float(row[f"p{10 * tenth}"]) for tenth in TENTHS]
        wrong = {
            "the same group twice": tuple(key) in seen,
            f"fewer than {LEAST} drives": int(row["n"]) < LEAST,
            "an unknown medium": row["medium"] not in MEDIA.values(),
            "an unknown link": row["link"] not in links | {"", "usb3"},
            "tenths that fall": tenths != sorted(tenths) or tenths[0] <= 0,
            "no sources, or one twice": not row["sources"]
            or len(set(row["sources"].split("; "))) != len(row["sources"].split("; ")),
        }
        yield from (f"line {number}: {what}" for what, is_so in wrong.items() if is_so)
        seen.add(tuple(key))


def main():
    words = sys.argv[1:]
    is_write = words[:1] == ["--write"]
    files = words[1:] if is_write else words
    made = text([HEAD, *table(files)]) if files else None
    if is_write:
        TABLE.write_text(made)
    found = [f"{TABLE.relative_to(ROOT)}: {problem}" for problem in problems()]
    if made is not None and made != TABLE.read_text():
        found.append(f"{TABLE.relative_to(ROOT)} is not what {' '.join(files)} makes")
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
