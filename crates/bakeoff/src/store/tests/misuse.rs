//! Files that are no store, stores of other versions, and many at once.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use super::suite::record;
use crate::store::sqlite::Sqlite;
use crate::store::{ErrorClass, Records, StoreError, open};

fn in_temporary_dir(test: impl FnOnce(&Path)) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    test(&dir.path().join("s.db"));
}

fn fill(path: &Path) {
    let mut store = Sqlite::open(path).expect("a store");
    for n in 1..4 {
        let events = record(n);
        let run = store.create(&events[0]).expect("a new run");
        store.append(&run, &events[1..]).expect("its events");
    }
}

/// Opens it both ways, which must fail alike, and checks that no byte of it changed.
fn refused(path: &Path) -> StoreError {
    let before = fs::read(path).expect("readable");
    let error = Sqlite::open(path).expect_err("must be refused");
    let other = Sqlite::open_existing(path).expect_err("must be refused");
    assert_eq!(error.to_string(), other.to_string());
    assert_eq!(fs::read(path).expect("readable"), before, "it was changed");
    error
}

#[test]
fn many_that_open_a_new_store_at_once_all_get_it() {
    for _ in 0..20 {
        in_temporary_dir(|path| {
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                let all: Vec<_> = (0..8)
                    .map(|_| {
                        scope.spawn(|| {
                            start.wait();
                            Sqlite::open(path).map(drop).map_err(|error| error.to_string())
                        })
                    })
                    .collect();
                for opened in all {
                    assert_eq!(opened.join().expect("no panic"), Ok(()));
                }
            });
            let connection = Connection::open(path).expect("opens");
            let space: i64 = connection
                .pragma_query_value(None, "auto_vacuum", |row| row.get(0))
                .expect("is set");
            assert_eq!(space, 2, "freed pages go back to the drive");
        });
    }
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    in_temporary_dir(|path| {
        fs::write(path, "garbage\n".repeat(1000)).expect("can write");
        let error = refused(path);
        assert_eq!(error.class, ErrorClass::Refused, "{error:?}");
        assert!(error.to_string().contains("not an SQLite database"), "{error}");
    });
}

#[test]
fn a_database_of_something_else_is_left_alone() {
    in_temporary_dir(|path| {
        let other = Connection::open(path).expect("opens");
        other.execute_batch("CREATE TABLE bookmarks (url TEXT)").expect("runs");
        drop(other);
        let error = refused(path);
        assert!(error.to_string().contains("not a bakeoff store"), "{error:?}");
    });
}

#[test]
fn a_newer_store_is_left_alone_and_both_versions_are_named() {
    in_temporary_dir(|path| {
        fill(path);
        let newer = Connection::open(path).expect("opens");
        let sql = "PRAGMA user_version = 99";
        newer.execute_batch(sql).expect("runs");
        newer.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("runs");
        drop(newer);
        let error = refused(path);
        assert!(error.to_string().contains(&format!("supports {})", open::LAYOUT)), "{error}");
        assert!(error.to_string().contains("99") && error.to_string().contains("0.1.0"));
    });
}

#[test]
fn a_cut_or_scratched_store_is_an_error_and_never_a_panic() {
    in_temporary_dir(|path| {
        fill(path);
        let whole = fs::read(path).expect("readable");
        for at in (0..whole.len()).step_by(whole.len() / 40) {
            fs::write(path, &whole[..at]).expect("can write");
            let cut = Sqlite::open_existing(path).and_then(|store| match store {
                Some(store) => store.list().map(|_| ()),
                None => Ok(()),
            });
            assert!(at == 0 || cut.is_err() || at > whole.len() / 2, "cut at {at}");
            let mut scratched = whole.clone();
            let end = (at + 600).min(whole.len());
            scratched[at..end].fill(0xa5);
            fs::write(path, &scratched).expect("can write");
            let Ok(Some(store)) = Sqlite::open_existing(path) else { continue };
            for summary in store.list().unwrap_or_default() {
                // Whatever comes, it is events or an error.
                let _ = store.load(&summary.run);
            }
        }
    });
}

