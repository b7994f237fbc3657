//! A second user who owns the directory that root measures in, and who renames what root made there
//! and puts links in its place as fast as a processor can: root overwrote files elsewhere then.
//!
//! The other user is one of useradd(8), and a thread of this test is theirs. Whatever the runs
//! answer, the files elsewhere stay as they were.

use crate::skip;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use crate::bench::Bench;
use crate::other::{self, Other};
use crate::running::EndsWith;

/// How often the race is run with whole programs.
const RACES: u32 = 200;
/// Names that bakeoff gives to its files and directories.
const NAMES: [&str; 7] = ["data", "append", "sentinel", "probe", "image", "f0", "sqlite.db"];
const CANARY: &[u8] = b"not to be touched";

/// A directory of the other user's, and root's files that a link could lead to.
struct Hostile {
    bench: Bench,
    other: Other,
    /// Where root measures.
    dir: PathBuf,
    /// Root's.
    victim: PathBuf,
    /// How many directories of root's have another name by now.
    moved: AtomicU32,
}

impl Hostile {
    fn new() -> Hostile {
        let bench = Bench::new();
        // The other user has to get there.
        fs::set_permissions(bench.path(), Permissions::from_mode(0o755)).unwrap();
        let (dir, victim) = (bench.dir("theirs"), bench.dir("victim"));
        let other = Other::new();
        other.owns(&dir);
        for directory in ["", "small", "kept", "mnt", "mnt/bakeoff"] {
            fs::create_dir_all(victim.join(directory)).unwrap();
            for name in NAMES {
                fs::write(victim.join(directory).join(name), CANARY).unwrap();
            }
        }
        Hostile { bench, other, dir, victim, moved: AtomicU32::new(0) }
    }

    /// Every file of the victim's: its name, what is in it, and which file it is.
    fn canaries(&self) -> Vec<(PathBuf, Vec<u8>, u64, i64)> {
        let mut found = Vec::new();
        let mut open = vec![self.victim.clone()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let metadata = fs::symlink_metadata(&path).unwrap();
                let content =
                    if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
                if metadata.is_dir() {
                    open.push(path.clone());
                }
                found.push((path, content, metadata.ino(), metadata.mtime()));
            }
        }
        found.sort();
        found
    }

    /// Does `work` while the other user attacks; gives how often a directory of ours was exchanged.
    fn attacked(&self, work: impl FnOnce()) -> u32 {
        let is_over = AtomicBool::new(false);
        let (before, moved) = (self.canaries(), self.moved.load(Ordering::Relaxed));
        thread::scope(|scope| {
            scope.spawn(|| {
                self.other.take_thread();
                while !is_over.load(Ordering::Relaxed) {
                    self.attack();
                }
            });
            let _ends = EndsWith(&is_over);
            work();
        });
        assert_eq!(self.canaries(), before);
        self.moved.load(Ordering::Relaxed) - moved
    }

    /// Root's directories are removed though they were renamed. Where something was in its place
    /// before it could be opened the run fails, and nothing tells which one it is: an empty one.
    fn nothing_is_left(&self, swaps: u32, failed: u32) {
        let moved = (0..swaps).map(|number| self.dir.join(format!("moved-{number}")));
        let left: Vec<PathBuf> = moved.filter(|path| path.exists()).collect();
        assert!(left.len() <= failed as usize, "{left:?}, {failed} failed");
        for path in left {
            assert_eq!(fs::read_dir(&path).unwrap().count(), 0, "{path:?}");
        }
    }

    /// Renames what root made, and puts in its place by turns a link to the victim's directory and
    /// a directory with links to the victim's files.
    fn attack(&self) {
        for entry in fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_ours = name.to_string_lossy().starts_with(".bakeoff-")
                && entry.file_type().is_ok_and(|kind| kind.is_dir())
                && entry.metadata().is_ok_and(|found| found.uid() == 0);
            let number = self.moved.load(Ordering::Relaxed);
            let moved = self.dir.join(format!("moved-{number}"));
            if !is_ours || fs::rename(&path, moved).is_err() {
                continue;
            }
            match number % 2 {
                0 => drop(symlink(&self.victim, &path)),
                _ => links_in(&path, &self.victim),
            }
            self.moved.store(number + 1, Ordering::Relaxed);
        }
    }
}

/// Whether a command could not be done: neither an answer, an open one, nor too little time.
fn is_failure(code: Option<i32>) -> bool {
    !matches!(code, Some(0..=2))
}

