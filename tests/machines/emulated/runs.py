"""Runs of bakeoff in a guest: a plan, a command in the background, and the store afterwards."""

import json
from collections import Counter

from .guest import Guest, Output

PLAN = "/tmp/plan.toml"
# More than any run takes: it ends with what is waited for.
ENDLESS = "--time 4h --seed 1 --max-write 100g"
# A block of every kind of encryption takes a minute and a half alone.
JOB_LIMIT_S = 3600

# One workload that any stack can do quickly. An emulated processor takes long to make data, so the
# region is discarded and not written where nothing depends on it.
COMMON = """
[[workload]]
rw = 'randwrite'
bs = '4k'
size = '4m'
io_size = '64k'
fsync = 16
[protocol]
mode = 'quick'
cell_min = '50ms'
cell_min_ios = 8
"""


def small(beginning: str) -> str:
    """A plan of that beginning, which says what is compared, with a workload of seconds."""
    # Discarding takes a moment where writing takes a minute.
    trimmed = "flash_state = 'trimmed'\n" if "320m" in beginning else ""
    return f"title = 'test'\n{beginning}{COMMON}{trimmed}"


def write_plan(guest: Guest, text: str, path: str = PLAN):
    guest.ok(f"cat >{path} <<'END'\n{text}\nEND")


def targets(guest: Guest, *devices: str) -> str:
    """The words for disks without a serial number, each with its token, asked of the plan."""
    words = "".join(f" --target {device}" for device in devices)
    plan = guest.json(f"bakeoff plan {PLAN}{words} --max-write 100g --format json")
    tokens = [target["erase_token"] for target in plan["targets"]]
    return words + "".join(f" --erase '{token}'" for token in tokens)


def start(guest: Guest, command: str):
    """Starts a program with its words and leaves it running."""
    guest.ok(
        f"""rm -f /tmp/job.*
        cat >/tmp/job.sh <<'END'\necho $$ >/tmp/job.pid\nexec {command}\nEND
        {{ setsid dash /tmp/job.sh >/tmp/job.out 2>/tmp/job.err
        echo $? >/tmp/job.ended; mv /tmp/job.ended /tmp/job.code; }} >/dev/null 2>&1 &"""
    )


def wait_for(guest: Guest, sign: str):
    """Waits until it has begun what `sign` (a script) is true of."""
    script = f"until {{ {sign}; }}; do [ ! -e /tmp/job.code ] || exit 1; sleep 0.2; done"
    if guest.run(script, JOB_LIMIT_S).code:
        ended = end(guest)
        raise AssertionError(f"ended before {sign!r} with {ended.code}: {ended.error}")


def end(guest: Guest) -> Output:
    """Waits for its end."""
    guest.run("until [ -e /tmp/job.code ]; do sleep 0.2; done", JOB_LIMIT_S)
    code = int(guest.ok("cat /tmp/job.code"))
    return Output(code, guest.run("cat /tmp/job.out").out, guest.run("cat /tmp/job.err").out)


def interrupted(guest: Guest) -> Output:
    """Ends it as Ctrl-C would, and checks that this is what it ended by."""
    guest.ok("kill -INT $(cat /tmp/job.pid)")
    ended = end(guest)
    assert ended.code == 130, f"ended with {ended.code}: {ended.error}"
    return ended


def run_until(guest: Guest, words: str, sign: str) -> Output:
    """Runs the plan on the disks that `words` name until `sign` is true, and ends it."""
    return _until(guest, f"bakeoff run --anyway {PLAN} {words} {ENDLESS}", sign)


def one_block(guest: Guest, command: str):
    """Runs a command until its first block is complete, ends it, and checks the store."""
    _until(guest, command, block_is_done(guest))
    check_store(guest)


def _until(guest: Guest, command: str, sign: str) -> Output:
    start(guest, command)
    wait_for(guest, sign)
    return interrupted(guest)


def result(guest: Guest, *devices: str):
    """Runs the plan for five minutes at most, and returns its result."""
    words = f"{targets(guest, *devices)} --seed 1 --time 5m --max-write 100g"
    command = f"bakeoff run --anyway {PLAN} {words}"
    ended = guest.run(f"{command} --format json >/tmp/result")
    assert ended.code <= 1, f"ended with {ended.code}: {ended.error}"
    return guest.json("cat /tmp/result")


def _count(condition: str) -> str:
    """A script that prints how many events there are. It asks the database itself, which takes an
    emulated processor a quarter of a second."""
    return (
        "sqlite3 -readonly -cmd '.timeout 9000' $HOME/.local/share/bakeoff/bakeoff.db "
        f'"select count(*) from events where {condition}" 2>/dev/null || echo 0'
    )


def _are_more(guest: Guest, condition: str, more: int) -> str:
    count = _count(condition)
    return f'[ "$({count})" -ge {int(guest.ok(count)) + more} ]'


def block_is_done(guest: Guest) -> str:
    """A script that succeeds when one more block is complete than now."""
    return f"sleep 3; {_are_more(guest, 'kind = ' + repr('block_done'), 1)}"


def events_are_recorded(guest: Guest, more: int) -> str:
    """A script that succeeds when so many more events are recorded than now."""
    return f"sleep 1; {_are_more(guest, 'true', more)}"


def exported(guest: Guest, run: str = "last") -> str:
    """The events of a bundle."""
    write = f"bakeoff show {run} -o /tmp/exported.bundle >/dev/null"
    return guest.ok(f"{write} && sed '1d;$d' /tmp/exported.bundle")


def events(guest: Guest) -> list[dict]:
    """What the events of the last run say, in order."""
    return [json.loads(line)["what"] for line in exported(guest).splitlines()]


def check_store(guest: Guest):
    """The store is whole; no cell that counts was measured twice, and a block that is done was
    measured."""
    runs = guest.json("bakeoff runs --format json")["runs"]
    assert runs, "the store is empty"
    said = guest.ok(
        """command -v sqlite3 >/dev/null || exit 0
        sqlite3 $HOME/.local/share/bakeoff/bakeoff.db 'pragma integrity_check'"""
    )
    assert said.strip() in ("", "ok"), f"the store is damaged: {said}"
    for run in runs:
        check_events(
            [json.loads(line)["what"] for line in exported(guest, run["run"]).splitlines()]
        )


def check_events(said: list[dict]):
    def blocks(kind):
        return {what[kind]["block"] for what in said if kind in what}

    superseded, done = blocks("block_superseded"), blocks("block_done")
    cells = Counter(
        tuple(what["cell_done"][key] for key in ("block", "candidate", "workload"))
        for what in said
        if "cell_done" in what
    )
    twice = [cell for cell, count in cells.items() if count > 1 and cell[0] not in superseded]
    assert not twice, f"measured twice (block, candidate, workload): {twice}"
    assert not done & superseded, f"done and superseded: {done & superseded}"
    assert done <= blocks("visit_started"), "a block is done without a visit"
