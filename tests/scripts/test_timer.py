"""The systemd units of the weekly check, started by a systemd of their own: a manager of a user in
namespaces, which takes root. bakeoff is a script there that says what it was told."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts/release"))

from tools import skip

UNITS = ROOT / "packaging/systemd"
SYSTEMD = "/lib/systemd/systemd"
# Where systemd seems to run the machine, a manager starts in the namespaces, which end with it.
SCRIPT = r"""
set -eu
units=/run/user/0/systemd/user
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system "$units" /run/textfiles
cp "$1"/bakeoff-fit@* "$units"
export XDG_RUNTIME_DIR=/run/user/0 HOME=/run SYSTEMD_LOG_TARGET=console
"$2" --user --unit=basic.target >/run/log 2>&1 &
instance=$(systemd-escape --path "$3")
name=bakeoff-fit@$instance
mkdir "$units/$name.service.d"
cat >"$units/$name.service.d/test.conf" <<END
[Service]
Environment=PATH=$4:/usr/bin:/bin TEXTFILES=/run/textfiles "APPLICATIONS=etcd postgresql" CODE=$5
END
for _ in $(seq 100); do systemctl --user daemon-reload 2>/dev/null && break; sleep 0.1; done
echo earlier >"/run/textfiles/bakeoff-fit-$instance.prom"
echo started "$(systemctl --user start "$name.service" 2>&1 | head -n 1)"
systemctl --user start "$name.timer"
systemctl --user list-timers --no-legend | sed 's/^/timer /'
cd /run/textfiles && ls && cat -- *
"""


def in_systemd(tmp_path: Path, code: int) -> str:
    missing = [name for name in (SYSTEMD, "unshare") if not shutil.which(name)]
    missing += ["root"] if os.geteuid() else []
    if missing:
        skip("systemd timer", missing[0], f"there is no {missing[0]}")
        pytest.skip(f"there is no {missing[0]}")
    directory, program = tmp_path / "my disk-1", tmp_path / "bin/bakeoff"
    for folder in (directory, program.parent):
        folder.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\nexit "$CODE"\n')
    program.chmod(0o755)
    namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    words = [UNITS, SYSTEMD, directory, program.parent, str(code)]
    command = [*namespaces, "timeout", "60", "sh", "-c", SCRIPT, "sh", *words]
    ended = subprocess.run(command, capture_output=True, text=True)
    if "started" not in ended.stdout:
        why = "a manager of systemd does not start in namespaces here"
        skip("systemd timer", "systemd", f"{why}: {ended.stderr[-200:]!r}")
        pytest.skip(why)
    return ended.stdout


@pytest.mark.parametrize("code", [0, 1, 5])
def test_each_answer_is_a_textfile(tmp_path, code):
    said = in_systemd(tmp_path, code)
    assert "started \n" in said, said
    told = f"fit|etcd|postgresql|{tmp_path}/my disk-1|--quiet|--store|/var/lib/bakeoff/bakeoff.db|"
    assert told in said and "earlier" not in said and ".tmp" not in said, said
    [timer] = [line for line in said.splitlines() if line.startswith("timer ")]
    assert "bakeoff-fit@" in timer, said


def test_what_is_no_answer_fails_and_the_textfile_stays(tmp_path):
    said = in_systemd(tmp_path, 4)
    assert "failed" in said and "earlier" in said and ".tmp" not in said, said


def test_the_collection_has_the_same_units():
    for unit in UNITS.iterdir():
        assert (
            ROOT / "packaging/ansible/roles/fit/files" / unit.name
        ).read_text() == unit.read_text()
