"""A machine that can be switched on, and the lab that makes machines with the program under test.

Disks are files that stay when a guest is killed, so the next one finds what a power cut left."""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from . import image
from .board import Board
from .disk import Disk
from .guest import Guest

ROOT = Path(__file__).parents[3]
TARGET = Path(subprocess.check_output([ROOT / "scripts/target.sh"], text=True).strip())

# A kernel judges nothing by time: a busy host lets a processor stand still for as long as it likes,
# and a soft lockup, a stalled RCU or a hung task would print what the tests take for a bug.
COMMAND_LINE = (
    "quiet panic=-1 nowatchdog rcupdate.rcu_cpu_stall_suppress=1 "
    "sysctl.kernel.hung_task_timeout_secs=0"
)

# Counts the disks that are there and that udev, where there is one, has dealt with.
COUNT_DISKS = """found=0
for disk in /sys/block/vd* /sys/block/sd* /sys/block/mmcblk? /sys/block/nvme*; do
    [ -e $disk/dev ] || continue
    [ ! -e /run/udev/control ] || [ -e /run/udev/data/b$(cat $disk/dev) ] || continue
    found=$((found + 1))
done"""


@dataclass
class Machine:
    """A board with an image and disks. `address` is one of this machine's at which its SSH server
    answers."""

    board: Board
    image: image.Image
    folder: Path
    disks: list[Disk]
    address: str | None = None

    def __post_init__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for disk in self.disks:
            with self.content(disk).open("wb") as file:
                file.truncate(disk.size_bytes)

    def content(self, disk: Disk) -> Path:
        return disk.content(self.folder)

    def boot(self) -> Guest:
        """Switches it on and waits until it takes commands."""
        sockets = Path(tempfile.mkdtemp(prefix="bakeoff-vm-"))
        with (self.folder / "qemu.log").open("wb") as errors:
            process = subprocess.Popen(
                self._command(sockets),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        guest = Guest(process, sockets, self.folder)
        # A stick is found a moment after the system is up.
        guest.wait_for(f"{COUNT_DISKS}; [ $found -ge {len(self.disks)} ]")
        guest.settle()
        return guest

    def _command(self, sockets: Path) -> list[str]:
        board = self.board
        # QEMU ends with us, whatever ends us.
        words = ["setpriv", "--pdeathsig", "KILL", board.qemu, *board.arguments.split()]
        if board.cpus:
            words += ["-smp", str(board.cpus)]
        words += ["-nodefaults", "-display", "none", "-no-reboot"]
        words += ["-kernel", str(self.image.kernel), "-initrd", str(self.image.archive)]
        if self.image.device_tree:
            words += ["-dtb", str(self.image.device_tree)]
        words += ["-append", f"{board.command_line} {COMMAND_LINE}"]
        for disk in self.disks:
            words += disk.arguments(str(self.content(disk)))
        socket = "socket,id={0},server=on,wait=off,path={1}/{0}"
        words += ["-chardev", socket.format("qmp", sockets), "-mon", "chardev=qmp,mode=control"]
        port = socket.format("port", sockets)
        console = str(self.folder / "console.log").replace(",", ",,")
        if board.port.startswith("/dev/tty"):
            # One line for the kernel's messages and for us. The Raspberry Pi 3's is the second.
            words += ["-serial", "null"] if board.port == "/dev/ttyS1" else []
            words += ["-chardev", f"{port},logfile={console}", "-serial", "chardev:port"]
        else:
            words += ["-serial", f"file:{console}", "-chardev", port, "-device"]
            words += ["virtio-serial-pci", "-device", "virtserialport,chardev=port,name=port"]
        if self.address:
            # After the port, whose number in the guest is that of its device.
            words += ["-netdev", f"user,id=net,hostfwd=tcp:{self.address}:22-:22"]
            words += ["-device", f"{board.interface},netdev=net"]
        return words


@dataclass
class Lab:
    """Makes machines. `binary` is the program for the PC; other boards, and the PC without one, get
    what `make dist` builds: for tests, or with `released` what was built for people."""

    binary: Path | None = None
    released: bool = False
    files: dict[str, Path] = field(default_factory=dict)

    def machine(self, board: Board, name: str, disks: list[Disk], address=None) -> Machine:
        made = image.make(TARGET / "vm", board, self.program(board), self.files)
        return Machine(board, made, TARGET / "vm/machines" / name, disks, address)

    def program(self, board: Board) -> Path:
        if self.binary and board.architecture == "amd64":
            return self.binary
        folder = TARGET / ("dist" if self.released else "dist-test")
        program = folder / f"bakeoff-{board.binary}"
        with image.locked(TARGET / "dist.lock"):
            if not self.released:
                build = ["python3", "scripts/release/dist.py", "--test", board.binary]
                subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        assert program.exists(), f"there is no {program}: make dist ARGS={board.binary}"
        return program
