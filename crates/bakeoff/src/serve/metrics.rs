//! `/metrics`: the run that is measured, or the last one, and the last run of each drive.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bakeoff_report as report;
use bakeoff_report::now::Now;

use super::app::{App, locked, slowly};
use super::problem::Problem;
use crate::host;

const DRIVES: u32 = 32;
/// Runs analysed for one scrape; the others follow at the next ones.
const AT_ONCE: usize = 2;
/// Its content type (OpenMetrics 1.0, "Overall Structure").
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Progress, verdicts, ceilings, wear, health and temperature.
pub async fn scrape(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let text = slowly(&app, |app| {
        let current = app.current()?;
        let (stored, last) = last_of_drives(app)?;
        let hottest_c = host::hottest_mc().map(|mc| mc as f64 / 1000.0);
        let now = current.as_ref().map(|current| &current.now);
        Ok(report::store_metrics(now, stored, &last, hottest_c))
    });
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], text.await?).into_response())
}

fn last_of_drives(app: &App) -> Result<(u64, Vec<Arc<Now>>), Problem> {
    let Some(store) = app.open()? else { return Ok((0, Vec::new())) };
    let wanted = store.last_of_drives(DRIVES)?;
    let mut analysed = locked(&app.analysed);
    analysed.retain(|run, _| wanted.contains(run));
    let mut left = AT_ONCE;
    let mut last = Vec::new();
    for run in wanted {
        let events = store.events(&run)?;
        let kept = analysed.get(&run).filter(|now| now.events == events).cloned();
        let now = match kept {
            Some(now) => Some(now),
            None if left > 0 => {
                left -= 1;
                // One that cannot be read takes nothing from the others.
                let now = app.view_now(&run).ok().map(|made| Arc::new(made.now));
                analysed.extend(now.clone().map(|now| (run, now)));
                now
            }
            None => None,
        };
        last.extend(now);
    }
    Ok((store.stored()?, last))
}
