//! `/api/1`: the same as the pages for programs, in the schemas of docs/format.md.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query as UrlQuery, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use bakeoff_core::report::runs as list;
use futures_util::stream::{self, Stream};
use tokio::time::timeout;
use utoipa::OpenApi;

use super::answer::{Answer, json};
use super::app::{App, blocking, slowly};
use super::hub::{Hub, Message, Watching};
use super::pages::{Pairs, all, drive, named, printed, to_compare};
use super::problem::Problem;
use super::{acts, history, home, metrics};
use crate::store::RunId;

/// Silence after which a stream says that it lives.
const ALIVE: Duration = Duration::from_secs(15);
/// How long a browser waits before it connects again.
const AGAIN: Duration = Duration::from_secs(2);

/// What the API is.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "bakeoff",
        description = "Runs of bakeoff on this machine. Each response names its schema in the key \
                       `schema`; docs/format.md describes the schemas."
    ),
    paths(
        now,
        events,
        runs,
        run,
        compare,
        trend,
        devices,
        home::document,
        metrics::scrape,
        acts::preview,
        acts::start,
        acts::stop,
        acts::resume
    )
)]
struct Description;

/// The description itself.
pub async fn openapi() -> Result<Response, Problem> {
    Ok(json(Description::openapi().to_json().map_err(Problem::broken)?))
}

/// The run that is measured, or the last one.
#[utoipa::path(get, path = "/api/1/now", responses(
    (status = 200, description = "bakeoff/now/1", content_type = "application/json"),
    (status = 404, description = "No run is stored")))]
pub async fn now(State(app): State<Arc<App>>) -> Answer {
    let current = slowly(&app, |app| app.current()).await.map_err(Problem::json)?;
    match current {
        Some(current) => Ok(json(current.json.clone())),
        None => Err(Problem::not_found("No run is stored.").json()),
    }
}

/// Frames of the machine and states of the run, as they come (server-sent events).
#[utoipa::path(get, path = "/api/1/events",
    params(("Last-Event-ID" = Option<String>, Header, description = "ID of the last event")),
    responses((status = 200, content_type = "text/event-stream",
        description = "frame: bakeoff/watch/1; run: HTML in JSON; reset: events were missed")))]
pub async fn events(State(app): State<Arc<App>>, headers: HeaderMap) -> impl IntoResponse {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let last = last.and_then(|id| app.hub.number(id));
    let reading = Reading {
        watching: app.hub.watch(),
        hub: Arc::clone(&app.hub),
        last,
        is_new: true,
        waiting: Vec::new(),
    };
    Sse::new(stream(reading))
}

/// One browser and what it has seen.
struct Reading {
    hub: Arc<Hub>,
    watching: Watching,
    last: Option<u64>,
    is_new: bool,
    /// Still to be sent, the next one last.
    waiting: Vec<Message>,
}

fn stream(reading: Reading) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(reading, |mut reading| async move {
        loop {
            if let Some(message) = reading.waiting.pop() {
                reading.last = Some(message.number);
                let id = reading.hub.id(message.number);
                let event =
                    Event::default().event(message.topic.name()).id(id).data(&*message.data);
                return Some((Ok(event), reading));
            }
            // What comes from here on wakes us, also when it comes before we wait.
            reading.watching.changed.borrow_and_update();
            let missed = reading.hub.since(reading.last);
            let says_reset = reading.is_new || (missed.has_gap && !missed.messages.is_empty());
            reading.waiting = missed.messages;
            reading.waiting.reverse();
            if says_reset && (missed.has_gap || reading.last.is_none()) {
                reading.is_new = false;
                return Some((Ok(Event::default().event("reset").retry(AGAIN).data("")), reading));
            }
            reading.is_new = false;
            if reading.waiting.is_empty() {
                match timeout(ALIVE, reading.watching.changed.changed()).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => return None,
                    // So that both ends notice when the other one is gone.
                    Err(_) => return Some((Ok(Event::default().comment("")), reading)),
                }
            }
        }
    })
}

/// Stored runs, the latest first, 50 a page.
#[utoipa::path(get, path = "/api/1/runs",
    params(
        ("page" = Option<u32>, Query, description = "Page number, from 0"),
        ("search" = Option<String>, Query, description = "Part of the title, or start of the ID"),
        ("drive" = Option<String>, Query, description = "Part of a model or serial number"),
        ("host" = Option<String>, Query, description = "Part of the host name"),
        ("plan" = Option<String>, Query, description = "Part of the plan's title"),
        ("label" = Option<String>, Query, description = "Part of the label"),
        ("since" = Option<String>, Query, description = "First day, such as 2026-11-24 (UTC)"),
        ("until" = Option<String>, Query, description = "Last day")),
    responses((status = 200, description = "bakeoff/runs/1", content_type = "application/json")))]
pub async fn runs(State(app): State<Arc<App>>, UrlQuery(pairs): UrlQuery<Pairs>) -> Answer {
    let listed = blocking(&app, move |app| history::page(app, &pairs)).await;
    let rows: Vec<_> = listed.map_err(Problem::json)?.rows.into_iter().map(|r| r.row).collect();
    Ok(json(list::json(&rows, list::LeftOut::default())))
}

/// A run with its answer.
#[utoipa::path(get, path = "/api/1/runs/{run}",
    params(("run" = String, Path, description = "Start of a run ID, or last")),
    responses((status = 200, description = "bakeoff/run/2", content_type = "application/json"),
        (status = 404, description = "No such run")))]
pub async fn run(State(app): State<Arc<App>>, Path(name): Path<String>) -> Answer {
    let shown = slowly(&app, move |app| {
        let run = named(app, &name)?;
        printed(app, &["show", "--format", "json", run.as_str()])
    });
    Ok(json(shown.await.map_err(Problem::json)?))
}

/// Runs beside each other.
#[utoipa::path(get, path = "/api/1/compare",
    params(("run" = Vec<String>, Query, description = "Start of a run ID (repeatable)")),
    responses((status = 200, description = "bakeoff/compare", content_type = "application/json")))]
pub async fn compare(State(app): State<Arc<App>>, UrlQuery(pairs): UrlQuery<Pairs>) -> Answer {
    let chosen: Vec<String> = all(&pairs, "run").into_iter().map(str::to_string).collect();
    let text = slowly(&app, move |app| {
        let runs = to_compare(app, &chosen)?;
        let options = ["compare", "--format", "json"].into_iter();
        printed(app, &options.chain(runs.iter().map(RunId::as_str)).collect::<Vec<_>>())
    });
    Ok(json(text.await.map_err(Problem::json)?))
}

/// The history of a drive.
#[utoipa::path(get, path = "/api/1/trend",
    params(("drive" = String, Query, description = "Part of the vendor, model or serial number")),
    responses((status = 200, description = "bakeoff/trend/1", content_type = "application/json")))]
pub async fn trend(State(app): State<Arc<App>>, UrlQuery(pairs): UrlQuery<Pairs>) -> Answer {
    let text = slowly(&app, move |app| {
        printed(app, &["trend", "--format", "json", "--", &drive(&pairs)?])
    });
    Ok(json(text.await.map_err(Problem::json)?))
}

/// The drives of this machine.
#[utoipa::path(get, path = "/api/1/devices", responses(
    (status = 200, description = "bakeoff/devices/1", content_type = "application/json")))]
pub async fn devices(State(app): State<Arc<App>>) -> Answer {
    let devices = blocking(&app, |app| app.devices()).await.map_err(Problem::json)?;
    Ok(json(devices.json()))
}
