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
    },
    Machine {
        name: "aarch64",
        triple: "aarch64-unknown-linux-musl",
        flags: "",
        elf: "AArch64",
        emulator: Some("qemu-aarch64-static"),
        emulated_cpu: &[],
    },
    Machine {
        name: "armv7",
        triple: "armv7-unknown-linux-musleabihf",
        flags: "",
        elf: "ARM",
        emulator: Some("qemu-arm-static"),
        emulated_cpu: &[],
    },
    Machine {
        name: "armv6",
        triple: "arm-unknown-linux-musleabihf",
        flags: "-Ctarget-cpu=arm1176jzf-s",
        elf: "ARM",
        emulator: Some("qemu-arm-static"),
        emulated_cpu: &["-cpu", "arm1176"],
    },
];

/// The machine of that name.
pub fn find(name: &str) -> Option<&'static Machine> {
    MACHINES.iter().find(|machine| machine.name == name)
}
