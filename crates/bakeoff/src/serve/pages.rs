//! The pages. Each is made of what the API says; the words and the markup are core's.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use bakeoff_report::pages::{self, NowPage};

use super::app::{App, slowly};
use super::problem::Problem;
use super::view;
use crate::assets;
use crate::store::{Records, RunId};

const HTML: &str = "text/html; charset=utf-8";

pub type Pairs = Vec<(String, String)>;

pub fn one<'p>(pairs: &'p Pairs, name: &str) -> &'p str {
    pairs.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value.as_str())
}

pub async fn now(State(app): State<Arc<App>>) -> Result<Html<String>, Problem> {
    let html = slowly(&app, move |app| {
        let run = app.current()?.map_or_else(pages::no_run, |current| current.html.clone());
        let drives = app.devices()?;
        let machine = match app.hub.text() {
            text if text.is_empty() => "Activity is measured while this page is open.".into(),
            text => text,
        };
        Ok(pages::rendered(&NowPage { run, machine, drives: &drives.drives }))
    });
    Ok(Html(html.await?))
}

pub fn named(app: &App, name: &str) -> Result<RunId, Problem> {
    let none = || Problem::not_found("No such run. See the list of stored runs.");
    let store = app.open()?.ok_or_else(none)?;
    match RunId::parse(name) {
        Some(run) if store.events(&run)? > 0 => Ok(run),
        _ => Ok(store.find(name)?),
    }
}

pub async fn run(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let page = slowly(&app, move |app| {
        let run = named(app, &name)?;
        app.view(view::PAGE, run.as_str())
    });
    Ok(([(CONTENT_TYPE, HTML)], page.await?).into_response())
}

/// What a command of ours prints; runs whose answer is open end with 1, which is no failure.
pub fn printed(app: &App, args: &[&str]) -> Result<String, Problem> {
    let finished = app.command(args)?;
    match finished.status.code() {
        Some(0 | 1) => Ok(String::from_utf8_lossy(&finished.stdout).into_owned()),
        code => Err(Problem::of_exit(code, &finished.stderr)),
    }
}

pub async fn asset(Path(name): Path<String>) -> Result<Response, Problem> {
    const JS: &str = "text/javascript; charset=utf-8";
    const CSS: &str = "text/css; charset=utf-8";
    let report = assets::report();
    let files: BTreeMap<&str, (&str, &'static str)> = BTreeMap::from([
        ("report.js", (JS, report.js)),
        ("report.css", (CSS, report.css)),
        ("live.js", (JS, include_str!("assets/live.js"))),
        ("live.css", (CSS, include_str!("assets/live.css"))),
    ]);
    let found = files.get(name.as_str()).ok_or_else(|| Problem::not_found("No such file."))?;
    Ok(([(CONTENT_TYPE, found.0)], found.1).into_response())
}

pub async fn nothing() -> Problem {
    Problem::not_found("No such page.")
}
