# Copyright: the bakeoff developers
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs a plan of bakeoff on this board once for each label, detached from the connection."""

from __future__ import annotations

DOCUMENTATION = r"""
module: run
short_description: Run a bakeoff plan once for each label
version_added: 1.0.0
author: The bakeoff developers (@bakeoff)
description:
  - Starts C(bakeoff run) so that it survives a lost connection, and reports how it proceeds.
  - A label names one run on each board. If that run is complete, the module changes nothing. If
    its process was killed, or the board lost power, the module resumes it.
  - In check mode the module prints the plan, with the erase token of each target, and changes
    nothing.
options:
  program:
    description: Path of bakeoff on the board.
    type: path
    default: /usr/local/bin/bakeoff
  folder:
    description: Folder for the store, the logs and the state of the runs that Ansible starts.
    type: path
    default: /var/lib/bakeoff
  label:
    description: >-
      Label of the run. Use letters, digits, hyphens, underscores and dots.
    type: str
    required: true
  plan:
    description: Name of a built-in plan, or a name for O(content).
    type: str
    required: true
  content:
    description: Text of the plan (TOML), unless it is a built-in one.
    type: str
  targets:
    description: Drives, partitions or images. Their contents are erased.
    type: list
    elements: str
    required: true
  erase:
    description: Erase tokens of the targets on this board, as shown in check mode.
    type: list
    elements: str
    default: []
  mode:
    description: Precision (C(quick), C(decide) or C(precise)). The default is that of the plan.
    type: str
  time:
    description: Time limit, such as C(2h). The default is that of the plan.
    type: str
  max_write:
    description: Maximum bytes to write, such as C(20g).
    type: str
  at:
    description: Time of day to start at, as C(HH:MM).
    type: str
  shares_disk_with_root:
    description: Allow writing to an unmounted partition of the system drive.
    type: bool
    default: false
  anyway:
    description: Measure although something prevents an answer, such as busy CPUs.
    type: bool
    default: false
  tools:
    description: Install the missing programs that the plan needs, such as C(mkfs.f2fs).
    type: bool
    default: false
  start:
    description: >-
      Start or resume the run. With V(false), the module only reports the state, and fails if the
      run ended early.
    type: bool
    default: true
attributes:
  check_mode:
    description: Shows the plan and changes nothing.
    support: full
"""

EXAMPLES = r"""
- name: Start the plan on the card of this board
  bakeoff.bakeoff.run:
    label: cards
    plan: sd-card
    targets: [/dev/mmcblk0]
    erase: ["{{ bakeoff_token }}"]
"""

RETURN = r"""
state:
  description: State of the run (V(planned), V(waiting), V(running) or V(done)).
  returned: success
  type: str
run:
  description: ID of the run.
  returned: once it began
  type: str
verdict:
  description: The answer of the run in a few words.
  returned: once it is known
  type: str
plan:
  description: Lines of C(bakeoff plan).
  returned: in check mode, unless the run is complete
  type: list
  elements: str
tokens:
  description: Targets with their erase tokens, and whether O(erase) contains the token.
  returned: in check mode, unless the run is complete
  type: list
  elements: dict
