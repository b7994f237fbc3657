"""The house rules on files made up here: `pytest tests/scripts`."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

import tidy
from rust_source import Source, mark_test_files
from tidy import MERGE, Tidy

CORE, SHELL = "crates/core/judge/src/a.rs", "crates/bakeoff/src/a.rs"
HEAD = "//! What it is.\n"


def rules(path: str, text: str, executable=()) -> list[str]:
    found = Tidy({path: text.encode()}, set(executable)).found
    return [rule for _, _, rule, _ in found]


def lines(path: str, text: str) -> list[int]:
    """Where something is found in Rust, less the line that each file begins with."""
    return [line - 1 for _, line, _, _ in Tidy({path: (HEAD + text).encode()}, set()).found]


@pytest.mark.parametrize(
    "path, code, found",
    [
        (SHELL, "use std::process::{Command, Stdio};", ["process"]),
        ("crates/bakeoff/src/exec/mod.rs", "use std::process::{Command, Stdio};", []),
        ("crates/bakeoff/tests/cli.rs", "use std::process::{Command, Stdio};", []),
        (SHELL, "use clap::Command;", []),
        (SHELL, "#[cfg(test)] mod tests { fn f() { std::process::Command::new(a) } }", []),
        (SHELL, 'fn f() { read("/proc/stat") }', ["system-files"]),
        ("crates/engine/src/a.rs", 'f(r"/sys/block")', ["system-files"]),
        ("crates/engine/src/a.rs", 'f(c"/proc/self")', ["system-files"]),
        ("crates/bakeoff/src/host/cpu.rs", 'fn f() { read("/proc/stat") }', []),
        (SHELL, 'say("see /proc/stat")', []),
        (SHELL, 'say("/system")', []),
        (CORE, "use std::{fs, fmt};", ["pure-core"]),
        (CORE, "use std::{fmt, io::{self, Read}, fs};", ["pure-core"]),
        (CORE, "fn f() { std::env::var(n) }", ["pure-core"]),
        (CORE, "use std::time::Duration;", []),
        (CORE, "#[cfg(test)] mod tests { use std::fs; }", []),
        (SHELL, "use std::fs;", []),
        (CORE, '//! unsafe std::fs\n/// std::env\nfn f() {} // "std::fs"', []),
        # A lifetime, a quote as a character and a generic end nothing.
        (CORE, "fn f<'a>(c: char) { c == '\\'' || c == '\"'; use std::fs; }", ["pure-core"]),
        (CORE, "let a = Vec::<u8>::new(); std::fs::read(p)", ["pure-core"]),
    ],
)
def test_one_place_for_each(path, code, found):
    assert rules(path, HEAD + code) == found


@pytest.mark.parametrize(
    "code, found",
    [
        ('fn f() { finding.evidence.contains("6 MiB") }', [1]),
        ("fn f() { s.reason.as_str().starts_with(x) }", [1]),
        ("fn f() {\n a.headline\n .as_deref().trim().split(' ') }", [2]),
        ("fn f() { cause.label().contains('x') }", [1]),
        ('fn f() { cause.label() == "the CPU" }', [1]),
        ('fn f() { if s.reason.as_str() != "" {} }', [1]),
        ('fn f() { a.label = "x"; a.label == b.label }', []),
        ("fn f() { say(finding.evidence.trim()); line.contains(x) }", []),
        ("fn f() { all.iter().find(|f| f.evidence == *e) }", []),
        ('#[cfg(test)] mod tests { fn f() { a.evidence.contains("x") } }', []),
    ],
)
def test_no_logic_reads_a_sentence(code, found):
    assert lines(CORE, code) == found


@pytest.mark.parametrize(
    "path, code, found",
    [
        (CORE, '#[error("the drive is in the hands of {0}")]\nstruct A;', [1]),
        (CORE, 'fn f() { say("fix it"); say("to \\\n mend it") }', [1]),
        ("crates/engine/src/a.rs", 'fn f() { say("to mend it") }', []),
        (CORE, 'fn f() { say("to amend a recommendation") }', []),
        (CORE, '#[cfg(test)]\nmod tests { const A: &str = "to mend"; }', []),
        (CORE, "/// To mend.\nfn f() {}", []),
        (CORE, '#[serde(rename = "to mend")]\nstruct A;', []),
        ("crates/bakeoff/src/cli.rs", "/// To mend.\nfn f() {}", [1]),
    ],
)
def test_words_of_our_own_are_in_no_text_for_people(path, code, found):
    assert lines(path, code) == found


def test_captures_in_tests_may_be_wide():
    wide = f'const A: &str = "\n{"e" * 101}";\n'
    assert rules(CORE, HEAD + wide) == ["width"]
    assert rules(CORE, f"{HEAD}#[cfg(test)]\nmod tests {{\n{wide}}}") == []


def test_tests_and_comments_do_not_count_for_the_file():
    long = "const A: u8 = 1;\n" * 401
    assert rules(CORE, HEAD + long) == ["file-length"]
    assert rules(CORE, f"{HEAD}#[cfg(test)]\nmod tests {{\n{long}}}") == []
    assert rules(CORE, HEAD + "// a comment\n" * 500) == []


def test_a_hundred_columns_pass_whatever_their_bytes():
    assert rules("a.ts", "é" * 100) == []
    assert rules("a.ts", "é" * 101) == ["width"]
    assert rules("a.md", "é" * 101) == []


def test_an_unfinished_merge_is_found():
    """A changelog with both sides of a conflict passed every check."""
    text = "".join(f"{mark}HEAD\n- a line\n" for mark in MERGE)
    assert rules("CHANGELOG.md", text) == ["merge-mark"] * 2


@pytest.mark.parametrize("word", ["TO" + "DO", "FIX" + "ME", "XX" + "X"])
def test_unfinished_work_is_found_as_a_word(word):
    assert rules("a.sh", f"# {word}: later") == ["unfinished"]
    assert rules("a.sh", f"mktemp {word}abc") == []


def test_a_test_that_is_ignored_in_silence_is_found():
    for attribute, found in {
        "#[ignore]": ["ignored"],
        '#[ignore = "takes an hour"]': ["ignored"],
        '#[ignore = "not a test: a child"]': [],
    }.items():
        assert rules("a.rs", f"{HEAD}    {attribute}\n") == found


def test_a_script_is_executable_and_a_module_says_what_it_is():
    assert rules("a", "#!/bin/sh") == ["executable"]
    assert rules("a", "#!/bin/sh", ["a"]) == []
    assert rules("a.rs", "fn f() {}") == ["module-doc"]


def test_binaries_are_measured_only():
    found = Tidy({"a.png": b"\xff" * (tidy.FILE_BYTES + 1)}, set()).found
    assert [rule for _, _, rule, _ in found] == ["file-size"]


def test_exceptions_hold_for_their_file_and_must_be_used():
    found = Tidy({"a.ts": b"e" * 101, "b.ts": b"e" * 101}, set())
    left = found.left({("width", "a.ts"): "a table", ("width", "c.ts"): "a table"})
    assert [line.split(":")[0] for line in left] == ["b.ts", "c.ts"]


def test_every_dependency_has_its_line_and_every_line_its_dependency():
    found = Tidy({}, set())
    found.reasons({"clap", "libm"}, "# Why\n\n- `clap`: options\n- `tokio`: gone\n")
    assert ["`libm`" in found.found[0][3], "`tokio`" in found.found[1][3]] == [True, True]


def test_modules_declared_for_tests_are_tests_with_all_below_them():
    sources = {
        "a/src/lib.rs": "mod b;\n#[cfg(test)]\nmod testing;",
        "a/src/b.rs": "#[cfg(test)] mod crash; mod real;",
        "a/src/b/crash.rs": "",
        "a/src/b/real.rs": "",
        "a/src/testing.rs": "mod fake;",
        "a/src/testing/fake.rs": "",
        "a/src/testing_not.rs": "",
        "a/tests/cli.rs": "",
        "fuzz/b.rs": "",
    }
    sources = {path: Source(text) for path, text in sources.items()}
    mark_test_files(sources)
    assert [path for path, source in sources.items() if source.is_test] == [
        "a/src/b/crash.rs",
        "a/src/testing.rs",
        "a/src/testing/fake.rs",
        "a/tests/cli.rs",
        "fuzz/b.rs",
    ]


def test_an_untracked_report_does_not_disturb_the_house_rules(tmp_path):
    """`make demo` left its report in the clone, and `make test` checked its lines."""
    (tmp_path / "tracked.md").write_text("short\n")
    (tmp_path / "bakeoff-1f.html").write_text("x" * 4096)
    for words in ("init --quiet", "add tracked.md"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    assert list(tidy.tracked(tmp_path)[0]) == ["tracked.md"]
