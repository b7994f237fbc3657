//! Opening the store's file: found or made, known to be ours, brought to the present layout.
//!
//! The number of the layout is `user_version` in SQLite's header. Nothing is written before it is
//! certain that the file is a store of this layout. Settings of the connection are those the journal needs: a
//! write-ahead log and `synchronous=FULL`, so an event that was appended survives a power cut
//! (<https://www.sqlite.org/wal.html>, "Performance Considerations";
//! <https://www.sqlite.org/pragma.html#pragma_synchronous>).

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bakeoff_model::path::RawPath;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, OpenFlags};
use rustix::fs::fstat;

use super::{ErrorClass, Sqlite, StoreError, lock};
use crate::files::{Entry, FileError, OtherUser};

const LAYOUT_SQL: &str = include_str!("layout.sql");
pub const LAYOUT: i64 = 3;

/// What every file of SQLite's begins with (sqlite.org/fileformat, section 1.3).
const MAGIC: &[u8] = b"SQLite format 3\0";
/// "bake", the mark of our files in SQLite's header (sqlite.org/fileformat, offset 68).
const APPLICATION_ID: i64 = 0x6261_6b65;
const BUSY: Duration = Duration::from_secs(60);

/// The path has no links: one that is there now was put there since.
const WITHOUT_LINKS: OpenFlags =
    OpenFlags::SQLITE_OPEN_NOFOLLOW.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenMode {
    Shared,
    /// To read, without the file of shared memory SQLite would make: on a full drive.
    Alone,
    /// To read a file that nothing can change: on a read-only filesystem.
    Frozen,
}

/// Files of stores this process has looked at. They stay open: closing any descriptor of a file
/// gives up the locks that SQLite has on it (fcntl(2), "advisory record locking").
static SEEN: Mutex<Vec<&'static File>> = Mutex::new(Vec::new());

pub(super) fn open(path: &Path) -> Result<Sqlite, StoreError> {
    let refused = |error| StoreError::from_file(path, error);
    let owner = OtherUser::behind_sudo();
    let entry = Entry::making(path, (0o700, owner.as_ref())).map_err(refused)?;
    let file = match look(&entry, path)? {
        Some(file) => file,
        // SQLite gives its -wal and -shm files the owner of this one.
        None => match entry.create(0o666, owner.as_ref()) {
            Ok(file) => seen(file),
            // Another bakeoff was faster.
            Err(FileError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists => {
                look(&entry, path)?.ok_or_else(|| StoreError::gone(path))?
            }
            Err(error) => return Err(refused(error)),
        },
    };
    let path = entry.path();
    Ok(Sqlite { connection: connect(&path, OpenMode::Shared)?, path, file })
}

/// Opens the store for reading; `None` when there is none. Works where nothing can be written.
pub(super) fn open_existing(path: &Path) -> Result<Option<Sqlite>, StoreError> {
    let Some((entry, file)) = find(path)? else { return Ok(None) };
    if file.metadata().map_err(|e| StoreError::from_io(path, &e))?.len() == 0 {
        return Ok(None);
    }
    let path = entry.path();
    let opened = |connection| Some(Sqlite { connection, path: path.clone(), file });
    let first = match connect(&path, OpenMode::Shared) {
        Ok(connection) => return Ok(opened(connection)),
        Err(error) => error,
    };
    if first.class != ErrorClass::Unusable {
        return Err(first);
    }
    // With a log beside it the file alone is not the whole truth.
    let log = entry.beside("-wal").look();
    let has_log = log.is_ok_and(|log| log.is_some_and(|log| log.st_size > 0));
    let how = if has_log { OpenMode::Alone } else { OpenMode::Frozen };
    connect(&path, how).map(opened).map_err(|_| first)
}

/// The store's file and where it is; `None` when there is none.
///
/// # Errors
/// Something else has its name. Nothing is opened for writing.
pub fn find(path: &Path) -> Result<Option<(Entry, &'static File)>, StoreError> {
    let entry = match Entry::of(path) {
        Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| StoreError::from_file(path, error))?,
    };
    Ok(look(&entry, path)?.map(|file| (entry, file)))
}

