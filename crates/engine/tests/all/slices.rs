//! Cells in slices, through the child process as its parent sees it. No test looks at a speed.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use bakeoff_model::job::{EngineName, Job, Offsets, Rw};
use bakeoff_model::measurement::Measurement;
use bakeoff_model::path::RawPath;
use bakeoff_model::slice::{STRETCHES, Stretch};
use bakeoff_model::slice_length::{Least, Length};
use bakeoff_tools::native::sliced::{OpKind, Report, Request, merged};
use bakeoff_tools::native::{FailureKind, NativeTask, Reply, TargetKind};

struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn start(job: &Job, path: &Path, target_kind: TargetKind) -> Talk {
        let mut child = Command::new(env!("CARGO_BIN_EXE_engine"))
            .arg("slices")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let task = NativeTask {
            parent_pid: Some(std::process::id()),
            ..NativeTask::new(job.clone(), RawPath::new(path), target_kind)
        };
        let mut talk = Talk { child, input, output: BufReader::new(output) };
        talk.say(&serde_json::to_vec(&task).unwrap());
        talk
    }

    fn ready(job: &Job, path: &Path) -> Talk {
        let kind = if job.rw == Rw::SmallFiles { TargetKind::Directory } else { TargetKind::File };
        let mut talk = Talk::start(job, path, kind);
        assert_eq!(talk.hear(), Reply::Ready, "{job:?}");
        talk
    }

    fn say(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        // A child that failed does not read any more.
        let _ = input.write_all(&[line, b"\n"].concat());
    }

    fn hear_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    fn hear(&mut self) -> Reply {
        let line = self.hear_line();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line:?}: {e}"))
    }

    fn measure(&mut self, request: Request) -> Report {
        self.say(&serde_json::to_vec(&Some(request)).unwrap());
        match self.hear() {
            Reply::Slice(report) => *report,
            other => panic!("{other:?}"),
        }
    }

    fn end(mut self) -> Measurement {
        self.say(b"null");
        match self.hear() {
            Reply::Ok(ended) => {
                assert!(self.child.wait().unwrap().success());
                *ended
            }
            other => panic!("{other:?}"),
        }
    }

    fn failure(mut self) -> FailureKind {
        match self.hear() {
            Reply::Error(failure) => failure.kind,
            other => panic!("{other:?}"),
        }
    }
}

/// A directory on a real filesystem: /tmp may be memory, the build directory is not.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn short(ios: u64) -> Request {
    Request::new(Length::of(3_000_000), 1, Least { ios, ..Least::default() })
}

fn count(report: &Report, kind: OpKind) -> u64 {
    report.totals(kind).map_or(0, |totals| totals.count)
}

#[test]
fn every_kind_of_job_measures_slices_and_verifies() {
    let dir = directory();
    let path = dir.path().join("file");
    std::fs::write(&path, vec![0x55; 1 << 20]).unwrap();
    let engines = [EngineName::Psync, EngineName::IoUring, EngineName::Libaio];
    let all = [Rw::Read, Rw::Write, Rw::RandRead, Rw::RandWrite, Rw::RandRw];
    for (engine, rw) in engines.into_iter().flat_map(|e| all.map(|rw| (e, rw))) {
        for (iodepth, numjobs, direct, fsync) in
            [(1, 1, false, 0), (8, 1, true, 0), (4, 2, false, 3), (1, 3, true, 1)]
        {
            let (fdatasync, verify) = (fsync * 2, rw.writes());
            let job =
                Job { engine, iodepth, numjobs, direct, fsync, ..Job::new(rw, 4096, 1 << 20) };
            let job = Job { fdatasync, verify, ..job };
            let mut talk = Talk::ready(&job, &path);
            let slices: Vec<_> = (0..4).map(|_| talk.measure(short(20))).collect();
            let ended = talk.end();
            check_sums(&job, &slices, ended);
        }
    }
}

