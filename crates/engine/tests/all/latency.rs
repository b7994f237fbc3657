//! Latencies against the depth: an I/O begins before it is handed over, with every engine.

use bakeoff_core::model::job::{EngineName, Job, Rw, Stamps};
use bakeoff_core::model::measurement::Measurement;
use bakeoff_engine::measure;

use crate::skip;

const ENGINES: [EngineName; 3] = [EngineName::Psync, EngineName::Libaio, EngineName::IoUring];
const BYTES: u64 = 4 << 20;

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
            for stamps in [Stamps::Batch, Stamps::Each] {
                let path = dir.path().join(format!("{rw:?}{depth}{engine:?}{stamps:?}"));
                // Reads need something to read; holes they pass over are no I/O.
                if rw.reads() {
                    measure(&Job { bs: 1 << 20, ..writes(Rw::Write) }, &path, None).unwrap();
                }
                let iodepth = if engine == EngineName::Psync { 1 } else { depth };
                let job = Job { engine, iodepth, stamps, direct: true, ..writes(rw) };
                for state in ["new", "old"] {
                    let measured = measure(&job, &path, None).unwrap();
                    let what = format!("{rw:?} {engine:?} {stamps:?} depth {iodepth} {state}");
                    assert!(measured.engine == engine, "{what}: {:?}", measured.findings);
                    let in_flight = measured.mean_in_flight() / f64::from(iodepth);
                    // Each I/O's own readings leave out what others were handed over in.
                    let is_whole = stamps == Stamps::Batch || iodepth == 1;
                    assert!((0.9..1.1).contains(&in_flight) || !is_whole, "{what}: {in_flight}");
                    assert!(in_flight < 1.1, "{what}: {in_flight}");
                    let least = least_ns(&measured);
                    let of_psync = *least_of_psync.get_or_insert(least);
                    assert!(least > of_psync / 4, "{what}: {least} ns, psync {of_psync} ns");
                }
                std::fs::remove_file(&path).unwrap();
            }
        }
    }
}

fn writes(rw: Rw) -> Job {
    Job::new(rw, 4096, BYTES)
}

fn least_ns(measured: &Measurement) -> u64 {
    measured.ops().map(|(_, stats)| stats.lat_ns.min).min().unwrap()
}
