//! A small plan on an image, what it leaves and what it recorded.

// Each test file uses its part of this.
#![allow(dead_code)]
// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bakeoff_model::event::Event;
use bakeoff_model::run::Run;

use crate::bench::{Bench, mounts_of, must};
use crate::skip;

/// A mebibyte.
pub const MIB: u64 = 1 << 20;

/// Two candidates that every machine of the tests can make, on a small region, in short cells. The
/// bytes end it: five blocks or a few more, however fast the machine is.
pub const SMALL: &str = r#"
title = "small"
[region]
size = "64m"
[[stack]]
fs = "ext4"
[[stack]]
fs = "ext2"
[[workload]]
rw = "randwrite"
bs = "4k"
fsync = 1
[protocol]
isolation = "visit"
mode = "quick"
time = "2h"
max_write = "1750m"
cell_min = "100ms"
cell_min_ios = 10
"#;

/// The plan with another limit of bytes, for more candidates or a larger region.
pub fn writing_at_most(plan: &str, limit: &str) -> String {
    replaced(plan, "max_write = \"1750m\"", &format!("max_write = \"{limit}\""))
}

/// The plan with no limit of bytes.
pub fn unlimited(plan: &str) -> String {
    replaced(plan, "max_write = \"1750m\"\n", "")
}

/// The same with one candidate: there is nothing to compare, so it ends after the blocks of its
/// first look.
pub fn alone(plan: &str) -> String {
    replaced(&unlimited(plan), "[[stack]]\nfs = \"ext2\"\n", "")
}

/// The same with a twin of the candidate.
pub fn with_twin(plan: &str) -> String {
    replaced(&alone(plan), "mode = \"quick\"", "mode = \"precise\"")
}

fn replaced(plan: &str, from: &str, to: &str) -> String {
    let replaced = plan.replace(from, to);
    assert_ne!(replaced, plan, "there is no {from}");
    replaced
}

/// Whether the machine cannot do it.
pub fn lacks() -> bool {
    skip::lacks_root()
        || skip::lacks_loop_devices()
        || skip::lacks_command("losetup")
        || skip::lacks_command("mkfs.ext4")
        || skip::lacks_kernel_filesystem("ext4")
}

/// A plan and an image of holes in the directory of a test.
pub fn made(bench: &Bench, plan: &str, size: u64) -> PathBuf {
    fs::write(bench.path().join("plan.toml"), plan).unwrap();
    let image = bench.path().join("disk.img");
    fs::File::create(&image).unwrap().set_len(size).unwrap();
    image
}

/// The command that runs it.
pub const RUN: [&str; 7] =
    ["run", "plan.toml", "--target", "disk.img", "--erase", "disk.img", "--anyway"];

/// Goes on with the last run. A kill leaves the region as nobody recorded it, so the token may be
/// asked for again.
pub const RESUME: [&str; 4] = ["resume", "last", "--erase", "disk.img"];

/// Loop devices of the image, mounts of runs of this test.
pub fn left(bench: &Bench) -> Vec<String> {
    let loops = must(Command::new("losetup").args(["-n", "-l", "-O", "BACK-FILE"]));
    // What lies above its mount leaves the path when the namespace of a killed run has ended.
    let here = format!("/{}/", bench.path().file_name().unwrap().to_string_lossy());
    let mut found: Vec<String> =
        loops.lines().filter(|line| line.contains(&here)).map(str::to_string).collect();
    let runs = runs(bench);
    found.extend(mounts_of(&runs));
    let scratches = runs.iter().map(|run| Path::new("/run/bakeoff").join(run));
    found.extend(scratches.filter(|at| at.exists()).map(|at| at.display().to_string()));
    found
}

/// The runs in the store.
pub fn runs(bench: &Bench) -> Vec<String> {
    let listed = bench.run(&["runs", "--format", "json"]).json();
    let list = listed["runs"].as_array().unwrap();
    list.iter().map(|run| run["run"].as_str().unwrap().to_string()).collect()
}

/// The last run, as events and folded.
pub fn record(bench: &Bench) -> (Vec<Event>, Run) {
    let lines = bench.lines("last");
    let events: Vec<Event> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let run = Run::fold(&events).unwrap();
    (events, run)
}
