//! A positive control on an image: slowed down by what the plan says, judged, and not ranked.

// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

#[path = "support/bench.rs"]
mod bench;
#[path = "support/skip.rs"]
mod skip;

use std::fs;

use bakeoff_core::model::event::Event;
use bakeoff_core::model::run::Run;
use bench::Bench;

const PLAN: &str = r#"
title = "control"
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
mode = "quick"
cell_min = "100ms"
cell_min_ios = 10
positive_control = "30%"
"#;

#[test]
fn a_positive_control_is_slowed_down_and_judged() {
    if skip::lacks_root()
        || skip::lacks_loop_devices()
        || skip::lacks_command("losetup")
        || skip::lacks_command("mkfs.ext4")
        || skip::lacks_kernel_filesystem("ext4")
    {
        return;
    }
    let bench = Bench::new();
    fs::write(bench.path().join("plan.toml"), PLAN).unwrap();
    fs::File::create(bench.path().join("disk.img")).unwrap().set_len(96 << 20).unwrap();
    let ended = bench.run(&["run", "plan.toml", "--target", "disk.img", "--erase", "disk.img"]);
    assert!(ended.code == 0 || ended.code == 1, "{ended:?}");
    let exported = bench.run(&["export", "last", "--format", "jsonl"]);
    let lines = exported.out.lines().map(|line| serde_json::from_str::<Event>(line).unwrap());
    let run = Run::fold(&lines.collect::<Vec<_>>()).unwrap();
    let names: Vec<&str> = run.header.candidates.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["ext4", "ext2", "ext4 (slowed)"]);
    let cells: Vec<_> = run.complete_blocks().flat_map(|block| &block.cells).collect();
    assert!(cells.len() >= 15, "{ended:?}");
    for cell in cells {
        let m = &cell.measurement;
        assert_eq!(m.job.slowed_ppm, if cell.candidate == 2 { 300_000 } else { 0 });
        let work_ns = (m.data_ns + m.flush_ns + m.close_ns) as f64;
        assert!(cell.candidate != 2 || m.elapsed_ns as f64 >= work_ns / 0.7, "{m:?}");
    }
    let shown = bench.run(&["show", "last", "--format", "json"]).json();
    let verdict = &shown["verdicts"][0];
    assert_eq!(verdict["effects"].as_array().unwrap().len(), 1, "{verdict}");
    let found = verdict["findings"].as_array().unwrap().iter();
    let controls: Vec<&str> = found.filter_map(|f| f["id"].as_str()).collect();
    assert!(controls.iter().any(|id| id.starts_with("control-")), "{verdict}");
}
