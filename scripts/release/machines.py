"""The machines that binaries are made for."""

from dataclasses import dataclass

from tools import Failed


@dataclass(frozen=True)
class Machine:
    """One kind of machine."""

    # What its binary is called after, and Rust's name of it.
    name: str
    triple: str
    # What `readelf --file-header` calls it.
    elf: str
    # Debian's name of the architecture. Raspbian calls ARMv6 what Debian calls ARMv7, and appends
    # the suffix to the version.
    debian: str
    # What `uname -m` prints on machines that run it.
    uname: tuple[str, ...]
    # Platform tags of the wheel: glibc from 2.17 and musl from 1.1, which a static binary needs
    # neither of. Source: PEP 600 and PEP 656; ARMv6 has no tag but the plain one.
    wheel: tuple[str, ...]
    # Flags for the compiler.
    flags: str = ""
    # The program that runs its binaries here, with the processor to be; none where they run alone.
    emulator: tuple[str, ...] = ()
    debian_suffix: str = ""
    # Architecture and variant of its image for containers; none where no image is made.
    # Source: OCI Image Format Specification 1.1, "Image Index", platform variants.
    oci: str = ""


def tags(name: str) -> tuple[str, ...]:
    return (f"manylinux2014_{name}", f"manylinux_2_17_{name}", f"musllinux_1_1_{name}")


# The first Raspberry Pis and the Zero are ARMv6 with a floating-point unit, which Debian's armhf
# is too new for.
MACHINES = [
    Machine(
        name="x86_64",
        triple="x86_64-unknown-linux-musl",
        elf="Advanced Micro Devices X86-64",
        debian="amd64",
        uname=("x86_64",),
        wheel=tags("x86_64"),
        oci="amd64",
    ),
    Machine(
        name="aarch64",
        triple="aarch64-unknown-linux-musl",
        elf="AArch64",
        debian="arm64",
        uname=("aarch64",),
        wheel=tags("aarch64"),
        oci="arm64",
        emulator=("qemu-aarch64-static",),
    ),
    Machine(
        name="armv7",
        triple="armv7-unknown-linux-musleabihf",
        elf="ARM",
        debian="armhf",
        uname=("armv7l", "armv8l", "aarch64"),
        wheel=tags("armv7l"),
        oci="arm/v7",
        emulator=("qemu-arm-static",),
    ),
    Machine(
        name="armv6",
        triple="arm-unknown-linux-musleabihf",
        elf="ARM",
        debian="armhf",
        uname=("armv6l", "armv7l", "armv8l", "aarch64"),
        wheel=("linux_armv6l",),
        flags="-Ctarget-cpu=arm1176jzf-s",
        emulator=("qemu-arm-static", "-cpu", "arm1176"),
        debian_suffix="+rpi1",
    ),
]


def machine(name: str) -> Machine:
    for known in MACHINES:
        if known.name == name:
            return known
    raise Failed(f"no such architecture: {name}")
