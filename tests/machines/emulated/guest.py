"""A running guest: scripts with exit codes, sticks pulled out and put in, and the power cut."""

import json
import shutil
import socket
import subprocess
import time
from pathlib import Path

from .disk import Disk

# Seconds alone; minutes where other guests and builds have the processors.
SCRIPT_LIMIT_S = 900
QMP_LIMIT_S = 600
ANSWER_BYTES = 256 << 20

# What has to be the same after a test as before. Mount ids are handed out again; of schedulers only
# the one in force counts, since a module that was loaded for one stays.
STATE = r"""
cut -d ' ' -f 3- /proc/self/mountinfo | sed 's/^/mount /' | sort
dmsetup ls 2>/dev/null | sed 's/^/mapping /'
losetup --list --noheadings --output NAME,BACK-FILE 2>/dev/null | sed 's/^/loop /'
sed 's/^/swap /' /proc/swaps
ls -d /sys/block/md* 2>/dev/null
grep -s '' /sys/block/[!l]*/queue/scheduler /sys/block/[!l]*/queue/read_ahead_kb \
    /sys/block/[!l]*/queue/nr_requests /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor \
    | sed 's/:.*\[\(.*\)\].*/:\1/; s/^/knob /'
find /run/udev/rules.d /etc/udev/rules.d -type f 2>/dev/null | sed 's/^/rule /'
ps -o pid,args | grep -E '[ /](bakeoff|mkfs|cryptsetup)' | grep -v grep | sed 's/^/process /'
true
"""


class Output:
    """What a script printed and how it ended; a code of 128 and more: by a signal."""

    def __init__(self, code: int, out: bytes, err: bytes):
        self.code, self.out, self.err = code, out, err
        self.text = out.decode(errors="replace")
        self.error = err.decode(errors="replace")


class Guest:
    """A guest of QEMU, which is `process`, talks through sockets in `sockets` and has its disks and
    logs in `folder`."""

    def __init__(self, process: subprocess.Popen, sockets: Path, folder: Path):
        self.process, self.sockets, self.folder = process, sockets, folder
        self._buffer = b""
        self._events: list[dict] = []
        try:
            control = self._connect("qmp")
            control.settimeout(QMP_LIMIT_S)
            self._qmp = control.makefile("rw")
            self._answer()
            self._command("qmp_capabilities")
            self._port = self._connect("port")
            self._until(b"\n@@ready\n", time.monotonic() + SCRIPT_LIMIT_S)
        except BaseException as error:
            words = self._last_words()
            self.kill()
            raise AssertionError(f"no guest came up: {error}; {words}") from error

    def _connect(self, name: str) -> socket.socket:
        end = time.monotonic() + 120
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(str(self.sockets / name))
                return connection
            except OSError:
                connection.close()
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def run(self, script: str, limit_s: float = SCRIPT_LIMIT_S) -> Output:
        """Runs a script, whatever its exit code. A guest that does not keep the limit is of no
        further use."""
        end = time.monotonic() + limit_s
        try:
            self._port.sendall(f"{script.rstrip()}\n@@run\n".encode())
            self._until(b"\n@@done ", end)
            code, out, err = (int(word) for word in self._until(b"\n", end).split())
            assert out + err < ANSWER_BYTES, f"an answer of {out + err} bytes"
            return Output(code, self._take(out, end), self._take(err, end))
        except (OSError, EOFError) as error:
            raise AssertionError(f"running {script!r}: {error}; {self._last_words()}") from error

    def _until(self, mark: bytes, end: float) -> bytes:
        while mark not in self._buffer:
            self._read(end)
        before, self._buffer = self._buffer.split(mark, 1)
        return before

    def _take(self, count: int, end: float) -> bytes:
        while len(self._buffer) < count:
            self._read(end)
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def _read(self, end: float):
        self._port.settimeout(max(0.001, end - time.monotonic()))
        received = self._port.recv(1 << 16)
        if not received:
            raise EOFError("the guest has ended")
        self._buffer += received

    def expect(self, script: str, code: int) -> Output:
        output = self.run(script)
        assert output.code == code, (
            f"{script!r} ended with {output.code}, not {code}\n{output.text}\n{output.error}"
        )
        return output

    def ok(self, script: str) -> str:
        return self.expect(script, 0).text

    def json(self, script: str):
        return json.loads(self.ok(script))

    def wait_for(self, script: str):
        """Runs a script until it succeeds, for five minutes at least."""
        output = self.run(
            f"n=0; until {{ {script}; }}; do n=$((n+1)); [ $n -lt 3000 ] || exit 1; sleep 0.1; done"
        )
        assert output.code == 0, f"waited in vain for {script!r}: {output.error}"

    def content(self, disk: Disk) -> Path:
        return disk.content(self.folder)

    def unplug(self, disk: Disk):
        """Pulls a USB stick out, in use or not."""
        device = f"{disk.name}-device"
        self._command("device_del", id=device)
        gone = {"event": "DEVICE_DELETED", "device": device}
        while not any(
            {"event": event.get("event"), "device": event["data"].get("device")} == gone
            for event in self._events
        ):
            self._events.append(self._answer())
        self._events.clear()

    def plug(self, disk: Disk):
        """Puts it in again; it is found some time later."""
        self._command("device_add", **disk.device())

    def plug_as(self, name: str, disk: Disk):
        """Puts it in, which makes it the disk of that name, and waits until udev has closed it."""
        # udev forgets another disk of that number first.
        self.settle()
        self.plug(disk)
        self.wait_for(
            f"[ -e /run/udev/data/b$(cat /sys/block/{name}/dev) ] "
            f"&& [ $(cat /sys/block/{name}/size) -gt 0 ]"
        )
        self.settle()

    def _command(self, name: str, **arguments):
        self._qmp.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self._qmp.flush()
        while "return" not in (answer := self._answer()):
            assert "error" not in answer, f"QEMU refused {name}: {answer}"
            self._events.append(answer)

    def _answer(self) -> dict:
        line = self._qmp.readline()
        if not line:
            raise EOFError("QEMU has ended")
        return json.loads(line)

    def settle(self):
        self.ok("[ ! -e /run/udev/control ] || udevadm settle --timeout=600")

    def state(self) -> list[str]:
        return self.ok(STATE).splitlines()

    def assert_unchanged(self, before: list[str]):
        """Fails when the guest is not as it was, or its kernel has stumbled."""
        now = self.state()
        gone = [f"- {line}" for line in before if line not in now]
        new = [f"+ {line}" for line in now if line not in before]
        assert not gone + new, "the guest is not as before:\n" + "\n".join(gone + new)
        log = self.ok("dmesg | grep -A 20 -E 'BUG:|Oops|Call Trace|Kernel panic' || true")
        assert not log, f"the guest's kernel stumbled:\n{log}"

    def kill(self):
        """The power cut: at once, with nothing written back. The machine can be booted again."""
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.sockets, ignore_errors=True)

    def _last_words(self) -> str:
        try:
            ended = f"it ended with {self.process.wait(timeout=10)}"
        except subprocess.TimeoutExpired:
            ended = "it runs"
        said = (self.folder / "qemu.log").read_text(errors="replace")
        console = self.folder / "console.log"
        lines = console.read_text(errors="replace").splitlines() if console.exists() else []
        return f"QEMU: {ended}; it said {said!r}; the console:\n" + "\n".join(lines[-20:])
