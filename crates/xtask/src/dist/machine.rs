//! The machines that binaries are made for.

/// One kind of machine.
#[derive(Debug)]
pub struct Machine {
    /// What its binary is called after.
    pub name: &'static str,
    /// Rust's name of it.
    pub triple: &'static str,
    /// Flags for the compiler.
    pub flags: &'static str,
    /// What `readelf --file-header` calls it.
    pub elf: &'static str,
    /// The program that runs its binaries here; none where they run by themselves.
    pub emulator: Option<&'static str>,
    /// What tells the emulator which processor to be.
    pub emulated_cpu: &'static [&'static str],
    /// Debian's name of the architecture. Raspbian calls ARMv6 what Debian calls ARMv7.
    pub debian: &'static str,
    /// Appended to the version of the Debian package, as Raspbian does, since both are `armhf`.
    pub debian_suffix: &'static str,
    /// Platform tags of the wheel: glibc from 2.17 and musl from 1.1, which a static binary needs
    /// neither of. Source: PEP 600 and PEP 656; ARMv6 has no tag but the plain one.
    pub wheel: &'static [&'static str],
    /// What `uname -m` prints on machines that run it.
    pub uname: &'static [&'static str],
}

/// All of them. The first Raspberry Pis and the Zero are ARMv6 with a floating-point unit, which
/// Debian's armhf is too new for.
pub const MACHINES: &[Machine] = &[
    Machine {
        name: "x86_64",
        triple: "x86_64-unknown-linux-musl",
        flags: "",
        elf: "Advanced Micro Devices X86-64",
        emulator: None,
        emulated_cpu: &[],
        debian: "amd64",
        debian_suffix: "",
        wheel: &["manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"],
        uname: &["x86_64"],
    },
    Machine {
        name: "aarch64",
        triple: "aarch64-unknown-linux-musl",
        flags: "",
        elf: "AArch64",
        emulator: Some("qemu-aarch64-static"),
        emulated_cpu: &[],
        debian: "arm64",
        debian_suffix: "",
        wheel: &["manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"],
        uname: &["aarch64"],
    },
    Machine {
        name: "armv7",
        triple: "armv7-unknown-linux-musleabihf",
        flags: "",
        elf: "ARM",
        emulator: Some("qemu-arm-static"),
        emulated_cpu: &[],
        debian: "armhf",
        debian_suffix: "",
        wheel: &["manylinux2014_armv7l", "manylinux_2_17_armv7l", "musllinux_1_1_armv7l"],
        uname: &["armv7l", "armv8l", "aarch64"],
    },
    Machine {
        name: "armv6",
        triple: "arm-unknown-linux-musleabihf",
        flags: "-Ctarget-cpu=arm1176jzf-s",
        elf: "ARM",
        emulator: Some("qemu-arm-static"),
        emulated_cpu: &["-cpu", "arm1176"],
        debian: "armhf",
        debian_suffix: "+rpi1",
        wheel: &["linux_armv6l"],
        uname: &["armv6l", "armv7l", "armv8l", "aarch64"],
    },
];

/// The machine of that name.
pub fn find(name: &str) -> Option<&'static Machine> {
    MACHINES.iter().find(|machine| machine.name == name)
}
