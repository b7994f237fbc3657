//! The pages. Each is made of what the API says; the words and the markup are core's.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Extension;
use axum::extract::{Form, Path, Query as UrlQuery, State};
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::response::{Html, IntoResponse, Redirect, Response};
use bakeoff_core::report::devices::Drive;
use bakeoff_core::report::pages::{
    self, DriveRow, HistoryPage, HistoryRow, NowPage, Query, TextPage,
};
use bakeoff_core::report::runs::{Row, State as RunState};
use bakeoff_core::units;

use super::app::{App, blocking, locked, slowly};
use super::guard::{Reader, TOKEN_COOKIE};
use super::problem::Problem;
use super::view;
use crate::assets;
use crate::store::{RunId, Sqlite, Store, lock};

/// Runs on one page of the list.
const ROWS: usize = 50;
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
                can_resume: super::acts::can_resume(&current.now),
                can_act: reader.may_act,
                ..NowPage::default()
            },
            None => NowPage { run: pages::no_run(), ..NowPage::default() },
        };
        let machine = match app.hub.text() {
            text if text.is_empty() => "The activity is measured while a browser watches.".into(),
            text => text,
        };
        let drives = drives.drives.iter().map(drive_row).collect();
        Ok(NowPage { machine, drives, ..page }.html())
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

/// The history.
pub async fn runs(
    State(app): State<Arc<App>>,
    UrlQuery(pairs): UrlQuery<Pairs>,
) -> Result<Html<String>, Problem> {
    let page = blocking(&app, move |app| history_page(app, &pairs)).await?;
    let is_unread =
        |found: &HistoryRow| found.row.verdict.is_none() && found.row.state != RunState::Running;
    if page.rows.iter().any(is_unread) {
        read_results(&app);
    }
    Ok(Html(page.html()))
}

/// Has the results of all runs read that nobody has listed yet; once at a time, and not beside a
/// measurement.
fn read_results(app: &Arc<App>) {
    let is_measured = lock::held(&app.store).map_or(true, |held| !held.is_empty());
    if is_measured || app.reads_results.swap(true, Ordering::AcqRel) {
        return;
    }
    let app = Arc::clone(app);
    tokio::task::spawn_blocking(move || {
        // What it prints is in the store then; a failure is shown where the run is opened.
        let _ = app.command(&["runs", "--format", "csv"]);
        app.reads_results.store(false, Ordering::Release);
    });
}

/// What is looked for, from a request.
fn query(pairs: &Pairs) -> Query {
    let text = |name| one(pairs, name).chars().take(100).collect();
    Query {
        search: text("search"),
        drive: text("drive"),
        host: text("host"),
        plan: text("plan"),
        label: text("label"),
        since: text("since"),
        until: text("until"),
    }
}

/// A page of the history, as it was asked for.
pub fn history_page(app: &App, pairs: &Pairs) -> Result<HistoryPage, Problem> {
    let page = one(pairs, "page").parse::<usize>().unwrap_or(0).min(1_000_000);
    let query = query(pairs);
    let mut listed =
        HistoryPage { query, rows: Vec::new(), found: 0, stored: 0, page, has_more: false };
    let Some(store) = app.open()? else { return Ok(listed) };
    let mut history = locked(&app.history);
    let known = history.refresh(&store)?;
    let found = history.find(&known, &listed.query);
    drop(history);
    let ids: Vec<RunId> = known.iter().map(|known| known.run.clone()).collect();
    let shortest = shortest(&ids);
    listed.stored = known.len();
    listed.found = found.len();
    listed.has_more = found.len() > (page + 1) * ROWS;
    for found in found.into_iter().skip(page * ROWS).take(ROWS) {
        if let Some(row) = row(&store, found.known.number, shortest)? {
            let drives = found.entry.drives.iter().map(|(model, serial)| match model.is_empty() {
                true => serial.clone(),
                false => model.clone(),
            });
            let drives = drives.collect::<Vec<_>>().join(", ");
            listed.rows.push(HistoryRow { row, host: found.entry.host, drives });
        }
    }
    Ok(listed)
}

