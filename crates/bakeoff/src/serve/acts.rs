//! Starting, stopping and resuming runs.
//!
//! No command comes from a request ([`super::choice`]). The run is a process of its own, which goes
//! on when the server ends.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Path, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use bakeoff_core::model::event::StopReason;
use bakeoff_core::model::verb::Verb;
use bakeoff_core::report::pages;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::access::Reader;
use super::app::{App, locked, slowly};
use super::choice::{self, Asked};
use super::pages::{Pairs, named, one};
use super::problem::Problem;
use crate::detached::{self, Begun};
use crate::signals::Limit;
use crate::steps::in_hand;
use crate::store::{RunId, lock};

/// Longest wait for a run to begin.
const BEGINNING: Duration = Duration::from_secs(60);
/// More time for a run whose limit was reached.
const MORE_TIME: &str = "10m";

/// The form.
pub async fn form(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
) -> Result<Html<String>, Problem> {
    let page = slowly(&app, move |app| choice::form(app, reader, &Pairs::new())).await?;
    Ok(Html(pages::rendered(&page)))
}

/// Shows what a choice would do, or starts it once that was shown.
pub async fn submitted(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Form(pairs): Form<Pairs>,
) -> Result<Response, Problem> {
    let answer = slowly(&app, move |app| {
        let mut page = choice::form(app, reader, &pairs)?;
        let done = Asked::from_form(app, &pairs).and_then(|asked| {
            if one(&pairs, "do") == "start" && one(&pairs, "seen") == asked.key() {
                begin(app, reader, &asked, one(&pairs, "erase").trim())?;
                return Ok(true);
            }
            page.preview = asked.preview(app)?;
            page.needs_token = asked.erases();
            page.seen = asked.key();
            Ok(false)
        });
        match done {
            Ok(true) => return Ok(Redirect::to("/").into_response()),
            Ok(false) => {}
            Err(problem) => page.problem = Some(problem.said),
        }
        Ok(Html(pages::rendered(&page)).into_response())
    });
    answer.await
}

/// Starts what was asked for.
fn begin(app: &App, reader: Reader, asked: &Asked, token: &str) -> Result<(), Problem> {
    allowed(app, reader, asked.erases())?;
    if asked.erases() && token.is_empty() {
        return Err(Problem::forbidden("Enter the erase token of the drive. The plan shows it."));
    }
    start_process(app, asked.command(token))
}

fn allowed(app: &App, reader: Reader, erases: bool) -> Result<(), Problem> {
    if !reader.may_act {
        return Err(Problem::forbidden("Log in with this server's token first."));
    }
    match erases && !app.may_erase {
        true => Err(Problem::forbidden(
            "This server does not allow runs that erase a drive. Start it with --allow-erase.",
        )),
        false => Ok(()),
    }
}

/// Starts it where nothing is measured yet; an early end is the answer.
fn start_process(app: &App, mut words: Vec<OsString>) -> Result<(), Problem> {
    if !lock::held(&app.store)?.is_empty() {
        return Err(Problem::busy("Another run is in progress. Wait until it ends, or stop it."));
    }
    if let Some(reading) = &*locked(&app.reads_results) {
        reading.reach(Limit::Time);
    }
    words.splice(0..0, ["--store".into(), app.store.clone().into()]);
    let mut begun = detached::begin(&app.store, &words)?;
    let since = Instant::now();
    // What is refused ends before a run of it is in hand.
    while begun.early_end()?.is_none() && lock::held(&app.store)?.is_empty() {
        if since.elapsed() > BEGINNING {
            break;
        }
        std::thread::sleep(BEGINNING / 300);
    }
    if let Begun::Session { mut child, .. } = begun {
        // Somebody has to take its status when it ends.
        std::thread::spawn(move || child.wait());
    }
    Ok(())
}

/// Stops a run, as Ctrl-C does.
pub async fn stop_page(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Path(name): Path<String>,
) -> Result<Redirect, Problem> {
    slowly(&app, move |app| interrupt(app, reader, &name)).await?;
    Ok(Redirect::to("/"))
}

/// Resumes a run.
pub async fn resume_page(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Path(name): Path<String>,
    Form(pairs): Form<Pairs>,
) -> Result<Redirect, Problem> {
    slowly(&app, move |app| go_on(app, reader, &name, one(&pairs, "erase").trim())).await?;
    Ok(Redirect::to("/"))
}

