//! A store in trouble, seen from the command line: corrupt, foreign, newer, full, not writable,
//! somebody else's; and outputs that go away.

// Unwrapping in a test is an assertion.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench::WITHOUT_OTHERS;
use crate::skip;
use crate::stored::{Home, RUN, answer, bundle_of, bundle_path};

/// A user that is not root and owns nothing.
const NOBODY: u32 = 65_534;

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
fn newer_and_foreign_databases_are_not_touched() {
    let home = Home::with_run();
    let raw = rusqlite::Connection::open(home.store()).unwrap();
    let sql = "PRAGMA user_version = 99";
    raw.execute_batch(sql).unwrap();
    drop(raw);
    let before = fs::read(home.store()).unwrap();
    let (code, _, err) = home.run(&["runs"]);
    assert!(code == 4 && err.contains("layout 99") && err.contains("Update bakeoff"), "{err}");
    assert_eq!(fs::read(home.store()).unwrap(), before);
    let foreign = Home::new();
    rusqlite::Connection::open(foreign.store()).unwrap().execute("CREATE TABLE a (b)", []).unwrap();
    let (code, _, err) =
        foreign.cmd(&["runs", "add"]).arg(bundle_path()).output().map(coded).unwrap();
    assert!(code == 4 && err.contains("not a bakeoff store"), "{err}");
}

fn coded(output: std::process::Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_directory_or_no_home_is_said() {
    let home = Home::new();
    fs::create_dir(home.store()).unwrap();
    let bundle = bundle_path();
    for args in [["runs"].as_slice(), &["runs", "add", bundle.to_str().unwrap()]] {
        let (code, _, err) = home.run(args);
        assert!(code == 4 && err.contains("is a directory"), "{err}");
    }
    let mut command = Command::new(bakeoff());
    command.arg("runs").env_remove("HOME").env_remove("XDG_DATA_HOME").env_remove("SUDO_UID");
    let (code, _, err) = answer(&mut command);
    assert!(code == 4 && err.contains("--store PATH"), "{err}");
}

#[test]
fn a_full_disk_keeps_what_was_stored_and_says_so() {
    let home = Home::new();
    // Bundles under ten other ids, so that the disk is full after some of them.
    for n in 0..10 {
        home.file(&format!("b{n}.jsonl"), bundle_of(&format!("a{n}23456789abcdef"), 99));
    }
    let script = r#"
        mkdir small; mount -t tmpfs -o size=700k small small
        "$BAKEOFF" --store small/s.db runs add "$BUNDLE" >/dev/null
        code=0; "$BAKEOFF" --store small/s.db runs add b*.jsonl >added 2>err || code=$?
        cat err >&2; cat added
        "$BAKEOFF" --store small/s.db runs --format csv
        "$BAKEOFF" --store small/s.db show 0123456789abcdef --format markdown >/dev/null
        exit $code"#;
    let Some((code, out, err)) = in_namespace(home.dir.path(), script) else { return };
    assert_eq!(code, 4, "{out}{err}");
    assert!(
        err.contains("no space left for the store small/s.db") || err.contains("small"),
        "{err}"
    );
    assert!(err.contains("bakeoff runs rm RUN"), "{err}");
    let added = out.lines().filter(|line| line.starts_with("added")).count();
    let listed = out.lines().filter(|line| line.contains(",stopped,")).count();
    assert!(added < 10, "the disk was never full: {out}");
    assert_eq!(listed, added + 1, "{out}");
}

#[test]
fn a_full_disk_takes_no_report_and_leaves_no_half_of_one() {
    let home = Home::with_run();
    let script = r#"
        mkdir small; mount -t tmpfs -o size=8k small small
        code=0; "$BAKEOFF" --store bakeoff.db show -o small/a.html || code=$?
        ls -A small; exit $code"#;
    let Some((code, out, err)) = in_namespace(home.dir.path(), script) else { return };
    assert_eq!((code, out.as_str()), (4, ""), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("no space left to write small/a.html"), "{err}");
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
fn somebody_elses_store_can_be_read_and_is_named_when_written() {
    let home = Home::with_run();
    let program = home.dir.path().join("bakeoff");
    fs::copy(bakeoff(), &program).unwrap();
    let mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(&program);
        command.arg("--store").arg(home.store()).args(args).stdin(Stdio::null());
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        coded(command.output().unwrap())
    };
    mode(&home.store(), 0o444);
    mode(home.dir.path(), 0o555);
    let listed = run(&["runs"]);
    let removed = run(&["runs", "rm", "last"]);
    let imported = run(&["runs", "add", bundle_path().to_str().unwrap()]);
    mode(&home.store(), 0o000);
    let closed = run(&["runs"]);
    mode(home.dir.path(), 0o755);
    assert!(listed.0 == 0 && listed.1.contains("ext4 is fastest in all 2"), "{listed:?}");
    for (code, _, err) in [removed, imported, closed] {
        assert!(code == 4 && err.contains("no permission to use the store"), "{err}");
    }
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

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = Home::with_run();
    for args in [
        ["show", RUN, "--format", "json"].as_slice(),
        &["show", RUN],
        &["runs"],
        &["runs", "rm", RUN],
    ] {
        let mut command = Command::new(bakeoff());
        command.arg("--store").arg(home.store()).args(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let (code, _, err) = coded(child.wait_with_output().unwrap());
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn an_output_that_cannot_take_the_result_is_an_error() {
    let home = Home::with_run();
    let full = || Stdio::from(fs::File::options().write(true).open("/dev/full").unwrap());
    for args in [["show", RUN, "--format", "json"].as_slice(), &["runs"], &["show", RUN]] {
        let mut command = Command::new(bakeoff());
        command.arg("--store").arg(home.store()).args(args).stdout(full());
        let (code, _, err) = coded(command.output().unwrap());
        assert!(code == 4 && err.contains("No space left"), "{args:?}: {err}");
    }
    // A closed stdin reads as an empty one: nothing was found in it.
    let script = "exec 0<&-; \"$0\" --store s.db show -";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(bakeoff()).current_dir(home.dir.path());
    let (code, out, err) = coded(command.output().unwrap());
    assert!(code == 1 && out.contains("0 results"), "{out}{err}");
}
