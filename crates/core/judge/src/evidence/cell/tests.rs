//! What no single rule over a cell is about.

use super::testing::{found, seen, watched};
use super::*;
use crate::testing::{RunBuilder, clean_cell, measurement};
use bakeoff_model::event::CacheState;
use bakeoff_model::protocol::Mode;
use bakeoff_model::workload::Metric;

#[test]
fn clean_cells_say_nothing() {
    for w in bakeoff_model::workloads::all() {
        let rate =
            if w.metric == bakeoff_model::workload::Metric::Bandwidth { 50e6 } else { 900.0 };
        assert_eq!(found(&w.name, rate, |_, _| {}), Vec::<String>::new(), "{}", w.name);
    }
}

#[test]
fn what_is_thrown_away_says_why() {
    let run = RunBuilder::directories(&["/a", "/b"]).mode(Mode::Quick);
    let run = run.cells(|c| c.truth.suspended_ns = 12_000_000_000).play(1, |_, _, _| 900.0).build();
    let reason = invalid_reason(&run.header, &run.blocks[0].cells[0]);
    assert_eq!(reason.as_deref(), Some("the machine was suspended for 12 s"));
}

#[test]
fn parts_of_profiles_are_judged_by_what_the_drives_delivered() {
    for mut w in bakeoff_model::profiles::all() {
        let rate = match w.metric {
            Metric::Bandwidth => 50e6,
            Metric::LatencyP99 => 2e6,
            _ => 900.0,
        };
        let spec = w.profile.and_then(bakeoff_model::profiles::part_spec).expect("a part");
        w.job.rw = spec.rw;
        let part = |cache: Option<CacheState>| {
            let mut header = RunBuilder::directories(&["/a", "/b"]).build().header;
            header.workloads = vec![w.clone()];
            let mut one = clean_cell(measurement(&w, rate));
            one.truth.cache = cache.unwrap_or(one.truth.cache);
            cell(&header, &one).into_iter().map(|f| f.id).collect::<Vec<String>>()
        };
        let (cold, warm) = (part(Some(CacheState::Cold)), part(Some(CacheState::Warm)));
        assert!(cold.is_empty(), "{}: {cold:?}", w.name);
        let reads = measurement(&w, rate).read.is_some();
        assert_eq!(warm, if reads { vec!["L16"] } else { Vec::new() }, "{}", w.name);
        let unknown = part(Some(CacheState::Unknown));
        assert_eq!(unknown.contains(&"cache-unknown".to_string()), reads, "{}", w.name);
    }
}

#[test]
fn a_clean_cell_has_nothing_said_against_it() {
    assert_eq!(seen(|_, c| c.telemetry = watched(|_| {})), []);
}
