//! What can go wrong with a store, each with what to do about it.

use std::io;
use std::path::Path;

use bakeoff_machine::prepare::commands::shell_word;
use bakeoff_model::event::{Event, What};
use bakeoff_model::path::{RawPath, printable};
use bakeoff_report::bundle::RUN_SCHEMA;
use rusqlite::ErrorCode;
use rustix::fs::{StatVfsMountFlags, statvfs};
use thiserror::Error;

use super::{RunId, place};
use crate::fault::Fault;
use crate::files::FileError;

#[derive(Debug, Error)]
#[error("{text}")]
pub struct StoreError {
    pub class: ErrorClass,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    Usage,
    Refused,
    /// The file cannot be used as asked: no permission, no space, or the system's word.
    Unusable,
    Environment,
    Bug,
}

impl StoreError {
    pub(super) fn new(class: ErrorClass, text: impl Into<String>) -> StoreError {
        StoreError { class, text: text.into() }
    }

    pub fn usage(text: impl Into<String>) -> StoreError {
        StoreError::new(ErrorClass::Usage, text)
    }

    pub fn environment(text: impl Into<String>) -> StoreError {
        StoreError::new(ErrorClass::Environment, text)
    }

    pub fn not_a_file() -> StoreError {
        StoreError::new(
            ErrorClass::Usage,
            "this command works on the store of this machine, and --store names a server. Omit \
             --store. Only `runs`, `show` and `compare` read from a server",
        )
    }

    /// An error about a file. In `text`, STORE is its path.
    fn about(class: ErrorClass, path: &Path, text: &str) -> StoreError {
        StoreError::new(class, text.replace("STORE", &RawPath::new(path).to_string()))
    }

    fn permission(path: &Path) -> StoreError {
        let text = "no permission to use the store STORE. Run as its owner, or use another store \
                    with --store PATH";
        StoreError::about(ErrorClass::Unusable, path, text)
    }

    fn read_only(path: &Path) -> StoreError {
        let text = "the store STORE is on a filesystem mounted read-only. Use another store with \
                    --store PATH";
        StoreError::about(ErrorClass::Unusable, path, text)
    }

    fn full(path: &Path) -> StoreError {
        let text = "no space left for the store STORE. Earlier records are safe. Free some space \
                    (`bakeoff runs rm RUN`) or use another store with --store PATH";
        StoreError::about(ErrorClass::Unusable, path, text)
    }

    /// Reading or writing failed otherwise, in the words of the system or of SQLite.
    pub fn io(path: &Path, detail: &str) -> StoreError {
        let text = format!(
            "cannot read or write the store STORE: {detail}. Check the drive with `dmesg` and the \
             limits with `ulimit -f` and `quota`, or use another store with --store PATH"
        );
        StoreError::about(ErrorClass::Unusable, path, &text)
    }

    pub fn gone(path: &Path) -> StoreError {
        let text = "the store STORE was removed or replaced while bakeoff wrote to it: the records \
                    of this command are lost. Restore the file, or start again with a new store";
        StoreError::about(ErrorClass::Environment, path, text)
    }

    pub fn damaged(path: &Path, detail: &str) -> StoreError {
        StoreError::environment(format!(
            "the store {} is damaged ({detail}); it was not changed. Move it aside and continue \
             with a new one:\n  {}",
            RawPath::new(path),
            move_aside(path)
        ))
    }

    pub fn busy(path: &Path) -> StoreError {
        let text = "the store is locked by another process (STORE). Try again when that process is \
                    done";
        StoreError::about(ErrorClass::Environment, path, text)
    }

    pub fn not_found(name: &str, near: &[RunId]) -> StoreError {
        let text = format!("no run '{}': {}", printable(name.as_bytes()), suggest(near));
        StoreError::new(ErrorClass::Usage, text)
    }

    pub fn ambiguous(name: &str, candidates: &[RunId]) -> StoreError {
        let text = format!(
            "'{}' matches several runs: {}. Type more characters of the ID",
            printable(name.as_bytes()),
            join(candidates)
        );
        StoreError::new(ErrorClass::Usage, text)
    }

    pub fn gap(run: &RunId, expected: u64, found: u64) -> StoreError {
        StoreError::environment(format!("event {expected} of run {run} is missing (found {found})"))
    }

    pub fn no_header() -> StoreError {
        let text = format!(
            "a run must begin with its header, with schema {RUN_SCHEMA} and an ID of 16 digits"
        );
        StoreError::new(ErrorClass::Bug, text)
    }

    pub fn unstorable(seq: u64, error: &serde_json::Error) -> StoreError {
        StoreError::new(ErrorClass::Bug, format!("event {seq} cannot be stored: {error}"))
    }

    pub fn differs(run: &RunId, seq: usize) -> StoreError {
        let text = format!(
            "run {run} is already in the store with different content from event {seq} on. A \
             bundle omits names and paths. The store was not changed. To use the bundle instead, \
             run `bakeoff runs rm {run}` and import again"
        );
        StoreError::new(ErrorClass::Refused, text)
    }

    pub fn exists(run: &RunId) -> StoreError {
        StoreError::new(ErrorClass::Bug, format!("run {run} is already in the store"))
    }

    pub fn from_file(path: &Path, error: FileError) -> StoreError {
        match error {
            FileError::Io(error) => StoreError::from_io(path, &error),
            FileError::Refused(_) | FileError::NotOurs => StoreError::new(
                ErrorClass::Refused,
                format!(
                    "Refusing to use {} as the store: {error}. Specify another file with --store \
                     PATH",
                    RawPath::new(path)
                ),
            ),
        }
    }

