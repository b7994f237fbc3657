//! What lifecycle tests stand on: bakeoff with a store of its own, directories, real loop mounts.

// Each test file uses its part of this.
#![allow(dead_code)]
// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory for one test: scratch places, a store, and whatever is attached is put back.
pub struct Bench {
    dir: tempfile::TempDir,
    mounts: Vec<PathBuf>,
}

impl Bench {
    /// An empty one, below the build's own temporary directory (a real disk, not memory).
    pub fn new() -> Bench {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Bench { dir: tempfile::tempdir_in(base).unwrap(), mounts: Vec::new() }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        self.dir.path()
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
        Ended::of(self.bakeoff().args(args).output().unwrap())
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

    /// Mounts a tmpfs; unmounted when the test ends.
    pub fn tmpfs(&mut self, size: &str) -> PathBuf {
        let at = self.dir("tmpfs.mnt");
        let size = format!("size={size}");
        must(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&at));
        self.mounts.push(at.clone());
        at
    }

    /// Everything below the directory but the store: what a run may have left.
    pub fn leftovers(&self) -> Vec<String> {
        let found =
            Command::new("find").arg(self.path()).args(["-name", ".bakeoff-*"]).output().unwrap();
        String::from_utf8_lossy(&found.stdout).lines().map(str::to_string).collect()
    }

    /// Loop devices whose backing file lies below the directory, and mounts below it.
    pub fn attached(&self) -> Vec<String> {
        let loops = Command::new("losetup").args(["-n", "-l", "-O", "BACK-FILE"]).output().unwrap();
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
        let here = self.path().to_string_lossy().into_owned();
        String::from_utf8_lossy(&loops.stdout)
            .lines()
            .chain(mounts.lines())
            .filter(|line| line.contains(&here) && line.contains(".bakeoff-"))
            .map(str::to_string)
            .collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for at in self.mounts.iter().rev() {
            let _ = Command::new("umount").arg(at).status();
        }
    }
}

fn must(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
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
    pub fn of(output: Output) -> Ended {
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