"""

import hashlib
import json
import os
import re
import tempfile
import time

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.bakeoff.bakeoff.plugins.module_utils import detached

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# How long a started process is watched for an early end, seconds; the second if it waits for a
# time of day.
WATCH_S = 15
WAIT_S = 3
# Reasons after which a run is complete: its record has an answer, and the rest of its time is used.
COMPLETE = ("decided", "last_block", "time_up", "write_budget")
OPTIONS = dict(
    program=dict(type="path", default="/usr/local/bin/bakeoff"),
    folder=dict(type="path", default="/var/lib/bakeoff"),
    label=dict(type="str", required=True),
    plan=dict(type="str", required=True),
    content=dict(type="str"),
    targets=dict(type="list", elements="str", required=True),
    erase=dict(type="list", elements="str", default=[], no_log=False),
    mode=dict(type="str"),
    time=dict(type="str"),
    max_write=dict(type="str"),
    at=dict(type="str"),
    shares_disk_with_root=dict(type="bool", default=False),
    anyway=dict(type="bool", default=False),
    tools=dict(type="bool", default=False),
    start=dict(type="bool", default=True),
)


class Job:
    """The run with one label on this board."""

    def __init__(self, module):
        self.module = module
        self.asked = module.params
        self.label = self.asked["label"]
        if not LABEL.fullmatch(self.label):
            module.fail_json(msg=f"'{self.label}' is no label for Ansible. Use up to 64 letters, "
                                 "digits, hyphens, underscores and dots.")
        folder = self.asked["folder"]
        self.store = os.path.join(folder, "bakeoff.db")
        self.log = os.path.join(folder, "logs", f"{self.label}.log")
        self.job_file = os.path.join(folder, "jobs", f"{self.label}.json")
        self.plan_file = os.path.join(folder, "plans", f"{self.label}.toml")
        self.job = self.read_job()

    # What is known.

    def read_job(self):
        try:
            with open(self.job_file, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            self.module.fail_json(msg=f"Cannot read {self.job_file}: {error}. Remove the file to "
                                      "start the run again.")

    def call(self, *words, codes=(0,)):
        """Runs bakeoff, and fails with its message unless the exit code is one of `codes`."""
        code, out, err = self.module.run_command([self.asked["program"], *words])
        if code not in codes:
            message = err.strip() or out.strip()
            self.module.fail_json(msg=message, rc=code, command=" ".join(words))
        return code, out, err

    def rows(self):
        """The runs in the store, the latest first; reading creates no store."""
        if not os.path.exists(self.store):
            return []
        listed = self.call("runs", "--format", "json", "--store", self.store)
        return json.loads(listed[1])["runs"]

    def find(self, rows):
        """The run with the label; a run of this job that has none yet gets it."""
        labelled = [row for row in rows if row["label"] == self.label]
        if self.job is None:
            return labelled[0] if labelled else None
        new = [row for row in rows if row["run"] not in self.job["before"]]
        ours = [row for row in new if row["label"] == self.label]
        unlabelled = [row for row in new if not row["label"]]
        if not ours and unlabelled:
            ours = unlabelled[-1:]
            if not self.module.check_mode:
                self.call("runs", "label", ours[0]["run"], self.label, "--store", self.store)
        return (ours or labelled or [None])[0]

    def stop_reason(self, row):
        """Why a run stopped: a word of bakeoff's, and a note for people."""
        words = ("show", row["run"], "--format", "json", "--store", self.store)
        shown = json.loads(self.call(*words, codes=(0, 1))[1])
        stopped = shown.get("stopped") or {}
        if isinstance(stopped, str):
            return stopped, ""
        return stopped.get("reason"), stopped.get("note") or ""

    def is_alive(self):
        """Whether the process that this job started lives, waiting for its time or measuring."""
        if self.job is None:
            return False
        return detached.is_alive(self.module, self.job)

    def log_tail(self):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return "".join(file.readlines()[-20:]).strip()
        except OSError:
            return ""

    # What is asked.

    def plan_hash(self):
        """Tells plans apart that may not share a label."""
        keys = ("plan", "content", "targets", "mode")
        text = json.dumps([self.asked[key] for key in keys])
        return hashlib.sha256(text.encode()).hexdigest()

    def on_targets(self, plan):
        words = [plan]
        for target in self.asked["targets"]:
            words += ["--target", target]
        for name in ("mode", "time", "max_write"):
            if self.asked[name]:
                words += ["--" + name.replace("_", "-"), self.asked[name]]
        if self.asked["shares_disk_with_root"]:
            words.append("--shares-disk-with-root")
        return words

    def erase(self):
        return [word for token in self.asked["erase"] for word in ("--erase", token)]

    def plan(self):
        """The erase token of each target, and in check mode the plan as lines. Fails if bakeoff
        refuses the plan or a target."""
        with tempfile.TemporaryDirectory() as folder:
            plan = self.asked["plan"]
            if self.asked["content"] is not None:
                plan = os.path.join(folder, "plan.toml")
                write(plan, self.asked["content"])
            store = ("--store", self.store)
            words = self.on_targets(plan)
            found = json.loads(self.call("plan", *words, "--format", "json", *store)[1])
            lines = []
            if self.module.check_mode:
                lines = self.call("plan", *words, *store)[1].splitlines()
        given = [token.strip().lower() for token in self.asked["erase"]]
        tokens = [
            dict(
                target=target["path"],
                about=target["about"],
                token=target["erase_token"],
                given=target["erase_token"].strip().lower() in given,
            )
            for target in found["targets"]
        ]
        return lines, tokens

    # What is done.

    def refuse_without_consent(self, tokens):
        missing = [token for token in tokens if not token["given"]]
        if not missing:
            return
        given = ", ".join(self.asked["erase"])
        reason = f"{given} is not its erase token" if given else "the inventory has no token for it"
        names = " and ".join(f"{one['target']} ({one['about']})" for one in missing)
        wanted = json.dumps([one["token"] for one in tokens])
        self.module.fail_json(
            msg=f"Refusing to erase {names}: {reason}. If everything on it may be lost, set "
                f"this for the host in the inventory: bakeoff_erase: {wanted}",
            tokens=tokens,
        )

    def begin(self, words, before):
        """Starts bakeoff detached, and notes it in the file of the job before it begins."""
        for path in (self.log, self.job_file):
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        command = [self.asked["program"], *words, "--store", self.store]
        self.job = dict(before=before, plan=self.plan_hash(), command=command)
        write(self.job_file, json.dumps(self.job))
        name = f"bakeoff-{self.label}"
        self.job.update(detached.start(self.module, name, command, self.log))
        write(self.job_file, json.dumps(self.job))

    def watch(self):
        """The row of the run once it measures or is complete; None while it waits. Fails if it
        ended early."""
        until = time.monotonic() + (WAIT_S if self.asked["at"] else WATCH_S)
        while True:
            is_alive = self.is_alive()
            row = self.find(self.rows())
            if row and row["state"] == "running":
                return row
            if not is_alive:
                if row and row["state"] == "stopped" and self.stop_reason(row)[0] in COMPLETE:
                    return row
                self.module.fail_json(msg=f"The run ended early. {self.log} ends with:\n"
                                          f"{self.log_tail()}")
            if time.monotonic() > until:
                return None
            time.sleep(0.5)

    def start(self, rows):
        tokens = self.plan()[1]
        self.refuse_without_consent(tokens)
        plan = self.asked["plan"]
        if self.asked["content"] is not None:
            plan = self.plan_file
            os.makedirs(os.path.dirname(plan), mode=0o700, exist_ok=True)
            write(plan, self.asked["content"])
        if self.asked["tools"]:
            self.call("plan", plan, "--install")
        at = ["--at", self.asked["at"]] if self.asked["at"] else []
        anyway = ["--anyway"] if self.asked["anyway"] else []
        words = ["run", *self.on_targets(plan), *self.erase(), *at, *anyway]
        self.begin(words, [row["run"] for row in rows])
        return self.watch()

    def resume(self, row, rows):
        before = self.job["before"] if self.job else []
        known = [other["run"] for other in rows if other["run"] != row["run"]]
        self.begin(["resume", row["run"], *self.erase()], before or known)
        return self.watch()


