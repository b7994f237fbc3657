"""The collection itself: it builds, installs and passes ansible-lint's strictest profile."""

import shutil
import subprocess

import pytest
from conftest import ROOT

SOURCE = ROOT / "packaging/ansible"
LINT = "--offline --nocolor --strict --profile production".split()


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "meta/runtime.yml",
        "playbooks/bakeoff.yml",
        "playbooks/fit.yml",
        "plugins/module_utils/detached.py",
        "plugins/modules/run.py",
        "roles/fit/files/bakeoff-fit@.timer",
        "roles/install/tasks/main.yml",
        "examples/inventory.yml",
    ],
)
def test_the_archive_contains(tools, name):
    [archive] = (tools.folder / "built").iterdir()
    listed = subprocess.run(["tar", "-tf", archive], capture_output=True, text=True, check=True)
    assert name in listed.stdout.splitlines()


def test_ansible_lint_finds_nothing(tools):
    tools.run("ansible-lint", *LINT, ".", cwd=SOURCE)


def test_ansible_lint_finds_a_fault(tools, tmp_path):
    copy = shutil.copytree(SOURCE, tmp_path / "ansible")
    faulty = "---\n- name: Anything\n  hosts: all\n  tasks:\n    - shell: reboot\n"
    (copy / "playbooks/faulty.yml").write_text(faulty)
    lint = [tools.folder / "packages/bin/ansible-lint", *LINT, "playbooks/faulty.yml"]
    found = subprocess.run(lint, cwd=copy, env=tools.environment(), capture_output=True, text=True)
    assert found.returncode and "fqcn" in found.stdout
