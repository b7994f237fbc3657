//! Files that bakeoff opens for the user, and what somebody else put in their place: a store that
//! is none, and a second user's links where root writes reports, locks and pictures.
//!
//! Each attack ends with exit 3 or harmlessly, and what it aims at stays as it was.

use std::fs::{self, Permissions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::bench::{Bench, must};
use crate::other::{self, Other};
use crate::running::EndsWith;
use crate::skip;
use crate::stored::{Home, RUN, bundle_path};

const RACES: u32 = 200;
const SECRET: &[u8] = b"root's secret, content=\"bakeoff";

/// Commands that open a store to read or to write it.
const COMMANDS: [&[&str]; 8] = [
    &["runs"],
    &["show", "last"],
    &["quick", ".", "--time", "5s", "--size", "16m"],
    &["bench", ".", "--rw", "write", "--size", "64k"],
    &["resume"],
    &["clean"],
    &["runs", "rm", "last"],
    &["show", "-o", "report.html"],
];

/// What a file is: its kind, mode, owner and content.
fn state(path: &Path) -> (u32, u32, Vec<u8>) {
    let found = fs::symlink_metadata(path).unwrap();
    let content = if found.is_file() { fs::read(path).unwrap() } else { Vec::new() };
    (found.mode(), found.uid(), content)
}

fn names(dir: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

/// Runs every command with that store: exit 3, and nothing is changed in it or beside it.
fn refused(home: &Home, store: &Path, what: &str) {
    let (before, beside) = (state(store), names(store.parent().unwrap()));
    let bundle = bundle_path();
    let import = ["runs", "add", bundle.to_str().unwrap()];
    for args in COMMANDS.into_iter().chain([import.as_slice()]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
        command.current_dir(home.dir.path()).arg("--store").arg(store).args(args);
        let (code, _, err) = crate::stored::answer(&mut command);
        assert!(code == 3 && err.contains(what), "{args:?}: {code}: {err}");
        assert!(!err.contains("mv --"), "{err}");
        assert_eq!(state(store), before, "{args:?}");
        assert_eq!(names(store.parent().unwrap()), beside, "{args:?}");
    }
}

/// `--store FILE` of another program was called damaged, with the advice to move it away, and got
/// an error file and locks beside it.
#[test]
fn refuses_a_store_that_is_no_database_and_leaves_nothing_beside_it() {
    let home = Home::new();
    for content in [fs::read("/etc/passwd").unwrap(), b"x".to_vec(), vec![0; 8192]] {
        refused(&home, &home.file("theirs", content), "not an SQLite database");
    }
    let fifo = home.dir.path().join("fifo");
    must(Command::new("mkfifo").arg(&fifo));
    refused(&home, &fifo, "a FIFO");
    let dir = home.dir.path().join("beside");
    fs::create_dir(&dir).unwrap();
    let socket = dir.join("socket");
    let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    refused(&home, &socket, "a socket");
}

/// `--store /dev/sdX`, typed for `--target`, overwrote the start of that drive.
#[test]
fn refuses_a_store_that_is_a_drive_also_a_mounted_one() {
    if skip::lacks_root() || skip::lacks_loop_devices() || skip::lacks_command("mkfs.ext4") {
        return;
    }
    let mut bench = Bench::new();
    let home = Home::new();
    let mounted = bench.mount("ext4", "16m", "defaults");
    let source = must(Command::new("findmnt").args(["-n", "-o", "SOURCE"]).arg(&mounted));
    // ext4 leaves these bytes to the boot loader and never writes them.
    let start = || {
        let mut bytes = [0; 1024];
        fs::File::open(source.trim()).unwrap().read_exact(&mut bytes).unwrap();
        bytes
    };
    let before = start();
    let device = home.dir.path().join("sdx");
    symlink(source.trim(), &device).unwrap();
    for store in [Path::new(source.trim()), &device] {
        for args in COMMANDS {
            let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
            command.current_dir(home.dir.path()).arg("--store").arg(store).args(args);
            let (code, _, err) = crate::stored::answer(&mut command);
            assert!(code == 3 && err.contains("a block device"), "{args:?}: {code}: {err}");
        }
    }
    assert!(start() == before, "the drive was changed");
    assert_eq!(names(home.dir.path()), [device]);
    assert!(!Path::new(&format!("{}.error", source.trim())).exists());
}

/// A store has the words of a report in it, so a report was written over it, with all its runs.
#[test]
fn a_report_is_not_written_over_a_store() {
    let home = Home::with_run();
    let before = state(&home.store());
    for name in ["bakeoff.html", "bakeoff.json"] {
        fs::hard_link(home.store(), home.dir.path().join(name)).unwrap();
        let (code, _, err) = home.run(&["show", "last", "-o", name]);
        assert!(code == 3, "{err}");
        assert!(state(&home.store()) == before);
    }
    // What is ours can be written again, an image too.
    for name in ["a.html", "a.svg", "a.md", "a.json", "a.csv", "a.gp", "a.bundle"].repeat(2) {
        let (code, _, err) = home.run(&["show", "last", "-o", name]);
        assert_eq!(code, 0, "{name}: {err}");
    }
}

/// A mistyped drive became a file in /dev that swallowed whatever was written to it.
#[test]
fn makes_no_file_in_dev() {
    if skip::lacks_root() {
        return;
    }
    let home = Home::with_run();
    for name in ["/dev/bakeoff-sdq.html", "/dev/disk/by-id/bakeoff-sdq.html"] {
        if !Path::new(name).parent().unwrap().exists() {
            continue;
        }
        let mut command = home.cmd(&["show", "-o", name]);
        let (code, _, err) = crate::stored::answer(&mut command);
        assert!(code == 3 && err.contains("/dev is for devices"), "{err}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
        command.args(["--store", name, "runs", "add"]).arg(bundle_path());
        let (code, _, err) = crate::stored::answer(&mut command);
        assert!(code == 3 && err.contains("/dev is for devices"), "{err}");
        assert!(!Path::new(name).exists());
    }
}

/// With its directory of locks as a link, root removed a file named `layout` elsewhere.
#[test]
fn follows_no_link_that_is_named_as_the_directory_of_locks() {
    let home = Home::new();
    let victim = home.dir.path().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("layout"), "dear").unwrap();
    fs::write(victim.join(RUN), "dear").unwrap();
    let locks = home.dir.path().join("bakeoff.db.locks");
    symlink(&victim, &locks).unwrap();
    let before = names(&victim);
    let import = || {
        let bundle = bundle_path();
        home.run(&["runs", "add", bundle.to_str().unwrap()])
    };
    let (code, _, err) = import();
    assert!(code == 3 && err.contains("is a symbolic link and not a directory"), "{err}");
    fs::remove_file(&locks).unwrap();
    assert_eq!(import().0, 0);
    fs::remove_dir(&locks).unwrap();
    symlink(&victim, &locks).unwrap();
    let (code, _, err) = home.run(&["runs", "rm", "last"]);
    assert!(code == 3 && err.contains("is a symbolic link"), "{err}");
    assert_eq!(names(&victim), before);
    for name in before {
        assert_eq!(fs::read(name).unwrap(), b"dear");
    }
}

/// A second user's directory, and what root has that they would like to have.
struct Theirs {
    home: Home,
    other: Other,
    dir: PathBuf,
    victim: PathBuf,
}

impl Theirs {
    fn new() -> Theirs {
        let home = Home::with_run();
        fs::set_permissions(home.dir.path(), Permissions::from_mode(0o755)).unwrap();
        let (dir, victim) = (home.dir.path().join("theirs"), home.dir.path().join("victim"));
        fs::create_dir(&dir).unwrap();
        fs::create_dir(&victim).unwrap();
        for (name, content) in [("secret", SECRET), ("empty", b"")] {
            fs::write(victim.join(name), content).unwrap();
            fs::set_permissions(victim.join(name), Permissions::from_mode(0o600)).unwrap();
        }
        let other = Other::new();
        other.owns(&dir);
        Theirs { home, other, dir, victim }
    }

    fn canaries(&self) -> Vec<(PathBuf, u32, u32, u64, Vec<u8>)> {
        let of = |path: PathBuf| {
            let ino = fs::symlink_metadata(&path).unwrap().ino();
            let (mode, uid, content) = state(&path);
            (path, mode, uid, ino, content)
        };
        names(&self.victim).into_iter().map(of).collect()
    }

    /// Does `work` while they do `attack`, again and again: root's files stay as they were.
    fn attacked(&self, attack: impl Fn(u32) + Sync, work: impl FnOnce()) {
        let before = self.canaries();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                self.other.take_thread();
                for turn in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    attack(turn);
                }
            });
            let _ends = EndsWith(&is_over);
            work();
        });
        assert_eq!(self.canaries(), before);
    }
}

