//! What can go wrong with a store, each with what to do about it.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use bakeoff_core::bundle::RUN_SCHEMA;
use bakeoff_core::model::event::{Event, What};
use bakeoff_core::model::path::{RawPath, printable};
use bakeoff_core::prepare::commands::shell_word;
use rusqlite::ErrorCode;
use rustix::fs::{StatVfsMountFlags, statvfs};
use thiserror::Error;

use super::{RunId, place};
use crate::fault::Fault;
use crate::files::FileError;

/// What went wrong.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Nobody says where the store is.
    #[error("cannot locate the store: HOME is not set. Specify the store with --store PATH")]
    NoHome,
    /// The address of a server, to a command that works with the file.
    #[error(
        "this command works on the store of this machine, and --store names a server. Omit \
         --store, and send runs to the server with `bakeoff fleet push`. `runs`, `show`, \
         `compare`, `fleet` and `self lint` read from a server"
    )]
    NotAFile,
    /// The server failed.
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Server(#[from] super::server::ServerError),
    /// A directory where the file should be.
    #[error(
        "the store {} is a directory. Specify a file in it with --store PATH",
        RawPath::new(path)
    )]
    IsDirectory {
        /// The store.
        path: PathBuf,
    },
    /// It is no file of ours, or one that another user can exchange.
    #[error("Refusing to use {} as the store: {why}", RawPath::new(path))]
    Refused {
        /// What was named.
        path: PathBuf,
        /// What it is.
        why: String,
    },
    /// Not allowed.
    #[error(
        "no permission to use the store {}. Run as its owner, or use another store with --store \
         PATH",
        RawPath::new(path)
    )]
    Permission {
        /// The store.
        path: PathBuf,
    },
    /// The filesystem below is mounted read-only.
    #[error(
        "the store {} is on a filesystem mounted read-only. Use another store with --store PATH",
        RawPath::new(path)
    )]
    ReadOnly {
        /// The store.
        path: PathBuf,
    },
    /// No space.
    #[error(
        "no space left for the store {}. Earlier records are safe. Free some space (`bakeoff runs \
         rm RUN`) or use another store with --store PATH",
        RawPath::new(path)
    )]
    Full {
        /// The store.
        path: PathBuf,
    },
    /// The file was removed or replaced while it was in use.
    #[error(
        "the store {} was removed or replaced while bakeoff wrote to it: the records of this \
         command are lost. Restore the file, or start again with a new store",
        RawPath::new(path)
    )]
    Gone {
        /// The store.
        path: PathBuf,
    },
    /// Broken content.
    #[error(
        "the store {} is damaged ({detail}); it was not changed. Move it aside and continue with a \
         new one:\n  {}",
        RawPath::new(path),
        move_aside(path)
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What SQLite says.
        detail: String,
    },
    /// A database of something else.
    #[error(
        "{} is a database, but not a bakeoff store. It was not changed. Specify another file with \
         --store PATH",
        RawPath::new(path)
    )]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// A later bakeoff changed the layout.
    #[error(
        "a newer version of bakeoff wrote the store {} (layout {found}; bakeoff {} supports up to \
         {known}). It was not changed. Update bakeoff, or use another store with --store PATH",
        RawPath::new(path),
        env!("CARGO_PKG_VERSION")
    )]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its layout.
        found: i64,
        /// The latest we know.
        known: i64,
    },
    /// Someone else writes and does not end.
    #[error(
        "the store is locked by another process ({}). Try again when that process is done",
        RawPath::new(path)
    )]
    Busy {
        /// The store or lock file.
        path: PathBuf,
    },
    /// Reading or writing failed otherwise.
    #[error(
        "cannot read or write the store {}: {detail}. Check the drive with `dmesg` and the limits \
         with `ulimit -f` and `quota`, or use another store with --store PATH",
        RawPath::new(path)
    )]
    Io {
        /// The store.
        path: PathBuf,
        /// The system's or SQLite's words.
        detail: String,
    },
    /// No run of that name.
    #[error("no run '{}': {}", printable(name.as_bytes()), suggest(near))]
    NotFound {
        /// What was typed.
        name: String,
        /// Runs it may have meant.
        near: Vec<RunId>,
    },
    /// Several runs begin so.
    #[error(
        "'{}' matches several runs: {}. Type more characters of the ID",
        printable(name.as_bytes()),
        join(candidates)
    )]
    Ambiguous {
        /// What was typed.
        name: String,
        /// Those runs.
        candidates: Vec<RunId>,
    },
    /// One event cannot be read; the other runs can.
    #[error(
        "bakeoff {} cannot read event {seq} of run {run}, which {} wrote: {detail}. If that \
         version is newer, update bakeoff. Other runs are not affected",
        env!("CARGO_PKG_VERSION"),
        printable(written_by.as_bytes())
    )]
    Event {
        /// The run.
        run: RunId,
        /// The event.
        seq: u64,
        /// Version in the run's header.
        written_by: String,
        /// What the reader expected.
        detail: String,
    },
    /// An event is missing, stored or about to be.
    #[error("event {expected} of run {run} is missing (found {found})")]
    Gap {
        /// The run.
        run: RunId,
        /// The event that had to come.
        expected: u64,
        /// The one that came.
        found: u64,
    },
    /// The first event of a run is no header of ours.
    #[error("a run must begin with its header, with schema {RUN_SCHEMA} and an ID of 16 digits")]
    NoHeader,
    /// An event that cannot be written as JSON and read back.
    #[error("event {seq} cannot be stored: {detail}")]
    Unstorable {
        /// The event.
        seq: u64,
        /// What the encoder or the reader said.
        detail: String,
    },
    /// The id is taken.
    #[error("run {run} is already in the store")]
    Exists {
        /// The run.
        run: RunId,
    },
}

