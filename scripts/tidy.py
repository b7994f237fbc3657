"""The few house rules that neither the compiler, clippy, rustfmt nor typos checks; CONTRIBUTING.md
explains them. Each violation says where, what, and what to do."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE_LINES, FILE_BYTES = 400, 1 << 20

# Of work that was not finished. Words in two parts, or this file would break its own rule.
UNFINISHED = re.compile(rf"\b({'TO'}DO|{'FIX'}ME|{'XX'}X)\b")
STARTED = re.compile(r"\bprocess::(?:\{[^;}]*\b)?Command\b")
EXECUTORS = re.compile(r"^crates/bakeoff/src/exec|^crates/xtask/|/tests/|tests\.rs$")
MADE_BY_TOOLS = re.compile(r"\.(snap|lock|svg|csv)$|package-lock\.json$|(^|/)(fixtures|seeds)/")
ATTRIBUTE = re.compile(r"\s*#!?\[")
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)


def product(text: str) -> str:
    """A Rust file up to its tests, without comments."""
    return COMMENT.sub("", re.split(r"^#\[cfg\(test\)\]\nmod ", text, flags=re.MULTILINE)[0])


def rust(path: str, text: str):
    if not text.startswith("//! "):
        yield 1, "open with a //! comment: what it is, what it is not, its source"
    code = product(text)
    lines = sum(1 for line in code.splitlines() if line.strip() and not ATTRIBUTE.match(line))
    if lines > FILE_LINES:
        yield 1, f"{lines} lines of code, {FILE_LINES} at most: one concept a file"
    # cargo-nextest reports nothing of ignored tests.
    if re.search(r"#\[ignore(?! = \"not a test: )", text):
        yield 1, "an ignored test is reported nowhere: note a skip with its reason (skip.rs)"
    if not EXECUTORS.search(path) and STARTED.search(code):
        yield (
            1,
            "only crates/bakeoff/src/exec starts processes: it limits them and kills them with us",
        )


def file(path: str, content: bytes, is_executable: bool):
    if len(content) > FILE_BYTES:
        yield 1, f"{len(content)} bytes, 1 MiB at most: make it at build or test time"
    if is_executable != content.startswith(b"#!"):
        yield 1, "a script has a first line with #! and the executable bit; nothing else has either"
    if MADE_BY_TOOLS.search(path):
        return
    text = content.decode(errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if word := UNFINISHED.search(line):
            yield number, f"{word[1]}: finish it"
    if path.endswith(".rs"):
        yield from rust(path, text)


def unexplained(files: dict[str, bytes]):
    """Every dependency says why it is there; a line for one that is gone is as wrong."""
    names = set()
    for manifest in ("Cargo.toml", "fuzz/Cargo.toml"):
        words = f"cargo metadata --format-version 1 --no-deps --manifest-path {manifest}".split()
        for package in json.loads(subprocess.check_output(words, cwd=ROOT))["packages"]:
            names |= {d["name"] for d in package["dependencies"] if not d.get("path")}
    for path, content in files.items():
        if path.endswith("package.json"):
            manifest = json.loads(content)
            names |= manifest.get("dependencies", {}).keys()
            names |= manifest.get("devDependencies", {}).keys()
    page = files["docs/dependencies.md"].decode()
    explained = set(re.findall(r"^- `([^`]+)`: ", page, re.MULTILINE))
    for name in sorted(names - explained):
        yield 1, f'say in one line why: "- `{name}`: …"'
    for name in sorted(explained - names):
        yield 1, f"`{name}` is no longer used: remove the line"


def main():
    listing = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    paths = [ROOT / path for path in sorted(set(listing.split("\0"))) if path]
    paths = [path for path in paths if path.is_file() and not path.is_symlink()]
    files = {str(path.relative_to(ROOT)): path.read_bytes() for path in paths}
    executable = {str(p.relative_to(ROOT)) for p in paths if p.stat().st_mode & 0o111}
    found = [
        (path, *each) for path in files for each in file(path, files[path], path in executable)
    ]
    found += [("docs/dependencies.md", *each) for each in unexplained(files)]
    for path, line, what in found:
        print(f"{path}:{line}: {what}")
    if found:
        sys.exit(f"tidy: {len(found)} to fix in {len(files)} files")


if __name__ == "__main__":
    main()
