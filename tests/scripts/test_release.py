"""The scripts of a release, on values made up here: `pytest tests/scripts`."""

import hashlib
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts/release"))

import components
import papers
import repository
import sources
import verify
from components import Component
from machines import machine
from tools import Failed


def test_binaries_that_print_something_else_are_told(tmp_path):
    def program(name: str, says: str):
        path = tmp_path / name
        path.write_text(f'#!/bin/sh\necho "$4 {says}"\n')
        path.chmod(0o755)
        return path, machine("x86_64")

    a, b, c = program("a", "1.5"), program("b", "1.5"), program("c", "1.6")
    bundle = Path("bundle")
    said = verify.agree(bundle, [a, b])
    assert said.startswith("the same ") and said.endswith("x86_64, x86_64")
    with pytest.raises(Failed, match="do not print the same.*1.6"):
        verify.agree(bundle, [a, c])


def test_tests_and_builds_are_no_part_of_the_program():
    def edge(to, kind=None):
        return {"pkg": to, "dep_kinds": [{"kind": kind}]}

    ours = [edge("clap"), edge("insta", "dev"), edge("cc", "build")]
    nodes = [
        {"id": "bakeoff", "deps": ours},
        {"id": "clap", "deps": [edge("strsim")]},
        {"id": "strsim", "deps": []},
    ]
    metadata = {"packages": [{"name": "bakeoff", "id": "bakeoff"}], "resolve": {"nodes": nodes}}
    assert components.linked(metadata) == {"bakeoff", "clap", "strsim"}


def test_checksums_are_those_of_the_lock_file():
    lock = (
        'version = 4\n\n[[package]]\nname = "a"\nversion = "1.0"\nchecksum = "0f"\n'
        '\n[[package]]\nname = "ours"\nversion = "0.1"\n'
    )
    assert components.checksums(lock) == {("a", "1.0"): "0f"}


def test_a_text_that_two_have_is_printed_once():
    parts = [
        Component(name, "1.0", "MIT", f"pkg:cargo/{name}@1.0", "0f", ["Be good.\n"])
        for name in ("a", "b")
    ]
    page = papers.notices(parts)
    assert page.count("Be good.") == 1
    assert "a 1.0, b 1.0" in page and "b 1.0: MIT" in page


def test_notes_are_the_top_section():
    changes = "# Changes\n\n## 0.2.0\n\n- new\n\n### Part\n\n- more\n\n## 0.1.0\n\n- old\n"
    assert papers.newest(changes) == "- new\n\n### Part\n\n- more"
    for empty in ("# Changes\n", "# C\n\n## 1\n\n## 0\n\n- a\n"):
        with pytest.raises(Failed):
            papers.newest(empty)


def test_armv6_is_in_raspbian_only():
    text = repository.distributions("0xKEY")
    assert "Codename: debian\nArchitectures: amd64 arm64 armhf\n" in text
    assert "Codename: raspbian\nArchitectures: armhf\n" in text


def test_the_list_of_files_is_in_order_and_has_its_checksum(tmp_path):
    (tmp_path / "FILES.json").write_text('{"files": [{"name": "b"}, {"name": "a"}]}')
    (tmp_path / "MANIFEST.json").write_text('{"file_manifest_file": {"format": 1}}')
    sources.sort(tmp_path)
    listed = (tmp_path / "FILES.json").read_bytes()
    assert listed.find(b'"a"') < listed.find(b'"b"')
    noted = json.loads((tmp_path / "MANIFEST.json").read_text())["file_manifest_file"]
    assert noted == {"format": 1, "chksum_sha256": hashlib.sha256(listed).hexdigest()}


def test_workflows_call_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text()
    called = 0
    for workflow in (ROOT / ".github/workflows").iterdir():
        for target in re.findall(r"^ +run: .*\bmake (\S+)", workflow.read_text(), re.MULTILINE):
            assert f"\n{target}:" in makefile, f"no target {target} in the Makefile"
            called += 1
    assert called == 5
