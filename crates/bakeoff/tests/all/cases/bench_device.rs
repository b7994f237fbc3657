//! `bench` on a block device: read without asking, written only through the guard and its token.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::bench::{Bench, LoopDevice, must};
use crate::skip;

/// A loop device and its file, of bytes that are not all alike: whether they were changed is seen.
fn disk(bench: &Bench, name: &str) -> (LoopDevice, PathBuf) {
    let file = bench.path().join(name);
    let bytes: Vec<u8> = (0..32u32 << 18).flat_map(u32::to_le_bytes).collect();
    fs::write(&file, bytes).unwrap();
    (LoopDevice::over(&file), file)
}

/// The token that a refusal names: the last word of `add --erase TOKEN`.
fn token_in(err: &str) -> String {
    let token = err.trim_end().rsplit_once("--erase ").unwrap().1;
    token.trim_matches('\'').to_string()
}

#[test]
fn a_device_is_read_freely_and_written_only_with_its_own_token() {
    if skip::lacks_root() || skip::lacks_loop_devices() {
        return;
    }
    let bench = Bench::new();
    let ((device, file), (other, _)) = (disk(&bench, "one.img"), disk(&bench, "two.img"));
    let (disk, other) = (device.0.as_str(), other.0.as_str());
    // What the file has once everything written is there.
    let bytes = || {
        must(Command::new("blockdev").args(["--flushbufs", disk]));
        fs::read(&file).unwrap()
    };
    let before = bytes();
    let read = bench.run(&["bench", disk, "--rw", "read", "--bs", "64k", "--format", "json"]);
    assert_eq!(read.code, 0, "{read:?}");
    assert_eq!(read.json()["read"]["io_bytes"], 32 << 20);
    let write = ["bench", disk, "--rw", "write", "--bs", "64k", "--io_size", "1m"];
    let with = |more: &[&str]| bench.run(&[&write, more].concat());

    let refused = with(&[]);
    assert_eq!((refused.code, refused.out.as_str()), (3, ""), "{refused:?}");
    assert!(refused.err.contains("never erases unasked"), "{refused:?}");
    let token = token_in(&refused.err);
    let others = token_in(&bench.run(&["bench", other, "--rw", "write"]).err);
    assert_ne!(token, others, "each device has its own token");
    for wrong in ["", "yes", disk, others.as_str()] {
        let refused = with(&["--erase", wrong]);
        assert_eq!((refused.code, refused.out.as_str()), (3, ""), "{wrong}: {refused:?}");
        assert!(refused.err.contains("not the erase token"), "{wrong}: {refused:?}");
        assert!(refused.err.contains("bakeoff devices"), "{wrong}: {refused:?}");
    }
    assert_eq!(with(&["--overwrite"]).code, 3, "--overwrite is for files");
    let beyond = with(&["--erase", &token, "--size", "64m"]);
    assert_eq!(beyond.code, 2, "{beyond:?}");
    assert!(bytes() == before, "the device was written without consent");

    let written = with(&["--erase", &token, "--end_fsync"]);
    assert_eq!(written.code, 0, "{written:?}");
    let after = bytes();
    assert!(after[..1 << 20] != before[..1 << 20]);
    assert!(after[1 << 20..] == before[1 << 20..], "it wrote beyond what was asked for");
    assert_eq!(bench.run(&["bench", disk, "--rw", "smallfiles"]).code, 2);
}
