//! A record in which every kind of event occurs and every field has a value: a file with an event a
//! line, as the store keeps them.

use crate::bundle::Head;
use bakeoff_model::event::Event;

pub const RUN: &str = "0123456789abcdef";

pub fn head() -> Head {
    Head { schema: crate::bundle::SCHEMA.into(), run: RUN.into(), version: "0.1.0".into() }
}

pub fn lines() -> Vec<String> {
    let all = include_str!("../../../../../../fixtures/events/every_event.jsonl");
    all.lines().map(str::to_string).collect()
}

/// The events in order.
pub fn events() -> Vec<Event> {
    lines().iter().map(|line| serde_json::from_str(line).expect("an event of ours")).collect()
}
