"""The house rules that a program can check; CONTRIBUTING.md explains them.

Each violation says where, what, and what to do. A rule that matters for correctness is also a lint
of clippy where there is one."""

import json
import re
import subprocess
import sys
from pathlib import Path

from rust_source import Source, Token, mark_test_files

ROOT = Path(__file__).parents[1]
WIDTH, FILE_LINES, FILE_BYTES = 100, 400, 1 << 20

# Files that may break a rule, each with its reason. One that breaks it no more is a violation.
ALLOWED = {
    ("pure-core", "crates/core/report/src/redact/patterns.rs"): (
        "tells addresses from other words with the parsers of std::net, and opens nothing"
    ),
    ("system-files", "crates/bakeoff/src/exec.rs"): (
        "starts itself as /proc/self/exe, whatever became of the path it was started by"
    ),
    ("system-files", "crates/bakeoff/src/steps/own_mounts.rs"): (
        "names what a copy of the mount table keeps, and reads nothing there"
    ),
    ("system-files", "crates/bakeoff/src/store/trust.rs"): (
        "asks which file this process itself has open, as the database opened it"
    ),
    ("system-files", "crates/engine/src/clock.rs"): (
        "chooses its clock in the process that reads it, before the first reading"
    ),
    ("system-files", "crates/engine/src/engine/uring.rs"): (
        "says why the ring was refused, in the process that was refused it"
    ),
    ("system-files", "crates/engine/src/buffer.rs"): (
        "asks whether its own memory is huge pages, which no other process can"
    ),
    ("system-files", "crates/engine/src/counters.rs"): (
        "only the process that does the parts of a profile knows when each begins and ends"
    ),
    ("system-files", "crates/engine/src/waiting.rs"): (
        "a lane's thread is gone, and its count with it, before anybody else could look"
    ),
}

# Phrases that no text for people has, with what to write: terms of the field for words of our own.
WORDING = {
    "in the hands of": "locked by, in use by",
    "cannot be said": "cannot determine",
    "is not known": "is unknown",
    "that is not it": "does not match",
    "goes on with": "continues with",
    "here and there": "random",
    "mend": "fix",
    "put back": "restored, restores",
    "taken away": "removed",
    "what holds": "bottleneck",
    "held back": "limited",
    "the time was used up": "time limit reached",
    "is told": "is reported",
    "was told": "was given",
    "whoever": "name the actor",
    "of those that": "one idea a sentence",
}

# Modules that the core must not name, and what to do in their place. clippy checks calls, types and
# floats by crates/core/clippy.toml; this is the rest of those modules.
IMPURE = {
    "fs": "take the text or bytes as an argument",
    "net": "nothing is sent anywhere",
    "process": "return an argv, or an error, for the shell",
    "thread": "let the shell run two calls",
    "sync": "values, not shared state",
    "env": "take the value as an argument",
}
# A table that is read once is a value.
MODULE = re.compile(rf"\bstd::(?:\{{(?:[^;]*?[{{,\s])?)?({'|'.join(IMPURE)})\b(?!::LazyLock\b)")
STARTED = re.compile(r"\bprocess::(?:\{[^;}]*\b)?Command\b")
# A search in a sentence of ours, or its comparison with a literal, behind changes of its form.
SENTENCE = re.compile(
    r"\.\s*(advice|context|evidence|headline|label|message|reason|says|sentence|summary|why)\b"
    r"(?:\(\))?"
    r"(?:\s*\.\s*(?:as_deref|as_ref|as_str|clone|to_ascii_lowercase|to_lowercase|trim)\b(?:\(\))?)*"
    r"\s*(?:\.\s*(?:contains|starts_with|ends_with|find|matches|split|split_once|split_whitespace"
    r'|strip_prefix|strip_suffix|parse)\(|[=!]=\s*")'
)
# A literal that is the path of such a file, not a message that mentions one.
SYSTEM_PATH = re.compile(r"""[bcr#"]*/(proc|sys)[/"]""")
# SQL, shell and the like in a literal.
PROGRAM = re.compile(r"\s*(SELECT |INSERT |UPDATE |DELETE |CREATE |PRAGMA |BEGIN |#!/)")

