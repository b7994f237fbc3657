//! Causes made on purpose on this machine: each is attributed to itself. Those that need a disk of
//! their own are in tests/machines/test_causes.py.
//!
//! At the highest priority, so that what else runs here is not what holds back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench;
use crate::bench::{Bench, Ended};
use crate::on_image::{MIB, RUN, lacks, made};
use crate::skip;

/// Runs bakeoff before everybody else, in a control group where one is given.
fn first(bench: &Bench, group: Option<&Path>, args: &[&str]) -> Ended {
    let join = group
        .map_or(String::new(), |group| format!("echo $$ >{}/cgroup.procs && ", group.display()));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{join}exec nice -n -20 \"$0\" \"$@\"")]);
    command.arg(env!("CARGO_BIN_EXE_bakeoff")).args(args);
    command.env("XDG_DATA_HOME", bench.path().join("data")).current_dir(bench.path());
    bench::ended_of(&mut command)
}

/// A run of one workload on ext4 in an image.
fn run(bench: &Bench, workload: &str) -> Ended {
    let plan = format!(
        "title = 'made'\n[region]\nsize = '64m'\n[[stack]]\nfs = 'ext4'\n[[workload]]\n{workload}\n\
         [protocol]\nmode = 'quick'\ncell_min = '500ms'\ncell_min_ios = 10\n"
    );
    made(bench, &plan, 96 * MIB);
    first(bench, None, &[&RUN[..], &["--format", "json", "--quiet"]].concat())
}

/// The cause that was named and whose it is.
fn named(ended: &Ended) -> (String, Option<String>) {
    assert!(ended.code == 0 || ended.code == 1, "{ended:?}");
    let result = ended.json();
    let reason = &result["verdicts"][0]["held_back"][0]["reason"];
    let text = |key: &str| reason[key].as_str().map(str::to_string);
    (text("cause").unwrap_or_else(|| panic!("no cause in {result:#}")), text("subject"))
}

#[test]
fn eight_bytes_a_call_are_held_back_by_system_calls() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    let ended = run(&bench, "rw = 'write'\nbs = 8\nsize = '4m'\nend_fsync = true");
    // Where others take the CPUs all the same, that is the cause, and the program says so.
    let (cause, subject) = named(&ended);
    let is_crowded = cause == "cpu" && subject.as_deref() == Some("other processes");
    let is_seen = ended.out.contains("\"L52\"");
    assert!(cause == "system_calls" || is_crowded || is_seen, "{}", ended.out);
}

/// A control group that gets a twentieth of a CPU.
struct Quota(PathBuf);

impl Quota {
    /// In the first hierarchy, old or new, that has the CPUs.
    fn make() -> Option<Quota> {
        let old = Path::new("/sys/fs/cgroup/cpu");
        let is_old = old.join("cpu.cfs_quota_us").exists() || old.join("tasks").exists();
        let parent = if is_old { old } else { Path::new("/sys/fs/cgroup") };
        if !is_old {
            fs::write(parent.join("cgroup.subtree_control"), "+cpu").ok()?;
        }
        let group = parent.join(format!("bakeoff-test-{}", std::process::id()));
        fs::create_dir(&group).ok()?;
        let quota = Quota(group);
        let set = |file: &str, value: &str| fs::write(quota.0.join(file), value);
        let done = if is_old {
            set("cpu.cfs_period_us", "100000").and(set("cpu.cfs_quota_us", "5000"))
        } else {
            set("cpu.max", "5000 100000")
        };
        done.is_ok().then_some(quota)
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        // A process that has just ended may still be in it; an empty group harms nobody.
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_cpu_quota_is_named_whatever_the_disk_does() {
    if skip::lacks_root() {
        return;
    }
    let Some(quota) = Quota::make() else {
        skip::skip("a CPU controller", "no control group with a quota can be made here");
        return;
    };
    let mut bench = Bench::new();
    // In memory: beside others a disk may be so slow that a twentieth of a CPU is enough for it.
    let place = bench.tmpfs("2g").to_string_lossy().into_owned();
    let words = ["quick", &place, "--workload", "randread", "--time", "20m", "--size", "16m"];
    let words = [&words[..], &["--format", "json", "--quiet"]].concat();
    let ended = first(&bench, Some(&quota.0), &words);
    let (cause, subject) = named(&ended);
    let found = (cause.as_str(), subject.as_deref());
    assert_eq!(found, ("cpu", Some("quota of the control group")), "{}", ended.out);
}