impl StoreError {
    /// Why the store, or a file beside it, is not used.
    pub fn from_file(path: &Path, error: FileError) -> StoreError {
        match error {
            FileError::Io(error) => StoreError::from_io(path, &error),
            FileError::Refused(_) | FileError::NotOurs => StoreError::Refused {
                path: path.to_path_buf(),
                why: format!("{error}. Specify another file with --store PATH"),
            },
        }
    }

    /// What the system said about a file of the store.
    pub fn from_io(path: &Path, error: &io::Error) -> StoreError {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::PermissionDenied => StoreError::Permission { path },
            io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { path },
            io::ErrorKind::StorageFull => StoreError::Full { path },
            io::ErrorKind::IsADirectory => StoreError::IsDirectory { path },
            _ => StoreError::Io { path, detail: error.to_string() },
        }
    }

    /// What SQLite said.
    pub fn from_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
        let detail = printable(error.to_string().as_bytes());
        let owned = path.to_path_buf();
        let Some(code) = error.sqlite_error_code() else {
            // A column that is missing or of another type than ours.
            return StoreError::Damaged { path: owned, detail };
        };
        match code {
            ErrorCode::DiskFull => StoreError::Full { path: owned },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy { path: owned },
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::ConstraintViolation
            | ErrorCode::Unknown => StoreError::Damaged { path: owned, detail },
            _ => StoreError::from_state(path, detail),
        }
    }

    /// SQLite's other codes say that a file could not be opened, written or mapped, but not why;
    /// the filesystem below tells.
    fn from_state(path: &Path, detail: String) -> StoreError {
        let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let owned = path.to_path_buf();
        if let Ok(fs) = statvfs(dir) {
            if fs.f_flag.contains(StatVfsMountFlags::RDONLY) {
                return StoreError::ReadOnly { path: owned };
            }
            if fs.f_bavail == 0 || (fs.f_files > 0 && fs.f_favail == 0) {
                return StoreError::Full { path: owned };
            }
        }
        let writable = |p: &Path| rustix::fs::access(p, rustix::fs::Access::WRITE_OK).is_ok();
        if !writable(dir) || (path.exists() && !writable(path)) {
            return StoreError::Permission { path: owned };
        }
        StoreError::Io { path: owned, detail }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        match error {
            StoreError::NotFound { .. } | StoreError::Ambiguous { .. } | StoreError::NotAFile => {
                Fault::usage(error)
            }
            #[cfg(feature = "postgres")]
            StoreError::Server(error) => error.into(),
            StoreError::Refused { .. } => Fault::refused(error),
            StoreError::NoHeader | StoreError::Exists { .. } | StoreError::Unstorable { .. } => {
                Fault::bug(error)
            }
            StoreError::NoHome
            | StoreError::IsDirectory { .. }
            | StoreError::Permission { .. }
            | StoreError::ReadOnly { .. }
            | StoreError::Full { .. }
            | StoreError::Gone { .. }
            | StoreError::Damaged { .. }
            | StoreError::NotOurs { .. }
            | StoreError::Newer { .. }
            | StoreError::Busy { .. }
            | StoreError::Io { .. }
            | StoreError::Event { .. }
            | StoreError::Gap { .. } => Fault::environment(error),
        }
    }
}

/// Reads one stored line as an event, with an error that helps when a newer version wrote it.
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
        let written_by = version.unwrap_or("an unknown version").to_string();
        StoreError::Event { run: run.clone(), seq, written_by, detail }
    };
    let event: Event =
        serde_json::from_str(line).map_err(|e| error(printable(e.to_string().as_bytes())))?;
    if event.seq != seq {
        return Err(StoreError::Gap { run: run.clone(), expected: seq, found: event.seq });
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

/// The command that moves the store and what SQLite keeps beside it out of the way.
fn move_aside(path: &Path) -> String {
    let beside = |suffix: &str| place::beside(path, suffix);
    let target = (0..)
        .map(|n: u32| beside(&if n == 0 { ".damaged".into() } else { format!(".damaged-{n}") }))
        .find(|candidate| !candidate.exists())
        .unwrap_or_else(|| beside(".damaged"));
    let target = shell_word(&RawPath::new(&target));
    let mut command = format!("mkdir {target} && mv --");
    for part in ["", "-wal", "-shm"].map(beside).iter().filter(|part| part.exists()) {
        // Writing to a String cannot fail.
        let _ = write!(command, " {}", shell_word(&RawPath::new(part)));
    }
    format!("{command} {target}/")
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