/// The file of a store; `None` when there is none.
fn look(entry: &Entry, path: &Path) -> Result<Option<&'static File>, StoreError> {
    let error = |e: FileError| StoreError::from_file(path, e);
    if let Some(found) = entry.look().map_err(|e| error(e.into()))? {
        let known = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |file: &&&File| {
            fstat(file).is_ok_and(|file| (file.st_dev, file.st_ino) == (found.st_dev, found.st_ino))
        };
        if let Some(file) = known.iter().find(is_it) {
            return Ok(Some(file));
        }
    }
    let Some((file, _)) = entry.open().map_err(error)? else { return Ok(None) };
    let mut start = Vec::new();
    let read = (&file).take(MAGIC.len() as u64).read_to_end(&mut start);
    read.map_err(|e| StoreError::from_io(path, &e))?;
    if start.is_empty() || start == MAGIC {
        Ok(Some(seen(file)))
    } else {
        Err(StoreError::from_file(
            path,
            FileError::Refused("it is not an SQLite database".to_string()),
        ))
    }
}

fn seen(file: File) -> &'static File {
    let file: &'static File = Box::leak(Box::new(file));
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    file
}

fn connect(path: &Path, how: OpenMode) -> Result<Connection, StoreError> {
    let error = |e: rusqlite::Error| StoreError::from_sqlite(path, &e);
    let connection = match how {
        OpenMode::Shared | OpenMode::Alone => {
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | WITHOUT_LINKS)
        }
        OpenMode::Frozen => Connection::open_with_flags(
            frozen_uri(path),
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | WITHOUT_LINKS,
        ),
    }
    .map_err(error)?;
    connection.busy_timeout(BUSY).map_err(error)?;
    if how == OpenMode::Alone {
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE").map_err(error)?;
    }
    let mut found = layout(&connection, path)?;
    if how == OpenMode::Shared && found == 0 {
        let _held = lock::hold_layout(path)?;
        // Another process may have done it while we waited.
        found = layout(&connection, path)?;
        if found == 0 {
            lay_out(&connection).map_err(error)?;
            found = LAYOUT;
        }
    }
    if found != LAYOUT {
        return Err(StoreError::environment(format!(
            "another version of bakeoff wrote the store {} (layout {found}; bakeoff {} supports \
             {LAYOUT}). It was not changed. Update bakeoff, or use another store with --store PATH",
            RawPath::new(path),
            env!("CARGO_PKG_VERSION")
        )));
    }
    connection.pragma_update(None, "synchronous", "FULL").map_err(error)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(error)?;
    Ok(connection)
}

/// The layout of the file, 0 for a new one; an error when it is not ours to open.
fn layout(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let error = |e: rusqlite::Error| StoreError::from_sqlite(path, &e);
    let number = |name: &str| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(error)
    };
    if number("page_count")? == 0 {
        return Ok(0);
    }
    if number("application_id")? != APPLICATION_ID {
        return Err(StoreError::environment(format!(
            "{} is a database, but not a bakeoff store. It was not changed. Specify another file \
             with --store PATH",
            RawPath::new(path)
        )));
    }
    number("user_version")
}

fn lay_out(connection: &Connection) -> rusqlite::Result<()> {
    // Space of removed runs goes back to the drive; can only be chosen before the first table. The
    // mark comes with it in one transaction: whoever looks meanwhile, or after a crash, sees an
    // empty file or one that is known to be ours. Deferred, or the first page would be there
    // before the choice.
    connection.execute_batch(&format!(
        "BEGIN DEFERRED; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = \
         {APPLICATION_ID}; COMMIT"
    ))?;
    // A filesystem without shared memory maps keeps SQLite's older journal, which is as safe.
    connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE; {LAYOUT_SQL} PRAGMA user_version = {LAYOUT}; COMMIT"
    ))
}

/// What stands for itself in the path of an URI (RFC 3986, 2.3 and 3.3).
const PLAIN: AsciiSet = NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-');

/// `file:…?immutable=1`, for any path.
fn frozen_uri(path: &Path) -> String {
    format!("file:{}?immutable=1", percent_encode(path.as_os_str().as_bytes(), &PLAIN))
}
