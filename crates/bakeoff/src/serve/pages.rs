//! The list of runs, and the page of each.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use bakeoff_judge::analyse::analyse;
use bakeoff_model::path::unsteered;
use bakeoff_model::verb::Verb;
use bakeoff_report as report;
use bakeoff_report::runs::{LeftOut, State as RunState};

use crate::assets;
use crate::cli::Format;
use crate::cmd::{fit, runs};
use crate::fault::Fault;
use crate::store::{Records, RunId, Sqlite, StoreError, folded};

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// A page as it was made of so many events.
#[derive(Clone)]
struct Page {
    run: RunId,
    events: u64,
    is_running: bool,
    kind: &'static str,
    content: Bytes,
}

pub struct Pages {
    store: PathBuf,
    last: Mutex<Option<Page>>,
}

impl Pages {
    pub fn new(store: PathBuf) -> Pages {
        Pages { store, last: Mutex::default() }
    }

    fn list(&self) -> Result<String, Fault> {
        let (rows, more) = match Sqlite::open_existing(&self.store)? {
            Some(mut store) => runs::list(&mut store, None, true)?,
            None => Default::default(),
        };
        let left_out = LeftOut { more, is_filtered: false };
        Ok(report::runs_page(&rows, left_out, &assets::report()))
    }

    /// The page of a run. Several browsers that show the same run get the same one.
    fn page(&self, name: &str) -> Result<Page, Fault> {
        let none = || StoreError::not_found(name, &[]);
        let store = Sqlite::open_existing(&self.store)?.ok_or_else(none)?;
        let run = store.find(name)?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let events = store.events(&run)?;
        if let Some(page) = last.as_ref().filter(|page| page.run == run && page.events == events)
            && page.is_running == store.is_held(&run)?
        {
            return Ok(page.clone());
        }
        let page = made(&store, run)?;
        *last = Some(page.clone());
        Ok(page)
    }
}

fn made(store: &Sqlite, id: RunId) -> Result<Page, Fault> {
    let run = folded::read(store, &id)?;
    let is_running = store.state(&id, run.stopped.is_some())? == RunState::Running;
    let (kind, text) = match run.header.verb {
        Verb::Fit => (TEXT, fit::text(Format::Text, &run, &[])),
        _ => (HTML, report::html(&run, &analyse(&run), &assets::report())),
    };
    let content = Bytes::from(unsteered(&text).into_owned());
    Ok(Page { events: run.next_seq, run: id, is_running, kind, content })
}

pub async fn list(State(pages): State<Arc<Pages>>) -> Response {
    blocking(move || pages.list())
        .await
        .map_or_else(|failed| failed, |list| Html(list).into_response())
}

pub async fn run(State(pages): State<Arc<Pages>>, Path(name): Path<String>) -> Response {
    let page = match blocking(move || pages.page(&name)).await {
        Ok(page) => page,
        Err(failed) => return failed,
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(page.kind));
    if page.is_running {
        // The page itself has to be the same as a file.
        headers.insert(HeaderName::from_static("refresh"), report::RELOAD_S.into());
    }
    (headers, page.content).into_response()
}

/// Does what reads the store, outside of the thread that serves all connections.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Response> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panic| Err(Fault::bug(panic))).map_err(|fault| {
        let status = match fault.code() {
            2 => StatusCode::NOT_FOUND,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        (status, format!("{fault}\n")).into_response()
    })
}
