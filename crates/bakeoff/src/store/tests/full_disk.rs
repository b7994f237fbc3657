//! A drive that fills up under the store, and a limit on file sizes: an append fails with the
//! reason, and what was committed stays readable.

use std::process::Command;

use super::crash::{batch, begin, start, store_of_child};
use crate::skip;
use crate::store::sqlite::Sqlite;
use crate::store::{ErrorClass, Records};

const CHILD: &str = "store::tests::full_disk::writer_that_runs_out_of_space";

/// Ends the mounts of other tests in a namespace of our own: a copy of them would keep their
/// devices busy.
const WITHOUT_OTHERS: &str = "for at in $(cut -d ' ' -f 2 /proc/self/mounts); do case $at in \
    /run/bakeoff/*|*/.tmp*) umount --lazy \"$at\" 2>/dev/null;; esac; done;";

/// Appends until it fails, then reads everything that was committed, three ways.
#[test]
#[ignore = "not a test: the child of the tests below"]
fn writer_that_runs_out_of_space() {
    let path = store_of_child();
    let mut store = Sqlite::open(&path).expect("there is space to begin with");
    let (run, mut seq) = begin(&mut store);
    let error = loop {
        assert!(seq < 1_000_000, "the space never ends");
        let mut events = batch(seq - 1);
        events.iter_mut().for_each(|event| event.seq += 1);
        match store.append(&run, &events) {
            Ok(()) => seq += 3,
            Err(error) => break error,
        }
    };
    println!("failed with: {error}");
    let committed = |store: &Sqlite| store.load(&run).expect("readable").len() as u64;
    assert_eq!(committed(&store), seq, "in the process that failed");
    drop(store);
    let again = Sqlite::open_existing(&path).expect("opens").expect("is there");
    assert_eq!(committed(&again), seq, "after opening it again");
    assert_eq!(error.class, ErrorClass::Unusable, "{error:?}");
}

fn output(wrapper: &[&str], store: &std::path::Path) -> (bool, String) {
    let child = start(CHILD, store, wrapper);
    let output = child.wait_with_output().expect("it ends");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_full_disk_loses_nothing() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mount = dir.path().join("small");
    std::fs::create_dir(&mount).expect("can make");
    let is_root = rustix::process::geteuid().is_root();
    let namespace = if is_root { "-m" } else { "-rm" };
    let can = Command::new("unshare").args([namespace, "true"]).status();
    if !can.is_ok_and(|status| status.success()) {
        skip::skip("user namespaces", "it mounts a small tmpfs, with unshare -rm where not root");
        return;
    }
    // Sizes at which different files meet the end: the first page, the log, its index.
    for size in ["200k", "300k", "512k", "1m"] {
        let script = format!(
            "{WITHOUT_OTHERS} mount -t tmpfs -o size={size} small '{}' && exec \"$@\"",
            mount.display()
        );
        let (ok, text) =
            output(&["unshare", namespace, "sh", "-c", &script, "sh"], &mount.join("s.db"));
        assert!(ok, "{size}: {text}");
        assert!(text.contains("no space left for the store"), "{size}: {text}");
    }
}

#[test]
fn a_limit_on_file_sizes_loses_nothing() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    // Without the trap the kernel would kill the writer (setrlimit(2), RLIMIT_FSIZE).
    let script = "trap '' XFSZ; ulimit -f 400; exec \"$@\"";
    let (ok, text) = output(&["sh", "-c", script, "sh"], &dir.path().join("s.db"));
    assert!(ok, "{text}");
    assert!(text.contains("ulimit -f"), "{text}");
}
