//! Every profile really runs, small, in a directory: what it does is counted exactly.

use std::path::Path;
use std::time::Instant;

use bakeoff_engine::{EngineError, do_task};
use bakeoff_model::job::Job;
use bakeoff_model::measurement::{Measurement, OpStats};
use bakeoff_model::path::RawPath;
use bakeoff_model::profile::Profile;
use bakeoff_model::profiles;
use bakeoff_model::workload::Metric;
use bakeoff_tools::native::{FailureKind, NativeTask, Reply, TargetKind};
use tempfile::TempDir;

use crate::sqlite_workload;

/// The profile's own job with small sizes.
fn job(profile: Profile, bs: u64, size: u64) -> Job {
    Job { bs, size, ..profiles::job(profile) }
}

/// A place on the disk the sources are on: a place in memory has no cold reads.
fn directory() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()
}

fn done(profile: Profile, parts: &[u16], job: &Job, dir: &Path) -> Result<Reply, EngineError> {
    let task = NativeTask {
        profile: Some(profile),
        parts: parts.to_vec(),
        ..NativeTask::new(job.clone(), RawPath::new(dir), TargetKind::Directory)
    };
    do_task(&task, sqlite_workload::open)
}

fn run(profile: Profile, parts: &[u16], job: &Job) -> Vec<Measurement> {
    let dir = directory();
    let measured = done(profile, parts, job, dir.path()).unwrap().into_result().unwrap();
    assert_eq!(left_in(dir.path()), 0, "everything is removed");
    for m in &measured {
        check_sums(m);
    }
    measured
}

fn left_in(dir: &Path) -> usize {
    std::fs::read_dir(dir).unwrap().count()
}

/// What holds for every part: clocks inside the wall time, rates that are counts over time.
fn check_sums(m: &Measurement) {
    assert!(m.elapsed_ns > 0 && m.total_ios() > 0);
    assert!(m.data_ns + m.flush_ns + m.close_ns <= m.elapsed_ns + 1, "{m:?}");
    for (_, stats) in m.ops() {
        let iops = stats.total_ios as f64 * 1e9 / m.elapsed_ns as f64;
        assert!((stats.iops / iops - 1.0).abs() < 1e-9);
        assert_eq!(stats.histogram.total(), stats.total_ios);
    }
    let windows: u64 = m.windows.iter().map(|w| w.ios).sum();
    assert_eq!(windows, m.total_ios());
}

fn count(stats: &Option<OpStats>) -> (u64, u64) {
    stats.as_ref().map_or((0, 0), |s| (s.total_ios, s.io_bytes))
}

/// Reads, writes and flushes.
fn counts(m: &Measurement) -> (u64, u64, u64) {
    (count(&m.read).0, count(&m.write).0, count(&m.flush).0)
}

fn figure(m: &Measurement, name: &str) -> f64 {
    let found = m.figures.iter().find(|f| f.name == name);
    found.unwrap_or_else(|| panic!("no figure {name}: {:?}", m.figures)).value
}

#[test]
fn a_part_by_itself_finds_its_file_whole() {
    let measured = run(Profile::Nas, &[1], &job(Profile::Nas, 4096, 1 << 20));
    assert_eq!(counts(&measured[0]), (256, 0, 0));
}

#[test]
fn a_part_is_cut_off_at_its_limit() {
    let job = Job { time_limit_ns: Some(20_000_000), ..job(Profile::Nas, 1, 64 << 20) };
    let measured = run(Profile::Nas, &[0], &job);
    assert!(count(&measured[0].write).0 < 64 << 20);
}

#[test]
fn what_cannot_be_done_is_refused_with_a_word_on_how() {
    let dir = directory();
    let refused = |profile, parts: &[u16], job: &Job| {
        let error = done(profile, parts, job, dir.path()).unwrap_err();
        assert_eq!(left_in(dir.path()), 0);
        (error.kind(), error.to_string())
    };
    let fine = job(Profile::Nas, 4096, 1 << 20);
    let (kind, said) = refused(Profile::Nas, &[], &Job { bs: 2 << 30, ..fine.clone() });
    assert!(kind == FailureKind::Invalid && said.contains("1 GiB"), "{said}");
    let (_, said) = refused(Profile::Nas, &[], &Job { size: 1, ..fine.clone() });
    assert!(said.contains("raise --size"), "{said}");
    assert_eq!(refused(Profile::Nas, &[9], &fine).0, FailureKind::Protocol);
}

