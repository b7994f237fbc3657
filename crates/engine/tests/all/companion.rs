//! Companions through the child process, as the parent of a measured workload sees them. What is
//! compared are counts and the companion's own clock, so that no test looks at a speed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use bakeoff_model::companions;
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::measurement::Measurement;
use bakeoff_model::path::RawPath;
use bakeoff_model::profile::{Part, Profile};
use bakeoff_tools::native::{CompanionOrder, FailureKind, NativeTask, Reply, TargetKind};

struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn start(job: &Job, part: Option<Part>, path: &Path) -> Talk {
        let is_directory = part.is_some() || job.rw == Rw::SmallFiles;
        let kind = if is_directory { TargetKind::Directory } else { TargetKind::File };
        let mut child = Command::new(env!("CARGO_BIN_EXE_engine"))
            .arg("companion")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut talk = Talk { child, input, output: BufReader::new(output) };
        let task = NativeTask {
            profile: part.map(|part| part.profile),
            parts: part.iter().map(|part| part.part).collect(),
            parent_pid: Some(std::process::id()),
            ..NativeTask::new(job.clone(), RawPath::new(path), kind)
        };
        talk.say(&serde_json::to_vec(&task).unwrap());
        talk
    }

    fn say(&mut self, line: &[u8]) {
        // A child that failed does not read any more.
        let _ = self.input.write_all(&[line, b"\n"].concat());
    }

    fn hear(&mut self) -> Reply {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line:?}: {e}"))
    }

    fn order(&mut self, order: CompanionOrder) {
        self.say(&serde_json::to_vec(&order).unwrap());
        assert_eq!(self.hear(), Reply::Ready, "{order:?}");
    }

    /// Bytes that the process has handed to the kernel to write, pipes included.
    fn written(&self) -> u64 {
        let io = std::fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap();
        let line = io.lines().find_map(|line| line.strip_prefix("wchar: "));
        line.unwrap().parse().unwrap()
    }

    /// Hundredths of a second of CPU time that it used.
    fn cpu_ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let after_name = stat.rsplit(')').next().unwrap();
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        [11, 12].iter().map(|at| fields[*at].parse::<u64>().unwrap()).sum()
    }

    fn end(mut self) -> Measurement {
        self.say(&serde_json::to_vec(&CompanionOrder::End).unwrap());
        match self.hear() {
            Reply::Ok(ended) => {
                assert!(self.child.wait().unwrap().success());
                *ended
            }
            other => panic!("{other:?}"),
        }
    }
}

/// On the build directory's filesystem: /tmp may be memory.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn paced(m: &Measurement) -> u64 {
    m.ops().filter(|(kind, _)| *kind != "flush").map(|(_, stats)| stats.total_ios).sum()
}

/// Works for a moment, rests, and works again.
fn in_turns(mut talk: Talk) -> Measurement {
    assert_eq!(talk.hear(), Reply::Ready);
    for _ in 0..3 {
        talk.order(CompanionOrder::Go);
        std::thread::sleep(Duration::from_millis(60));
        talk.order(CompanionOrder::Rest);
        // Time that is not its own.
        std::thread::sleep(Duration::from_millis(200));
    }
    talk.end()
}

/// No more than was due, and what is missing is known.
fn keeps_its_pace(m: &Measurement, rate: u64) {
    let due = (u128::from(m.elapsed_ns) * u128::from(rate) / 1_000_000_000) as u64;
    let done = paced(m);
    // One begins with the clock, and one may be under way.
    assert!(done > 0 && done <= due + 2, "{done} of {due}: {m:?}");
    // Threads end one after the other where CPUs are busy, and the time is that of the last one.
    let due_for_all = due / u64::from(m.job.numjobs.max(1));
    assert!(done + m.backlog.unwrap_or(0) + 2 >= due_for_all, "{done} of {due}: {m:?}");
}

#[test]
fn a_job_does_as_much_as_its_rate_asks_for_in_the_time_it_works() {
    for (rw, numjobs, iodepth, engine) in [
        (Rw::Write, 1, 1, EngineName::Psync),
        (Rw::RandWrite, 2, 1, EngineName::Psync),
        (Rw::RandRead, 1, 4, EngineName::IoUring),
    ] {
        let dir = directory();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![0x55; 1 << 20]).unwrap();
        let fdatasync = u32::from(rw.writes());
        let job = Job { numjobs, iodepth, engine, fdatasync, ..Job::new(rw, 4096, 1 << 20) };
        let job = Job { rate_iops: Some(200), ..job };
        let measured = in_turns(Talk::start(&job, None, &path));
        keeps_its_pace(&measured, 200);
        assert_eq!(measured.windows, []);
        // 180 ms at work and 600 ms at rest; a machine that is busy makes the first longer only.
        let done = measured.write.as_ref().or(measured.read.as_ref()).unwrap();
        assert!(done.lat_ns.max > 0, "{measured:?}");
    }
}

#[test]
fn profiles_and_small_files_keep_a_pace_too() {
    let part = |profile| Some(Part { profile, part: 0 });
    let mut all: Vec<(Job, Option<Part>)> = ["backup"]
        .iter()
        .map(|name| companions::built_in(name).unwrap())
        .map(|w| (Job { size: 4 << 20, ..w.job }, w.profile))
        .collect();
    let files = Job { rate_iops: Some(300), ..Job::new(Rw::SmallFiles, 4096, 40960) };
    all.push((files, None));
    let copied = bakeoff_model::profiles::job(Profile::CopyTree);
    let copied = Job { rate_iops: Some(100), size: 4 << 20, ..copied };
    all.push((copied, part(Profile::CopyTree)));
    for (job, part) in all {
        let dir = directory();
        let measured = in_turns(Talk::start(&job, part, dir.path()));
        keeps_its_pace(&measured, job.rate_iops.unwrap());
    }
}

#[test]
fn a_companion_at_rest_does_nothing() {
    let dir = directory();
    let path = dir.path().join("file");
    let job = Job { rate_iops: Some(1000), numjobs: 3, ..Job::new(Rw::Write, 4096, 1 << 20) };
    std::fs::write(&path, "").unwrap();
    let mut talk = Talk::start(&job, None, &path);
    assert_eq!(talk.hear(), Reply::Ready);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0, "it has not begun");
    talk.order(CompanionOrder::Go);
    std::thread::sleep(Duration::from_millis(20));
    talk.order(CompanionOrder::Rest);
    let (written, used) = (talk.written(), talk.cpu_ticks());
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(talk.written(), written);
    // Threads that woke each other would have used all of it.
    assert!(talk.cpu_ticks() < used + 10);
    assert!(paced(&talk.end()) > 0);
}

#[test]
fn a_companion_that_cannot_work_says_why() {
    let dir = directory();
    let missing = dir.path().join("none").join("file");
    let job = Job { rate_iops: Some(10), ..Job::new(Rw::Write, 4096, 1 << 20) };
    let failure = |mut talk: Talk| match talk.hear() {
        Reply::Error(failure) => failure.kind,
        other => panic!("{other:?}"),
    };
    assert_eq!(failure(Talk::start(&job, None, &missing)), FailureKind::NotFound);
    let wrong = Job { bs: 0, ..job };
    let path = dir.path().join("file");
    std::fs::write(&path, "x").unwrap();
    assert_eq!(failure(Talk::start(&wrong, None, &path)), FailureKind::Invalid);
}
