//! Candidates that differ only in settings of the drive share one filesystem.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::bench::Bench;
use crate::on_image::{MIB, RUN, SMALL, lacks, left, made, record, unlimited};
use bakeoff_model::event::{Action, What};
use bakeoff_model::index::{BlockIx, CandidateIx, PlaceIx};

const SCHEDULERS: &str = "[axes]\nscheduler = [\"none\", \"mq-deadline\"]\n";

fn lacks_schedulers() -> bool {
    let loops = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let known =
        loops.filter_map(|disk| fs::read_to_string(disk.path().join("queue/scheduler")).ok());
    !known.into_iter().any(|text| text.contains("mq-deadline"))
}

#[test]
fn candidates_that_differ_in_the_scheduler_share_a_filesystem() {
    if lacks() || lacks_schedulers() {
        return;
    }
    let bench = Bench::new();
    let plan = unlimited(SMALL).replace("\"visit\"", "\"slices\"").replace("64m", "84m");
    made(&bench, &(plan + SCHEDULERS), 288 * MIB);
    let ran = bench.run_in_time("60s", &RUN);
    assert!(ran.code <= 1, "{ran:?}");
    assert_eq!(left(&bench), Vec::<String>::new());
    let (events, run) = record(&bench);
    let region = run.header.region.as_ref().expect("a region");
    // Two filesystems with two schedulers each, and one of the four once more as a control.
    assert_eq!((run.header.candidates.len(), region.parts), (5, 3), "{:?}", run.header.candidates);
    assert_eq!(run.header.all_stands().len(), 3);
    let mut places: BTreeMap<(BlockIx, PlaceIx), BTreeSet<CandidateIx>> = BTreeMap::new();
    for event in &events {
        if let What::VisitStarted { block, candidate, part: Some(part), .. } = &event.what {
            places.entry((*block, *part)).or_default().insert(*candidate);
        }
    }
    let on: Vec<usize> = places.values().map(BTreeSet::len).collect();
    assert!(on.iter().filter(|n| **n == 2).count() == 2 * on.len() / 3, "{places:?}");
    for block in run.complete_blocks() {
        let measured: BTreeSet<CandidateIx> = block.cells.iter().map(|c| c.candidate).collect();
        assert_eq!(measured.len(), 5, "{}", block.block);
    }
    let mkfs = run.steps.iter().filter(|record| match &record.step.action {
        Action::Run { argv } => argv[0].to_string().starts_with("mkfs"),
        _ => false,
    });
    // Once before the first block, and in each.
    assert_eq!(mkfs.count(), 3 * (1 + run.blocks.len()));
    let is_set = |value: &str| {
        run.steps.iter().any(|record| match &record.step.action {
            Action::SetKnob { path, value: to } => {
                path.to_string().ends_with("queue/scheduler") && to == value
            }
            _ => false,
        })
    };
    assert!(is_set("mq-deadline"), "{:?}", run.steps.len());
}
