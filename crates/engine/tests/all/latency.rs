//! Latencies against the depth: an I/O begins before it is handed over, with every engine.

use bakeoff_engine::measure;
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::measurement::Measurement;

use crate::skip;

const ENGINES: [EngineName; 3] = [EngineName::Psync, EngineName::Libaio, EngineName::IoUring];
const BYTES: u64 = 2 << 20;

/// Writes of libaio to a new file had a mean latency of 0.4 µs at 4,675 operations a second, since
/// the clock was read after io_submit(2), which blocks there: "depth 0.00 of 1 in flight".
#[test]
fn mean_latency_times_rate_is_the_depth_on_new_files_and_old_ones() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let is_memory = rustix::fs::statfs(dir.path()).unwrap().f_type == 0x0102_1994;
    if is_memory {
        return skip::skip("a directory on a disk", "direct I/O of tmpfs is done in memory");
    }
    for (rw, depth) in [(Rw::Write, 1), (Rw::RandWrite, 1), (Rw::RandRw, 1), (Rw::Write, 16)] {
        let mut least_of_psync = None;
        for engine in ENGINES {
            let path = dir.path().join(format!("{rw:?}{depth}{engine:?}"));
            // Reads need something to read; holes they pass over are no I/O.
            if rw.reads() {
                measure(&Job { bs: 1 << 20, ..writes(Rw::Write) }, &path, None).unwrap();
            }
            let iodepth = if engine == EngineName::Psync { 1 } else { depth };
            let job = Job { engine, iodepth, direct: true, ..writes(rw) };
            for state in ["new", "old"] {
                let measured = measure(&job, &path, None).unwrap();
                let what = format!("{rw:?} {engine:?} depth {iodepth} {state}");
                assert!(measured.engine == engine, "{what}: {:?}", measured.findings);
                let most = measured.mean_in_flight() / f64::from(iodepth);
                // Slots wait while data is made for them, which is no part of a latency.
                let least = most / (measured.data_ns as f64 / measured.elapsed_ns as f64);
                assert!(most < 1.1 && least > 0.9, "{what}: {most} {least}");
                let min_ns = least_ns(&measured);
                let of_psync = *least_of_psync.get_or_insert(min_ns);
                assert!(min_ns > of_psync / 4, "{what}: {min_ns} ns, psync {of_psync} ns");
            }
            std::fs::remove_file(&path).unwrap();
        }
    }
}

fn writes(rw: Rw) -> Job {
    Job { io_size: Some(4 * BYTES), ..Job::new(rw, 4096, BYTES) }
}

fn least_ns(measured: &Measurement) -> u64 {
    measured.ops().map(|(_, stats)| stats.lat_ns.min).min().unwrap()
}