fn check_sums(job: &Job, slices: &[Report], ended: Measurement) {
    for slice in slices {
        assert!(slice.ios() >= 20 && !slice.cut, "{job:?}: {slice:?}");
        assert_eq!(slice.bytes(), slice.ios() * 4096);
        assert!(count(slice, OpKind::Flush) > 0 || !job.rw.writes(), "{job:?}: {slice:?}");
        assert!(slice.data_ns + slice.flush_ns <= slice.elapsed_ns + 1_000_000, "{slice:?}");
        for (kind, totals) in &slice.ops {
            assert_eq!(totals.histogram.total(), totals.count, "{kind:?}");
            assert!(totals.min_ns <= totals.max_ns && totals.max_ns <= slice.elapsed_ns);
        }
    }
    for two in slices.windows(2) {
        let end_ns = two[0].monotonic_ns + two[0].elapsed_ns;
        assert!(end_ns <= two[1].monotonic_ns, "slices follow each other");
    }
    assert_eq!(ended.total_ios(), 0);
    if job.verify {
        assert!(ended.verified_bytes.unwrap() > 0, "{job:?}");
    }
    let valid: Vec<&Report> = slices.iter().skip(1).collect();
    let all = merged(ended, &valid);
    let ios: u64 = valid.iter().map(|slice| slice.ios()).sum();
    let flushes: u64 = valid.iter().map(|slice| count(slice, OpKind::Flush)).sum();
    assert_eq!(all.total_ios(), ios + flushes);
    assert_eq!(all.elapsed_ns, valid.iter().map(|slice| slice.elapsed_ns).sum::<u64>());
    assert_eq!(all.windows.iter().map(|w| w.ios).sum::<u64>(), ios + flushes);
    assert_eq!(all.windows.len(), 3);
}

/// Every block once: three slices together write no block twice.
#[test]
fn a_random_job_continues_its_sequence() {
    let dir = directory();
    let path = dir.path().join("file");
    let blocks = 1 << 14;
    let job = Job { offsets: Offsets::Once, ..Job::new(Rw::RandWrite, 512, blocks * 512) };
    let mut talk = Talk::ready(&job, &path);
    let (mut before, mut done) = (BTreeSet::new(), 0);
    for _ in 0..3 {
        let request = Request { slice_ns: 0, ..short(100) };
        done += talk.measure(request).ios();
        let written = written_blocks(&path);
        assert!(written.is_superset(&before));
        before = written;
        assert_eq!(before.len() as u64, done);
    }
    drop(talk);
    assert_eq!(done, 300, "a slice without time does its minimum");
}

fn written_blocks(path: &Path) -> BTreeSet<usize> {
    let bytes = std::fs::read(path).unwrap();
    let full = |block: &[u8]| block.iter().any(|byte| *byte != 0);
    (0..).zip(bytes.chunks(512)).filter(|(_, block)| full(block)).map(|(at, _)| at).collect()
}

#[test]
fn a_sequential_job_continues_its_offset() {
    let dir = directory();
    let path = dir.path().join("file");
    let job = Job { verify: true, ..Job::new(Rw::Write, 4096, 100 * 4096) };
    let mut talk = Talk::ready(&job, &path);
    let request = |bytes| Request::new(Length::of(0), 1, Least { bytes, ..Least::default() });
    for (bytes, length) in [(40 * 4096, 40), (30 * 4096 - 1, 70), (60 * 4096, 100)] {
        talk.measure(request(bytes));
        assert_eq!(std::fs::metadata(&path).unwrap().len(), length * 4096, "it appends, and wraps");
    }
    assert_eq!(talk.end().verified_bytes, Some(100 * 4096));
}

#[test]
fn a_slice_does_its_minimum_and_stops_at_its_limit() {
    let dir = directory();
    let path = dir.path().join("file");
    let job = Job { fsync: 5, ..Job::new(Rw::Write, 4096, 1 << 20) };
    let mut talk = Talk::ready(&job, &path);
    let request = Request::new(Length::of(0), 1, Least { ios: 7, flushes: 3, bytes: 0 });
    let slice = talk.measure(request);
    assert_eq!((slice.ios(), count(&slice, OpKind::Flush), slice.cut), (15, 3, false));
    let slice = talk.measure(Request { least_ios: u64::MAX, limit_ns: 30_000_000, ..request });
    assert!(slice.cut && slice.elapsed_ns >= 30_000_000, "{slice:?}");
    let slice = talk.measure(Request { least_flushes: 1, ..request });
    assert_eq!((slice.ios(), slice.cut), (7, false), "it recovers from the limit");
    talk.end();
}

