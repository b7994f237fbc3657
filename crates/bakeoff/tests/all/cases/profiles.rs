//! Profiles against what they promise, under strace, which shows the flushes as the kernel sees
//! them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
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

/// Calls on data and flushes of files below a directory, as `call file`, in order.
struct Traced {
    calls: Vec<String>,
}

impl Traced {
    /// Runs a command under strace; what it does below `dir` is kept.
    fn run(command: &[&str], dir: &Path, stdin: &[u8]) -> Traced {
        let trace = tempfile::NamedTempFile::new().unwrap();
        let mut strace = Command::new("strace");
        strace.args(["-f", "-y", "-s", "0", "-o"]).arg(trace.path());
        strace.args(["-e", "trace=read,write,pread64,pwrite64,lseek,fsync,fdatasync,syncfs"]);
        strace.args(command).current_dir(dir);
        strace.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = strace.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
        if !stdin.is_empty() {
            Reply::parse(&output.stdout).unwrap().into_result().unwrap();
        }
        let text = String::from_utf8_lossy(&fs::read(trace.path()).unwrap()).into_owned();
        let below = format!("<{}", dir.display());
        let lines: Vec<&str> = text.lines().filter(|line| line.contains(&below)).collect();
        Traced { calls: lines.iter().filter_map(|line| call(line)).collect() }
    }

    /// The parts of a profile, as the measuring process does them.
    fn native(profile: Profile, parts: &[u16], job: Job) -> Traced {
        let bench = Bench::new();
        let dir = bench.dir("profile");
        let task = NativeTask {
            history: None,
            more: Vec::new(),
            job,
            profile: Some(profile),
            parts: parts.to_vec(),
            disks: Vec::new(),
            worn: None,
            target: RawPath::new(&dir),
            inode: None,
            target_kind: TargetKind::Directory,
            live_fd: None,
            parent_pid: None,
        };
        let task = serde_json::to_vec(&task).unwrap();
        Traced::run(&[env!("CARGO_BIN_EXE_bakeoff"), "__engine"], &dir, &task)
    }

    fn of(&self, call: &str) -> usize {
        self.calls.iter().filter(|c| c.split(' ').next() == Some(call)).count()
    }
}

/// `PID pwrite64(5</dir/test_file.3>, …` as `pwrite64 test_file.3`.
fn call(line: &str) -> Option<String> {
    let rest = line.split_once(' ')?.1.trim_start();
    let (name, arguments) = rest.split_once('(')?;
    let path = arguments.split_once('<')?.1.split_once('>')?.0;
    Some(format!("{name} {}", path.rsplit('/').next()?))
}

fn job(profile: Profile, bs: u64, size: u64) -> Job {
    Job { bs, size, invalidate: false, ..profiles::job(profile) }
}

#[test]
fn sqlite_syncs_as_often_as_its_journal_promises() {
    if skip::lacks_command("strace") {
        return;
    }
    let job = |part| Traced::native(Profile::Sqlite, &[part], job(Profile::Sqlite, 100, 1 << 20));
    // A thousand commits: with the rollback journal its file, its directory's entry or header, and
    // the database; with the log one flush each.
    let rollback = job(0);
    assert!(rollback.of("fdatasync") + rollback.of("fsync") >= 3000);
    let wal = job(1);
    let syncs = wal.of("fdatasync") + wal.of("fsync");
    assert!((1000..1100).contains(&syncs), "{syncs}");
}

#[test]
fn a_package_is_flushed_file_by_file_before_its_files_get_their_names() {
    if skip::lacks_command("strace") {
        return;
    }
    let job = Job { nrfiles: 10, ..job(Profile::PackageInstall, 4096, 1 << 20) };
    let traced = Traced::native(Profile::PackageInstall, &[], job);
    let want: Vec<String> = [
        ["write tmp.i", "fsync tmp.i", "fsync updates"].repeat(2),
        (0..10).map(|_| "write").collect(),
        (0..10).map(|_| "fsync").collect(),
        ["write tmp.i", "fsync tmp.i", "fsync updates"].repeat(2),
    ]
    .concat()
    .into_iter()
    .map(str::to_string)
    .collect();
    assert_eq!(traced.calls.len(), want.len());
    for (got, want) in traced.calls.iter().zip(want) {
        assert!(got.starts_with(&want), "{got} instead of {want}");
        assert!(want.contains(' ') || got.ends_with(".dpkg-new"), "{got}");
    }
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