/// Her link in place of her report was looked at, resolved and written one after the other: root
/// wrote over any file and made it hers.
#[test]
fn the_owner_of_a_directory_gets_no_file_of_roots_in_two_hundred_races() {
    if other::lacks_other() {
        return;
    }
    let theirs = Theirs::new();
    let report = theirs.dir.join("report.html");
    let apart = theirs.dir.join("apart");
    let attack = |turn: u32| {
        let _ = fs::remove_file(&apart);
        let _ = match turn % 4 {
            0 => symlink(theirs.victim.join("secret"), &apart),
            1 => symlink(theirs.victim.join("empty"), &apart),
            2 => symlink(theirs.victim.join("new"), &apart),
            // One of "ours", which anybody may write.
            _ => fs::write(&apart, "content=\"bakeoff")
                .and_then(|()| fs::set_permissions(&apart, Permissions::from_mode(0o666))),
        };
        let _ = fs::rename(&apart, &report);
    };
    let (mut written, mut refused) = (0, 0);
    theirs.attacked(attack, || {
        for _ in 0..RACES {
            let args = ["show", "last", "-o", report.to_str().unwrap()];
            let (code, _, err) = theirs.home.run(&args);
            match code {
                0 => written += 1,
                3 => refused += 1,
                4 => assert!(err.contains("cannot write"), "{err}"),
                _ => panic!("{code}: {err}"),
            }
        }
    });
    println!("{RACES} races: {written} written, {refused} refused");
    assert!(refused > 0, "no race was one");
    // Quietly now: what root wrote is root's, whoever owned what was there.
    let _ = fs::remove_file(&report);
    fs::write(&report, "content=\"bakeoff").unwrap();
    theirs.other.owns(&report);
    fs::set_permissions(&report, Permissions::from_mode(0o666)).unwrap();
    let written = theirs.home.run(&["show", "last", "-o", report.to_str().unwrap()]);
    assert_eq!(written.0, 0, "{written:?}");
    let now = fs::metadata(&report).unwrap();
    assert_eq!((now.uid(), now.mode() & 0o022), (0, 0));
}

