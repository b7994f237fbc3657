//! Real I/O in a temporary directory: every pattern, engine, block size and depth.

use std::fs;
use std::path::{Path, PathBuf};

use bakeoff_engine::measure;
use bakeoff_model::job::{Data, EngineName, Job, Offsets, Rw};
use bakeoff_model::measurement::Measurement;
use bakeoff_tools::native::FailureKind;
use tempfile::TempDir;

const ENGINES: [EngineName; 3] = [EngineName::Psync, EngineName::IoUring, EngineName::Null];
const DATA_RW: [Rw; 5] = [Rw::Read, Rw::Write, Rw::RandRead, Rw::RandWrite, Rw::RandRw];

/// A directory on a real filesystem: /tmp may be memory, the build directory is not.
fn directory() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn file_of(dir: &TempDir, bytes: u64) -> PathBuf {
    let path = dir.path().join("file");
    fs::write(&path, vec![0x55; bytes as usize]).unwrap();
    path
}

fn run(job: &Job, path: &Path) -> Measurement {
    measure(job, path, None).unwrap_or_else(|e| panic!("{job:?}: {e}"))
}

/// What holds for every measurement of data.
fn check_sums(job: &Job, m: &Measurement) {
    let (read, write) = (m.read.as_ref(), m.write.as_ref());
    let data = || read.into_iter().chain(write);
    let ios: u64 = data().map(|s| s.total_ios).sum();
    assert_eq!(ios, (job.io_size.unwrap_or(job.size) / job.bs).max(1), "{job:?}");
    for stats in data() {
        assert_eq!(stats.io_bytes, stats.total_ios * job.bs);
        assert_eq!(stats.histogram.total(), stats.total_ios);
        assert!(stats.lat_ns.min as f64 <= stats.lat_ns.mean * 1.001);
        assert!(stats.lat_ns.mean <= stats.lat_ns.max as f64 * 1.001);
    }
    assert!(read.is_none() || job.rw.reads());
    assert!(write.is_none() || job.rw.writes());
    let window_ios: u64 = m.windows.iter().map(|w| w.ios).sum();
    assert_eq!(window_ios, m.total_ios(), "{job:?}");
    let bytes: u64 = m.windows.iter().map(|w| w.read_bytes + w.write_bytes).sum();
    assert_eq!(bytes, ios * job.bs);
    assert!(m.data_ns + m.flush_ns + m.close_ns <= m.elapsed_ns + 1_000_000, "{m:?}");
}

#[test]
fn every_pattern_engine_block_size_and_depth() {
    let dir = directory();
    for bs in [1u64, 7, 512, 4096, 128 << 10, 1 << 20] {
        let blocks = if bs <= 4096 { 50 } else { 8 };
        let path = file_of(&dir, bs * blocks);
        for (rw, engine) in DATA_RW.into_iter().flat_map(|rw| ENGINES.map(|e| (rw, e))) {
            for (iodepth, numjobs) in [(1, 1), (8, 1), (1, 2), (8, 2)] {
                let job = Job { engine, iodepth, numjobs, ..Job::new(rw, bs, bs * blocks) };
                let m = run(&job, &path);
                check_sums(&job, &m);
                assert_eq!(m.engine, engine, "{:?}", m.findings);
            }
        }
    }
}

