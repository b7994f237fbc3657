//! Bundles that earlier versions wrote stay readable: one of each is kept.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use bakeoff_model::run::Run;

use crate::store::import::import;
use crate::store::sqlite::Sqlite;
use crate::store::{Records, StoredImport};

fn kept() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bundle");
    let entries = fs::read_dir(dir).expect("fixtures are part of the repository");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    assert!(!files.is_empty(), "no bundle is kept");
    files
}

#[test]
fn bundles_of_every_version_are_read() {
    for bundle in kept() {
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
