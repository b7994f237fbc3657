//! The sampler on the machine the tests run on.

use std::path::Path;

use bakeoff_model::job::{Job, Rw};
use bakeoff_model::measurement::Measurement;

use super::*;
use crate::load::site;

/// A measurement that began now and lasted as long as the sampler is watched.
fn measurement(from_ns: u64, elapsed_ns: u64) -> Measurement {
    let job = Job {
        engine: bakeoff_model::job::EngineName::Null,
        io_size: Some(4096),
        ..Job::new(Rw::Read, 4096, 4096)
    };
    let measured = bakeoff_engine::measure(&job, Path::new("/"), None).expect("no I/O is done");
    Measurement { monotonic_ns: Some(from_ns), elapsed_ns, ..measured }
}

/// Looks of the fast kind in 1.3 s, where nothing holds the sampler up.
const ENOUGH_TICKS: u64 = 13;

#[test]
fn what_this_machine_does_is_seen_and_cheap() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let devices = site::devices(&crate::host::place(here).unwrap());
    let sampler = Sampler::start().unwrap();
    sampler.begin(&devices);
    let from_ns = now_ns();
    let mut file = tempfile::tempfile_in(here).unwrap();
    // Until it has looked often enough, however long that takes on this machine.
    while sampler.shared.lock().ticks < ENOUGH_TICKS {
        use std::io::{Seek, Write};
        file.rewind().unwrap();
        file.write_all(&[7; 65536]).unwrap();
        file.sync_data().unwrap();
    }
    let to_ns = now_ns();
    sampler.pause();
    let seen = sampler.telemetry(&measurement(from_ns, to_ns - from_ns)).unwrap();
    assert!(seen.start_ns <= 0 && *seen.fast_ns.last().unwrap() >= to_ns - from_ns);
    assert!(seen.fast_ns.len() >= 3, "{:?}", seen.fast_ns);
    assert_eq!(seen.cpus[0].user_ms.len(), seen.fast_ns.len());
    for drive in seen.devices.iter().filter(|d| d.is_disk) {
        assert!(drive.written_bytes.iter().sum::<u64>() >= 65536, "{drive:?}");
    }
    assert!(!devices.is_empty() && seen.devices.len() == devices.len());
    assert!(seen.memory.is_some_and(|m| m.dirty_bytes.len() == seen.slow_ns.len()));
    assert!(seen.cost.samples >= 3 && seen.cost.cpu_ns > 0);
    let watching = sampler.watching();
    // What is not there is listed once, with its reason.
    let known = ["clocks", "temperatures", "throttling", "I/O pressure", "kernel log"];
    for name in known {
        let said = watching.missing.iter().filter(|m| m.name == name).count();
        assert!(said <= 1, "{name}");
    }
}

#[test]
fn looking_allocates_nothing() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sampler = Sampler::start().unwrap();
    // Active, but looked at by this thread only: the counter is the thread's.
    let mut state = sampler.shared.lock();
    state.begin(&site::devices(&crate::host::place(here).unwrap()));
    state.is_active = false;
    let ticks = state.pace.slow_every * 4;
    let counted = allocation_counter::measure(|| {
        for _ in 0..ticks {
            state.tick(now_ns());
        }
    });
    assert_eq!(state.cost.samples, ticks, "both kinds of look were taken");
    assert_eq!(counted.count_total, 0, "{counted:?}");
    // It does count: the same by hand.
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![0u8; 64])));
    assert_eq!(counted.count_total, 1);
}

#[test]
fn it_sleeps_between_cells() {
    let sampler = Sampler::start().unwrap();
    sampler.begin(&[]);
    while sampler.shared.lock().ticks == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    sampler.pause();
    let ticks = sampler.shared.lock().ticks;
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(sampler.shared.lock().ticks, ticks);
}
