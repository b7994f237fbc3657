"""False alarms of `bakeoff probe` over published figures: each drive against the others of its
group, as if it were the one that is examined. Writes its table of docs/probe.md.

    alarms_usual.py FILE...     files of published figures, as scripts/usual.py reads them"""

import csv
import re
import statistics
import sys
from collections import defaultdict

from common import ROOT, write_page

sys.path.insert(0, str(ROOT / "scripts"))
import usual

OTHERS = (ROOT / "crates/core/model/src/others.rs").read_text()
SLOW_SHARE = float(re.search(r"SLOW_SHARE: f64 = ([0-9.]+)", OTHERS).group(1))
NAMES = {"seqread": "sequential reads", "randread": "random reads"}


def groups(files):
    found = defaultdict(lambda: defaultdict(list))
    for file in files:
        with open(file, newline="") as lines:
            for row in csv.DictReader(lines):
                medium, link = usual.medium_and_link(row)
                if medium is None or not usual.counts(row, link):
                    continue
                name = usual.figure(row, medium)
                if name not in NAMES:
                    continue
                is_any = medium == "emmc" or name == "randread"
                for of in {link} | ({""} if is_any else set()):
                    if of or is_any:
                        found[medium, of, name][usual.device(row)].append(float(row["si_value"]))
    return found


def main():
    lines, every, wrong = [], 0, []
    for (medium, link, name), drives in sorted(groups(sys.argv[1:]).items()):
        values = {drive: statistics.median(of) for drive, of in drives.items()}
        if len(values) <= usual.LEAST:
            continue
        slow = []
        for drive, value in values.items():
            others = sorted(rate for other, rate in values.items() if other != drive)
            if value < SLOW_SHARE * usual.percentile(others, 0.1):
                slow.append(drive)
        every += len(values)
        wrong += slow
        lines.append(
            f"| {medium} | {link or 'any'} | {NAMES[name]} | {len(values)} | {len(slow)} |\n"
        )
    found = "\n| storage | link | figure | drives | called slow |\n|:--|:--|:--|--:|--:|\n"
    found += "".join(lines)
    share = f"{100 * len(wrong) / every:.1f} %"
    found += f"\n{len(wrong)} of {every} figures ({share}) are below {100 * SLOW_SHARE:.0f} % of "
    found += "the slowest tenth of their others.\n\n"
    write_page("probe.md", "left-out", found)


if __name__ == "__main__":
    main()