/// The same one directory higher: what lies between is exchanged for a link.
#[test]
fn a_directory_that_becomes_a_link_gets_no_report_in_two_hundred_races() {
    if other::lacks_other() {
        return;
    }
    let theirs = Theirs::new();
    let (dir, apart) = (theirs.dir.join("dir"), theirs.dir.join("apart"));
    theirs.other.does(|| {
        fs::create_dir(&dir).unwrap();
        symlink(&theirs.victim, &apart).unwrap();
    });
    let exchange = |_| {
        let (from, to) = (&apart, &dir);
        let flags = rustix::fs::RenameFlags::EXCHANGE;
        let _ = rustix::fs::renameat_with(rustix::fs::CWD, from, rustix::fs::CWD, to, flags);
    };
    let (mut written, mut refused) = (0, 0);
    theirs.attacked(exchange, || {
        for race in 0..RACES {
            let report = dir.join(format!("report-{race}.html"));
            let (code, _, err) = theirs.home.run(&["show", "last", "-o", report.to_str().unwrap()]);
            match code {
                0 => written += 1,
                3 if err.contains("symbolic link") => refused += 1,
                _ => panic!("{code}: {err}"),
            }
        }
    });
    println!("{RACES} races: {written} written, {refused} refused");
    assert!(refused > 0, "no race was one");
}