/// Sends the signal of Ctrl-C to the process that has the run in hand, and to no other.
fn interrupt(app: &App, reader: Reader, name: &str) -> Result<(), Problem> {
    allowed(app, reader, false)?;
    let run: RunId = named(app, name)?;
    let gone = || Problem::bad("This run is not in progress.");
    if !lock::is_held(&app.store, &run)? {
        return Err(gone());
    }
    let store = app.open()?.ok_or_else(gone)?;
    let owner = store.owner(&run)?.ok_or_else(gone)?;
    let pid = i32::try_from(owner.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    // Opened first: a number that another process got meanwhile has another start.
    let process = pidfd_open(pid, PidfdFlags::empty()).map_err(|_| gone())?;
    if !in_hand::lives(&owner) {
        return Err(gone());
    }
    pidfd_send_signal(&process, Signal::INT).map_err(|error| {
        Problem::forbidden(format!(
            "Cannot stop the run: {error}. It belongs to another user. Stop it as that user."
        ))
    })
}

/// Resumes a run; `token` as it was typed, where a drive is erased again.
fn go_on(app: &App, reader: Reader, name: &str, token: &str) -> Result<(), Problem> {
    let run: RunId = named(app, name)?;
    let now = app.view_now(&run)?.now;
    allowed(app, reader, now.verb == Verb::Run)?;
    if !now.can_resume {
        return Err(Problem::bad("This run cannot be resumed. Start a new one on the page New."));
    }
    let mut words: Vec<OsString> = vec!["resume".into(), run.as_str().into()];
    if now.stopped == Some(StopReason::TimeUp) {
        words.extend(["--time".into(), MORE_TIME.into()]);
    }
    if !token.is_empty() {
        words.push(format!("--erase={token}").into());
    }
    start_process(app, words)
}

/// What a choice would do, as text.
#[utoipa::path(post, path = "/api/1/plan", request_body(content_type =
    "application/x-www-form-urlencoded", description =
    "place=… (a directory; repeatable) and workload=…, or plan=…&target=…; optional: time=…",
    content = String),
    responses((status = 200, description = "Same text as `bakeoff plan`",
        content_type = "text/plain")))]
pub async fn preview(
    State(app): State<Arc<App>>,
    Form(pairs): Form<Pairs>,
) -> Result<Response, Response> {
    let text = slowly(&app, move |app| Asked::from_form(app, &pairs)?.preview(app)).await;
    Ok(text.map_err(Problem::json)?.into_response())
}

/// Starts a run.
#[utoipa::path(post, path = "/api/1/runs", request_body(content_type =
    "application/x-www-form-urlencoded", content = String,
    description = "place=… (a directory; repeatable) and workload=…, or \
                   plan=…&target=…&erase=TOKEN; optional: time=…"),
    responses((status = 202, description = "The run has started"),
        (status = 403, description = "Refused")))]
pub async fn start(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Form(pairs): Form<Pairs>,
) -> Response {
    let begun = slowly(&app, move |app| {
        let token = one(&pairs, "erase").trim();
        begin(app, reader, &Asked::from_form(app, &pairs)?, token)
    });
    accepted(begun.await)
}

/// Stops a run, as Ctrl-C does.
#[utoipa::path(post, path = "/api/1/runs/{run}/stop",
    params(("run" = String, Path, description = "Start of a run ID, or last")),
    responses((status = 202, description = "The run is stopping")))]
pub async fn stop(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Path(name): Path<String>,
) -> Response {
    accepted(slowly(&app, move |app| interrupt(app, reader, &name)).await)
}

/// Resumes a run.
#[utoipa::path(post, path = "/api/1/runs/{run}/resume",
    params(("run" = String, Path, description = "Start of a run ID, or last")),
    request_body(content_type = "application/x-www-form-urlencoded", content = String,
        description = "erase=TOKEN, needed if the contents of a drive have changed"),
    responses((status = 202, description = "The run has started")))]
pub async fn resume(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Path(name): Path<String>,
    form: Result<Form<Pairs>, FormRejection>,
) -> Response {
    let pairs = match form {
        Ok(Form(pairs)) => pairs,
        // Without a body there is nothing to say what it would be.
        Err(FormRejection::InvalidFormContentType(_)) => Pairs::new(),
        Err(error) => return Problem::bad(error.body_text()).json(),
    };
    let token = move |app: &App| go_on(app, reader, &name, one(&pairs, "erase").trim());
    accepted(slowly(&app, token).await)
}

fn accepted(done: Result<(), Problem>) -> Response {
    match done {
        Ok(()) => axum::http::StatusCode::ACCEPTED.into_response(),
        Err(problem) => problem.json(),
    }
}
