//! Candidates whose reads come from memory, or may: shown, and never the leader, fastest or as fast
//! as any, with profiles too.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::bench::{Bench, Killed, Loop, ended_of};
use crate::skip;

fn lacks() -> bool {
    skip::lacks_root()
        || skip::lacks_loop_devices()
        || skip::lacks_command("mkfs.ext4")
        || skip::lacks_kernel_filesystem("ext4")
        || skip::lacks_kernel_filesystem("fuse")
}

/// The verdicts of a comparison of two directories on `workload`.
fn compared(bench: &Bench, dirs: [&Path; 2], workload: &str) -> Vec<Value> {
    let [a, b] = dirs.map(|dir| dir.to_str().unwrap());
    let words = ["quick", a, b, "--workload", workload, "--size", "16m"];
    let ended = bench.run_in_time("4m", &words);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    let shown = bench.run(&["show", "last", "--format", "json"]).json();
    shown["verdicts"].as_array().unwrap().clone()
}

/// Whether a verdict leaves a directory out, for that reason.
fn leaves_out(verdict: &Value, dir: &Path, reason: &str) -> bool {
    let is_it = |out: &Value| out["candidate"] == dir.to_str().unwrap() && out["reason"] == reason;
    verdict["excluded"].as_array().unwrap().iter().any(is_it)
}

/// Whether a verdict leaves a directory out and says that its reads came from memory; or that they
/// may have, where other tests read as much from the drive meanwhile.
fn is_not_ranked(verdict: &Value, dir: &Path) -> bool {
    let memory = leaves_out(verdict, dir, "memory") && says(verdict, "reads came from memory");
    let unknown = leaves_out(verdict, dir, "cache_unknown");
    memory || unknown && says(verdict, "reads may have come from memory")
}

/// Whether its sentence says so.
fn says(verdict: &Value, why: &str) -> bool {
    verdict["sentence"].as_str().unwrap().contains(why)
}

/// The file below a loop device without direct I/O stays in the page cache.
#[test]
fn reads_through_a_cached_loop_device_lead_on_no_profile() {
    if lacks() || skip::lacks_command("mkfs.ext2") || skip::lacks_kernel_filesystem("ext2") {
        return;
    }
    let mut bench = Bench::new();
    let cached = bench.mount_loop("ext2", "800m", Loop::Plain);
    let ext4 = bench.mount_loop("ext4", "800m", Loop::Direct);
    let verdicts = compared(&bench, [&cached, &ext4], "backup");
    for verdict in &verdicts {
        assert!(is_not_ranked(verdict, &cached), "{verdict:#}");
    }
}

/// Another process that reads from the same drive.
fn reader(bench: &Bench) -> Killed {
    let file = bench.path().join("of-others");
    std::fs::write(&file, vec![1; 64 << 20]).unwrap();
    let script = "while :; do dd if=\"$0\" of=/dev/null bs=1M iflag=direct || exit; done";
    let mut command = Command::new("sh");
    Killed(command.args(["-c", script]).arg(file).stderr(Stdio::null()).spawn().unwrap())
}

/// What another process read from the drive was taken for the candidate's own reads: "ntfs.mnt:
/// fastest for random reads (3.1 times)", from memory.
#[test]
fn reads_of_others_do_not_make_memory_a_drive() {
    if lacks() || skip::lacks_command("mkfs.ntfs") || skip::lacks_command("ntfs-3g") {
        return;
    }
    let mut bench = Bench::new();
    let ntfs = bench.mount_ntfs("800m");
    let cached = bench.mount_loop("ext4", "800m", Loop::Plain);
    let _reader = reader(&bench);
    let verdicts = compared(&bench, [&ntfs, &cached], "boot");
    for verdict in &verdicts {
        assert_eq!(verdict["verdict"], "refused", "{verdict:#}");
        assert!(is_not_ranked(verdict, &ntfs) && is_not_ranked(verdict, &cached), "{verdict:#}");
    }
}

/// NTFS, exFAT and FAT are often mounted with mode 0777, where `chmod go-w` was the advice and has
/// no effect, and boards with only root could not go on without it.
#[test]
fn a_stick_mounted_for_everybody_is_used_where_only_root_logs_in() {
    if lacks() || skip::lacks_command("mkfs.ntfs") || skip::lacks_command("ntfs-3g") {
        return;
    }
    let mut bench = Bench::new();
    let at = bench.mount_ntfs_for_all("800m");
    let users = bench.path().join("passwd");
    let root = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/sbin/nologin\n";
    let with_users = |text: String| {
        std::fs::write(&users, text).unwrap();
        let script = "mount --bind \"$0\" /etc/passwd && exec \"$@\"";
        let mut inside = Command::new("unshare");
        inside.args(["--mount", "sh", "-c", script]).arg(&users);
        inside.arg(env!("CARGO_BIN_EXE_bakeoff")).arg("--store").arg(bench.path().join("own.db"));
        inside.arg("bench").arg(&at);
        ended_of(inside.args(["--rw=read", "--size=16m", "--bs=64k", "--runtime=1"]))
    };
    let alone = with_users(root.to_string());
    assert_eq!(alone.code, 0, "{alone:?}");
    let refused = with_users(format!("{root}me:x:1000:1000::/home/me:/bin/sh\n"));
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused.err.contains("umask=022") && !refused.err.contains("chmod go-w"),
        "{refused:?}"
    );
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}
