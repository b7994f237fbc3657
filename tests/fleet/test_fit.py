"""The weekly check, on this machine in namespaces, where a systemd of its own runs. It is the
manager of a user, so that `systemctl` there asks it, and the units are where such a one reads
them."""

import json
import subprocess
from pathlib import Path

import pytest

SCRIPT = r"""
set -eu
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/user/0/systemd/user /run/default /run/bin /run/textfiles
mount --bind /run/user/0/systemd/user /etc/systemd/system
mount --bind /run/default /etc/default
printf '#!/bin/sh\nexec /usr/bin/systemctl --user "$@"\n' >/run/bin/systemctl
printf '#!/bin/sh\nprintf "%%s|" "$@"\n' >/run/bin/bakeoff
chmod +x /run/bin/*
export XDG_RUNTIME_DIR=/run/user/0 PATH=/run/bin:$PATH
/lib/systemd/systemd --user --unit=basic.target >/run/log 2>&1 &
for _ in $(seq 100); do systemctl daemon-reload 2>/dev/null && break; sleep 0.1; done
exec "$@"
"""
FOLDERS = "/run/user/0/systemd/user /run/default /run/textfiles"


def play(tools, tmp_path: Path, *parts: tuple[str, dict]) -> str:
    """Plays playbooks one after the other, and lists what is there after each."""
    commands = []
    for number, (playbook, variables) in enumerate(parts):
        file = tmp_path / f"{number}.json"
        program = {"bakeoff_program": "/run/bin/bakeoff", "bakeoff_source": "/nowhere"}
        program |= {"bakeoff_hosts": "all", "ansible_python_interpreter": "/usr/bin/python3"}
        file.write_text(json.dumps(variables | program))
        words = ["ansible-playbook", "--connection=local", "--inventory=localhost,"]
        words += ["--skip-tags=install", f"--extra-vars=@{file}", f"bakeoff.bakeoff.{playbook}"]
        commands.append(" ".join(words))
        commands.append("systemctl list-timers --all --no-legend | sed 's/^/TIMER /'")
        commands.append(f"find {FOLDERS} -name 'bakeoff*'")
    # The first process is a shell, which Ansible does not take for the manager of services.
    own = [
        "timeout",
        "300",
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
    ]
    script = " && ".join(f"echo STEP && {command}" for command in commands)
    command = [*own, "sh", "-c", SCRIPT, "sh", "sh", "-c", script]
    ended = subprocess.run(command, env=tools.environment(), capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_a_timer_is_enabled_changed_and_removed(tools, tmp_path):
    if not Path("/lib/systemd/systemd").exists():
        pytest.skip("there is no systemd here")
    one, other = tmp_path / "one disk", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    both = [{"directory": str(one), "applications": ["etcd", "k3s"]}, {"directory": str(other)}]
    textfiles = {"bakeoff_fit_textfiles": "/run/textfiles"}
    said = play(
        *(tools, tmp_path),
        ("fit", {"bakeoff_fit": both} | textfiles),
        ("fit", {"bakeoff_fit": both} | textfiles),
        ("fit", {"bakeoff_fit": both[1:]} | textfiles),
        ("remove", {"bakeoff_remove_results": False}),
    )
    steps = said.split("STEP\n")[1:]
    timers = [step.count("TIMER ") for step in steps[1::3]]
    assert timers == [2, 2, 1, 0], said
    assert "changed=0" in steps[3], steps[3]
    assert "bakeoff" in steps[2] and "bakeoff" not in steps[11], said