#[test]
fn a_directory_is_named_as_one() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let error = Sqlite::open(dir.path()).expect_err("no file");
    assert!(error.to_string().contains("is a directory"), "{error:?}");
    let error = Sqlite::open_existing(dir.path()).expect_err("no file");
    assert!(error.to_string().contains("is a directory"), "{error:?}");
}

#[test]
fn reading_makes_no_store() {
    in_temporary_dir(|path| {
        assert!(Sqlite::open_existing(path).expect("no error").is_none());
        assert!(!path.exists());
    });
}

#[test]
fn any_name_does_and_missing_directories_are_made_for_the_user_alone() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a temporary directory");
    let odd = std::ffi::OsStr::from_bytes(b"a b\n?x=1#%\xff");
    let path = dir.path().join(odd).join("file:s.db?mode=memory");
    fill(&path);
    let store = Sqlite::open_existing(&path).expect("opens").expect("is there");
    assert_eq!(store.list().expect("readable").len(), 3);
    let mode = fs::metadata(dir.path().join(odd)).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn one_unknown_event_makes_one_run_unreadable_and_no_other() {
    in_temporary_dir(|path| {
        fill(path);
        let raw = Connection::open(path).expect("opens");
        let sql = "UPDATE events SET json = replace(json, 'owned', 'teleported')
                   WHERE run = 2 AND seq = 1";
        assert_eq!(raw.execute(sql, []).expect("runs"), 1);
        let store = Sqlite::open(path).expect("opens");
        let list = store.list().expect("the listing works");
        let error = store.load(&list[1].run).expect_err("unknown event");
        let text = error.to_string();
        assert!(text.contains("cannot read event 1 of"), "{error:?}");
        assert!(text.contains("teleported") && text.contains("which 0.1.0 wrote"), "{text}");
        store.load(&list[0].run).expect("untouched");
        store.load(&list[2].run).expect("untouched");
    });
}

#[test]
fn a_missing_event_is_noticed() {
    in_temporary_dir(|path| {
        fill(path);
        let raw = Connection::open(path).expect("opens");
        raw.execute("DELETE FROM events WHERE run = 1 AND seq = 7", []).expect("runs");
        let store = Sqlite::open(path).expect("opens");
        let run = store.find("01").expect("there");
        let error = store.lines(&run).expect_err("a gap").to_string();
        assert!(error.starts_with("event 7 of"), "{error}");
    });
}

#[test]
fn a_crash_while_the_store_is_made_leaves_one_that_can_be_finished() {
    in_temporary_dir(|path| {
        let half = Connection::open(path).expect("opens");
        half.pragma_update(None, "application_id", 0x6261_6b65).expect("runs");
        drop(half);
        fill(path);
    });
}

#[test]
fn many_may_open_a_new_store_at_once() {
    in_temporary_dir(|path| {
        std::thread::scope(|scope| {
            for n in 0..8u8 {
                scope.spawn(move || {
                    let mut store = Sqlite::open(path).expect("opens");
                    let events = record(n);
                    let run = store.create(&events[0]).expect("a new run");
                    for event in &events[1..4] {
                        store.append(&run, std::slice::from_ref(event)).expect("appends");
                    }
                });
            }
        });
        let store = Sqlite::open(path).expect("opens");
        assert_eq!(store.list().expect("readable").len(), 8);
    });
}

#[test]
fn space_of_removed_runs_goes_back_to_the_disk() {
    in_temporary_dir(|path| {
        fill(path);
        let size = |path: &Path| fs::metadata(path).expect("there").len();
        let full = size(path);
        let mut store = Sqlite::open(path).expect("opens");
        for summary in store.list().expect("readable") {
            store.remove(&summary.run).expect("removed");
        }
        drop(store);
        assert!(size(path) < full / 2, "{} of {full} bytes are left", size(path));
    });
}
