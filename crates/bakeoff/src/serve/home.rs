//! The flat document for Home Assistant's REST sensor, which reads a value and attributes of one
//! JSON object.

use std::sync::Arc;

use axum::extract::State;
use bakeoff_report::now::Now;
use serde_json::json;

use super::api::{Answer, json as as_json};
use super::app::{App, slowly};
use super::problem::Problem;
use crate::host;

/// The run that is measured, or the last one, in one flat object.
pub async fn document(State(app): State<Arc<App>>) -> Answer {
    let current = slowly(&app, |app| app.current()).await.map_err(Problem::json)?;
    let hottest_c = host::hottest_mc().map(|mc| mc as f64 / 1000.0);
    Ok(as_json(flat(current.as_ref().map(|current| &current.now), hottest_c)))
}

fn flat(now: Option<&Now>, hottest_c: Option<f64>) -> String {
    let Some(now) = now else {
        let none = json!({
            "schema": "bakeoff/homeassistant/1", "state": "none", "temperature_c": hottest_c,
        });
        return none.to_string();
    };
    let minutes = |ns: u64| (ns as f64 / 6e9).round() / 10.0;
    let first = now.verdicts.first();
    let lead = first.and_then(|verdict| verdict.lead);
    json!({
        "schema": "bakeoff/homeassistant/1",
        "state": now.state,
        "run": now.run,
        "title": now.title,
        "doing": now.doing,
        "progress_percent": (now.progress() * 1000.0).round() / 10.0,
        "elapsed_minutes": minutes(now.elapsed_ns),
        "left_minutes": now.left_ns.map(minutes),
        "blocks": now.blocks,
        "written_bytes": now.written_bytes,
        "headline": now.headline,
        "workload": first.map(|verdict| &verdict.workload),
        "verdict": first.map(|verdict| verdict.verdict),
        "leader": first.and_then(|verdict| verdict.leader.as_ref()),
        "lead_percent": lead.map(|lead| (lead * 1000.0).round() / 10.0),
        "temperature_c": hottest_c,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stored_is_a_state_as_well() {
        let value: serde_json::Value = serde_json::from_str(&flat(None, Some(41.5))).unwrap();
        assert_eq!((&value["state"], &value["temperature_c"]), (&"none".into(), &41.5.into()));
    }
}
