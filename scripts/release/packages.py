"""The files of one machine that people install: archive, Debian package and wheel. All have the
same binary."""

from pathlib import Path

from machines import Machine
from papers import Release, debian_changelog
from tools import ROOT, TARGET, copy, ensure, fetch_from_pypi, renew, run, write

PACKAGING = ROOT / "packaging"
MANUAL = TARGET / "manual"
# From PyPI, as tested.
WHEEL_PACKER = "wheel==0.45.1"


def archive(release: Release, machine: Machine, binary: Path, notices: str) -> Path:
    """The program with its manual, completions and licences, and a script that installs them. It
    needs nothing but a shell."""
    name = f"bakeoff-{release.version}-linux-{machine.name}"
    folder = release.work / name
    renew(folder)
    script = (PACKAGING / "archive/install.sh").read_text()
    script = script.replace("@MACHINE@", machine.name).replace("@UNAME@", " ".join(machine.uname))
    write(folder / "install.sh", script, 0o755)
    write(folder / "THIRD-PARTY.txt", notices)
    for page in ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"):
        copy(ROOT / page, folder / page)
    for completion in ("bash/bakeoff.bash", "zsh/_bakeoff", "fish/bakeoff.fish"):
        copy(MANUAL / completion, folder / "completions" / Path(completion).name)
    for page in (MANUAL / "man1").iterdir():
        copy(page, folder / "man/man1" / page.name)
    copy(PACKAGING / "postgresql.sql", folder / "postgresql.sql")
    write(folder / "bakeoff", binary.read_bytes(), 0o755)
    return release.tar_xz(name)


def deb(release: Release, machine: Machine, binary: Path, notices: str) -> Path:
    """An installed tree, control files, and `dpkg-deb`, which packs the same bytes for the same
    files. Source: Debian Policy 4.6, deb-control(5), dpkg-deb(1)."""
    version, tree = release.debian_version(machine), release.work / f"deb-{machine.name}"
    renew(tree)
    install(tree, binary)
    doc, debian = tree / "usr/share/doc/bakeoff", PACKAGING / "debian"
    copy(debian / "copyright", doc / "copyright")
    copy(debian / "doc-base", tree / "usr/share/doc-base/bakeoff.manual")
    copy(debian / "lintian-overrides", tree / "usr/share/lintian/overrides/bakeoff")
    write(doc / "changelog", debian_changelog(release, version))
    copy(ROOT / "CHANGELOG.md", doc / "CHANGELOG.md")
    write(doc / "THIRD-PARTY.txt", notices)
    gzip(doc / name for name in ("changelog", "CHANGELOG.md", "THIRD-PARTY.txt"))
    for page in (*(ROOT / "docs").glob("*.md"), PACKAGING / "postgresql.sql"):
        copy(page, doc / "docs" / page.name)
    copy(ROOT / "README.md", doc / "README.md")
    control(release, machine, tree, version)
    # Modes that a package has, whatever the umask was.
    run("chmod", "--recursive", "u=rwX,go=rX", tree)
    file = release.out / f"bakeoff_{version}_{machine.debian}.deb"
    words = ["--build", "--root-owner-group", "-Zxz", f"-z{release.level}"]
    run("dpkg-deb", *words, tree, file, env=release.env)
    return file


def install(tree: Path, binary: Path):
    """What `make install` installs, below `usr`."""
    words = ["PREFIX=/usr", f"DESTDIR={tree}", f"BAKEOFF={binary}"]
    run("make", "--no-print-directory", "install", *words, cwd=ROOT)
    gzip((tree / "usr/share/man/man1").iterdir())
    # Debian's zsh looks for what packages bring in a folder of its own.
    (tree / "usr/share/zsh/site-functions").rename(tree / "usr/share/zsh/vendor-completions")


def gzip(files):
    run("gzip", "-9n", "--", *files)


def control(release: Release, machine: Machine, tree: Path, version: str):
    """DEBIAN/control, md5sums, and for ARMv7 what refuses ARMv6, whose `armhf` is another."""
    size = run("du", "--summarize", "--apparent-size", "-k", tree).split()[0]
    text = (PACKAGING / "debian/control").read_text()
    for mark, value in {
        "@VERSION@": version,
        "@ARCHITECTURE@": machine.debian,
        "@MAINTAINER@": release.maintainer(),
        "@SIZE@": size,
    }.items():
        text = text.replace(mark, value)
    files = (path for path in (tree / "usr").rglob("*") if path.is_file())
    names = sorted(str(path.relative_to(tree)) for path in files)
    write(tree / "DEBIAN/md5sums", run("md5sum", "--", *names, cwd=tree))
    write(tree / "DEBIAN/control", text)
    if machine.name == "armv7":
        write(tree / "DEBIAN/preinst", (PACKAGING / "debian/preinst").read_bytes(), 0o755)


def wheel(release: Release, machine: Machine, binary: Path, notices: str) -> Path:
    """For `pipx install` and `pip install`: the binary as a script of it, with the man pages.
    Source: PyPA specifications "Binary distribution format" and "Core metadata". PyPA's program
    `wheel pack` writes the record and packs the same bytes for the same files."""
    packer = TARGET / "toolchain/wheel"
    fetch_from_pypi(packer, [WHEEL_PACKER], 120)
    folder, start = release.work / f"wheel-{machine.name}", f"bakeoff-{release.version}"
    renew(folder)
    info, data = folder / f"{start}.dist-info", folder / f"{start}.data"
    metadata = (PACKAGING / "wheel/METADATA").read_text().replace("@VERSION@", release.version)
    write(info / "METADATA", f"{metadata}\n{(ROOT / 'README.md').read_text()}")
    tags = f"Wheel-Version: 1.0\nGenerator: bakeoff {release.version}\nRoot-Is-Purelib: false\n"
    tags += "".join(f"Tag: py3-none-{tag}\n" for tag in machine.wheel)
    write(info / "WHEEL", tags)
    write(info / "licenses/THIRD-PARTY.txt", notices)
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        write(info / "licenses" / name, (ROOT / name).read_bytes())
    write(data / "scripts/bakeoff", binary.read_bytes(), 0o755)
    for page in (MANUAL / "man1").iterdir():
        write(data / "data/share/man/man1" / page.name, page.read_bytes())
    env = {**release.env, "PYTHONPATH": str(packer)}
    run("python3", "-m", "wheel", "pack", "--dest-dir", release.out, folder, env=env)
    file = release.out / f"{start}-py3-none-{'.'.join(machine.wheel)}.whl"
    ensure(file.exists(), f"`wheel pack` made no {file}")
    return file


def manual():
    """The man pages and completions, from the definitions that parse."""
    run("make", "--no-print-directory", "manual", cwd=ROOT)
