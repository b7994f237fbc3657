//! Directories behind a user-space driver and on another machine: measured as places, and it is
//! said that nobody can tell what their caches held.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, Ended, must};
use crate::skip;

const SFTP_SERVER: &str = "/usr/lib/openssh/sftp-server";

/// Measures one directory and checks what is said of its cache.
fn measured_with_unknown_cache(bench: &Bench, dir: &Path, class: &str, why: &str) {
    fs::write(dir.join("theirs"), "keep").unwrap();
    let dir_text = dir.to_str().unwrap();
    let args = ["quick", dir_text, "--workload", "randread", "--size", "16m", "--time", "20m"];
    let ended = bench.run(&args);
    assert_eq!(ended.code, 0, "{ended:?}");
    let shown = bench.run(&["show", "last", "--details"]).out;
    let said = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("cache state unknown") && said.contains(why), "{shown}");
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    assert_eq!(fs::read_to_string(dir.join("theirs")).unwrap(), "keep");
    let shown = bench.run(&["show", "last", "--format", "json"]).json();
    assert_eq!(shown["candidates"][0]["kind"]["directory"]["place"]["class"], class, "{shown:#}");
    let events = bench.events("last");
    let cells: Vec<_> = events.iter().filter_map(|e| e["what"].get("cell_done")).collect();
    assert!(cells.len() >= 3, "{cells:?}");
    assert!(cells.iter().all(|cell| cell["truth"]["cache"] == "unknown"), "{cells:?}");
}

#[test]
fn a_fuse_directory() {
    if skip::lacks_root()
        || skip::lacks_loop_devices()
        || skip::lacks_command("mkfs.ntfs")
        || skip::lacks_command("ntfs-3g")
        || skip::lacks_kernel_filesystem("fuse")
    {
        return;
    }
    let mut bench = Bench::new();
    let at = bench.mount_ntfs("1g");
    measured_with_unknown_cache(&bench, &at, "fuse", "the filesystem uses a user-space driver");
}

#[test]
fn a_network_directory() {
    if skip::lacks_root()
        || skip::lacks_command("sshfs")
        || skip::lacks_command(SFTP_SERVER)
        || skip::lacks_kernel_filesystem("fuse")
    {
        return;
    }
    let mut bench = Bench::new();
    // The other machine is this one, reached by the real protocol without a network between.
    let there = bench.dir("there");
    let pipe = bench.path().join("pipe");
    fs::write(&pipe, format!("#!/bin/sh\nexec {SFTP_SERVER}\n")).unwrap();
    fs::set_permissions(&pipe, fs::Permissions::from_mode(0o755)).unwrap();
    let at = bench.dir("here");
    let mut sshfs = Command::new("sshfs");
    sshfs.arg("-o").arg(format!("ssh_command={}", pipe.display()));
    must(sshfs.arg(format!("elsewhere:{}", there.display())).arg(&at));
    bench.unmount_later(at.clone());
    measured_with_unknown_cache(&bench, &at, "network", "the cache of the other machine");
}

#[test]
fn places_that_are_no_place_for_files() {
    let bench = Bench::new();
    for dir in ["/proc", "/sys"] {
        let ended = Ended::from_output(bench.bakeoff().args(["quick", dir]).output().unwrap());
        assert_eq!((ended.code, ended.out.as_str()), (4, ""), "{dir}: {ended:?}");
        assert!(ended.err.contains(dir), "{dir}: {ended:?}");
    }
}
