//! What lifecycle tests stand on: bakeoff with a store of its own, directories, real loop mounts.

// Each test file uses its part of this.
#![allow(dead_code)]
// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rustix::fs::{major, minor};

/// A directory for one test: scratch places, a store, and whatever is attached is put back.
pub struct Bench {
    dir: tempfile::TempDir,
    mounts: Vec<PathBuf>,
    loops: Vec<PathBuf>,
}

/// How a loop device of a test treats the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// As `mount -o loop` makes it: the file is cached.
    Plain,
    /// Past the page cache.
    Direct,
}

/// The start of a script in a mount namespace of its own. It ends the mounts of other tests there:
/// a copy of them would keep their devices busy for as long as the namespace is
/// there. Where `/` is not shared, no propagation would do it.
pub const WITHOUT_OTHERS: &str = r#"
for at in $(cut -d ' ' -f 2 /proc/self/mounts); do
    case $at in */.tmp*) umount --lazy "$at" 2>/dev/null || true ;; esac
done
"#;

impl Bench {
    /// An empty one, below the build's own temporary directory (a real disk, not memory).
    pub fn new() -> Bench {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Bench { dir: tempfile::tempdir_in(base).unwrap(), mounts: Vec::new(), loops: Vec::new() }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The store of its runs.
    pub fn store(&self) -> PathBuf {
        self.path().join("data/bakeoff/bakeoff.db")
    }

    /// A new directory in it.
    pub fn dir(&self, name: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// bakeoff, with a store of this test's and no progress.
    pub fn bakeoff(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
        command
            .env("XDG_DATA_HOME", self.path().join("data"))
            .env_remove("SUDO_UID")
            .env_remove("SUDO_GID")
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs bakeoff and gives its exit code, stdout and stderr.
    pub fn run(&self, args: &[&str]) -> Ended {
        Ended::from_output(self.bakeoff().args(args).output().unwrap())
    }

    /// Runs what says its time itself: a time too short for the blocks of this machine is refused
    /// beforehand, and then there is a long one.
    pub fn run_in_time(&self, short: &str, words: &[&str]) -> Ended {
        let ended = self.run(&[words, &["--time", short]].concat());
        if ended.code == 2 && ended.err.contains("--time") {
            self.run(&[words, &["--time", "20m"]].concat())
        } else {
            ended
        }
    }

    /// Makes a filesystem in an image and mounts it; unmounted when the test ends.
    pub fn mount(&mut self, fs: &str, size: &str, options: &str) -> PathBuf {
        let image = self.path().join(format!("{fs}.img"));
        let at = self.dir(&format!("{fs}.mnt"));
        must(Command::new("truncate").args(["-s", size]).arg(&image));
        must(Command::new(format!("mkfs.{fs}")).arg("-q").arg(&image));
        must(Command::new("mount").args(["-o", options]).arg(&image).arg(&at));
        self.mounts.push(at.clone());
        at
    }

    /// A directory on a small disk of its own, where a demo makes images of 1 GiB together: on the
    /// disk of the build each demo would take 4 GiB, and several at once filled it.
    pub fn small_disk(&mut self) -> PathBuf {
        let dir = self.mount("ext4", "2g", "defaults").join("d");
        std::fs::create_dir(&dir).unwrap();
        dir
    }

    /// The same on a loop device of the test's own choice, 1 GiB and fully made of holes.
    pub fn mount_loop(&mut self, fs: &str, size: &str, how: Loop) -> PathBuf {
        let image = self.path().join(format!("{fs}.img"));
        let at = self.dir(&format!("{fs}.mnt"));
        must(Command::new("truncate").args(["-s", size]).arg(&image));
        must(Command::new(format!("mkfs.{fs}")).arg("-q").arg(&image));
        let direct = if how == Loop::Direct { "--direct-io=on" } else { "--direct-io=off" };
        let said = must(Command::new("losetup").args(["--find", "--show", direct]).arg(&image));
        self.loops.push(PathBuf::from(said.trim()));
        must(Command::new("mount").arg(said.trim()).arg(&at));
        self.mounts.push(at.clone());
        at
    }

    /// An empty loop device past the page cache, detached when the test ends.
    pub fn attach(&mut self, size: &str) -> PathBuf {
        let image = self.path().join("drive.img");
        must(Command::new("truncate").args(["-s", size]).arg(&image));
        let attach = ["--find", "--show", "--direct-io=on"];
        let device = PathBuf::from(must(Command::new("losetup").args(attach).arg(&image)).trim());
        self.loops.push(device.clone());
        device
    }

    /// Makes an NTFS in an image and mounts it through its user-space driver.
    pub fn mount_ntfs(&mut self, size: &str) -> PathBuf {
        // By default everybody may write there, and root refuses such a directory.
        self.mount_ntfs_with(size, "umask=022")
    }

    /// The same as it is mounted by default: everybody may write there.
    pub fn mount_ntfs_for_all(&mut self, size: &str) -> PathBuf {
        self.mount_ntfs_with(size, "umask=000")
    }

    fn mount_ntfs_with(&mut self, size: &str, options: &str) -> PathBuf {
        let image = self.path().join("ntfs.img");
        let at = self.dir("ntfs.mnt");
        must(Command::new("truncate").args(["-s", size]).arg(&image));
        let said = must(Command::new("losetup").args(["--find", "--show"]).arg(&image));
        self.loops.push(PathBuf::from(said.trim()));
        must(Command::new("mkfs.ntfs").args(["-Q", "-q", said.trim()]));
        let mount = ["-t", "ntfs-3g", "-o", options, said.trim()];
        must(Command::new("mount").args(mount).arg(&at));
        self.mounts.push(at.clone());
        at
    }

    /// Unmounts it when the test ends.
    pub fn unmount_later(&mut self, at: PathBuf) {
        self.mounts.push(at);
    }

    /// Mounts a tmpfs; unmounted when the test ends.
    pub fn tmpfs(&mut self, size: &str) -> PathBuf {
        let at = self.dir("tmpfs.mnt");
        let size = format!("size={size}");
        must(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&at));
        // Everybody may make files in it, so root would act on no store there.
        must(Command::new("chmod").arg("755").arg(&at));
        self.mounts.push(at.clone());
        at
    }

    /// Everything below the directory but the store: what a run may have left.
    pub fn leftovers(&self) -> Vec<String> {
        let found =
            Command::new("find").arg(self.path()).args(["-name", ".bakeoff-*"]).output().unwrap();
        String::from_utf8_lossy(&found.stdout).lines().map(str::to_string).collect()
    }

    /// Every file and directory but the store, with size and time of change.
    pub fn listing(&self) -> String {
        let mut find = Command::new("find");
        find.arg(self.path()).args(["-mindepth", "1", "-path", "*/data", "-prune", "-o"]);
        let found = must(find.args(["-printf", "%P %s %T@\\n"]));
        let mut lines: Vec<&str> = found.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    }

    /// The stored events of a run as text, none without a store.
    pub fn lines(&self, run: &str) -> Vec<String> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
        let Ok(store) = rusqlite::Connection::open_with_flags(self.store(), flags) else {
            return Vec::new();
        };
        let sql = "SELECT json FROM events WHERE run = (SELECT number FROM runs \
                   WHERE id LIKE ?1 || '%' ORDER BY number DESC LIMIT 1) ORDER BY seq";
        let Ok(mut found) = store.prepare(sql) else { return Vec::new() };
        let run = if run == "last" { "" } else { run };
        found.query_map([run], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// The stored events of a run.
    pub fn events(&self, run: &str) -> Vec<serde_json::Value> {
        self.lines(run).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The id of the run that was begun last.
    pub fn last_run(&self) -> String {
        let shown = self.run(&["show", "last", "--format", "json"]).json();
        shown["run"].as_str().unwrap().to_string()
    }

    /// Loop devices whose backing file lies below the directory, and mounts of the runs stored in
    /// it.
    pub fn attached(&self) -> Vec<String> {
        let list = ["-n", "-l", "-O", "BACK-MAJ:MIN,BACK-FILE"];
        let listed = must(Command::new("losetup").args(list));
        // The path ends at its mount when the namespace of a killed run has ended.
        let disks = self.mounts.iter().filter_map(|at| at.metadata().ok()).map(|m| m.dev());
        let disks: Vec<String> =
            disks.map(|dev| format!("{}:{}", major(dev), minor(dev))).collect();
        let here = self.path().to_string_lossy().into_owned();
        let loops = listed.lines().filter_map(|line| line.trim().split_once(char::is_whitespace));
        let loops = loops.filter(|(disk, file)| {
            let is_ours = file.contains(&here) || disks.iter().any(|own| own == disk);
            is_ours && file.contains(".bakeoff-")
        });
        let loops = loops.map(|(_, file)| file.trim().to_string());
        loops.chain(mounts_of(&self.run_ids())).collect()
    }

    /// The runs in the store; none while there is no store.
    pub fn run_ids(&self) -> Vec<String> {
        let listed = self.run(&["runs", "--format", "json"]);
        let listed: serde_json::Value = serde_json::from_str(&listed.out).unwrap_or_default();
        let list = listed["runs"].as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|run| run["run"].as_str().map(str::to_string)).collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for at in self.mounts.iter().rev() {
            // Another test that looks at every mount may have it open for a moment.
            for _ in 0..100 {
                let status = Command::new("umount").arg(at).stderr(Stdio::null()).status();
                let is_mounted = || {
                    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
                    mounts.contains(&*at.to_string_lossy())
                };
                if status.is_ok_and(|status| status.success()) || !is_mounted() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
        }
        for device in &self.loops {
            let _ = Command::new("losetup").arg("--detach").arg(device).status();
        }
    }
}

/// What is mounted for runs in any mount namespace: each has its own.
pub fn mounts_of(runs: &[String]) -> Vec<String> {
    let names: Vec<String> = runs.iter().map(|run| format!("/run/bakeoff/{run}/")).collect();
    let mut found = std::collections::BTreeSet::new();
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        // What is no process, or has ended, has no mounts.
        let mounts = std::fs::read_to_string(process.path().join("mounts")).unwrap_or_default();
        let lines = mounts.lines().filter(|line| names.iter().any(|name| line.contains(name)));
        found.extend(lines.map(str::to_string));
    }
    found.into_iter().collect()
}

/// Runs a command that has to succeed; gives what it printed.
pub fn must(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a command without input and says how it ended.
pub fn ended_of(command: &mut Command) -> Ended {
    Ended::from_output(command.stdin(Stdio::null()).output().unwrap())
}

/// A loop device over a file; detached with the value.
pub struct LoopDevice(pub String);

impl LoopDevice {
    /// Attaches the file.
    pub fn over(file: &Path) -> LoopDevice {
        let said = must(Command::new("losetup").args(["--find", "--show"]).arg(file));
        LoopDevice(said.trim().to_string())
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

/// A process that is killed with the value.
pub struct Killed(pub Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks the keys that every verdict of a `bakeoff/run/2` document has, whatever the verdict.
pub fn verdict_keys(answer: &serde_json::Value) {
    let names: Vec<&str> = answer["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|candidate| candidate["name"].as_str().unwrap())
        .collect();
    let verdicts = answer["verdicts"].as_array().unwrap();
    assert!(!verdicts.is_empty(), "{answer}");
    for verdict in verdicts {
        let text = |key: &str| verdict[key].as_str().unwrap_or_else(|| panic!("{key}: {verdict}"));
        let word = verdict["verdict"].as_str().unwrap_or("null");
        let words = ["fastest", "as_fast", "leads", "refused", "null"];
        assert!(words.contains(&word), "{word}");
        assert_eq!(word == "null", answer["compares"] == false, "{verdict}");
        assert!(verdict["behind"].is_array() && verdict["stalls"].is_array(), "{verdict}");
        assert!(verdict.get("leader").is_some() && verdict.get("lead").is_some(), "{verdict}");
        assert!(!text("workload").is_empty() && !text("metric").is_empty());
        assert!(text("sentence").ends_with('.'), "{verdict}");
        let winner = verdict.get("winner").unwrap();
        assert_eq!(winner.is_string(), word == "fastest", "{verdict}");
        for effect in verdict["effects"].as_array().unwrap() {
            let number = |key: &str| effect[key].as_f64().unwrap();
            assert!(number("low") <= number("ratio") && number("ratio") <= number("high"));
            assert!(effect["blocks"].as_u64().unwrap() >= 2, "{effect}");
            assert!(["a", "b"].iter().all(|k| names.contains(&effect[k].as_str().unwrap())));
        }
        assert!(verdict.get("bottleneck").is_some() && verdict["findings"].is_array());
    }
    for finding in answer["findings"].as_array().unwrap() {
        assert!(["R", "E", "W", "I"].contains(&finding["severity"].as_str().unwrap()));
        for key in ["id", "scope", "evidence", "advice"] {
            assert!(finding[key].is_string(), "{key}: {finding}");
        }
    }
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit code; -1 when a signal ended it.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ended {
    /// From an output.
    pub fn from_output(output: Output) -> Ended {
        Ended {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The JSON document on stdout.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}
