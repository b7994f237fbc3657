"""Whether a binary is what it should be: for the right machine, static, and able to work."""

import json
import tempfile
from pathlib import Path

from machines import Machine
from tools import Failed, ensure, run

# What every binary has to print alike: the records and the report.
SAME = (
    "show last --format json -o -",
    "show last --format markdown",
)


def verify(binary: Path, machine: Machine) -> str:
    """Checks it and says in a few words what was run."""
    elf = value(readelf(binary, "--file-header"), "Machine:")
    ensure(elf == machine.elf, f"{binary} is for {elf}, not {machine.elf}")
    asks = "INTERP" in readelf(binary, "--program-headers") or "NEEDED" in readelf(
        binary, "--dynamic"
    )
    ensure(not asks, f"{binary} is not static: it asks for a loader or for libraries")
    ensure(".symtab" not in readelf(binary, "--section-headers"), f"{binary} is not stripped")
    if machine.name == "armv6":
        # readelf calls the ARM1176 "v6KZ" or "v6K"; Zig's musl is built for the same.
        cpu = value(readelf(binary, "--arch-specific"), "Tag_CPU_arch:")
        wants = f"{binary} wants an ARM CPU {cpu}, and the first Raspberry Pis are v6"
        ensure(cpu.startswith("v6"), wants)
    try:
        version = run(*machine.emulator, binary, "--version").strip()
    except Failed as error:
        raise Failed(f"{error} (Debian: qemu-user-static)" if machine.emulator else error) from None
    # Under user-mode emulation it cannot start itself as the measuring process: the tests on
    # emulated boards do that.
    if machine.emulator:
        return f"static, {version}"
    measure(binary)
    return f"static, {version}, reads a file"


def agree(bundle: Path, binaries: list[tuple[Path, Machine]]) -> str:
    """Whether all of them print the same bytes about the run at `bundle`; in words, how much."""
    all_printed = [prints(bundle, binary, machine) for binary, machine in binaries]
    first, names = all_printed[0], [machine.name for _, machine in binaries]
    for name, printed in zip(names, all_printed):
        lines = zip(first.splitlines(), printed.splitlines())
        differs = next((pair for pair in lines if pair[0] != pair[1]), None)
        ensure(
            first == printed,
            f"{names[0]} and {name} do not print the same; the first difference: {differs}",
        )
    return f"the same {len(first.encode())} bytes from {', '.join(names)}"


def prints(bundle: Path, binary: Path, machine: Machine) -> str:
    with tempfile.TemporaryDirectory() as folder:

        def bakeoff(*words) -> str:
            command = [*machine.emulator, binary, "--store", Path(folder) / "store.db", *words]
            # It ends with 1 where its answer is open.
            printed = run(*command, codes=(0, 1))
            ensure(printed, f"{words} printed nothing")
            return printed

        bakeoff("runs", "add", bundle)
        return "".join(bakeoff(*words.split()) for words in SAME)


def measure(binary: Path, *within):
    """Reads a file of 1 MiB in part, `within` another program if there is one."""
    file = binary.with_suffix(".scratch")
    file.write_bytes(b"\7" * (1 << 20))
    job = ["--rw=randread", "--bs=4k", "--io_size=256k", "--engine=psync", "--format", "json"]
    try:
        read = json.loads(run(*within, binary, "bench", file, *job))["read"]["total_ios"]
    finally:
        file.unlink()
    ensure(read == 64, f"{binary} read {read} blocks of 4 KiB of 64")


def value(text: str, key: str) -> str:
    """What stands behind a key in what readelf printed."""
    lines = (line.strip() for line in text.splitlines())
    return next((line[len(key) :].strip() for line in lines if line.startswith(key)), "none")


def readelf(binary: Path, what: str) -> str:
    # In Debian's binutils.
    return run("readelf", "--wide", what, binary)