#[test]
fn what_was_written_verifies_in_every_shape() {
    let dir = directory();
    for bs in [1u64, 7, 16, 100, 512, 4096, 5000, 128 << 10] {
        let blocks = if bs <= 5000 { 40 } else { 8 };
        let path = file_of(&dir, bs * blocks);
        for rw in [Rw::Write, Rw::RandWrite, Rw::RandRw] {
            for engine in [EngineName::Psync, EngineName::IoUring, EngineName::Libaio] {
                for (iodepth, numjobs, offsets, data) in [
                    (1, 1, Offsets::Uniform, Data::Random),
                    (8, 1, Offsets::Uniform, Data::Random),
                    (8, 2, Offsets::Once, Data::Random),
                    (4, 3, Offsets::Uniform, Data::Zero),
                ] {
                    let job = Job {
                        engine,
                        iodepth,
                        numjobs,
                        offsets,
                        data,
                        verify: true,
                        io_size: Some(bs * blocks * 2),
                        ..Job::new(rw, bs, bs * blocks)
                    };
                    let m = run(&job, &path);
                    let verified = m.verified_bytes.unwrap();
                    assert!(verified > 0 && verified <= job.size, "{job:?}: {verified}");
                    if rw == Rw::Write || (rw == Rw::RandWrite && offsets == Offsets::Once) {
                        assert_eq!(verified, job.size, "{job:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_walk_and_every_kind_of_data_verifies() {
    let dir = directory();
    let path = file_of(&dir, 40960);
    let zipf = Offsets::Zipf { theta_milli: 1200 };
    let walks = [(Rw::RandWrite, zipf), (Rw::RandRw, zipf), (Rw::Write, Offsets::Uniform)];
    for engine in [EngineName::Psync, EngineName::IoUring] {
        for (rw, offsets) in walks {
            let job = Job {
                engine,
                offsets,
                iodepth: 4,
                verify: true,
                io_size: Some(2 * 40960),
                ..Job::new(rw, 1024, 40960)
            };
            let m = run(&job, &path);
            let verified = m.verified_bytes.unwrap();
            assert_eq!(verified == 40960, rw == Rw::Write, "{job:?}: {verified}");
        }
    }
}

#[test]
fn direct_io_of_every_engine_verifies() {
    // Not in memory: the directory for temporary files may have no direct I/O.
    let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = file_of(&dir, 1 << 20);
    for engine in [EngineName::Psync, EngineName::IoUring, EngineName::Libaio] {
        for (rw, iodepth) in
            [(Rw::RandWrite, 1), (Rw::RandRw, 8), (Rw::Write, 8), (Rw::RandRead, 8)]
        {
            let job = Job {
                engine,
                iodepth,
                direct: true,
                verify: rw.writes(),
                ..Job::new(rw, 8192, 1 << 20)
            };
            let m = run(&job, &path);
            check_sums(&job, &m);
            assert_eq!(m.verified_bytes.is_some(), rw.writes());
        }
    }
}

#[test]
fn flushes_are_counted_timed_and_apart() {
    let dir = directory();
    let path = file_of(&dir, 40960);
    for engine in [EngineName::Psync, EngineName::IoUring] {
        let job = Job { engine, fsync: 3, iodepth: 4, ..Job::new(Rw::Write, 4096, 40960) };
        let m = run(&job, &path);
        // After writes 3, 6 and 9, and for the rest of one.
        assert_eq!(m.flush.as_ref().unwrap().total_ios, 4);
        assert!(m.flush_ns > 0 && m.flush_ns < m.elapsed_ns);
        let job = Job { engine, end_fsync: true, ..Job::new(Rw::Write, 4096, 40960) };
        let m = run(&job, &path);
        assert_eq!(m.flush.unwrap().total_ios, 1);
        let job = Job { engine, fdatasync: 1, min_ios: 50, ..Job::new(Rw::Write, 4096, 40960) };
        let m = run(&job, &path);
        assert_eq!(m.flush.as_ref().unwrap().total_ios, 25, "flushes count towards min_ios");
        assert_eq!(m.write.as_ref().unwrap().total_ios, 25);
    }
}

#[test]
fn runtime_min_ios_and_time_limit() {
    let dir = directory();
    let path = file_of(&dir, 40960);
    let base = Job { runtime_ns: Some(250_000_000), ..Job::new(Rw::Read, 4096, 40960) };
    let m = run(&base, &path);
    // A thread that was kept from running has one long window in place of several.
    let is_stalled = m.windows.iter().any(|window| window.len_ns > 100_000_000);
    assert!(m.elapsed_ns >= 250_000_000 && (m.windows.len() >= 3 || is_stalled), "{m:?}");
    // One operation a second: min_ios holds the end off, the time limit does not wait for it.
    let slow = Job { runtime_ns: Some(1), rate_iops: Some(20), ..base };
    let m = run(&Job { min_ios: 4, ..slow.clone() }, &path);
    assert_eq!(m.total_ios(), 4);
    assert!(m.elapsed_ns >= 150_000_000);
    let m = run(&Job { min_ios: 1000, time_limit_ns: Some(120_000_000), ..slow }, &path);
    // At 0, 50 and 100 ms; what a busy machine had no time for until then is the backlog.
    assert!(m.total_ios() <= 3 && m.total_ios() + m.backlog.unwrap() >= 3, "{m:?}");
}

#[test]
fn an_open_loop_that_cannot_keep_up_reports_its_backlog() {
    let dir = directory();
    let path = file_of(&dir, 40960);
    for engine in [EngineName::Psync, EngineName::IoUring] {
        let job = Job {
            engine,
            runtime_ns: Some(100_000_000),
            rate_iops: Some(1_000_000_000),
            ..Job::new(Rw::RandRead, 4096, 40960)
        };
        let m = run(&job, &path);
        let done = m.total_ios();
        let due = done + m.backlog.unwrap();
        assert!(due >= 100_000_000, "{due}");
        // Latency counts from the intended start, so the last ones waited for nearly all of it.
        let max = m.read.unwrap().lat_ns.max;
        assert!(max > 90_000_000, "{max}");
    }
}

#[test]
fn direct_io_where_the_filesystem_has_it() {
    let dir = directory();
    let path = file_of(&dir, 1 << 20);
    for engine in [EngineName::Psync, EngineName::IoUring] {
        for rw in DATA_RW {
            let job = Job {
                engine,
                direct: true,
                iodepth: 8,
                verify: rw.writes(),
                ..Job::new(rw, 4096, 1 << 20)
            };
            check_sums(&job, &run(&job, &path));
        }
    }
    let odd = Job { direct: true, ..Job::new(Rw::Read, 1000, 1 << 20) };
    let error = measure(&odd, &path, None).unwrap_err();
    assert!(error.to_string().contains("--bs"), "{error}");
    assert_eq!(error.kind(), FailureKind::Invalid);
}

#[test]
fn a_missing_file_is_made_for_writing_and_refused_for_reading() {
    let dir = directory();
    let path = dir.path().join("new file\n");
    let read = Job::new(Rw::Read, 4096, 8192);
    assert_eq!(measure(&read, &path, None).unwrap_err().kind(), FailureKind::NotFound);
    run(&Job::new(Rw::Write, 4096, 8192), &path);
    assert_eq!(fs::metadata(&path).unwrap().len(), 8192);
    run(&read, &path);
    let long = Job::new(Rw::Read, 4096, 12288);
    let error = measure(&long, &path, None).unwrap_err();
    assert_eq!(error.kind(), FailureKind::Invalid, "{error}");
}

#[test]
fn links_and_directories_are_refused() {
    let dir = directory();
    let path = file_of(&dir, 8192);
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let before = fs::read(&path).unwrap();
    for (target, word) in [(&link, "symbolic link"), (&dir.path().to_path_buf(), "not a directory")]
    {
        let error = measure(&Job::new(Rw::Write, 4096, 8192), target, None).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn the_live_record_counts_up() {
    use std::os::fd::AsFd;
    let dir = directory();
    let path = file_of(&dir, 40960);
    let live = tempfile::tempfile().unwrap();
    let job = Job { runtime_ns: Some(350_000_000), ..Job::new(Rw::Read, 4096, 40960) };
    let m = measure(&job, &path, Some(live.as_fd())).unwrap();
    let mut record = [0; 16];
    std::os::unix::fs::FileExt::read_exact_at(&live, &mut record, 0).unwrap();
    let ios = u64::from_le_bytes(record[..8].try_into().unwrap());
    let bytes = u64::from_le_bytes(record[8..].try_into().unwrap());
    assert!(ios > 0 && ios <= m.total_ios());
    assert_eq!(bytes, ios * 4096);
}

#[test]
fn small_files_are_made_seen_read_removed_and_counted() {
    let dir = directory();
    for (bs, fsync, numjobs, data) in [
        (4096, 0, 1, Data::Random),
        (4096, 1, 2, Data::Zero),
        (1, 1, 1, Data::Random),
        (10_000, 0, 3, Data::Random),
    ] {
        let job = Job {
            fsync,
            numjobs,
            data,
            io_size: Some(bs * 40),
            ..Job::new(Rw::SmallFiles, bs, bs * 20)
        };
        let m = run(&job, dir.path());
        for stats in [&m.create, &m.stat, &m.read, &m.unlink] {
            assert_eq!(stats.as_ref().unwrap().total_ios, 40, "{job:?}");
        }
        // Each file, and the directory after creating and after removing each lane's two sets.
        let flushes = if fsync > 0 { 40 + 4 * u64::from(numjobs) } else { 0 };
        assert_eq!(m.flush.as_ref().map_or(0, |f| f.total_ios), flushes);
        assert!(m.close_ns > 0);
        let windows: u64 = m.windows.iter().map(|w| w.ios).sum();
        assert_eq!(windows, m.total_ios());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
fn small_files_stop_at_the_time_limit_and_leave_nothing() {
    let dir = directory();
    let job = Job {
        time_limit_ns: Some(20_000_000),
        min_ios: 1_000_000_000,
        ..Job::new(Rw::SmallFiles, 1, 1 << 20)
    };
    let m = run(&job, dir.path());
    assert!(m.create.is_some() && m.unlink.is_none(), "cut off while creating");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn small_files_touch_no_file_of_others_and_clean_up_after_an_error() {
    let dir = directory();
    let theirs = dir.path().join("bakeoff-0-7");
    fs::write(&theirs, "precious").unwrap();
    let job = Job::new(Rw::SmallFiles, 100, 100 * 20);
    let error = measure(&job, dir.path(), None).unwrap_err();
    assert!(error.to_string().contains("bakeoff clean"), "{error}");
    assert_eq!(fs::read(&theirs).unwrap(), b"precious");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}
