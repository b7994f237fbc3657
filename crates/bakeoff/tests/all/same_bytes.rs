//! The same analysis on an emulated ARMv6, the processor of the first Raspberry Pis, gives the same
//! bytes: records, reports, findings, and everything that is computed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::skip;
use crate::stored;
use crate::stored::Home;

const EMULATOR: [&str; 3] = ["qemu-arm-static", "-cpu", "arm1176"];

/// What is compared.
const WORDS: [&[&str]; 4] = [
    &["show", "--format", "json"],
    &["show", "--format", "csv"],
    &["show", "last", "--format", "markdown"],
    &["show", "last"],
];

/// The program for ARMv6, where there is one that is newer than every source it was made of.
fn arm_binary() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let debug = Path::new(env!("CARGO_BIN_EXE_bakeoff")).parent().unwrap();
    let binary = debug.with_file_name("dist/bakeoff-armv6");
    let sources = ["core", "engine/src", "bakeoff/src"].map(|of| root.join("crates").join(of));
    let newest = sources.iter().map(|folder| newest_in(folder)).max();
    if changed(&binary) > newest {
        return Some(binary);
    }
    let reason = "no target/dist/bakeoff-armv6 is newer than the sources: make dist ARGS=armv6";
    skip::skip("a program for ARMv6", reason);
    None
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}

fn newest_in(folder: &Path) -> SystemTime {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let newest =
        |path: PathBuf| if path.is_dir() { newest_in(&path) } else { changed(&path).unwrap() };
    entries.map(newest).max().unwrap_or(SystemTime::UNIX_EPOCH)
}

#[test]
fn an_emulated_armv6_gives_the_same_bytes() {
    if skip::lacks_command(EMULATOR[0]) {
        return;
    }
    let Some(binary) = arm_binary() else { return };
    let home = Home::with_run();
    let emulated = |words: &[&str]| {
        let mut command = Command::new(EMULATOR[0]);
        command.args(&EMULATOR[1..]).arg(&binary).args(["--store", "armv6.db"]).args(words);
        command.current_dir(home.dir.path()).output().unwrap()
    };
    let bundle = stored::bundle_path();
    let imported = emulated(&["runs", "add", bundle.to_str().unwrap()]);
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    for words in WORDS {
        let here = home.cmd(words).output().unwrap();
        let there = emulated(words);
        let said = String::from_utf8_lossy(&there.stderr);
        assert_eq!(there.status.code(), here.status.code(), "{words:?}: {said}");
        assert!(here.stdout.len() > 100, "{words:?} says nothing");
        assert!(here.stdout == there.stdout, "{words:?} differs");
    }
}
