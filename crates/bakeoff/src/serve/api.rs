//! `/api/1`: the same as the pages for programs, in the schemas of docs/format.md.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, Query as UrlQuery, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use bakeoff_model::path::unsteered;
use bakeoff_report::runs as list;
use futures_util::stream::{self, Stream};
use tokio::time::timeout;

use super::app::{App, blocking, slowly};
use super::crowd::Place;
use super::history;
use super::hub::{Hub, HubWatcher, Message};
use super::pages::{Pairs, named, printed};
use super::problem::Problem;
use super::who::Visitor;

const ALIVE: Duration = Duration::from_secs(15);
const AGAIN: Duration = Duration::from_secs(2);

/// What the handlers give: problems are JSON too.
pub type Answer = Result<Response, Response>;

pub fn json(text: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], unsteered(&text).into_owned()).into_response()
}

pub async fn now(State(app): State<Arc<App>>) -> Answer {
    let current = slowly(&app, |app| app.current()).await.map_err(Problem::json)?;
    match current {
        Some(current) => Ok(json(current.json.clone())),
        None => Err(Problem::not_found("No run is stored.").json()),
    }
}

/// Frames of the machine and states of the run, as they come (server-sent events).
pub async fn events(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> Answer {
    let place = app.streams.enter(visitor.address).ok_or_else(|| {
        Problem::busy("Too many event streams are open. Close a page, and load this one again.")
            .json()
    })?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let last = last.and_then(|id| app.hub.number(id));
    let reading = EventReader {
        watching: app.hub.watch(),
        hub: Arc::clone(&app.hub),
        last,
        is_new: true,
        waiting: Vec::new(),
        _place: place,
    };
    Ok(Sse::new(stream(reading)).into_response())
}

struct EventReader {
    hub: Arc<Hub>,
    watching: HubWatcher,
    last: Option<u64>,
    is_new: bool,
    waiting: Vec<Message>,
    _place: Place,
}

fn stream(reading: EventReader) -> impl Stream<Item = Result<Event, Infallible>> {
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
pub async fn runs(State(app): State<Arc<App>>, UrlQuery(pairs): UrlQuery<Pairs>) -> Answer {
    let listed = blocking(&app, move |app| history::page(app, &pairs)).await;
    let rows: Vec<_> = listed.map_err(Problem::json)?.rows.into_iter().map(|r| r.row).collect();
    Ok(json(list::json(&rows)))
}

pub async fn run(State(app): State<Arc<App>>, Path(name): Path<String>) -> Answer {
    let shown = slowly(&app, move |app| {
        let run = named(app, &name)?;
        printed(app, &["show", "--format", "json", run.as_str()])
    });
    Ok(json(shown.await.map_err(Problem::json)?))
}