#[test]
fn what_a_slice_writes_is_flushed_inside() {
    let dir = directory();
    let path = dir.path().join("file");
    let unflushed = Job::new(Rw::RandWrite, 4096, 1 << 20);
    let mut talk = Talk::ready(&unflushed, &path);
    for _ in 0..3 {
        let slice = talk.measure(short(20));
        assert_eq!(count(&slice, OpKind::Flush), 1);
        assert!(slice.flush_ns > 0 && slice.flush_ns <= slice.elapsed_ns);
    }
    assert!(talk.end().job.is_durable(), "the record says that it was flushed");
}

#[test]
fn small_files_leave_nothing_between_slices() {
    let dir = directory();
    for (fsync, numjobs) in [(1, 1), (0, 1), (1, 2), (0, 3)] {
        let job = Job { fsync, numjobs, ..Job::new(Rw::SmallFiles, 700, 7000) };
        let mut talk = Talk::ready(&job, dir.path());
        for ios in [1, 20, 33] {
            let slice = talk.measure(short(ios));
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left");
            assert!(slice.ios() >= ios.min(10) && !slice.cut, "{slice:?}");
            assert_eq!(slice.bytes(), slice.ios() * 1400);
            for kind in [OpKind::Create, OpKind::Stat, OpKind::Read, OpKind::Unlink] {
                assert_eq!(count(&slice, kind), slice.ios(), "{kind:?}");
            }
            assert!(count(&slice, OpKind::Flush) > 0);
        }
        talk.end();
    }
}

/// Cards charge for a turn: the drive settles first, on the same clock and in the same process.
#[test]
fn what_a_drive_does_while_it_settles_is_recorded_and_does_not_count() {
    let dir = directory();
    let path = dir.path().join("file");
    std::fs::write(&path, vec![0x55; 1 << 20]).unwrap();
    let flushed = Job { fsync: 1, ..Job::new(Rw::RandWrite, 4096, 1 << 20) };
    let queued = Job { iodepth: 4, direct: true, engine: EngineName::IoUring, ..flushed.clone() };
    let unflushed = Job::new(Rw::RandWrite, 4096, 1 << 20);
    let threads = Job { numjobs: 2, ..flushed.clone() };
    for job in [flushed, queued, unflushed, threads] {
        let mut talk = Talk::ready(&job, &path);
        let request = Request { slice_ns: 0, settling: 3, counted: 2, ..short(40) };
        let slice = talk.measure(request);
        let (settled, counted) = (Stretch::sum(&slice.settling), Stretch::sum(&slice.along));
        assert!((120..=128).contains(&settled.ios), "{job:?}: {slice:?}");
        assert!((80..=88).contains(&slice.ios()), "{job:?}: {slice:?}");
        assert_eq!((counted.ios, counted.bytes), (slice.ios(), slice.bytes()), "{job:?}");
        assert_eq!(counted.flushes, count(&slice, OpKind::Flush), "{job:?}");
        assert!(settled.flushes > 0 && settled.elapsed_ns > 0, "what it wrote is flushed before");
        assert!(slice.settling.len() <= STRETCHES && slice.along.len() <= STRETCHES);
        let alone = talk.measure(Request { settling: 0, ..request });
        assert!(alone.settling.is_empty() && alone.ios() >= 80);
        talk.end();
    }
}

