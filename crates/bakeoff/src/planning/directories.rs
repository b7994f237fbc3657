//! Directories as candidates: what is behind them, and whether bakeoff may write there.

use std::path::{Path, PathBuf};

use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::path::RawPath;
use bakeoff_model::workload::DriverName;

use crate::fault::Fault;
use crate::host;

/// Most directories of one comparison: pairs grow with the square.
const DIRS_MAX: usize = 16;

pub fn candidates(dirs: &[PathBuf]) -> Result<Vec<Candidate>, Fault> {
    let here = [PathBuf::from(".")];
    let dirs = if dirs.is_empty() { &here[..] } else { dirs };
    if dirs.len() > DIRS_MAX {
        return Err(Fault::usage(format!(
            "{} directories are too many. Specify at most {DIRS_MAX}",
            dirs.len()
        )));
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for dir in dirs {
        let path = check_directory(dir)?;
        let place = host::place(path.as_path()).map_err(Fault::environment)?;
        let name = unique_name(&candidates, path.to_string());
        let kind = Kind::Directory { path, place: Box::new(place) };
        candidates.push(Candidate::new(name, kind));
    }
    Ok(candidates)
}

pub fn with_tools(dirs: &[Candidate], tools: &[DriverName]) -> Result<Vec<Candidate>, Fault> {
    let [dir] = dirs else {
        return Err(Fault::usage("--tool compares tools in one directory. Omit the others"));
    };
    let mut candidates = vec![Candidate::new("bakeoff", dir.kind.clone())];
    for &tool in tools {
        let name = unique_name(&candidates, tool.name().to_string());
        candidates.push(Candidate { tool, ..Candidate::new(name, dir.kind.clone()) });
    }
    Ok(candidates)
}

/// Two candidates never share a name, even when the same directory is given twice.
fn unique_name(taken: &[Candidate], name: String) -> String {
    let is_taken = |name: &str| taken.iter().any(|c| c.name == name);
    if !is_taken(&name) {
        return name;
    }
    let numbered = (2..).map(|n| format!("{name} ({n})"));
    numbered.into_iter().find(|n| !is_taken(n)).unwrap_or(name)
}

fn check_directory(dir: &Path) -> Result<RawPath, Fault> {
    let shown = RawPath::new(dir);
    let missing = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Fault::usage(format!(
            "there is no directory {shown}. List the mounted filesystems with `bakeoff devices`"
        )),
        std::io::ErrorKind::PermissionDenied => Fault::environment(format!(
            "no permission to enter {shown}. Use a directory that you own, or run bakeoff with sudo"
        )),
        _ => Fault::environment(format!("cannot use {shown}: {error}")),
    };
    let metadata = std::fs::metadata(dir).map_err(missing)?;
    if !metadata.is_dir() {
        return Err(Fault::usage(format!(
            "{shown} is not a directory. To measure a file: bakeoff bench {shown}"
        )));
    }
    let absolute = std::fs::canonicalize(dir).map_err(missing)?;
    check_writable(&absolute, &shown)?;
    Ok(RawPath::new(absolute))
}

/// Whether files can be made in a directory, which is called `shown` to its user, and whether root
/// may make them there.
pub fn check_writable(dir: &Path, shown: &RawPath) -> Result<(), Fault> {
    use rustix::fs::{Access, access};
    match access(dir, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => {
            let real = std::fs::canonicalize(dir).map_err(Fault::environment)?;
            let opened = host::open_directory(&real).map_err(Fault::environment)?;
            host::check_directory(opened, &real).map_err(Fault::refused)
        }
        Err(rustix::io::Errno::ROFS) => Err(Fault::environment(format!(
            "{shown} is mounted read-only. Remount it with `mount -o remount,rw`, or name another \
             directory"
        ))),
        Err(error) => Err(Fault::environment(format!(
            "cannot write to {shown}: {error}. Use a directory that you own, or run bakeoff with \
             sudo"
        ))),
    }
}
