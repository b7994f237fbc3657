"""Static binaries for other machines: target/dist/bakeoff-ARCH for each ARCH.

Each is linked with musl, needs nothing of the system it runs on, and is checked before it is
offered: the right machine, no libraries, and it runs (the ARM ones by user-mode emulation). Where
what is needed comes from is told in `toolchain`."""

import argparse
import sys
import time
from pathlib import Path

import toolchain
import verify
from machines import MACHINES, Machine, machine
from tools import ROOT, TARGET, copy, ensure, show, skip, start


def build(machine: Machine, is_test=False) -> Path:
    """Builds for one machine and returns where the binary is; quick where nothing changed."""
    tools = toolchain.find(machine)
    print(f"building for {machine.name} with {tools.said}", file=sys.stderr)
    # A folder of its own for each compiler and machine, since flags for one CPU hold for
    # everything that is built.
    folder, profile = TARGET / "cross" / tools.name, "dist-test" if is_test else "release"
    words = ["zigbuild", "--quiet", "--package", "bakeoff", "--locked", "--profile", profile]
    words += ["--target", machine.triple, "--target-dir", folder]
    show(*tools.command, *words, env=tools.env, cwd=ROOT)
    name = f"bakeoff-{machine.name}"
    binary = TARGET / ("dist-test" if is_test else "dist") / name
    copy(folder / machine.triple / profile / "bakeoff", binary)
    return binary


def build_all(names, is_test=False) -> list[tuple[Path, Machine]]:
    """Builds and checks the binaries of the machines of those names, of all where there are none,
    and prints a line for each."""
    machines = [machine(name) for name in names] or MACHINES
    if not (ROOT / "web/dist/report.js").exists():
        show(ROOT / "scripts/web.sh")
    lines, binaries = [], []
    for built_for in machines:
        started = time.monotonic()
        binary = build(built_for, is_test)
        run, size = verify.verify(binary, built_for), binary.stat().st_size
        shown = str(binary).removeprefix(f"{ROOT}/")
        lines.append(f"{shown:<40} {size:>9} bytes {time.monotonic() - started:>4.0f} s  {run}")
        binaries.append((binary, built_for))
    lines.append(verify.agree(ROOT / "fixtures/bundle/v0.1.0.jsonl", binaries))
    print("\n".join(lines))
    return binaries


def check_narrow():
    """Checks that the program compiles where an address has 32 bits, if that can be had."""
    narrow = machine("armv6")
    if not toolchain.has_library(narrow):
        why = f"rustup has no standard library for {narrow.triple} here"
        return skip("32-bit ARM", narrow.triple, why)
    tools = toolchain.find(narrow)
    words = "check --quiet --package bakeoff --locked --profile dist-test".split()
    words += ["--target", narrow.triple, "--target-dir", TARGET / "cross" / tools.name]
    show(*tools.command, *words, env=tools.env, cwd=ROOT)
    print(f"the program compiles for {narrow.triple} with {tools.said}")


# The program as `make build` links it, in the profile of tests: static where the C library can be
# had so. It is what the emulated machines run.
PLAIN = TARGET / "dist-test/bakeoff-plain"
# With what the tests have, so that what links anew shares everything compiled with them.
TESTING = ",".join(f"bakeoff-{crate}/testing" for crate in ("machine", "judge", "report"))


def check_plain():
    """Builds this machine's static program, and measures with it by itself and under valgrind: a
    library that followed the kernel's address of the vDSO crashed there, in that program only."""
    words = ["PROFILE=dev", f"BUILD=--quiet --features {TESTING}", "RUSTC_FLAGS=-C strip=symbols"]
    show("make", "--no-print-directory", "build", *words, cwd=ROOT)
    copy(TARGET / "debug/bakeoff", PLAIN)
    verify.measure(PLAIN)
    verify.measure(PLAIN, "valgrind", "--quiet", "--tool=none")
    print(f"{PLAIN} reads a file, under valgrind too")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--test", action="store_true", help="build faster, into target/dist-test")
    kind.add_argument("--narrow", action="store_true", help="only compile for 32-bit ARM")
    kind.add_argument("--plain", action="store_true", help="the program of tests for this machine")
    names = ", ".join(known.name for known in MACHINES)
    parser.add_argument("names", nargs="*", metavar="ARCH", help=f"{names} (default: all)")
    words = parser.parse_args()
    ensure(not (words.names and (words.narrow or words.plain)), "--narrow and --plain take no ARCH")
    if words.narrow:
        check_narrow()
    elif words.plain:
        check_plain()
    else:
        build_all(words.names, words.test)


if __name__ == "__main__":
    start(main)
