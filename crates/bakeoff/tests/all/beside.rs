//! Workloads beside a companion, and jobs of fio that run at the same time.

use std::fs;

use bakeoff_model::measurement::Measurement;

use crate::bench::Bench;
use crate::on_image::{MIB, RUN, lacks, left, made, record};

/// One candidate; a workload in slices and a profile in one piece, each with and without.
const PLAN: &str = r#"
[region]
size = "64m"
[[stack]]
fs = "ext4"
[[workload]]
name = "commits"
rw = "randwrite"
bs = "4k"
fsync = 1
beside = ["none", "logs"]
[[workload]]
profile = "package-install"
beside = ["none", "logs"]
[protocol]
mode = "quick"
time = "2h"
cell_min = "300ms"
cell_min_ios = 10
"#;

#[test]
fn a_companion_works_at_its_pace_and_has_figures_of_its_own() {
    if lacks() {
        return;
    }
    let bench = Bench::new();
    made(&bench, PLAN, 96 * MIB);
    let ended = bench.run(&RUN);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    let (_, run) = record(&bench);
    let names: Vec<&str> = run.header.workloads.iter().map(|w| w.name.as_str()).collect();
    let all = ["commits", "commits beside logs", "package-install", "package-install beside logs"];
    assert_eq!(names, all);
    let cells = run.blocks.iter().flat_map(|block| &block.cells);
    for cell in cells {
        let is_beside = run.header.workloads[cell.workload].beside.is_some();
        assert_eq!(cell.beside.is_some(), is_beside, "{:?}", cell.workload);
        if let Some(beside) = &cell.beside {
            keeps_ten_a_second(beside);
            // What the workload itself wrote is more, and none of it is here.
            let writes = cell.measurement.write.as_ref().map_or(0, |write| write.total_ios);
            assert!(writes > 0 && cell.measurement.job.fdatasync == 0, "{:?}", cell.measurement);
        }
    }
    let json = bench.run(&["show", "last", "--format", "json"]).json();
    let said = &json["beside"];
    assert_eq!((&said[0]["alone"], &said[0]["rate"]), (&"commits".into(), &10.into()), "{said}");
    assert!(said[0]["candidates"][0]["figures"][1].as_f64().unwrap() > 0.0, "{said}");
    let says = |text: &str| text.replace('\n', " ").contains("commits beside logs: p");
    assert!(json["advice"].as_array().unwrap().iter().any(|line| says(line.as_str().unwrap())));
    for format in ["text", "markdown"] {
        let shown = bench.run(&["show", "last", "--format", format]);
        assert!(says(&shown.out), "{format}: {shown:?}");
    }
}

fn keeps_ten_a_second(beside: &Measurement) {
    let (write, flush) = (beside.write.as_ref().unwrap(), beside.flush.as_ref().unwrap());
    assert!(write.total_ios > 0 && flush.total_ios >= write.total_ios, "{beside:?}");
    let due = beside.elapsed_ns / 100_000_000;
    let done = write.total_ios + beside.backlog.unwrap_or(0);
    assert!(write.total_ios <= due + 2 && done + 2 >= due, "{done} of {due}: {beside:?}");
}

/// They ran one after the other.
#[test]
fn jobs_of_fio_run_together_until_a_stonewall() {
    let bench = Bench::new();
    fs::write(
        bench.path().join("mixed.fio"),
        "[global]\nsize=4m\nruntime=4\ntime_based\n[writer]\nrw=randwrite\nbs=4k\nfsync=1\n\
         rate_iops=20\n[reader]\nrw=randread\nbs=16k\nrate_iops=50\n[after]\nstonewall\nrw=read\n\
         bs=64k\nruntime=1\nrate_iops=10\n",
    )
    .unwrap();
    let ended = bench.run(&["bench", "mixed.fio", "--format", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let json = ended.json();
    let when = |at: usize| {
        let job = &json["jobs"][at];
        let start = job["monotonic_ns"].as_u64().unwrap();
        (start, start + job["elapsed_ns"].as_u64().unwrap())
    };
    let [writer, reader, after] = [0, 1, 2].map(when);
    assert!(writer.0 < reader.1 && reader.0 < writer.1, "{writer:?} {reader:?}");
    assert!(after.0 >= writer.1 && after.0 >= reader.1, "{writer:?} {reader:?} {after:?}");
    assert_eq!(json["jobs"][0]["name"], "writer");
    assert!(json["jobs"][0].get("read").is_none() && json["jobs"][1].get("write").is_none());
    assert!(!ended.err.contains("one after the other"), "{ended:?}");
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}