# Of work that was not finished, of a merge, and of what their tools made. Words in two parts, or
# this file would break its own rules.
UNFINISHED = re.compile(rf"\b({'TO'}DO|{'FIX'}ME|{'XX'}X)\b")
MERGE = ("<<<<" + "<<< ", ">>>>" + ">>> ")
MADE_BY_TOOLS = re.compile(
    r"\.snap$|\.lock$|package-lock\.json$|\.svg$|(^|/)(fixtures|golden|seeds|snapshots)/"
    r"|^docs/usual/"
)
SCRIPT = re.compile(r"\.(ts|js|mjs|css|sh|py)$")
# Tables of prose cannot be wrapped, so Markdown is left to its author.
LIMITED_WIDTH = re.compile(r"\.(rs|ts|js|mjs|css|sh|py|sql|html)$|Makefile$|\.ci/run$")


class Tidy:
    """What was found in the files of a clone, by their paths."""

    def __init__(self, files: dict[str, bytes], executable: set[str]):
        self.found: list[tuple[str, int, str, str]] = []
        sources = {}
        for path, content in files.items():
            text = self.file(path, content, path in executable)
            if path.endswith(".rs") and text is not None:
                sources[path] = Source(text)
        mark_test_files(sources)
        for path, source in sources.items():
            self.rust(path, source)

    def add(self, path: str, line: int, rule: str, what: str):
        self.found.append((path, line, rule, what))

    def file(self, path: str, content: bytes, is_executable: bool) -> str | None:
        """What holds for a file of any kind; its text, if it is one."""
        if len(content) > FILE_BYTES:
            what = f"{len(content)} bytes, 1 MiB at most: make it at build or test time"
            self.add(path, 1, "file-size", what)
        if is_executable != content.startswith(b"#!"):
            what = (
                "a script has a first line with #! and the executable bit; nothing else has either"
            )
            self.add(path, 1, "executable", f"{what} (chmod +x or -x)")
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return None
        if "\0" in text:
            return None
        if MADE_BY_TOOLS.search(path):
            return text
        if path.endswith(".rs") and not text.startswith("//! "):
            what = "open with a //! comment: what it is, what it is not, its source"
            self.add(path, 1, "module-doc", what)
        for line, written in enumerate(text.splitlines(), 1):
            self.line(path, line, written)
        lines = sum(1 for line in text.splitlines() if line.strip())
        if SCRIPT.search(path) and lines > FILE_LINES:
            what = f"{lines} lines, {FILE_LINES} at most: one concept a file; split it"
            self.add(path, 1, "file-length", what)
        return text

    def line(self, path: str, line: int, text: str):
        is_wide = len(text) > WIDTH and "://" not in text and not path.endswith(".rs")
        if is_wide and LIMITED_WIDTH.search(path):
            self.add(path, line, "width", f"{len(text)} columns, {WIDTH} at most: wrap it")
        if text.endswith((" ", "\t", "\r")) and not path.endswith(".md"):
            self.add(path, line, "trailing-space", "ends in white space: remove it")
        if text.startswith(MERGE):
            self.add(path, line, "merge-mark", "a merge was not finished here: resolve it")
        attribute = text.strip()
        # cargo-nextest reports nothing of ignored tests.
        if attribute.startswith("#[ignore") and '= "not a test: ' not in attribute:
            what = "an ignored test is reported nowhere: note a skip with its reason (skip.rs)"
            self.add(path, line, "ignored", what)
        if word := UNFINISHED.search(text):
            what = f"{word[1]}: finish it, or say in the issue what is left"
            self.add(path, line, "unfinished", what)

    def rust(self, path: str, source: Source):
        self.layout(path, source)
        if path.startswith("crates/xtask/"):
            return
        code, is_core = source.code(), path.startswith("crates/core/")
        if is_core:
            for found in MODULE.finditer(code):
                what = f"core stays pure, std::{found[1]}: {IMPURE[found[1]]}"
                self.add(path, line_of(code, found.start(1)), "pure-core", what)
        if not path.startswith("crates/bakeoff/src/exec"):
            for found in STARTED.finditer(code):
                what = (
                    "processes are started by crates/bakeoff/src/exec only: it sets the process "
                    "group, limits the output and kills it with us"
                )
                self.add(path, line_of(code, found.start()), "process", what)
        for found in SENTENCE.finditer(code):
            what = f"a text that is shown to people is read ({found[1]}): give the fact a type"
            self.add(path, line_of(code, found.start(1)), "sentences", what)
        # Core cannot read files at all, so there such a text is only ever advice.
        reads_system = is_core or source.is_test or path.startswith("crates/bakeoff/src/host")
        for token in source.tokens:
            is_path = token.kind in ("raw", "text") and SYSTEM_PATH.match(token.text)
            if is_path and not token.in_test and not reads_system:
                what = (
                    "/proc and /sys are read by crates/bakeoff/src/host only: add a source there, "
                    "and its parser to core's sysinfo"
                )
                self.add(path, token.line, "system-files", what)
        if is_core or path.startswith("crates/bakeoff/src/"):
            for token, text in source.texts():
                self.wording(path, token, text)

    def layout(self, path: str, source: Source):
        """clippy limits functions (`clippy.toml`)."""
        captured, with_code = set(), set()
        for token in source.tokens:
            is_test = source.is_test or token.in_test
            if is_test and token.kind in ("raw", "text", "char", "number"):
                # What a tool printed is given in tests as it was printed.
                captured |= set(range(token.line, token.line + token.text.count("\n") + 1))
            is_code = token.kind != "doc" and not token.attribute
            if is_code and (source.is_test or not token.in_test):
                with_code.add(token.line)
        if len(with_code) > FILE_LINES:
            what = f"{len(with_code)} lines of code, {FILE_LINES} at most: one concept a file"
            self.add(path, 1, "file-length", what)
        for line, text in enumerate(source.text.split("\n"), 1):
            if len(text) > WIDTH and "://" not in text and line not in captured:
                self.add(path, line, "width", f"{len(text)} columns, {WIDTH} at most: wrap it")

    def wording(self, path: str, token: Token, text: str):
        """clap takes its help from documentation."""
        is_prose = " " in text.strip() and re.search(r"[^\W\d_]", text)
        is_for_people = token.kind != "doc" or path.endswith("/cli.rs")
        if not is_prose or not is_for_people or PROGRAM.match(text):
            return
        for phrase, instead in WORDING.items():
            if re.search(rf"\b{phrase}\b", text.lower()):
                what = f'"{phrase}" is no term of the field: {instead}'
                self.add(path, token.line, "wording", what)

    def reasons(self, names: set[str], page: str):
        """Every dependency says why it is there; a line for one that is gone is as wrong."""
        explained = re.findall(r"^- `([^`]+)`: ", page, re.MULTILINE)
        for name in sorted(names - set(explained)):
            self.add("docs/dependencies.md", 1, "reasons", f'say in one line why: "- `{name}`: …"')
        for name in sorted(set(explained) - names):
            what = f"`{name}` is used no more: remove the line"
            self.add("docs/dependencies.md", 1, "reasons", what)

    def left(self, allowed: dict) -> list[str]:
        """What is not allowed, and what is allowed for nothing."""
        used = {(rule, path) for path, _, rule, _ in self.found}
        left = [each for each in self.found if (each[2], each[0]) not in allowed]
        for (rule, path), reason in allowed.items():
            if (rule, path) not in used:
                what = f"not broken any more: take it off the list ({reason})"
                left.append((path, 1, rule, what))
        return [f"{path}:{line}: {what} [{rule}]" for path, line, rule, what in sorted(left)]


