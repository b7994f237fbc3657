//! Every profile really runs, small, in a directory: what it does is counted exactly.

use std::path::Path;
use std::time::Instant;

use bakeoff_engine::{Work, measure_profile};
use bakeoff_model::job::{Data, Job};
use bakeoff_model::measurement::{Measurement, OpStats};
use bakeoff_model::profile::Profile;
use bakeoff_model::profiles;
use bakeoff_model::workload::Metric;
use bakeoff_tools::native::FailureKind;
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

fn run(profile: Profile, parts: &[u16], job: &Job) -> Vec<Measurement> {
    let dir = directory();
    let measured = measure_profile(
        Work { profile, parts, job, disks: &[], worn: None },
        dir.path(),
        None,
        sqlite_workload::open,
    )
    .unwrap();
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
fn dd_copies_whole_blocks_once_and_flushes_once() {
    for (bs, size) in [(1, 5000), (4096, 1 << 20), (1 << 20, 3 << 20)] {
        let measured = run(Profile::Dd, &[], &job(Profile::Dd, bs, size));
        assert_eq!(measured.len(), 4);
        for m in &measured[..3] {
            assert_eq!((counts(m), count(&m.write).1), ((0, size / bs, 1), size));
        }
        let read = &measured[3];
        assert_eq!((counts(read), count(&read.read).1), ((size / bs, 0, 0), size));
        // Without conv= dd's clock stops before the flush; with it at the very end.
        let honest = |m: &Measurement| m.write.as_ref().unwrap().bw_bytes_per_s / 1e6;
        assert!(figure(&measured[0], "copied") > honest(&measured[0]));
        for m in &measured[1..3] {
            assert!((figure(m, "copied") / honest(m) - 1.0).abs() < 1e-6);
        }
    }
}

#[test]
fn a_part_by_itself_finds_its_file_whole() {
    let measured = run(Profile::Dd, &[3], &job(Profile::Dd, 4096, 1 << 20));
    assert_eq!(counts(&measured[0]), (256, 0, 0));
    let measured = run(Profile::Iozone, &[8, 12], &job(Profile::Iozone, 4096, 1 << 20));
    assert_eq!(measured.iter().map(counts).collect::<Vec<_>>(), [(256, 0, 0); 2]);
    let measured = run(Profile::Bonnie, &[4], &job(Profile::Bonnie, 8192, 1 << 20));
    assert_eq!(counts(&measured[0]), (128, 0, 1));
    let measured = run(Profile::Sysbench, &[3], &job(Profile::Sysbench, 16384, 4 << 20));
    assert_eq!(counts(&measured[0]), (256, 0, 0));
}

#[test]
fn random_data_and_more_passes_keep_the_counts_whole() {
    let job = Job {
        data: Data::Random,
        runtime_ns: Some(50_000_000),
        min_ios: 600,
        ..job(Profile::Dd, 4096, 1 << 20)
    };
    for m in run(Profile::Dd, &[], &job) {
        let done = count(&m.read).0 + count(&m.write).0;
        assert!(done.is_multiple_of(256) && done >= 512, "{done}");
        assert!(m.elapsed_ns >= 50_000_000);
    }
}

#[test]
fn a_part_is_cut_off_at_its_limit() {
    let job = Job { time_limit_ns: Some(20_000_000), ..job(Profile::Dd, 1, 64 << 20) };
    let measured = run(Profile::Dd, &[0], &job);
    assert!(count(&measured[0].write).0 < 64 << 20);
}

#[test]
fn iozone_visits_every_record_in_each_test() {
    let measured = run(Profile::Iozone, &[], &job(Profile::Iozone, 4096, 1 << 20));
    assert_eq!(measured.len(), 14);
    for (part, m) in measured.iter().enumerate() {
        let spec = profiles::part_specs(Profile::Iozone).nth(part).unwrap();
        let want = match spec.word {
            "mixed" => {
                let (reads, writes, flushes) = counts(m);
                // The first to finish stops the other, which may hardly have begun.
                assert!(reads.max(writes) == 256, "{reads} {writes}");
                (reads, writes, flushes)
            }
            _ if spec.rw.writes() => (0, 256, 1),
            _ => (256, 0, 0),
        };
        assert_eq!(counts(m), want, "{}", spec.word);
        // The mix has one figure, even where its reads had not begun when the writes were done.
        // iozone flushes after reads as well, and with -e in its time.
        if spec.word != "mixed" {
            let word = m.figures[0].name.clone();
            assert!(m.figures[0].value >= figure(m, &format!("{word} -e")));
            assert!(figure(m, &format!("{word} -e")) >= figure(m, &format!("{word} -e -c")));
        }
    }
}

#[test]
fn bonnie_does_each_phase_once() {
    let job = Job { nrfiles: 300, ..job(Profile::Bonnie, 8192, 4 << 20) };
    let measured = run(Profile::Bonnie, &[], &job);
    assert_eq!(measured.len(), 12);
    let chunks = (4 << 20) / 8192;
    let per_char = (3 << 20) / 8192;
    let want =
        [(0, per_char, 1), (0, chunks, 1), (chunks, chunks, 1), (per_char, 0, 1), (chunks, 0, 1)];
    assert_eq!(measured[..5].iter().map(counts).collect::<Vec<_>>(), want);
    let (seeks, updates, flushes) = counts(&measured[5]);
    assert_eq!((seeks, flushes), (8192, 5));
    // One in ten of 8192: five standard deviations are 136.
    assert!(updates.abs_diff(819) < 136, "{updates}");
    for m in &measured[6..] {
        let all = [&m.create, &m.stat, &m.unlink].map(|s| count(s).0);
        assert_eq!((all.iter().max(), all.iter().sum()), (Some(&300), 300));
    }
    for m in &measured {
        assert_eq!(m.figures.len(), 3);
        assert!(m.figures[0].value > 0.0 && m.figures[2].unit == "us");
    }
    // Each of its five seekers tells the CPU time of all, and bonnie++ adds them: at least once,
    // since one may have done nearly all before the others began.
    let seeks = &measured[5];
    let once = (seeks.usr_cpu_ns + seeks.sys_cpu_ns) as f64 * 100.0 / seeks.elapsed_ns as f64;
    assert!(figure(seeks, "Random Seeks, CPU") > once * 0.5 - 1.0, "{once}");
    // Its longest operation is a chunk read and written, and of all five seekers.
    for (m, words) in [(&measured[2], "Sequential Output Rewrite"), (&measured[5], "Random Seeks")]
    {
        let [read, write] = [&m.read, &m.write].map(|s| &s.as_ref().unwrap().lat_ns);
        let least_us = (write.max + read.min).max(read.max) / 1000;
        assert!(figure(m, &format!("{words}, Latency")) as u64 >= least_us, "{words}");
    }
    // Rewritten bytes count once for bonnie++ and as what was moved for us.
    let rewrite = &measured[2];
    let moved = (count(&rewrite.read).1 + count(&rewrite.write).1) as f64;
    let ours = moved / 1024.0 * 1e9 / rewrite.elapsed_ns as f64;
    assert!((figure(rewrite, "Sequential Output Rewrite") * 2.0 / ours - 1.0).abs() < 0.01);
}

#[test]
fn sysbench_flushes_all_files_after_each_hundred_and_at_the_end() {
    let job = Job { nrfiles: 16, ..job(Profile::Sysbench, 16384, 4 << 20) };
    let measured = run(Profile::Sysbench, &[], &job);
    let all: Vec<_> = measured.iter().map(counts).collect();
    // 256 requests: two whole bursts and the flush at the end, of 16 files each.
    assert_eq!(all[0], (0, 256, 48));
    assert_eq!(all[1], (0, 256, 48));
    assert_eq!(all[2], (256, 0, 0));
    assert_eq!(all[3], (256, 0, 0));
    assert_eq!(all[4], (0, 256, 48));
    assert_eq!(all[5], (154, 102, 48), "three reads for two writes");
    for m in &measured {
        assert_eq!(figure(m, "total number of events") as u64, {
            let (reads, writes, flushes) = counts(m);
            reads + writes + flushes.saturating_sub(16)
        });
    }
}

/// 0.4 has no bursts in what it writes in order: its figures stood above work it does not do.
#[test]
fn figures_of_sysbench_0_4_are_of_what_0_4_does() {
    let old = "0.4: Requests/sec executed";
    let has_old = |m: &Measurement| m.figures.iter().any(|figure| figure.name == old);
    let job = Job { nrfiles: 16, ..job(Profile::Sysbench, 16384, 4 << 20) };
    let measured = run(Profile::Sysbench, &[], &job);
    let of_each: Vec<bool> = measured.iter().map(has_old).collect();
    assert_eq!(of_each, [false, false, true, true, true, true]);
    let without_bursts = run(Profile::Sysbench, &[], &Job { fsync: u32::MAX, ..job.clone() });
    assert!(without_bursts.iter().all(has_old));
    // Its clock starts before the files are opened.
    for m in measured[2..].iter().chain(&without_bursts) {
        let (reads, writes, _) = counts(m);
        let rate = (reads + writes) as f64 * 1e9 / m.elapsed_ns as f64;
        let old = figure(m, old);
        assert!(old < rate && old > 0.0, "{old} {rate}");
    }
    // A time that is over leaves out the flush at the end. Opening the files may take longer than
    // that flush on a busy machine, so the two rates are not compared.
    let timed = Job { runtime_ns: Some(1), min_ios: 256, fsync: u32::MAX, nrfiles: 2, ..job };
    let m = &run(Profile::Sysbench, &[4], &timed)[0];
    let rate = counts(m).1 as f64 * 1e9 / (m.elapsed_ns - m.flush_ns) as f64;
    assert!(figure(m, old) > 0.0 && figure(m, old) < rate);
}

#[test]
fn several_threads_of_sysbench_share_one_pass() {
    let job = Job { nrfiles: 16, numjobs: 3, ..job(Profile::Sysbench, 16384, 4 << 20) };
    let measured = run(Profile::Sysbench, &[5], &job);
    // Each thread flushes every file at the end.
    assert_eq!(counts(&measured[0]), (154, 102, 32 + 3 * 16));
}

#[test]
fn what_cannot_be_done_is_refused_with_a_word_on_how() {
    let dir = directory();
    let refused = |profile, parts: &[u16], job: &Job| {
        let work = Work { profile, parts, job, disks: &[], worn: None };
        let error = measure_profile(work, dir.path(), None, sqlite_workload::open).unwrap_err();
        assert_eq!(left_in(dir.path()), 0);
        (error.kind(), error.to_string())
    };
    let fine = job(Profile::Dd, 4096, 1 << 20);
    let (kind, said) = refused(Profile::Dd, &[], &Job { bs: 2 << 30, ..fine.clone() });
    assert!(kind == FailureKind::Invalid && said.contains("at most 1g"), "{said}");
    let (_, said) = refused(Profile::Dd, &[], &Job { size: 1, ..fine.clone() });
    assert!(said.contains("raise --size"), "{said}");
    assert_eq!(refused(Profile::Dd, &[9], &fine).0, FailureKind::Protocol);
    let many = job(Profile::Sysbench, 16384, 1 << 20);
    assert!(refused(Profile::Sysbench, &[], &many).1.contains("nrfiles"));
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
fn torrent_pieces_arrive_a_thousand_times_and_are_told_twice() {
    let job = Job { rate_iops: Some(2000), ..job(Profile::Torrent, 16384, 8 << 20) };
    let measured = run(Profile::Torrent, &[], &job);
    let m = &measured[0];
    // What was written is told once, so that a sum over the steps is right.
    let (wrote_bytes, laid_out_bytes) = (m.wrote_bytes, m.laid_out_bytes);
    let again = Measurement { wrote_bytes, laid_out_bytes, ..measured[1].clone() };
    assert_eq!((m, measured[1].wrote_bytes), (&again, Some(0)));
    assert_eq!(count(&m.write), (1000, 1000 * 16384));
    assert!(count(&m.flush).0 >= 4 && m.elapsed_ns >= 499_000_000);
    assert!(Metric::LatencyP99.value(m).is_some() && Metric::Bandwidth.value(m).is_some());
    assert!(figure(m, "longest stall") > 0.0);
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
    let streams = run(Profile::Nas, &[0], &timed(Profile::Nas, 1 << 20)).remove(0);
    assert!(!streams.job.settles, "what it wrote before would be flushed in the part that counts");
}

#[test]
fn a_desktop_reads_at_its_own_pace_while_a_file_is_written() {
    let job = Job { rate_iops: Some(2000), ..job(Profile::Desktop, 16384, 8 << 20) };
    let m = run(Profile::Desktop, &[], &job).remove(0);
    assert_eq!(count(&m.read), (1000, 1000 * 16384));
    assert!(count(&m.write).0 > 0 && count(&m.flush).0 > 0);
    assert!(Metric::LatencyP99.value(&m).unwrap() > 0.0);
}

#[test]
fn what_waits_at_the_cut_off_counts_with_the_time_it_waited() {
    // A piece every microsecond: no place keeps up, and most still wait when the time is up.
    let limit = Some(300_000_000);
    let job = Job {
        rate_iops: Some(1_000_000),
        runtime_ns: Some(200_000_000),
        ..Job::clone(&job(Profile::Torrent, 1 << 20, 64 << 20))
    };
    let m = run(Profile::Torrent, &[0], &Job { time_limit_ns: limit, ..job }).remove(0);
    let backlog = m.backlog.unwrap();
    assert!(backlog > 0);
    let (pieces, bytes) = count(&m.write);
    assert_eq!(bytes, (pieces - backlog) << 20);
    assert!(m.write.unwrap().lat_ns.max > 100_000_000);
}
