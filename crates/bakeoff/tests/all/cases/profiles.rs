//! Profiles: the flushes of SQLite as the kernel sees them, parts that are recorded together, sizes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use bakeoff_model::event::What;
use bakeoff_model::job::Job;
use bakeoff_model::path::RawPath;
use bakeoff_model::profile::Profile;
use bakeoff_model::profiles;
use bakeoff_tools::native::{NativeTask, Reply, TargetKind};

use rustix::process::Signal;

use crate::bench::Bench;
use crate::on_image;
use crate::running::{self, Running};
use crate::skip;

/// Flushes of one part of the profile, as the measuring process does it.
fn flushes_of_sqlite(part: u16) -> usize {
    let bench = Bench::new();
    let (dir, trace) = (bench.dir("profile"), bench.path().join("trace"));
    let job = Job { bs: 100, size: 1 << 20, invalidate: false, ..profiles::job(Profile::Sqlite) };
    let task = NativeTask {
        history: None,
        more: Vec::new(),
        job,
        profile: Some(Profile::Sqlite),
        parts: vec![part],
        disks: Vec::new(),
        worn: None,
        target: RawPath::new(&dir),
        inode: None,
        target_kind: TargetKind::Directory,
        live_fd: None,
        parent_pid: None,
    };
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-e", "trace=fsync,fdatasync,syncfs", "-o"]).arg(&trace);
    strace.args([env!("CARGO_BIN_EXE_bakeoff"), "__engine"]);
    let mut child = strace.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&serde_json::to_vec(&task).unwrap()).unwrap();
    let output = child.wait_with_output().unwrap();
    Reply::parse(&output.stdout).unwrap().into_result().unwrap();
    let below = format!("<{}", dir.display());
    let text = fs::read_to_string(trace).unwrap();
    text.lines().filter(|line| line.contains("sync(") && line.contains(&below)).count()
}

#[test]
fn sqlite_syncs_as_often_as_its_journal_promises() {
    if skip::lacks_command("strace") {
        return;
    }
    // A thousand commits: with the rollback journal its file, its directory's entry or header, and
    // the database; with the log one flush each.
    let (rollback, wal) = (flushes_of_sqlite(0), flushes_of_sqlite(1));
    assert!(rollback >= 3000, "{rollback}");
    assert!((1000..1100).contains(&wal), "{wal}");
}

#[test]
fn parts_are_repeated_and_recorded_together() {
    let bench = Bench::new();
    let dir = bench.dir("d");
    let at = dir.to_str().unwrap();
    let args = ["quick", at, "--workload", "sqlite", "--size", "16m", "--time", "20m"];
    let mut run = Running::start(bench.bakeoff().args(args));
    let group = run.until_in_a_cell(&bench.store());
    running::send(group, Signal::KILL);
    run.until_recorded("both parts", &bench.store(), |record| {
        (record.count_of("cell_done") >= 2).then_some(())
    });
    run.signal(Signal::INT);
    run.end();
    let events = bench.events("last");
    let of = |kind: &str| -> Vec<serde_json::Value> {
        events.iter().filter_map(|e| e["what"].get(kind)).cloned().collect()
    };
    // The one that was killed; a busy machine may cost others.
    assert!(!of("cell_invalid").is_empty());
    let cells = of("cell_done");
    for (part, cell) in cells[..2].iter().enumerate() {
        assert_eq!((&cell["workload"], &cell["block"]), (&part.into(), &0.into()));
        assert!(cell["measurement"]["commit"]["total_ios"].as_u64().unwrap() >= 50);
    }
    let began = |cell: &serde_json::Value| cell["began_ns"].as_u64().unwrap();
    assert!(began(&cells[1]) > began(&cells[0]));
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "nothing of ours is left");
}

/// One profile in two sizes, and reads of a part of the data file.
const SIZES: &str = r#"
title = "sizes"
[region]
size = "96m"
[[stack]]
fs = "ext4"
[[workload]]
profile = "nas"
size = ["4m", "8m"]
[[workload]]
rw = "read"
bs = "64k"
direct = true
size = ["2m", "16m"]
[protocol]
mode = "quick"
cell_min = "50ms"
cell_min_ios = 10
"#;

#[test]
fn a_size_in_a_plan_is_the_size_that_is_measured() {
    if on_image::lacks() {
        return;
    }
    let bench = Bench::new();
    on_image::made(&bench, SIZES, 128 * on_image::MIB);
    let ended = bench.run(&on_image::RUN);
    assert!(matches!(ended.code, 0 | 1), "{ended:?}");
    let (events, run) = on_image::record(&bench);
    let mut sizes = BTreeMap::new();
    for event in &events {
        let What::CellDone(cell) = &event.what else { continue };
        let name = &run.header.workloads[cell.workload].name;
        let job = &cell.measurement.job;
        sizes.insert(name.as_str(), job.size / on_image::MIB);
    }
    let of = |name: &str| sizes.iter().find(|(known, _)| **known == name).map(|(_, size)| *size);
    assert_eq!(of("nas-of4m-write"), Some(4), "{sizes:?}");
    assert_eq!(of("nas-of8m-read"), Some(8), "{sizes:?}");
    assert_eq!(of("read-64k-of2m"), Some(2), "{sizes:?}");
    assert_eq!(of("read-64k-of16m"), Some(16), "{sizes:?}");
    let too_large = SIZES.replace("\"8m\"", "\"70m\"");
    fs::write(bench.path().join("plan.toml"), too_large).unwrap();
    let refused = bench.run(&on_image::RUN);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("use a smaller size or a larger region"), "{refused:?}");
}