#[test]
fn sqlite_commits_one_row_at_a_time_with_both_journals() {
    let measured = run(Profile::Sqlite, &[], &job(Profile::Sqlite, 100, 1 << 20));
    assert_eq!(measured.len(), 2);
    for m in &measured {
        assert_eq!((count(&m.commit), count(&m.flush).0), ((1000, 100_000), 1));
        let rate = Metric::TransactionsPerSecond.value(m).unwrap();
        assert!((rate / (1000.0 * 1e9 / m.elapsed_ns as f64) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn home_assistant_records_and_logs_each_interval() {
    let measured = run(Profile::HomeAssistant, &[], &job(Profile::HomeAssistant, 200, 1 << 20));
    let m = &measured[0];
    assert_eq!((count(&m.commit), count(&m.write)), ((100, 2_000_000), (200, 30_000)));
    assert_eq!(count(&m.flush).0, 2);
}

#[test]
fn streams_of_a_nas_go_through_their_files() {
    let measured = run(Profile::Nas, &[], &job(Profile::Nas, 1 << 20, 16 << 20));
    let all: Vec<_> = measured.iter().map(counts).collect();
    assert_eq!(all, [(0, 16, 4), (16, 0, 0), (8, 8, 2)]);
}

#[test]
fn every_file_of_a_tree_is_copied() {
    let job = Job { nrfiles: 40, ..job(Profile::CopyTree, 32768, 1 << 20) };
    let m = run(Profile::CopyTree, &[], &job).remove(0);
    assert_eq!((count(&m.create).0, count(&m.flush).0), (40, 1));
    assert_eq!(count(&m.read).1, count(&m.write).1);
    assert!((40 * 1024..40 << 20).contains(&count(&m.read).1));
    let rate = Metric::FilesPerSecond.value(&m).unwrap();
    assert!((rate / (40.0 * 1e9 / m.elapsed_ns as f64) - 1.0).abs() < 1e-9);
}

#[test]
fn booting_reads_a_header_of_each_file_and_pieces_of_the_larger() {
    let job = Job { nrfiles: 64, ..job(Profile::Boot, 16384, 1 << 20) };
    let m = run(Profile::Boot, &[], &job).remove(0);
    let (reads, bytes) = count(&m.read);
    assert!((64..=64 * 4).contains(&reads));
    assert_eq!(bytes, 64 * 4096 + (reads - 64) * 16384);
}

#[test]
fn a_package_is_flushed_file_by_file_and_its_state_noted_four_times() {
    let measured = run(Profile::PackageInstall, &[], &job(Profile::PackageInstall, 4096, 1 << 20));
    let m = &measured[0];
    assert_eq!(count(&m.create).0, 40);
    assert_eq!(count(&m.write).0, 40 + 4);
    assert_eq!(count(&m.flush).0, 40 + 2 * 4);
}

/// On cards the turn of another candidate was paid inside every piece.
#[test]
fn a_part_that_settles_does_as_much_before_and_counts_whole_units() {
    let timed = |profile, bs| {
        let runtime_ns = Some(100_000_000);
        Job { runtime_ns, settles: true, ..job(profile, bs, 1 << 20) }
    };
    let began = Instant::now();
    let packages =
        run(Profile::PackageInstall, &[], &timed(Profile::PackageInstall, 4096)).remove(0);
    let wall_ns = began.elapsed().as_nanos() as u64;
    assert!(packages.job.settles && packages.elapsed_ns >= 100_000_000);
    assert!(wall_ns >= packages.elapsed_ns + 100_000_000, "{wall_ns}");
    let (made, flushed) = (count(&packages.create).0, count(&packages.flush).0);
    assert!(made > 0 && made.is_multiple_of(40), "a package begun before does not count");
    assert_eq!(flushed, made / 40 * (40 + 2 * 4));
    let commits = run(Profile::Sqlite, &[1], &timed(Profile::Sqlite, 100)).remove(0);
    assert!(commits.elapsed_ns >= 100_000_000 && count(&commits.commit).0 > 0);
    let nas = Job { size: 8 << 20, ..timed(Profile::Nas, 1 << 20) };
    let streams = run(Profile::Nas, &[0], &nas).remove(0);
    assert!(!streams.job.settles, "what it wrote before would be flushed in the part that counts");
}

#[test]
fn a_desktop_reads_at_its_own_pace_while_a_file_is_written() {
    let job = Job { rate_iops: Some(2000), ..job(Profile::Desktop, 16384, 8 << 20) };
    let m = run(Profile::Desktop, &[], &job).remove(0);
    assert_eq!(count(&m.read), (1000, 1000 * 16384));
    assert!(count(&m.write).0 > 0 && count(&m.flush).0 > 0 && figure(&m, "longest read") > 0.0);
    assert!(Metric::LatencyP99.value(&m).unwrap() > 0.0);
}

#[test]
fn what_waits_at_the_cut_off_counts_with_the_time_it_waited() {
    // A read every microsecond: no drive keeps up, and most still wait when the time is up.
    let limit = Some(300_000_000);
    let job = Job {
        rate_iops: Some(1_000_000),
        runtime_ns: Some(200_000_000),
        ..Job::clone(&job(Profile::Desktop, 1 << 20, 64 << 20))
    };
    let m = run(Profile::Desktop, &[0], &Job { time_limit_ns: limit, ..job }).remove(0);
    let backlog = m.backlog.unwrap();
    assert!(backlog > 0);
    let (reads, bytes) = count(&m.read);
    assert_eq!(bytes, (reads - backlog) << 20);
    assert!(m.read.unwrap().lat_ns.max > 100_000_000);
}
