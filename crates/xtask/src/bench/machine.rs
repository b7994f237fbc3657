//! What the figures were measured on, and with which versions.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::tool;

/// Name and value of each fact, in the order to print.
pub fn describe(dir: &Path) -> Result<Vec<(&'static str, String)>> {
    let cpu = std::fs::read_to_string("/proc/cpuinfo")?;
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cpus = std::thread::available_parallelism()?;
    let memory = std::fs::read_to_string("/proc/meminfo")?;
    let total = memory.lines().next().unwrap_or_default().replace("MemTotal:", "");
    let kernel = kernel()?;
    let dir = dir.display().to_string();
    let place = ["--noheadings", "--output", "FSTYPE,OPTIONS", "--target", &dir];
    Ok(vec![
        ("CPU", format!("{} x {}", cpus, model.map_or("unknown", |(_, name)| name))),
        ("memory", total.trim().to_owned()),
        ("kernel", kernel),
        ("filesystem", first_line("findmnt", &place)?),
        ("fio", first_line("fio", &["--version"])?),
        ("dd", first_line("dd", &["--version"])?),
        ("sysbench", first_line("sysbench", &["--version"])?),
        ("compiler", first_line("rustc", &["--version"])?),
    ])
}

/// The kernel's release.
pub fn kernel() -> Result<String> {
    Ok(std::fs::read_to_string("/proc/sys/kernel/osrelease")?.trim().to_owned())
}

/// First line of what a command prints.
fn first_line(program: &str, arguments: &[&str]) -> Result<String> {
    let text = tool::output(Command::new(program).args(arguments))?;
    let words: Vec<&str> = text.lines().next().unwrap_or_default().split_whitespace().collect();
    Ok(words.join(" "))
}

/// Where the kernel counts the requests of the disk under `dir`.
pub fn disk_counters(dir: &Path) -> Result<PathBuf> {
    let dir = dir.display().to_string();
    let numbers =
        first_line("findmnt", &["--noheadings", "--output", "MAJ:MIN", "--target", &dir])?;
    let path = PathBuf::from(format!("/sys/dev/block/{numbers}/stat"));
    ensure!(path.exists(), "{dir} is on no disk of its own ({numbers}): choose another --dir");
    Ok(path)
}
