"""The clean systems: root folders in which nothing was ever installed, made once and copied for
each case, and how a case is run in one."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
# Where Debian's packages come from.
MIRROR = "http://deb.debian.org/debian"
# A case takes this long at most, also in QEMU on a busy machine.
LIMIT_S = 1800


@dataclass(frozen=True)
class System:
    """A Debian suite and architecture with packages, busybox without a C library, or the emulated
    Raspberry Pi of that name."""

    title: str
    suite: str = ""
    architecture: str = "amd64"
    packages: str = "xz-utils"
    board: str = ""

    @property
    def name(self) -> str:
        words = [self.suite or "busybox", self.architecture, *self.packages.split(",")]
        return "-".join(words)

    @property
    def is_emulated(self) -> bool:
        return self.architecture != "amd64"


DEBIAN_12 = System("Debian 12, amd64", "bookworm")
DEBIAN_13 = System("Debian 13, amd64", "trixie")
DEBIAN_13_PIPX = System("Debian 13, amd64, with pipx", "trixie", packages="pipx")
DEBIAN_12_GCC = System(
    "Debian 12, amd64", "bookworm", packages="xz-utils,gcc,libc6-dev,ca-certificates"
)
DEBIAN_12_ARM64 = System("Debian 12, arm64, in QEMU", "bookworm", "arm64", "xz-utils,python3-venv")
DEBIAN_12_ARMHF = System("Debian 12, armhf, in QEMU", "bookworm", "armhf", "xz-utils,python3-venv")
BUSYBOX = System("busybox only, no C library")
PI3 = System("Raspberry Pi 3, emulated, arm64", board="pi3")
PI1 = System("Raspberry Pi 1, emulated, ARMv6", board="pi1")


def copy(system: System, folder: Path, name: str) -> Path:
    """A copy of the system in a folder of its own; the system is made where it is missing."""
    made = folder / "made" / system.name
    if not made.exists():
        unfinished = folder / f"unfinished-{system.name}"
        remove(unfinished)
        made.parent.mkdir(exist_ok=True)
        make(system, folder, unfinished)
        user = ["install", "-d", "-o", "1000", "-g", "1000", unfinished / "home/user"]
        subprocess.run(user, check=True)
        unfinished.rename(made)
    root = folder / name
    remove(root)
    subprocess.run(["cp", "--archive", "--reflink=auto", "--", made, root], check=True)
    return root


def remove(root: Path):
    subprocess.run(["rm", "-r", "-f", "--one-file-system", "--", root], check=True)


def make(system: System, folder: Path, root: Path):
    if system.suite:
        options = [
            '--aptopt=Acquire::Retries "3"',
            "--skip=output/dev,chroot/mount/sys",
            f"--architectures={system.architecture}",
            f"--include={system.packages}",
        ]
        debootstrap(folder, system.is_emulated, "apt", system.suite, root, *options)
        # Names and certificates as here, for what fetches its dependencies.
        for file in ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"):
            if Path("/", file).exists() and (root / file).parent.exists():
                shutil.copy(Path("/", file), root / file)
        return
    for name in ("bin", "etc", "root", "usr/local", "home/user"):
        (root / name).mkdir(parents=True)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    shutil.copy("/bin/busybox", root / "bin")
    subprocess.run(["chroot", root, "/bin/busybox", "--install", "-s", "/bin"], check=True)


def debootstrap(folder, is_emulated, variant, suite, root, *options):
    words = ["--quiet", "--mode=root", f"--variant={variant}", "--format=directory", *options]
    command = [*emulating(folder, is_emulated), "mmdebstrap", *words, suite, root, MIRROR]
    subprocess.run(command, check=True)


def emulating(folder: Path, is_emulated: bool) -> list:
    """Words before a command that let the kernel start ARM programs, where that is needed, with the
    static QEMU of Debian 13. That of Debian 12 starts itself in place of a program that starts
    itself by /proc/self/exe, as bakeoff does to measure."""
    if not is_emulated:
        return []
    made = folder / "made/qemu"
    if not made.exists():
        unfinished = folder / "unfinished-qemu"
        remove(unfinished)
        made.parent.mkdir(exist_ok=True)
        debootstrap(folder, False, "extract", "trixie", unfinished, "--include=qemu-user")
        unfinished.rename(made)
    return ["env", f"EMULATORS={made / 'usr/bin'}", "sh", HERE / "emulated.sh"]


def enter(system: System, folder: Path, root: Path, files: Path, how: str) -> list:
    """Words before a command that run it in a root folder, with the files of the release in /files:
    as root, as a `user` who sees no process of others, with a `read-only-home`, or with `rust`."""
    home = "/home/user" if how == "user" else "/root"
    rust = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True)
    environment = {
        "USER_SPEC": "1000:1000" if how == "user" else "0:0",
        "PROC_OPTIONS": "hidepid=2" if how == "user" else "rw",
        "READ_ONLY": "/root" if how == "read-only-home" else "",
        "RUST": rust.stdout.strip() if how == "rust" else "",
    }
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return [
        *("env", *(f"{key}={value}" for key, value in environment.items())),
        *emulating(folder, system.is_emulated),
        *("timeout", "--kill-after=10", str(LIMIT_S)),
        *("unshare", "--mount", "--pid", "--fork", "--kill-child"),
        *("sh", HERE / "enter.sh", root, files),
        *("env", "-i", "LC_ALL=C.UTF-8", f"HOME={home}", f"PATH={path}"),
    ]


# What podman needs here. The usual limits of this machine may be more than a container is allowed.
PODMAN = ("podman", "--runtime=runc", "--cgroup-manager=cgroupfs")
ISOLATED = ("--network=none", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024")


def container(root: Path, files: Path) -> list:
    """Words before a command that run it in a container of podman with its usual limits, which
    forbid io_uring."""
    return [
        *("timeout", "--kill-after=10", str(LIMIT_S), *PODMAN, "run", "--rm", *ISOLATED),
        *("--tmpfs=/tmp:rw,exec,size=512m", "--env=HOME=/root"),
        *("--volume", f"{files}:/files:ro", "--rootfs", root),
    ]


def image(archive: Path, folder: Path, *limits: str) -> tuple[list, list]:
    """Commands that load an image for containers, and that start it with `folder` on /data."""
    podman = [*PODMAN, "--root", folder / "podman", "--runroot", folder / "podman-run"]
    volume = ["--volume", f"{folder / 'data'}:/data"]
    start = ["timeout", "--kill-after=10", str(LIMIT_S), *podman, "run", "--rm", *ISOLATED]
    return [*podman, "load", "--input", archive], [*start, *limits, *volume]


def run(words: list) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, env=os.environ
    )
