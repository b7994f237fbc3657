//! Stores and bundles that earlier versions wrote stay readable: one of each is kept.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use bakeoff_model::run::Run;

use super::suite::record;
use crate::store::import::import;
use crate::store::sqlite::Sqlite;
use crate::store::{Records, Store, StoredImport};

fn kept(what: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(what);
    let entries = fs::read_dir(dir).expect("fixtures are part of the repository");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "db" || e == "jsonl"));
    files.sort();
    assert!(!files.is_empty(), "no {what} is kept");
    files
}

#[test]
fn bundles_of_every_version_are_read() {
    for bundle in kept("bundle") {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let mut store = Sqlite::open(&dir.path().join("s.db")).expect("a new store");
        let input = BufReader::new(File::open(&bundle).expect("readable"));
        let (run, done) = import(&mut store, input).expect("an earlier bundle is read");
        let events = store.load(&run).expect("every event of it is known");
        assert_eq!(done, StoredImport::New(events.len() as u64), "{bundle:?}");
        let folded = Run::fold(&events).expect("it folds");
        assert!(folded.complete_blocks().count() > 0 && !folded.steps.is_empty(), "{bundle:?}");
        // What comes out is what came in.
        let text = fs::read_to_string(&bundle).expect("readable");
        let inside: Vec<_> = text.lines().skip(1).take(events.len()).collect();
        assert_eq!(store.lines(&run).expect("stored"), inside, "{bundle:?}");
    }
}

#[test]
fn stores_of_every_version_are_read_and_written() {
    for kept in kept("store") {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("s.db");
        fs::copy(&kept, &path).expect("can copy");
        let store = Sqlite::open_existing(&path).expect("opens").expect("is there");
        let runs = store.list().expect("it lists");
        assert!(!runs.is_empty(), "{kept:?}");
        for summary in runs {
            let events = store.load(&summary.run).expect("every event is known");
            Run::fold(&events).expect("it folds");
        }
        drop(store);
        let mut store = Sqlite::open(&path).expect("opens");
        let new = record(0xee);
        let run = store.create(&new[0]).expect("a new run in an old store");
        store.append(&run, &new[1..]).expect("its events");
        assert_eq!(store.load(&run).expect("stored"), new, "{kept:?}");
    }
}
