//! What no single rule over a cell is about.

use super::fixture::{fires, found, seen, watched};
use super::*;
use crate::model::event::Header;
use crate::model::job::Rw;
use crate::model::protocol::Mode;
use crate::model::telemetry::Gauge;
use crate::model::workload::Metric;
use crate::testing::{RunBuilder, clean_cell, measurement};

#[test]
fn clean_cells_say_nothing() {
    for w in crate::workloads::all() {
        let rate = if w.metric == crate::model::workload::Metric::Bandwidth { 50e6 } else { 900.0 };
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
fn parts_of_profiles_are_judged_by_what_they_say_of_themselves() {
    for w in crate::profiles::all() {
        let rate = match w.metric {
            Metric::Bandwidth => 50e6,
            Metric::LatencyP99 => 2e6,
            _ => 900.0,
        };
        let part = |header: &mut Header, change: fn(&mut Cell)| {
            header.workloads = vec![w.clone()];
            let measurement = measurement(&w, rate);
            let mut one = clean_cell(measurement);
            change(&mut one);
            cell(&*header, &one).into_iter().map(|f| f.id).collect::<Vec<String>>()
        };
        let mut header = RunBuilder::directories(&["/a", "/b"]).build().header;
        // Reads that a profile does not cool can come from memory; what it cools does not.
        let is_warm = w.job.rw.reads() && !w.job.invalidate;
        let want = if is_warm { vec!["L12".to_string()] } else { Vec::new() };
        assert_eq!(part(&mut header, |_| {}), want, "{}", w.name);
        let warm = part(&mut header, |c| {
            c.measurement.job.rw = Rw::Read;
            c.measurement.job.invalidate = false;
        });
        assert_eq!(warm, ["L12"], "{}", w.name);
    }
}

#[test]
fn a_clean_cell_has_nothing_said_against_it() {
    assert_eq!(seen(|_, c| c.telemetry = watched(|_| {})), []);
}

#[test]
fn l51_needs_a_temperature() {
    let gauge = Gauge { name: "cpu".to_string(), most: None, values: vec![80_000] };
    assert!(!fires("L51", |_, c| c.telemetry = watched(|t| t.temperature_mc = vec![gauge])));
}
