//! A target that is another one than it was a moment ago: whichever step comes next, it is not
//! taken. A drive cannot be exchanged between two given steps at will, an image can: whoever holds
//! the store's lock decides when bakeoff, which records each step before and after it, goes on.

use std::collections::BTreeSet;
use std::fs;

use crate::bench::Bench;
use crate::on_image::{MIB, RUN, SMALL, lacks, left, made, record};
use crate::recorded::OpenStore;
use crate::running::Running;
use bakeoff_model::run::StepRecord;

/// What the image holds that takes the place of the target's.
const FOREIGN: u8 = 0x5a;
/// Steps of the first visit, from the check of the medium on.
const STEPS: u64 = 10;

#[test]
fn a_target_that_is_exchanged_between_any_two_steps_is_not_touched_by_the_next() {
    if lacks() {
        return;
    }
    let mut exchanged_after = BTreeSet::new();
    for least in 0..STEPS {
        exchanged_after.insert(exchanged_after_step(least));
    }
    println!("exchanged after steps {exchanged_after:?}");
    // Sometimes two records come between two looks.
    assert!(exchanged_after.len() >= 3, "{exchanged_after:?}");
}

/// Exchanges the image after that step or one soon after it; gives after which.
fn exchanged_after_step(least: u64) -> u64 {
    let bench = Bench::new();
    let image = made(&bench, SMALL, 96 * MIB);
    let other = bench.path().join("other.img");
    fs::write(&other, vec![FOREIGN; 96 * MIB as usize]).unwrap();
    let mut running = Running::start(bench.bakeoff().args(RUN));
    let mut store = running.until("a record", |_| OpenStore::open(&bench.store()));
    let exchange = || fs::rename(&other, &image).unwrap();
    let last = running.until("a step", |_| {
        // The moment between two records is short: it is looked for without a pause.
        (0..100).find_map(|_| between_steps(&mut store, least, exchange))
    });
    let ended = running.end();
    assert_eq!(ended.code, 4, "after step {last}: {ended:?}");
    assert!(ended.err.contains("was replaced by another file"), "after step {last}: {ended:?}");
    let (_, run) = record(&bench);
    let is_taken = |step: &&StepRecord| step.done.as_ref().is_some_and(|done| done.status == 0);
    let taken = run.steps.iter().filter(is_taken).count();
    assert_eq!(taken as u64, last + 1, "after step {last} another one was taken");
    assert_eq!(run.steps_to_undo().count(), 0, "after step {last}");
    assert_eq!(left(&bench), Vec::<String>::new(), "after step {last}");
    let now = fs::read(&image).unwrap();
    assert!(now.iter().all(|byte| *byte == FOREIGN), "after step {last} it was written");
    last
}

/// Exchanges while no step is under way and none can be begun, after a step of at least that
/// number; gives its number, or nothing where the run is somewhere else.
fn between_steps(store: &mut OpenStore, least: u64, exchange: impl FnOnce()) -> Option<u64> {
    store.held(|record| {
        let (planned, done) = (record.count_of("step_planned"), record.count_of("step_done"));
        if planned != done || done <= least {
            return None;
        }
        exchange();
        Some(done - 1)
    })
}
