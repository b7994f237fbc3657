//! Whether a binary is what it should be: for the right machine, static, and able to work.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
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

/// What every binary has to print alike: the records, the report, the findings, and a simulation,
/// which goes through every look, statistic and rule.
const SAME: [&[&str]; 4] = [
    &["show", "last", "--format", "json", "-o", "-"],
    &["show", "last", "--format", "markdown"],
    &["self", "lint", "last"],
    &["self", "simulate", "--runs", "1", "--seed", "3", "--format", "json"],
];

/// Whether all of them print the same bytes about the run at `bundle`; in words, how much.
pub fn agree(bundle: &Path, binaries: &[(PathBuf, &Machine)]) -> Result<String> {
    let all: Vec<String> = binaries
        .iter()
        .map(|(binary, machine)| prints(bundle, binary, machine))
        .collect::<Result<_>>()?;
    let Some(first) = all.first() else { bail!("no binary was built") };
    for ((_, machine), printed) in binaries.iter().zip(&all) {
        let differs = first.lines().zip(printed.lines()).find(|(a, b)| a != b);
        ensure!(
            first == printed,
            "{} and {} do not print the same; the first difference: {differs:?}",
            binaries[0].1.name,
            machine.name
        );
    }
    let names: Vec<&str> = binaries.iter().map(|(_, machine)| machine.name).collect();
    Ok(format!("the same {} bytes from {}", first.len(), names.join(", ")))
}

fn prints(bundle: &Path, binary: &Path, machine: &Machine) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("store.db");
    let run = |words: &[&str]| -> Result<String> {
        let mut command = Command::new(machine.emulator.map_or(binary.as_os_str(), OsStr::new));
        if machine.emulator.is_some() {
            command.args(machine.emulated_cpu).arg(binary);
        }
        let printed = tool::answer(command.arg("--store").arg(&store).args(words))?;
        ensure!(!printed.is_empty(), "{words:?} printed nothing");
        Ok(printed)
    };
    let bundle = bundle.to_str().context("the path is no UTF-8")?;
    run(&["import", bundle])?;
    SAME.into_iter().map(run).collect()
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
        measure(Command::new(binary), binary)?;
        return Ok(format!("static, {}, reads a file", version.trim()));
    };
    let emulated = || {
        let mut command = Command::new(emulator);
        command.args(machine.emulated_cpu).arg(binary);
        command
    };
    let version = tool::output(emulated().arg("--version"));
    let version = version.with_context(|| format!("{emulator} is in Debian's qemu-user-static"))?;
    Ok(format!("static, {}", version.trim()))
}

/// Reads a file of 1 MiB in part. `bench` starts the binary, by itself or in something else.
pub fn measure(mut bench: Command, binary: &Path) -> Result<()> {
    let file = binary.with_extension("scratch");
    std::fs::write(&file, vec![7_u8; 1 << 20])?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_that_print_something_else_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let program = |name: &str, says: &str| {
            let path = folder.path().join(name);
            let script = format!("#!/bin/sh\necho \"$4 {says}\"\n");
            std::fs::write(&path, script).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&path, mode).unwrap();
            (path, super::super::machine::find("x86_64").unwrap())
        };
        let (a, b, c) = (program("a", "1.5"), program("b", "1.5"), program("c", "1.6"));
        let bundle = Path::new("bundle");
        let said = agree(bundle, &[a.clone(), b]).unwrap();
        assert!(said.starts_with("the same ") && said.ends_with("x86_64, x86_64"), "{said}");
        let error = agree(bundle, &[a, c]).unwrap_err().to_string();
        assert!(error.contains("do not print the same") && error.contains("1.6"), "{error}");
    }
}