/// Digits that tell every run from every other one.
fn shortest(ids: &[RunId]) -> usize {
    let mut sorted: Vec<&str> = ids.iter().map(RunId::as_str).collect();
    sorted.sort_unstable();
    let common =
        |pair: &[&str]| pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count();
    sorted.windows(2).map(|pair| common(pair) + 1).max().unwrap_or(0).clamp(4, 16)
}

/// A row of the list; `None` when the run was removed meanwhile.
fn row(store: &Sqlite, number: i64, shortest: usize) -> Result<Option<Row>, Problem> {
    let Some(summary) = store.summary(number)? else { return Ok(None) };
    let is_held = lock::is_held(store.path(), &summary.run)?;
    let is_stopped = summary.digest.as_ref().map(|digest| digest.is_stopped);
    let state = match (is_held, is_stopped) {
        (true, _) => RunState::Running,
        (false, Some(true) | None) => RunState::Stopped,
        (false, Some(false)) => RunState::Dead,
    };
    Ok(Some(Row {
        run: summary.run.to_string(),
        short: summary.run.as_str()[..shortest].to_string(),
        created_unix_ns: summary.created_unix_ns,
        verb: summary.verb,
        title: summary.title,
        label: summary.label,
        imported: summary.is_imported,
        events: summary.events,
        state,
        blocks: summary.digest.as_ref().map(|digest| digest.blocks),
        verdict: summary.digest.map(|digest| digest.verdict),
        error: None,
    }))
}

/// The run that a name in an address means.
pub fn named(app: &App, name: &str) -> Result<RunId, Problem> {
    let none = || Problem::not_found("No such run. The list of runs has those that are stored.");
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
        app.view(view::PAGE, &run)
    });
    Ok(([(CONTENT_TYPE, "text/html; charset=utf-8")], page.await?).into_response())
}

/// Runs beside each other.
pub async fn compare(
    State(app): State<Arc<App>>,
    UrlQuery(pairs): UrlQuery<Pairs>,
) -> Result<Html<String>, Problem> {
    let chosen: Vec<String> = all(&pairs, "run").into_iter().map(str::to_string).collect();
    let chosen: Vec<String> = chosen.into_iter().filter(|run| !run.is_empty()).collect();
    if chosen.len() < 2 {
        return Ok(Html(pages::compare_page(chosen, String::new(), None)));
    }
    let asked = chosen.clone();
    let compared = slowly(&app, move |app| compared(app, &asked, "text")).await;
    let (pre, problem) = match compared {
        Ok(text) => (text, None),
        Err(problem) => (String::new(), Some(problem.said)),
    };
    Ok(Html(pages::compare_page(chosen, pre, problem)))
}

/// What `compare` prints of these runs.
pub fn compared(app: &App, chosen: &[String], format: &str) -> Result<String, Problem> {
    if chosen.len() < 2 || chosen.len() > COMPARED {
        return Err(Problem::bad(format!("Name 2 to {COMPARED} runs.")));
    }
    let runs = chosen.iter().map(|name| named(app, name)).collect::<Result<Vec<_>, _>>()?;
    let mut args = vec!["compare", "--format", format];
    args.extend(runs.iter().map(RunId::as_str));
    printed(app, &args)
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
            return Err(Problem::busy("A run is measured. Check the drive when it has ended."));
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
    Ok(Html(page.await?.html()))
}

/// Asks for the token.
pub async fn login() -> Html<String> {
    Html(pages::login(false))
}

/// Takes the token. A wrong one takes a second.
pub async fn logged_in(State(app): State<Arc<App>>, Form(pairs): Form<Pairs>) -> Response {
    let typed = one(&pairs, "token").trim();
    let is_token = app.rules.token.as_ref().is_some_and(|token| token.is(typed));
    if !is_token {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        return Html(pages::login(true)).into_response();
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
    Problem::not_found("There is no such page.")
}
