"""Which file of a release is installed on which system, by whom; bakeoff runs there, is removed,
and leaves nothing."""

import time
from dataclasses import dataclass

import pytest
import system as systems
from conftest import HERE, ROOT
from emulated.board import BOARDS
from emulated.machine import Lab
from system import (
    BUSYBOX,
    DEBIAN_12,
    DEBIAN_12_ARM64,
    DEBIAN_12_ARMHF,
    DEBIAN_12_GCC,
    DEBIAN_13,
    DEBIAN_13_PIPX,
    LIMIT_S,
    PI1,
    PI3,
    System,
)

PACKAGE = "Debian package from a signed apt repository"
VERSION = next(
    line.split('"')[1]
    for line in (ROOT / "Cargo.toml").read_text().splitlines()
    if line.startswith("version = ")
)


@dataclass(frozen=True)
class Case:
    """`script` is a file of cases/ with its words; `how` it is run, and a note on that."""

    name: str
    artefact: str
    system: System
    script: str
    words: tuple = ()
    how: str = "root"
    note: str = ""


X86 = ("x86_64",)
CASES = [
    Case("apt-debian-12", PACKAGE, DEBIAN_12, "apt", ("debian",)),
    Case("apt-debian-13", PACKAGE, DEBIAN_13, "apt", ("debian",)),
    Case("apt-arm64", PACKAGE, DEBIAN_12_ARM64, "apt", ("debian",)),
    Case("apt-armhf", PACKAGE, DEBIAN_12_ARMHF, "apt", ("debian",)),
    Case("apt-raspbian", PACKAGE, DEBIAN_12_ARMHF, "apt", ("raspbian",)),
    Case("pipx-debian-13", "wheel", DEBIAN_13_PIPX, "pipx"),
    Case("pip-arm64", "wheel", DEBIAN_12_ARM64, "pip"),
    Case("pip-armhf", "wheel", DEBIAN_12_ARMHF, "pip"),
    Case("archive-debian-12", "archive", DEBIAN_12, "archive", X86),
    Case(
        *("archive-user", "archive", DEBIAN_12, "archive", X86, "user"),
        "not root, processes of others hidden",
    ),
    Case("archive-busybox", "archive", BUSYBOX, "archive", X86),
    Case(
        *("archive-container", "archive", DEBIAN_12, "archive", X86, "container"),
        "podman, io_uring forbidden",
    ),
    Case(
        *("archive-read-only-home", "archive", DEBIAN_12, "read_only_home", X86),
        *("read-only-home", "read-only home"),
    ),
    Case("archive-pi3", "archive", PI3, "archive", ("aarch64",)),
    Case("archive-pi1", "archive", PI1, "archive", ("armv6",)),
    Case(
        *("source", "sources, with cargo", DEBIAN_12_GCC, "source", (), "rust"),
        "with gcc and Rust, without Node.js",
    ),
    Case(
        *("refused-architecture", "archive of another machine", DEBIAN_12, "refused"),
        ("architecture", "x86_64", "armv6"),
    ),
    Case(
        *("refused-full", "archive on a full drive", DEBIAN_12, "refused"),
        ("full", "x86_64"),
    ),
    Case(
        *("refused-interrupted", "archive, interrupted and repeated", DEBIAN_12, "refused"),
        ("interrupted", "x86_64"),
    ),
]


def test_lintian_finds_nothing(files):
    lint = ["lintian", "--fail-on", "error,warning", "--allow-root", "--tag-display-limit", "0"]
    found = systems.run([*lint, *sorted(files.glob("*.deb"))])
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_install(case, files, folder, table):
    started = time.monotonic()
    parts = ["common", *(["container"] if case.how == "container" else []), case.script]
    script = "\n".join((HERE / f"cases/{part}.sh").read_text() for part in parts)
    on = on_board if case.system.board else in_folder
    code, printed, said = on(case, script, files, folder)
    assert code == 0, f"{code}\n{printed}{said}"
    [line] = [line for line in printed.splitlines() if line.startswith("RESULT\t")]
    _, size_kb, ran = line.split("\t", 2)
    title = f"{case.system.title}, {case.note}" if case.note else case.system.title
    size = f"{int(size_kb) / 1000:.1f} MB" if int(size_kb) else "–"
    table.append((case.artefact, title, ran, size, f"{time.monotonic() - started:.0f} s"))


def in_folder(case, script, files, folder):
    root = systems.copy(case.system, folder, f"case-{case.name}")
    if case.how == "container":
        words = systems.container(root, files)
    else:
        words = systems.enter(case.system, folder, root, files, case.how)
    ended = systems.run([*words, "sh", "-c", script, case.name, *case.words])
    if ended.returncode == 0:
        systems.remove(root)
    return ended.returncode, ended.stdout, ended.stderr


# As the job in packaging/kubernetes limits it.
JOB = ("--user=65532:65532", "--read-only", "--cap-drop=all", "--tmpfs=/tmp:rw,mode=1777,size=64m")
JOB += ("--security-opt=no-new-privileges",)


@pytest.mark.parametrize("limits", [(), JOB], ids=["image-root", "image-job"])
def test_image(limits, files, folder, table):
    """It answers from a container of the program alone, and says what it cannot see there."""
    started, here = time.monotonic(), folder / "image"
    systems.remove(here)
    (here / "data").mkdir(parents=True)
    (here / "data").chmod(0o1777)
    archive = files / f"bakeoff-{VERSION}-oci.tar"
    load, start = systems.image(archive, here, *limits)
    loaded = systems.run(load)
    assert loaded.returncode == 0, loaded.stderr
    words = ("fit", "etcd", "/data")
    ended = systems.run([*start, f"localhost/bakeoff:{VERSION}", *words])
    said = f"{ended.returncode}\n{ended.stdout}{ended.stderr}"
    assert ended.returncode in (0, 1, 5), said
    assert "etcd needs 99 % of its log writes synced within 10 ms" in " ".join(said.split()), said
    assert "other processes" in said, said
    assert not list((here / "data").iterdir()), "something is left in /data"
    size = f"{archive.stat().st_size / 1e6:.1f} MB"
    how = "with the limits of the job" if limits else "root"
    row = ("image for containers", f"podman, {how}", "`bakeoff fit etcd /data`", size)
    table.append((*row, f"{time.monotonic() - started:.0f} s"))
    systems.remove(here)


def on_board(case, script, files, folder):
    """On an emulated Raspberry Pi, whose card is mounted on /mnt."""
    from test_pi import CARD, MAKE

    [machine] = case.words
    name = f"bakeoff-{VERSION}-linux-{machine}.tar.xz"
    lab = Lab(released=True, files={f"files/{name}": files / name})
    board = case.system.board
    guest = lab.machine(BOARDS[board], f"install-{board}", [CARD]).boot()
    try:
        guest.ok(f"{MAKE} && mount /dev/mmcblk0 /mnt")
        ended = guest.run(f"set -- {machine}\nexport HOME=/mnt/home\n{script}", LIMIT_S)
    finally:
        guest.kill()
    return ended.code, ended.text, ended.error
