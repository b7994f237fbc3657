//! A store in trouble, seen from the command line: corrupt, not writable, of the user under sudo.

// Unwrapping in a test is an assertion.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use crate::bench::WITHOUT_OTHERS;
use crate::skip;
use crate::stored::{Home, answer, bundle_path};

fn bakeoff() -> std::path::PathBuf {
    env!("CARGO_BIN_EXE_bakeoff").into()
}

/// Runs a shell script in a mount namespace of its own; `None`, noted as skipped, where there is
/// none to be had. `$BAKEOFF` is the program, `$BUNDLE` the kept bundle.
fn in_namespace(dir: &Path, script: &str) -> Option<(i32, String, String)> {
    let option = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let can = Command::new("unshare").args([option, "true"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        skip::skip("root", "it mounts a small filesystem in a namespace (unshare -rm)");
        return None;
    }
    let mut command = Command::new("unshare");
    let script = [WITHOUT_OTHERS, script].concat();
    command.args([option, "sh", "-euc", &script]).current_dir(dir);
    command.env("BAKEOFF", bakeoff()).env("BUNDLE", bundle_path());
    Some(answer(&mut command))
}

#[test]
fn a_corrupt_store_names_the_command_that_mends_it() {
    let home = Home::new();
    let mut corrupt = b"SQLite format 3\0".to_vec();
    corrupt.extend("garbage\n".repeat(999).as_bytes());
    home.file("bakeoff.db", &corrupt);
    let bundle = bundle_path();
    let import = ["runs", "add", bundle.to_str().unwrap()];
    for args in [["runs"].as_slice(), &["show", "last"], &import, &["runs", "rm", "last"]] {
        let (code, out, err) = home.run(args);
        assert!(code == 4 && out.is_empty() && err.contains("is damaged"), "{args:?}: {err}");
        assert_eq!(fs::read(home.store()).unwrap(), corrupt);
    }
    let err = home.run(&["runs"]).2;
    let mend = err.lines().last().unwrap().trim();
    assert!(Command::new("sh").args(["-euc", mend]).status().unwrap().success(), "{mend}");
    assert_eq!(
        home.cmd(&["runs", "add"]).arg(bundle_path()).output().unwrap().status.code(),
        Some(0)
    );
    let kept = home.dir.path().join("bakeoff.db.damaged/bakeoff.db");
    assert_eq!(fs::read(kept).unwrap(), corrupt);
}

#[test]
fn a_read_only_filesystem_can_be_read_and_is_named_when_written() {
    let home = Home::with_run();
    let script = r#"
        mount --bind . . && cd "$PWD" && mount -o remount,ro,bind .
        "$BAKEOFF" --store bakeoff.db runs
        "$BAKEOFF" --store bakeoff.db show last --format csv | wc -l
        "$BAKEOFF" --store bakeoff.db runs add "$BUNDLE" || code=$?
        "$BAKEOFF" --store new.db runs add "$BUNDLE" || exit $code$?"#;
    let Some((code, out, err)) = in_namespace(home.dir.path(), script) else { return };
    assert_eq!(code, 44, "{out}{err}");
    assert!(out.contains("ext4 is fastest in all 2") && out.contains("21"), "{out}");
    assert_eq!(err.matches("mounted read-only").count(), 2, "{err}");
}

#[test]
fn under_sudo_everything_belongs_to_the_user_who_typed_it() {
    if skip::lacks_root() {
        return;
    }
    let home = Home::new();
    let data = home.dir.path().join("data");
    let run = |args: &[&str]| {
        let mut command = Command::new(bakeoff());
        command.env("SUDO_UID", "12345").env("SUDO_GID", "12346").env("XDG_DATA_HOME", &data);
        answer(command.current_dir(home.dir.path()).args(args))
    };
    assert_eq!(run(&["runs", "add", bundle_path().to_str().unwrap()]).0, 0);
    // A reader that stays keeps the log and its index in place.
    let store = data.join("bakeoff/bakeoff.db");
    let reader = rusqlite::Connection::open(&store).unwrap();
    reader.query_row("SELECT count(*) FROM runs", [], |row| row.get::<_, i64>(0)).unwrap();
    let (code, _, err) = run(&["show", "-o", "b.bundle", "-o", "page.html"]);
    assert_eq!(code, 0, "{err}");
    let owned = |path: &Path| {
        let found = fs::metadata(path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        assert_eq!((found.uid(), found.gid()), (12345, 12346), "{path:?}");
    };
    for dir in [data.clone(), data.join("bakeoff"), data.join("bakeoff/bakeoff.db.locks")] {
        owned(&dir);
    }
    for file in ["bakeoff.db", "bakeoff.db-wal", "bakeoff.db-shm"] {
        owned(&data.join("bakeoff").join(file));
    }
    drop(reader);
    owned(&home.dir.path().join("b.bundle"));
    owned(&home.dir.path().join("page.html"));
}
