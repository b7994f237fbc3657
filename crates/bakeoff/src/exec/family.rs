//! A family of processes that ends as a whole: a tool and whatever it starts.
//!
//! fio's jobs are processes with sessions of their own. Killing the group of the one that was
//! started leaves them at work on a filesystem that is to be unmounted, and so does our own death.
//! The first process of a PID namespace takes all others of it along (pid_namespaces(7)), which
//! takes root; without, and where the kernel or a container forbids it, the group has to do.

use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::find_program;

/// Words of util-linux before a program that make it the first of a namespace, which dies with who
/// waits for it (unshare(1)).
const WORDS: [&str; 4] = ["--pid", "--fork", "--kill-child", "--"];

/// What comes before a program to make it the head of its family; nothing where that cannot be had.
pub fn before() -> &'static [OsString] {
    static BEFORE: OnceLock<Vec<OsString>> = OnceLock::new();
    BEFORE.get_or_init(|| {
        let Some(unshare) = find_program(OsStr::new("unshare")) else { return Vec::new() };
        let mut tried = Command::new(&unshare);
        tried.args(WORDS).arg("true").stdin(Stdio::null());
        let ended = tried.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if ended.is_ok_and(|status| status.success()) {
            [unshare.into()].into_iter().chain(WORDS.map(OsString::from)).collect()
        } else {
            Vec::new()
        }
    })
}