#[test]
fn a_set_of_files_that_was_begun_while_settling_is_not_half_counted() {
    let dir = directory();
    let job = Job { fsync: 1, ..Job::new(Rw::SmallFiles, 700, 700_000) };
    let mut talk = Talk::ready(&job, dir.path());
    let slice = talk.measure(Request { slice_ns: 0, settling: 2, counted: 3, ..short(20) });
    assert_eq!(Stretch::sum(&slice.settling).ios, 40, "two sets of twenty");
    assert_eq!(slice.ios(), 60, "and three that count, none cut short");
    for kind in [OpKind::Create, OpKind::Stat, OpKind::Read, OpKind::Unlink] {
        assert_eq!(count(&slice, kind), 60, "{kind:?}");
    }
    // A file each, and the directory twice a set.
    assert_eq!(count(&slice, OpKind::Flush), 66);
    let timed = talk.measure(Request { slice_ns: 1_000_000, limit_ns: u64::MAX, ..short(30) });
    assert!(timed.ios() >= 30 && timed.ios().is_multiple_of(30), "time ends it between sets");
    talk.end();
}

#[test]
fn an_answer_is_small() {
    let dir = directory();
    let path = dir.path().join("file");
    let job = Job { fdatasync: 1, ..Job::new(Rw::RandWrite, 4096, 1 << 20) };
    let mut talk = Talk::ready(&job, &path);
    let request = Request { slice_ns: 0, ..short(20) };
    talk.say(&serde_json::to_vec(&Some(request)).unwrap());
    let line = talk.hear_line();
    assert!(line.len() < 2500, "{} bytes: {line}", line.len());
    drop(talk);
}

#[test]
fn failures_keep_their_kind() {
    let dir = directory();
    let file = dir.path().join("file");
    let job = Job::new(Rw::Write, 4096, 40960);
    let kind = |job: &Job, path: &Path, kind| Talk::start(job, path, kind).failure();
    let missing = dir.path().join("none").join("file");
    assert_eq!(kind(&job, &missing, TargetKind::File), FailureKind::NotFound);
    std::fs::write(&file, "x").unwrap();
    assert_eq!(kind(&job, &file, TargetKind::Block), FailureKind::Invalid);
    let open_loop = Job { rate_iops: Some(100), ..job.clone() };
    assert_eq!(kind(&open_loop, &file, TargetKind::File), FailureKind::Invalid);
    let reads = Job { numjobs: 3, ..Job::new(Rw::Read, 4096, 40960) };
    assert_eq!(kind(&reads, &file, TargetKind::File), FailureKind::Invalid);
    let nothing = Job { bs: 0, ..job };
    assert_eq!(kind(&nothing, &file, TargetKind::File), FailureKind::Invalid);
    assert_eq!(std::fs::read(&file).unwrap(), b"x", "a refused task changes nothing");
}

/// A thread that fails takes the others along and its error is the answer.
#[test]
fn nonsense_is_answered() {
    let dir = directory();
    let path = dir.path().join("file");
    std::fs::write(&path, vec![1; 1 << 20]).unwrap();
    let job = Job { numjobs: 3, ..Job::new(Rw::RandRead, 4096, 1 << 20) };
    for order in [&b"{"[..], b"\"stop\"", b"", &[b' '; 10_000]] {
        let mut talk = Talk::ready(&job, &path);
        talk.say(order);
        assert_eq!(talk.failure(), FailureKind::Protocol);
    }
    let mut talk = Talk::ready(&job, &path);
    talk.measure(short(20));
    std::fs::File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
    talk.say(&serde_json::to_vec(&Some(short(20))).unwrap());
    assert_eq!(talk.failure(), FailureKind::Invalid, "the file is too short now");
}

#[test]
fn the_child_ends_with_its_input() {
    let dir = directory();
    let path = dir.path().join("file");
    let job = Job { numjobs: 2, ..Job::new(Rw::RandWrite, 4096, 1 << 20) };
    let mut talk = Talk::ready(&job, &path);
    talk.measure(short(20));
    drop(talk.input.take());
    assert_eq!(talk.hear_line(), serde_json::to_string(&ended_early()).unwrap() + "\n");
    assert!(talk.child.wait().unwrap().success());
}

fn ended_early() -> Reply {
    let message = "the engine cannot read its task: the parent process stopped sending requests; \
                   this is a bug in bakeoff, please report it";
    let kind = FailureKind::Protocol;
    Reply::Error(bakeoff_tools::native::Failure { kind, message: message.to_string() })
}
