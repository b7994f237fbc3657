"""The archive, the Debian package and the image of the program under test (`dist.py --plain`), as a
part of every test run: their contents, and that the archive installs, refuses and removes. What
takes other systems is in `make test-install`."""

import json
import os
import subprocess
from pathlib import Path

import components
import image
import packages
import papers
from dist import PLAIN
from machines import machine
from tools import ROOT, copy, ensure, renew, run, start

# What a package of ours has to contain, wherever it is installed.
CONTENTS = (
    "./usr/bin/bakeoff",
    "./usr/lib/systemd/system/bakeoff-fit@.timer",
    "./usr/share/bash-completion/completions/bakeoff",
    "./usr/share/doc/bakeoff/THIRD-PARTY.txt.gz",
    "./usr/share/doc/bakeoff/changelog.gz",
    "./usr/share/doc/bakeoff/copyright",
    "./usr/share/doc-base/bakeoff.manual",
    "./usr/share/fish/vendor_completions.d/bakeoff.fish",
    "./usr/share/man/man1/bakeoff-quick.1.gz",
    "./usr/share/zsh/vendor-completions/_bakeoff",
)


def check():
    """Makes and checks them."""
    release = papers.Release("release-check", 0)
    packages.manual()
    parts = components.gather()
    notices = papers.notices(parts)
    listed = len(json.loads(papers.bom(release, parts))["components"])
    ensure(listed == len(parts) and listed > 50, f"{listed} components of {len(parts)}")
    native = machine(os.uname().machine)
    package = packages.deb(release, native, PLAIN, notices)
    contents = run("dpkg-deb", "--contents", package)
    for name in CONTENTS:
        is_there = any(line.endswith(f" {name}") for line in contents.splitlines())
        ensure(is_there, f"{package} has no {name}:\n{contents}")
    first = package.read_bytes()
    again = packages.deb(release, native, PLAIN, notices).read_bytes()
    ensure(again == first, f"packed twice, {package} is not the same bytes")
    first, again = (image.oci(release, [(PLAIN, native)], notices).read_bytes() for _ in range(2))
    ensure(again == first, "packed twice, the image is not the same bytes")
    installs(release, packages.archive(release, native, PLAIN, notices))
    refuses(release, packages.archive(release, machine("armv6"), PLAIN, notices))
    for variable in ("CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"):
        installs_from_elsewhere(release, variable)
    print(f"an archive, a Debian package and an image of {listed} components")


def installs(release: papers.Release, archive: Path):
    """Installs from the archive, starts what was installed, and removes it."""
    script, prefix = unpacked(release, archive)
    run(script, prefix)
    version = run(prefix / "bin/bakeoff", "--version").strip()
    ensure(version == f"bakeoff {release.version}", version)
    run(script, "--uninstall", prefix)
    left = list(prefix.iterdir())
    ensure(not left, f"left: {left}")


def installs_from_elsewhere(release: papers.Release, variable: str):
    """`make install` said that there was no target/release/bakeoff where cargo was told to build
    elsewhere."""
    target = release.work / variable
    copy(PLAIN, target / "release/bakeoff")
    run("cp", "-a", packages.MANUAL, target)
    env = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"}
    words = ["make", "--no-print-directory", "install", f"DESTDIR={target / 'tree'}"]
    # Not with `run`, which keeps what the environment has.
    subprocess.run(
        words,
        cwd=ROOT,
        env={**env, variable: str(target)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    run(target / "tree/usr/local/bin/bakeoff", "--version")


def refuses(release: papers.Release, archive: Path):
    """The archive of another machine says so in one line and installs nothing."""
    script, prefix = unpacked(release, archive)
    ended = subprocess.run([script, prefix], stderr=subprocess.PIPE, text=True)
    ensure(ended.returncode == 4, f"{ended.returncode}: {ended.stderr}")
    is_one_line = len(ended.stderr.splitlines()) == 1
    ensure("this archive is for armv6" in ended.stderr and is_one_line, ended.stderr)
    ensure(not prefix.exists(), f"something is in {prefix}")


def unpacked(release: papers.Release, archive: Path) -> tuple[Path, Path]:
    """The script of an archive, unpacked, and a place to install into."""
    folder = release.work / "unpacked"
    renew(folder)
    run("tar", "-xJf", archive, "-C", folder)
    [top] = folder.iterdir()
    return top / "install.sh", folder / "prefix"


if __name__ == "__main__":
    start(check)
