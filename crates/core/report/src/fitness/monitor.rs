//! `check` for monitoring systems.

use super::sentence;
use crate::{Exposition, Service, State};
use bakeoff_machine::fitness::{Check, Facts, Status, verdict};

pub fn prometheus(facts: &Facts, checks: &[Check]) -> String {
    let mut out = Exposition::default();
    let target = facts.target.name();
    out.gauge("bakeoff_check_status", "Worst result of all checks: 0 pass, 1 warning, 2 stop.");
    out.sample(&[("target", target)], f64::from(level(verdict(checks))));
    out.gauge("bakeoff_check_result", "Result of one check: 0 pass, 1 warning, 2 stop.");
    let mut told: Vec<(&str, &str)> = Vec::new();
    for check in checks.iter().filter(|check| check.status != Status::Unknown) {
        let key = (check.id, check.subject.as_deref().unwrap_or(""));
        // Two samples of the same labels are an error; the worse of two results is enough.
        if told.contains(&key) {
            continue;
        }
        told.push(key);
        let same = checks.iter().filter(|c| (c.id, c.subject.as_deref().unwrap_or("")) == key);
        let worst = same.map(|c| level(c.status)).max().unwrap_or(0);
        out.sample(&[("target", target), ("check", key.0), ("disk", key.1)], f64::from(worst));
    }
    out.gauge("bakeoff_check_unknown", "Number of checks that could not be made.");
    let unknown = checks.iter().filter(|check| check.status == Status::Unknown).count();
    out.sample(&[("target", target)], unknown as f64);
    out.gauge("bakeoff_check_timestamp_seconds", "Time of the check, Unix time.");
    out.sample(&[("target", target)], facts.now_unix_ns as f64 / 1e9);
    out.text()
}

fn level(status: Status) -> u8 {
    match status {
        Status::Pass | Status::Unknown => 0,
        Status::Warn => 1,
        Status::Stop => 2,
    }
}

pub fn service(facts: &Facts, checks: &[Check]) -> Service {
    let state = match verdict(checks) {
        Status::Stop => State::Critical,
        Status::Warn => State::Warning,
        Status::Pass | Status::Unknown => State::Ok,
    };
    let worst = verdict(checks);
    let first = checks.iter().find(|c| c.status == worst && state != State::Ok);
    let first = first.map_or(String::new(), |c| format!(" First: {}: {}.", c.id, c.found));
    Service::without_values(state, &format!("{}{first}", sentence(facts, checks)))
}
