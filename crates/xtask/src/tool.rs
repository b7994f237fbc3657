//! Runs other programs: what failed is said with the command and the end of what it printed.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

/// Lines of a failed program's output that are shown.
const SHOWN_LINES: usize = 20;

/// Runs it; its output is shown only if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    output(command).map(drop)
}

/// Runs it and returns what it printed, read as UTF-8.
pub fn output(command: &mut Command) -> Result<String> {
    let Output { status, stdout, stderr } = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    let printed = String::from_utf8_lossy(&stdout).into_owned();
    if !status.success() {
        let said = format!("{printed}{}", String::from_utf8_lossy(&stderr));
        bail!("{} ended with {status}; it said:\n{}", shown(command), last_lines(&said));
    }
    Ok(printed)
}

/// Runs it with its output on ours.
pub fn show(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Says that a check was skipped for want of something, here and in the list of the test run.
pub fn skip(check: &str, needs: &str, why: &str) -> Result<()> {
    let why = why.replace(['\n', '\t'], " ");
    println!("SKIPPED: {check}: {why}");
    let Some(path) = std::env::var_os("BAKEOFF_SKIPS") else { return Ok(()) };
    let mut list = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    Ok(list.write_all(format!("{check}\t{needs}\t{why}\n").as_bytes())?)
}

/// Empties a folder, or makes it.
pub fn renew(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// The end of a text.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
