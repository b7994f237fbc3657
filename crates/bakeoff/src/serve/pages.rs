//! The pages. Each is made of what the API says; the words and the markup are core's.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form, Path, Query as UrlQuery, State};
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::response::{Html, IntoResponse, Redirect, Response};
use bakeoff_core::model::verb::Verb;
use bakeoff_core::report::devices::Drive;
use bakeoff_core::report::pages::{self, ComparePage, DriveRow, LoginPage, NowPage, TextPage};
use bakeoff_core::report::runs::State as RunState;
use bakeoff_core::units;

use super::access::{Reader, TOKEN_COOKIE};
use super::app::{App, slowly};
use super::problem::Problem;
use super::view;
use crate::assets;
use crate::store::{Records, RunId};

const HTML: &str = "text/html; charset=utf-8";
/// Most runs compared at once.
const COMPARED: usize = 32;
/// How long a browser keeps the token: 30 days.
const COOKIE_AGE_S: u32 = 30 * 24 * 3600;

/// Pairs of a query or a form; a name may come more than once.
pub type Pairs = Vec<(String, String)>;

/// The values of a name.
pub fn all<'p>(pairs: &'p Pairs, name: &str) -> Vec<&'p str> {
    pairs.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str()).collect()
}

/// The first value of a name, or nothing.
pub fn one<'p>(pairs: &'p Pairs, name: &str) -> &'p str {
    all(pairs, name).first().copied().unwrap_or_default()
}

/// What runs now.
pub async fn now(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
) -> Result<Html<String>, Problem> {
    let html = slowly(&app, move |app| {
        let current = app.current()?;
        let drives = app.devices()?;
        let page = match current {
            Some(current) => NowPage {
                run: current.html.clone(),
                id: current.run.to_string(),
                is_running: current.now.state == RunState::Running,
                can_resume: current.now.can_resume,
                erases: current.now.verb == Verb::Run,
                can_act: reader.may_act,
                ..NowPage::default()
            },
            None => NowPage { run: pages::no_run(), ..NowPage::default() },
        };
        let machine = match app.hub.text() {
            text if text.is_empty() => "Activity is measured while this page is open.".into(),
            text => text,
        };
        let drives = drives.drives.iter().map(drive_row).collect();
        Ok(pages::rendered(&NowPage { machine, drives, ..page }))
    });
    Ok(Html(html.await?))
}

fn drive_row(drive: &Drive) -> DriveRow {
    DriveRow {
        path: drive.path.clone(),
        model: drive.model.clone().unwrap_or_default(),
        size: units::size_decimal(drive.size_bytes),
        is_safe: drive.safe_to_erase,
        why: drive.reasons.first().map(|reason| reason.text.clone()).unwrap_or_default(),
    }
}

/// The run that a name in an address means.
pub fn named(app: &App, name: &str) -> Result<RunId, Problem> {
    let none = || Problem::not_found("No such run. See the list of stored runs.");
    let store = app.open()?.ok_or_else(none)?;
    match RunId::parse(name) {
        Some(run) if store.events(&run)? > 0 => Ok(run),
        _ => Ok(store.find(name)?),
    }
}

/// The report of a run.
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

/// The drive whose history is asked for: a name, never a path.
pub fn drive(pairs: &Pairs) -> Result<String, Problem> {
    match one(pairs, "drive").trim() {
        path if path.starts_with('/') => Err(Problem::bad(
            "Specify the drive by its serial \
                                                           number.",
        )),
        drive => Ok(drive.to_string()),
    }
}

/// The history of a drive.
pub async fn trend(
    State(app): State<Arc<App>>,
    UrlQuery(pairs): UrlQuery<Pairs>,
) -> Result<Response, Problem> {
    let page = slowly(&app, move |app| app.view(view::TREND, &drive(&pairs)?));
    Ok(([(CONTENT_TYPE, HTML)], page.await?).into_response())
}

