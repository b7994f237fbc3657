"""What a guest starts from: Debian's kernel, and an archive of Debian's packages, kernel modules
and the program under test. Packages are downloaded into `target` by apt-get with a state of its own
(apt.conf(5)) and unpacked, not installed."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

from .board import Board

INIT = Path(__file__).with_name("init.sh")

# Users and groups that udev's rules name.
GROUPS = "".join(
    f"{name}:x:{number}:\n"
    for name, number in {
        "root": 0,
        "tty": 5,
        "disk": 6,
        "lp": 7,
        "dialout": 20,
        "video": 44,
        "audio": 29,
        "cdrom": 24,
        "tape": 26,
        "kmem": 15,
        "input": 104,
        "sgx": 105,
        "kvm": 106,
        "render": 107,
        "nobody": 65534,
    }.items()
)
USERS = "root:x:0:0:root:/root:/bb/sh\nnobody:x:65534:65534::/:/bin/false\n"

# All of an image is unpacked into the guest's memory; modules are chosen one by one.
LEFT_OUT = [
    "./boot",
    "./etc/systemd",
    "./lib/modules",
    "./lib/systemd/system",
    "./lib/systemd/system-*",
    "./lib/udev/hwdb.d",
    "./usr/lib/*/gconv",
    "./usr/lib/*/libicu*",
    "./usr/lib/*/libperl*",
    "./usr/lib/*/perl*",
    "./usr/lib/linux-image-*",
    "./usr/share",
]
SBIN = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}


class Image:
    """Files that QEMU starts a board with."""

    def __init__(self, kernel: Path, archive: Path, device_tree: Path | None):
        self.kernel, self.archive, self.device_tree = kernel, archive, device_tree


def make(folder: Path, board: Board, program: Path, files: dict[str, Path]) -> Image:
    """Makes the image of a board with the program and other files (path there: path here)."""
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / f"{board.name}.lock"):
        root = unpack(folder / board.name, board.architecture, board.packages)
        [kernel] = root.glob("boot/vmlinuz-*")
        version = kernel.name.removeprefix("vmlinuz-")
        if board.architecture == "amd64":
            kernel = unwrapped(kernel, folder / board.name)
        archive = folder / f"{board.name}-{_key(board, program, files)}.cpio"
        if not archive.exists():
            for old in folder.glob(f"{board.name}-*.cpio"):
                old.unlink()
            _pack(folder / board.name, root, version, board, program, files, archive)
        tree = board.device_tree and next(
            path for path in (root / f"usr/lib/linux-image-{version}").rglob(board.device_tree)
        )
        return Image(kernel, archive, tree)


def _key(board: Board, program: Path, files: dict[str, Path]) -> str:
    """Changes when anything in the archive does."""
    seen = hashlib.sha256(INIT.read_bytes() + repr(board).encode())
    for there, here in {"program": program, **files}.items():
        stat = here.stat()
        seen.update(f"{there} {here} {stat.st_size} {stat.st_mtime_ns}".encode())
    return seen.hexdigest()[:12]


def _pack(folder, root, version, board, program, files, archive):
    added = folder / "added"
    shutil.rmtree(added, ignore_errors=True)
    (added / "etc").mkdir(parents=True)
    init = INIT.read_text().replace("@PORT@", board.port).replace("@MODULES@", board.loaded)
    (added / "init").write_text(init)
    (added / "init").chmod(0o755)
    (added / "etc/passwd").write_text(USERS)
    (added / "etc/group").write_text(GROUPS)
    modules = {module: root / module for module in _modules(root, version, board)}
    for there, here in {"usr/bin/bakeoff": program, **files, **modules}.items():
        (added / there).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here, added / there)
    subprocess.run(["depmod", "-b", added, version], check=True, env=SBIN)
    unfinished = archive.with_suffix(".new")
    with unfinished.open("wb") as out:
        # The kernel unpacks one archive after the other, the later one over the earlier.
        for tree, left_out in ((root, LEFT_OUT), (added, [])):
            excluded = [f"--exclude={path}" for path in left_out]
            words = ["--create", "--format=newc", "--uid=0", "--gid=0", "--file=-", *excluded]
            subprocess.run(["bsdtar", *words, "--directory", tree, "."], check=True, stdout=out)
    unfinished.rename(archive)


def _modules(root: Path, version: str, board: Board) -> list[str]:
    """Modules of a board, those they depend on, and the lists that depmod reads."""
    folder = f"lib/modules/{version}"
    if not (root / folder / "modules.dep").exists():
        subprocess.run(["depmod", "-b", root, version], check=True, env=SBIN)
    show = ["modprobe", "--dirname", root, "--set-version", version, "--config=/dev/null"]
    show += ["--all", "--show-depends", *board.modules.split(), *board.loaded.split()]
    shown = subprocess.run(show, check=True, env=SBIN, capture_output=True, text=True).stdout
    # `insmod PATH`, or `builtin NAME`.
    paths = [line.split()[1] for line in shown.splitlines() if line.startswith("insmod ")]
    lists = ["modules.builtin", "modules.builtin.modinfo", "modules.order"]
    return [str(Path(path).relative_to(root)) for path in paths] + [
        f"{folder}/{name}" for name in lists
    ]


def unwrapped(kernel: Path, folder: Path) -> Path:
    """The kernel of a PC out of its xz wrapping, which an emulated processor takes seconds for.
    Found as the kernel's scripts/extract-vmlinux does it; QEMU starts it by its PVH note."""
    content = kernel.read_bytes()
    start = content.find(b"\xfd7zXZ\0")
    unpacked = folder / kernel.name.replace("vmlinuz", "vmlinux")
    if start >= 0 and not unpacked.exists():
        # After the stream comes the kernel's own note of its length.
        xz = ["xz", "--decompress", "--stdout", "--single-stream"]
        plain = subprocess.run(xz, input=content[start:], stdout=subprocess.PIPE, check=True)
        unpacked.write_bytes(plain.stdout)
    return unpacked if start >= 0 else kernel


def unpack(folder: Path, architecture: str, packages: str) -> Path:
    """Unpacks Debian packages and what they depend on; quick where that was done before."""
    root, finished = folder / "root", folder / "packages"
    if finished.exists() and finished.read_text() == packages:
        return root
    shutil.rmtree(folder, ignore_errors=True)
    state = folder / "apt"
    for name in ("lists/partial", "archives/partial"):
        (state / name).mkdir(parents=True)
    (state / "status").write_text("")
    settings = {
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
        "Dir::State": f"{state}/",
        "Dir::State::status": f"{state}/status",
        "Dir::State::lists": f"{state}/lists",
        "Dir::Cache": f"{state}/",
        "Dir::Cache::archives": f"{state}/archives",
    }
    apt = ["apt-get", "-qq"] + [
        word for pair in settings.items() for word in ("-o", "=".join(pair))
    ]
    subprocess.run([*apt, "update"], check=True)
    download = ["install", "--yes", "--download-only", *packages.split()]
    subprocess.run([*apt, *download], check=True, stdout=subprocess.DEVNULL)
    for package in sorted((state / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    shutil.rmtree(state)
    finished.write_text(packages)
    return root


@contextmanager
def locked(path: Path):
    """Holds a lock, since several processes of the tests may make one image."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