fn links_in(dir: &Path, victim: &Path) {
    if fs::create_dir(dir).is_ok() {
        for name in NAMES.iter().chain(&["small", "kept", "mnt"]) {
            let _ = symlink(victim.join(name), dir.join(name));
        }
    }
}

/// Root filled its scratch file by a path whose directory had become a link.
#[test]
fn the_owner_of_a_directory_redirects_no_write_of_bench() {
    if other::lacks_other() {
        return;
    }
    let hostile = Hostile::new();
    let mut failed = 0;
    let swaps = hostile.attacked(|| {
        for race in 0..RACES {
            let rw = ["write", "randread", "smallfiles"][race as usize % 3];
            let mut command = hostile.bench.bakeoff();
            command.args(["bench", hostile.dir.to_str().unwrap(), "--rw", rw, "--bs", "4k"]);
            let ended = command.args(["--size", "64k", "--io_size", "64k"]).output().unwrap();
            // 0, or 4 where what was made could not be removed under its name; nothing else.
            let code = ended.status.code();
            let refused = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert!(matches!(code, Some(0 | 3 | 4)), "{code:?}: {refused}");
            failed += u32::from(code != Some(0));
        }
    });
    println!("{RACES} races, {swaps} times exchanged, {failed} failed");
    assert!(swaps > 0);
    hostile.nothing_is_left(swaps, failed);
}

/// The same for a whole comparison, with files, directories and databases of ours.
#[test]
fn the_owner_of_a_directory_redirects_no_write_of_quick() {
    if other::lacks_other() {
        return;
    }
    let hostile = Hostile::new();
    let (mut swaps, mut failed) = (0, 0);
    for workloads in [["randread", "randwrite"], ["smallfiles", "sqlite"], ["seqwrite", "desktop"]]
    {
        swaps += hostile.attacked(|| {
            let mut command = hostile.bench.bakeoff();
            command.args(["quick", hostile.dir.to_str().unwrap(), "--size", "16m"]);
            command.args(["--time", "3m"]);
            for workload in workloads {
                command.args(["--workload", workload]);
            }
            let ended = command.output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            println!("{:?}: {said}", ended.status.code());
            failed += u32::from(is_failure(ended.status.code()));
        });
    }
    println!("{swaps} times exchanged");
    assert!(swaps > 0);
    hostile.nothing_is_left(swaps, failed);
}

/// The demo attached the image and mounted below the same directory by path.
#[test]
fn the_owner_of_a_directory_redirects_nothing_of_the_demo() {
    if other::lacks_other() || skip::lacks_loop_devices() || skip::lacks_command("mkfs.ext4") {
        return;
    }
    let hostile = Hostile::new();
    let mut failed = 0;
    let swaps = hostile.attacked(|| {
        let mut command = hostile.bench.bakeoff();
        command.current_dir(&hostile.dir).args(["demo", "--workload", "randread"]);
        let report = hostile.bench.path().join("report.html");
        command.args(["--time", "1m", "-o"]).arg(report);
        let ended = command.output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        println!("{:?}: {said}", ended.status.code());
        failed += u32::from(is_failure(ended.status.code()));
    });
    println!("{swaps} times exchanged");
    assert!(swaps > 0);
    hostile.nothing_is_left(swaps, failed);
    assert_eq!(hostile.bench.attached(), Vec::<String>::new());
}

/// Where several users may write, each may do to root's files what only an owner should.
#[test]
fn root_refuses_a_directory_that_others_can_write() {
    if other::lacks_other() {
        return;
    }
    let bench = Bench::new();
    let dir = bench.dir("everybodys");
    let other = Other::new();
    other.owns(&dir);
    fs::set_permissions(&dir, Permissions::from_mode(0o777)).unwrap();
    let path = dir.to_str().unwrap();
    for args in [vec!["quick", path], vec!["bench", path, "--rw", "write"]] {
        let refused = bench.run(&args);
        assert_eq!(refused.code, 3, "{args:?}: {refused:?}");
        for word in ["other users can write", "sudo -u", "bakeoff quick"] {
            assert!(refused.err.contains(word), "{args:?} {word}: {refused:?}");
        }
    }
    let refused = crate::bench::Ended::from_output(
        bench.bakeoff().current_dir(&dir).arg("demo").output().unwrap(),
    );
    assert_eq!(refused.code, 3, "{refused:?}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    // Sticky, nobody can rename what is root's.
    fs::set_permissions(&dir, Permissions::from_mode(0o1777)).unwrap();
    let ended = bench.run(&["bench", path, "--rw", "write", "--size", "64k"]);
    assert_eq!(ended.code, 0, "{ended:?}");
}