/// Runs beside each other.
pub async fn compare(
    State(app): State<Arc<App>>,
    UrlQuery(pairs): UrlQuery<Pairs>,
) -> Result<Html<String>, Problem> {
    let chosen: Vec<String> = all(&pairs, "run").into_iter().map(str::to_string).collect();
    let chosen: Vec<String> = chosen.into_iter().filter(|run| !run.is_empty()).collect();
    if chosen.len() < 2 {
        return Ok(Html(pages::rendered(&ComparePage { chosen, ..ComparePage::default() })));
    }
    let asked = chosen.clone();
    let compared = slowly(&app, move |app| {
        let runs = to_compare(app, &asked)?;
        let runs: Vec<&str> = runs.iter().map(RunId::as_str).collect();
        String::from_utf8(app.view(view::COMPARE, &runs.join(","))?).map_err(Problem::broken)
    });
    let (compared, problem) = match compared.await {
        Ok(compared) => (compared, None),
        Err(problem) => (String::new(), Some(problem.said)),
    };
    Ok(Html(pages::rendered(&ComparePage { chosen, compared, problem })))
}

/// The runs of these names, as many as can be compared.
pub fn to_compare(app: &App, chosen: &[String]) -> Result<Vec<RunId>, Problem> {
    if chosen.len() < 2 || chosen.len() > COMPARED {
        return Err(Problem::bad(format!("Name 2 to {COMPARED} runs.")));
    }
    chosen.iter().map(|name| named(app, name)).collect()
}

/// What a command of ours prints; runs whose answer is open end with 1, which is no failure.
pub fn printed(app: &App, args: &[&str]) -> Result<String, Problem> {
    let finished = app.command(args)?;
    match finished.status.code() {
        Some(0 | 1) => Ok(String::from_utf8_lossy(&finished.stdout).into_owned()),
        code => Err(Problem::of_exit(code, &finished.stderr)),
    }
}

/// Checks a drive of this machine, which takes seconds on an idle machine.
pub async fn check(
    State(app): State<Arc<App>>,
    Form(pairs): Form<Pairs>,
) -> Result<Html<String>, Problem> {
    let target = one(&pairs, "target").to_string();
    let page = slowly(&app, move |app| {
        if app.current()?.is_some_and(|current| current.now.state == RunState::Running) {
            return Err(Problem::busy("A run is in progress. Check the drive when it has ended."));
        }
        // A name from a request reaches a command only if it is one of ours.
        let devices = app.devices()?;
        let known = devices.drives.iter().find(|drive| drive.path == target);
        let drive = known.ok_or_else(|| Problem::not_found("This machine has no such drive."))?;
        Ok(TextPage {
            title: format!("Check of {}", drive.path),
            pre: printed(app, &["check", &drive.path])?,
            back: Some(("/".to_string(), "Back".to_string())),
            ..TextPage::default()
        })
    });
    Ok(Html(pages::rendered(&page.await?)))
}

/// Asks for the token.
pub async fn login() -> Html<String> {
    Html(pages::rendered(&LoginPage { is_wrong: false }))
}

/// Takes the token. A wrong one takes a second.
pub async fn logged_in(State(app): State<Arc<App>>, Form(pairs): Form<Pairs>) -> Response {
    let typed = one(&pairs, "token").trim();
    let is_token = app.rules.token.as_ref().is_some_and(|token| token.is(typed));
    if !is_token {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        return Html(pages::rendered(&LoginPage { is_wrong: true })).into_response();
    }
    let secure = if app.rules.is_tls { "; Secure" } else { "" };
    let cookie = format!(
        "{TOKEN_COOKIE}={typed}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_AGE_S}{secure}"
    );
    ([(SET_COOKIE, cookie)], Redirect::to("/")).into_response()
}

/// A script or style of ours.
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

/// Everything else.
pub async fn nothing() -> Problem {
    Problem::not_found("No such page.")
}