def write(path, text):
    """Writes a file whole or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def report(job, row, changed):
    """Ends the module with the state of the run."""
    if row is None:
        job.module.exit_json(changed=changed, state="waiting")
    state = "running" if row["state"] == "running" else "done"
    job.module.exit_json(changed=changed, state=state, run=row["run"], verdict=row["verdict"])


def refuse_conflict(job, rows):
    """Another run on this board would disturb this one; one label is one plan."""
    for row in rows:
        if row["state"] == "running" and row["label"] != job.label:
            job.module.fail_json(msg=f"The board is measuring run {row['run']} ({row['label']}). "
                                     "Wait until it has ended.")


def main():
    module = AnsibleModule(argument_spec=OPTIONS, supports_check_mode=True)
    job = Job(module)
    # Before the list: a run that ends while it is listed looks as if its process had died.
    is_alive = job.is_alive()
    rows = job.rows()
    row = job.find(rows)
    if job.job and row and job.job["plan"] != job.plan_hash():
        module.fail_json(msg=f"The run labelled '{job.label}' on this board has another plan, "
                             "mode or target. Choose another bakeoff_label.")
    if row and row["state"] == "running":
        report(job, row, False)
    if is_alive:
        report(job, None, False)
    why, note = "dead", ""
    if row and row["state"] == "stopped":
        why, note = job.stop_reason(row)
        if why in COMPLETE:
            report(job, row, False)
    if row and row["state"] == "unreadable":
        module.fail_json(msg=row["error"])
    report_unless_starting(job, row, why, note)
    refuse_conflict(job, rows)
    if row and row["blocks"]:
        row = job.resume(row, rows)
    else:
        row = job.start(rows)
    report(job, row, True)


def report_unless_starting(job, row, why, note):
    """Ends the module with what is the case, unless it was asked to start or resume."""
    module = job.module
    if not module.params["start"]:
        ended = f"Run {row['run']} ended early ({why}). {note}" if row else "The run ended early."
        module.fail_json(msg=f"{ended.strip()} Run the playbook again to continue it. {job.log} "
                             f"ends with:\n{job.log_tail()}")
    if module.check_mode:
        if row and row["blocks"]:
            module.exit_json(changed=True, state="planned", run=row["run"],
                             plan=[f"bakeoff resume {row['run']}"], tokens=[])
        lines, tokens = job.plan()
        module.exit_json(changed=True, state="planned", plan=lines, tokens=tokens)


if __name__ == "__main__":
    main()
