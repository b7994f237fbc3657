"""Where the compiler, the standard library and the C compiler for another machine come from.

The standard library, the first that can be had: rustup's (`rustup target add`, which is tried),
its source in rustup's toolchain (`rustup component add rust-src`), or Debian's compiler with its
source, unpacked below `target` and not installed. rustup may not be reachable or not have it, while
a Debian system has its packages.

The C compiler, for SQLite, and the linker: Zig's, which knows every machine and carries musl
(<https://ziglang.org/documentation/master/>), called through cargo-zigbuild. Both come from PyPI."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from machines import Machine
from tools import ROOT, TARGET, Failed, ensure, fetch_from_pypi, fetch_once, renew, run, write

FOLDER = TARGET / "toolchain"
# From PyPI, as tested.
PYTHON_PACKAGES = ["ziglang==0.17.0", "cargo-zigbuild==0.24.0"]
# The newest Rust in Debian stable, kept for building browsers.
DEBIAN_PACKAGES = ["rustc-web", "rust-web-src"]


@dataclass
class Toolchain:
    """Everything cargo has to be told."""

    # Distinguishes what it builds from what others do.
    name: str
    # What it is, for people.
    said: str
    env: dict[str, str] = field(default_factory=dict)
    # cargo-zigbuild, at low priority.
    command: tuple = ("nice", FOLDER / "zig/bin/cargo-zigbuild")


def sysroot() -> Path:
    """The folder of the compiler and its libraries."""
    return Path(run("rustc", "--print", "sysroot").strip())


def has_library(machine: Machine) -> bool:
    """Whether rustup has a standard library; any other way compiles one for minutes."""
    if (sysroot() / "lib/rustlib" / machine.triple / "lib").exists():
        return True
    # It may be absent, unreachable, or not have it: asked once.
    asked = FOLDER / f"asked-rustup-for-{machine.triple}"
    if asked.exists():
        return False
    try:
        run("timeout", 60, "rustup", "target", "add", machine.triple)
    except Failed as error:
        write(asked, f"{error}\n")
        return False
    return True


def find(machine: Machine) -> Toolchain:
    """Finds or fetches what it takes to build for a machine."""
    zig = FOLDER / "zig"
    try:
        fetch_from_pypi(zig, PYTHON_PACKAGES, 600)
    except Failed as error:
        why = "no Zig, the C compiler for other machines (Debian: python3-pip)"
        raise Failed(f"{why}: {error}") from None
    path = f"{zig / 'bin'}:{os.environ.get('PATH', '')}"
    env = {"PATH": path, "CARGO_ZIGBUILD_ZIG_PATH": str(zig / "ziglang/zig")}
    flags = f"{machine.flags} {without_paths()}"
    if has_library(machine):
        found = Toolchain("rustup", "rustup's standard library")
    else:
        # The start files of musl come from Zig, since nobody built those of Rust.
        flags += " -Clink-self-contained=no"
        env |= {"RUSTC_BOOTSTRAP": "1", "CARGO_UNSTABLE_BUILD_STD": "std,panic_unwind"}
        if (sysroot() / "lib/rustlib/src/rust/library/Cargo.lock").exists():
            found = Toolchain("source", "a standard library from rustup's source")
        else:
            found = Toolchain("debian", "Debian's rustc-web and its source")
            usr = debian() / "usr"
            env["RUSTC"] = str(usr / "bin/rustc")
            env["LD_LIBRARY_PATH"] = str(usr / "lib/x86_64-linux-gnu")
    found.env = {**env, "RUSTFLAGS": flags.strip()}
    return found


def without_paths() -> str:
    """Flags that keep this machine's folders out of a binary, so that two builds of the same source
    in different folders are the same bytes."""
    cargo = os.environ.get("CARGO_HOME") or Path.home() / ".cargo"
    folders = {ROOT: "/bakeoff", cargo: "/cargo", sysroot(): "/rust"}
    folders[FOLDER / "debian/root/usr"] = "/rust"
    # The last that fits is taken.
    return " ".join(f"--remap-path-prefix={folder}={name}" for folder, name in folders.items())


def debian() -> Path:
    """Debian's compiler and its source, from apt into a folder of ours."""
    folder, wanted = FOLDER / "debian", " ".join(DEBIAN_PACKAGES)

    def fetch():
        print(f"fetching {wanted} from Debian into {folder}", file=sys.stderr)
        renew(folder)
        closure = run("apt-cache", "depends", "--recurse", "--important", *DEBIAN_PACKAGES)
        needed = ("libstd-rust-web", "libllvm")
        names = {line for line in closure.splitlines() if line.startswith(needed)}
        names |= set(DEBIAN_PACKAGES)
        run("apt-get", "-qq", "download", *sorted(names), cwd=folder)
        packages = sorted(folder.glob("*.deb"))
        for package in packages:
            run("dpkg-deb", "-x", package, folder / "root")
            package.unlink()
        ensure(len(packages) == len(names), f"apt-get download fetched {len(packages)} of {names}")

    try:
        fetch_once(folder, DEBIAN_PACKAGES, fetch)
    except Failed as error:
        raise Failed(
            f"Debian's {wanted} could not be had. Other ways to a standard library: `rustup target "
            f"add TRIPLE`, or `rustup component add rust-src`: {error}"
        ) from None
    return folder / "root"