def line_of(code: str, at: int) -> int:
    return code.count("\n", 0, at) + 1


def tracked(root: Path) -> tuple[dict[str, bytes], set[str]]:
    """The files that git tracks, and which of them anybody may execute. What else is in a clone,
    such as the report of a demo, is not the project's."""
    listing = subprocess.check_output(["git", "ls-files", "-z", "--cached"], cwd=root, text=True)
    paths = [path for path in sorted(set(listing.split("\0"))) if path]
    files = [path for path in paths if (root / path).is_file() and not (root / path).is_symlink()]
    executable = {path for path in files if (root / path).stat().st_mode & 0o111}
    return {path: (root / path).read_bytes() for path in files}, executable


def dependencies(files: dict[str, bytes]) -> set[str]:
    """What the manifests name, less our own crates."""
    names = set()
    for manifest in ("Cargo.toml", "fuzz/Cargo.toml"):
        words = f"cargo metadata --format-version 1 --no-deps --manifest-path {manifest}".split()
        for package in json.loads(subprocess.check_output(words, cwd=ROOT))["packages"]:
            names |= {d["name"] for d in package["dependencies"] if not d.get("path")}
    for path, content in files.items():
        if path.endswith("package.json"):
            manifest = json.loads(content)
            for kind in ("dependencies", "devDependencies", "optionalDependencies"):
                names |= manifest.get(kind, {}).keys()
    return names


def main():
    files, executable = tracked(ROOT)
    tidy = Tidy(files, executable)
    tidy.reasons(dependencies(files), files["docs/dependencies.md"].decode())
    if left := tidy.left(ALLOWED):
        print(*left, sep="\n")
        sys.exit(f"tidy: {len(left)} to mend in {len(files)} files read")


if __name__ == "__main__":
    main()