    pub fn from_io(path: &Path, error: &io::Error) -> StoreError {
        match error.kind() {
            io::ErrorKind::PermissionDenied => StoreError::permission(path),
            io::ErrorKind::ReadOnlyFilesystem => StoreError::read_only(path),
            io::ErrorKind::StorageFull => StoreError::full(path),
            io::ErrorKind::IsADirectory => StoreError::environment(format!(
                "the store {} is a directory. Specify a file in it with --store PATH",
                RawPath::new(path)
            )),
            _ => StoreError::io(path, &error.to_string()),
        }
    }

    pub fn from_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
        let detail = printable(error.to_string().as_bytes());
        let Some(code) = error.sqlite_error_code() else {
            // A column that is missing or of another type than ours.
            return StoreError::damaged(path, &detail);
        };
        match code {
            ErrorCode::DiskFull => StoreError::full(path),
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::busy(path),
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::ConstraintViolation
            | ErrorCode::Unknown => StoreError::damaged(path, &detail),
            _ => StoreError::from_state(path, &detail),
        }
    }

    /// SQLite's other codes say that a file could not be opened, written or mapped, but not why;
    /// the filesystem below tells.
    fn from_state(path: &Path, detail: &str) -> StoreError {
        let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Ok(fs) = statvfs(dir) {
            if fs.f_flag.contains(StatVfsMountFlags::RDONLY) {
                return StoreError::read_only(path);
            }
            if fs.f_bavail == 0 || (fs.f_files > 0 && fs.f_favail == 0) {
                return StoreError::full(path);
            }
        }
        let writable = |p: &Path| rustix::fs::access(p, rustix::fs::Access::WRITE_OK).is_ok();
        if !writable(dir) || (path.exists() && !writable(path)) {
            return StoreError::permission(path);
        }
        StoreError::io(path, detail)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        match error.class {
            ErrorClass::Usage => Fault::usage(error),
            ErrorClass::Refused => Fault::refused(error),
            ErrorClass::Unusable | ErrorClass::Environment => Fault::environment(error),
            ErrorClass::Bug => Fault::bug(error),
        }
    }
}

pub(super) fn read_event(
    run: &RunId,
    seq: usize,
    all: &[String],
    line: &str,
) -> Result<Event, StoreError> {
    let seq = seq as u64;
    let error = |detail: String| {
        let header = all.first().and_then(|l| serde_json::from_str::<serde_json::Value>(l).ok());
        let version = header.as_ref().and_then(|h| h["what"]["started"]["version"].as_str());
        let written_by = printable(version.unwrap_or("an unknown version").as_bytes());
        StoreError::environment(format!(
            "bakeoff {} cannot read event {seq} of run {run}, which {written_by} wrote: {detail}. \
             If that version is newer, update bakeoff. Other runs are not affected",
            env!("CARGO_PKG_VERSION"),
        ))
    };
    let event: Event =
        serde_json::from_str(line).map_err(|e| error(printable(e.to_string().as_bytes())))?;
    if event.seq != seq {
        return Err(StoreError::gap(run, seq, event.seq));
    }
    if let What::Started(header) = &event.what {
        if header.schema != RUN_SCHEMA {
            return Err(error(format!("its schema is '{}'", printable(header.schema.as_bytes()))));
        }
        if header.run != run.as_str() {
            return Err(error("it is the header of another run".to_string()));
        }
    }
    Ok(event)
}

fn suggest(near: &[RunId]) -> String {
    match near {
        [] => "List the runs with `bakeoff runs`, or create one with `bakeoff quick`".to_string(),
        _ => format!("did you mean {}? List all runs with `bakeoff runs`", join(near)),
    }
}

fn join(ids: &[RunId]) -> String {
    ids.iter().map(RunId::as_str).collect::<Vec<_>>().join(" or ")
}

fn move_aside(path: &Path) -> String {
    let word = |path: &Path| shell_word(&RawPath::new(path));
    let target = (0..)
        .map(|n: u32| if n == 0 { ".damaged".to_string() } else { format!(".damaged-{n}") })
        .map(|end| place::beside(path, &end))
        .find(|candidate| !candidate.exists());
    let target = word(&target.unwrap_or_default());
    let parts = ["", "-wal", "-shm"].map(|end| place::beside(path, end));
    let parts = parts.iter().filter(|part| part.exists()).map(|part| word(part));
    let parts = parts.collect::<Vec<_>>().join(" ");
    format!("mkdir {target} && mv -- {parts} {target}/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;

    #[test]
    fn the_command_that_moves_a_store_aside_works_for_any_name() {
        for name in [&b"s.db"[..], b"a b's.db", b"-n\n\xff\x1b.db", "ä$(x)`y`.db".as_bytes()] {
            let dir = tempfile::tempdir().expect("a temporary directory");
            let store = dir.path().join(OsStr::from_bytes(name));
            std::fs::write(&store, "garbage").expect("can write");
            std::fs::create_dir(dir.path().join("s.db.damaged")).expect("can make");
            let command = move_aside(&store);
            assert!(!command.contains(char::is_control), "{command:?}");
            let status = Command::new("bash").args(["-c", &command]).status().expect("bash runs");
            assert!(status.success() && !store.exists(), "{command}");
        }
    }
}
