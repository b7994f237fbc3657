//! The same record gives the same report, byte for byte, on every machine: the runs in
//! fixtures/runs against the reports that one machine made of them.

use crate as report;
use bakeoff_judge::analyse::analyse;
use bakeoff_model::event::Event;
use bakeoff_model::run::Run;

fn report_of(record: &str) -> String {
    let events: Vec<Event> =
        record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let run = Run::fold(&events).unwrap();
    report::json_text(&run, &analyse(&run))
}

#[test]
fn stored_runs_give_the_reports_they_gave_before() {
    insta::assert_snapshot!(
        "demo",
        report_of(include_str!("../../../../../fixtures/runs/demo.jsonl"))
    );
    insta::assert_snapshot!(
        "places",
        report_of(include_str!("../../../../../fixtures/runs/places.jsonl"))
    );
}
