# Copyright: the bakeoff developers
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Processes that outlive the connection: a systemd unit, or a session of their own."""

from __future__ import annotations

import os
import subprocess


def start(module, name, command, log):
    """Starts a command detached, with both streams appended to a file. Returns what is_alive needs,
    for a file in JSON."""
    unit = as_unit(module, name, command, log)
    if unit:
        return dict(unit=unit)
    with open(log, "ab") as file:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            cwd="/",
            start_new_session=True,
        )
    return dict(pid=child.pid, pid_start=start_of(child.pid))


def as_unit(module, name, command, log):
    """Starts a transient unit; None where systemd does not run the machine. In a container its
    folder may be there without systemd."""
    if not os.path.isdir("/run/systemd/system"):
        return None
    unit = f"{name}.service"
    words = ["systemd-run", "--quiet", "--collect", "--no-ask-password", f"--unit={unit}"]
    words += [f"--property=Standard{stream}=append:{log}" for stream in ("Output", "Error")]
    # Time to unmount before it is killed.
    words += ["--property=TimeoutStopSec=30min", "--working-directory=/", "--"]
    words += [word.replace("$", "$$") for word in command]
    return unit if module.run_command(words)[0] == 0 else None


def is_alive(module, process):
    """Whether a started process lives."""
    if process.get("unit"):
        words = ["systemctl", "is-active", "--quiet", process["unit"]]
        return module.run_command(words)[0] == 0
    started = start_of(process.get("pid"))
    return started is not None and started == process["pid_start"]


def start_of(pid):
    """Start of a process since boot, clock ticks (proc_pid_stat(5)); None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]
