//! Whether a binary is what it should be: for the right machine, static, and able to work.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::machine::Machine;
use crate::tool;

/// Checks it and says in a few words what was run.
pub fn verify(binary: &Path, machine: &Machine) -> Result<String> {
    let header = readelf(binary, "--file-header")?;
    let elf = header.lines().find_map(|line| line.trim().strip_prefix("Machine:"));
    let elf = elf.unwrap_or_default().trim();
    ensure!(elf == machine.elf, "{} is for {elf}, not {}", binary.display(), machine.elf);
    let segments = readelf(binary, "--program-headers")?;
    ensure!(
        !segments.contains("INTERP") && !readelf(binary, "--dynamic")?.contains("NEEDED"),
        "{} is not static: it asks for a loader or for libraries",
        binary.display()
    );
    let sections = readelf(binary, "--section-headers")?;
    ensure!(!sections.contains(".symtab"), "{} is not stripped", binary.display());
    if machine.elf == "ARM" {
        check_arm(binary, machine)?;
    }
    run(binary, machine)
}

/// ARM binaries say which CPU they want; ARMv6 ones must not want more.
fn check_arm(binary: &Path, machine: &Machine) -> Result<()> {
    let attributes = readelf(binary, "--arch-specific")?;
    let cpu = attributes.lines().find_map(|line| line.trim().strip_prefix("Tag_CPU_arch: "));
    let cpu = cpu.unwrap_or("none");
    // readelf calls the ARM1176 "v6KZ" or "v6K"; Zig's musl is built for the same.
    ensure!(
        machine.name != "armv6" || cpu.starts_with("v6"),
        "{} wants an ARM CPU {cpu}, and the first Raspberry Pis are v6",
        binary.display()
    );
    Ok(())
}

/// Its version; where it runs by itself, a measurement of a small file too. Under user-mode
/// emulation it cannot start itself as the measuring process: the tests on emulated boards do that.
fn run(binary: &Path, machine: &Machine) -> Result<String> {
    let Some(emulator) = machine.emulator else {
        let version = tool::output(Command::new(binary).arg("--version"))?;
        measure(binary)?;
        return Ok(format!("static, {}, reads a file", version.trim()));
    };
    let version = tool::output(Command::new(emulator).arg(binary).arg("--version"));
    let version = version.with_context(|| format!("{emulator} is in Debian's qemu-user-static"))?;
    Ok(format!("static, {}", version.trim()))
}

/// Reads a file of 1 MiB in part.
fn measure(binary: &Path) -> Result<()> {
    let file = binary.with_extension("scratch");
    std::fs::write(&file, vec![7_u8; 1 << 20])?;
    let mut bench = Command::new(binary);
    bench.arg("bench").arg(&file);
    bench.args(["--rw=randread", "--bs=4k", "--io_size=256k", "--engine=psync"]);
    let printed = tool::output(bench.args(["--format", "json"]));
    std::fs::remove_file(&file)?;
    let result: serde_json::Value = serde_json::from_str(&printed?)?;
    match result["read"]["total_ios"].as_u64() {
        Some(64) => Ok(()),
        other => bail!("{} read {other:?} blocks of 4 KiB of 64", binary.display()),
    }
}

fn readelf(binary: &Path, what: &str) -> Result<String> {
    let mut command = Command::new("readelf");
    tool::output(command.arg("--wide").arg(what).arg(binary))
        .context("readelf is in Debian's binutils")
}
