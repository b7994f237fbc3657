//! A store with runs in it, for tests of the commands that read them.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

use bakeoff_report::bundle;
use tempfile::TempDir;

pub const RUN: &str = "0123456789abcdef";

/// The bundle kept of this version.
pub fn bundle_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bundle/v0.1.0.jsonl")
}

/// Its text.
pub fn bundle_text() -> String {
    std::fs::read_to_string(bundle_path()).unwrap()
}

/// The first `events` events of it under another id, sealed again.
pub fn bundle_of(run: &str, events: usize) -> String {
    let text = bundle_text().replace(RUN, run);
    let mut lines = text.lines();
    let head = serde_json::from_str(lines.next().unwrap()).unwrap();
    let all: Vec<String> = lines.map(str::to_string).collect();
    bundle::encode(&head, &all[..events.min(all.len() - 1)]).unwrap()
}

/// A directory with a store and a place to work in.
pub struct Home {
    pub dir: TempDir,
}

impl Home {
    /// Empty.
    pub fn new() -> Home {
        Home { dir: tempfile::tempdir().unwrap() }
    }

    /// With the kept bundle imported.
    pub fn with_run() -> Home {
        let home = Home::new();
        assert!(home.cmd(&["runs", "add"]).arg(bundle_path()).output().unwrap().status.success());
        home
    }

    /// Adds the kept run under another id, changed in its text; a bundle is sealed, so that what is
    /// changed is sealed again.
    pub fn add_changed(&self, run: &str, change: impl FnOnce(String) -> String) {
        let text = change(bundle_text().replace(RUN, run));
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let head = serde_json::from_str(&lines[0]).unwrap();
        let sealed = bundle::encode(&head, &lines[1..lines.len() - 1]).unwrap();
        let file = self.file("changed.jsonl", sealed);
        let (code, _, err) = self.run(&["runs", "add", file.to_str().unwrap()]);
        assert_eq!(code, 0, "{err}");
    }

    /// The store's file.
    pub fn store(&self) -> PathBuf {
        self.dir.path().join("bakeoff.db")
    }

    /// bakeoff with this store, in this directory.
    pub fn cmd(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
        command.current_dir(self.dir.path()).arg("--store").arg(self.store()).args(args);
        command.env_remove("SUDO_UID").env_remove("SUDO_GID");
        command
    }

    /// Exit code, stdout and stderr.
    pub fn run(&self, args: &[&str]) -> (i32, String, String) {
        answer(&mut self.cmd(args))
    }

    /// Writes a file beside the store.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

/// A JSON document.
pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Exit code, stdout and stderr of a command; a panic is a failure whatever the code.
pub fn answer(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(!err.contains("panicked"), "{err}");
    (output.status.code().unwrap(), out, err)
}
