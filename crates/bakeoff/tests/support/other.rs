//! A second user beside root, made by useradd(8) for one test: the attacks of the tests are theirs.

// Each test file uses its part of this.
#![allow(dead_code)]
// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use crate::skip;

/// Exit code of useradd and userdel while another process changes the accounts.
const LOCKED: i32 = 1;
/// Held during a change of the accounts: a name in the directory of temporary files.
const ACCOUNTS: &str = "bakeoff-tests-accounts.lock";
/// Users of this process so far.
static USERS: AtomicU32 = AtomicU32::new(0);

/// An account with a home directory. It is removed with the value, also when the test fails.
pub struct Other {
    name: String,
    /// Their user id.
    pub uid: u32,
    /// Their group id.
    pub gid: u32,
    /// What their home directory is in.
    _base: tempfile::TempDir,
}

/// Whether no second user can be made here; if so the test is noted as skipped.
pub fn lacks_other() -> bool {
    skip::lacks_root() || skip::lacks_command("useradd") || skip::lacks_command("userdel")
}

impl Other {
    /// Makes the account.
    pub fn new() -> Other {
        let number = USERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("bakeoff-{}-{number}", std::process::id());
        let base = tempfile::tempdir().unwrap();
        let home = base.path().join("home");
        let words = ["--create-home", "--user-group", "--shell", "/bin/sh", "--home-dir"];
        let made = changed(Command::new("useradd").args(words).arg(home).arg(&name));
        assert!(made.status.success(), "{made:?}");
        let id = |what: &str| {
            let found = Command::new("id").args([what, name.as_str()]).output().unwrap();
            String::from_utf8(found.stdout).unwrap().trim().parse().unwrap()
        };
        Other { uid: id("-u"), gid: id("-g"), name, _base: base }
    }

    /// Gives them a file or directory.
    pub fn owns(&self, path: &Path) {
        chown(path, Some(self.uid), Some(self.gid)).unwrap();
    }

    /// Makes this thread theirs. Without root's user id it has none of root's powers.
    pub fn take_thread(&self) {
        let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
        set_thread_groups(&[]).unwrap();
        set_thread_res_gid(gid, gid, gid).unwrap();
        set_thread_res_uid(uid, uid, uid).unwrap();
        assert!(File::open("/etc/shadow").is_err(), "it still has root's powers");
    }

    /// Does something as them, in a thread.
    pub fn does<T: Send>(&self, what: impl FnOnce() -> T + Send) -> T {
        let their = || {
            self.take_thread();
            what()
        };
        thread::scope(|scope| scope.spawn(their).join().unwrap())
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let words = ["--force", "--remove", &self.name];
        let removed = changed(Command::new("userdel").args(words));
        if !removed.status.success() && !thread::panicking() {
            panic!("the user {} is left: {removed:?}", self.name);
        }
    }
}

/// Runs a program that changes the accounts, one of all tests at a time; again while something else
/// changes them.
fn changed(command: &mut Command) -> Output {
    let turn = File::create(std::env::temp_dir().join(ACCOUNTS)).unwrap();
    turn.lock().unwrap();
    let mut done = command.output().unwrap();
    for _ in 0..100 {
        if done.status.code() != Some(LOCKED) {
            break;
        }
        thread::sleep(Duration::from_millis(100));
        done = command.output().unwrap();
    }
    done
}
