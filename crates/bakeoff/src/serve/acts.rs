//! Starting, stopping and resuming runs.
//!
//! No command comes from a request: a plan is one of the built-in ones, a place or a drive is one
//! of those this server offers, and a time is one that the command line accepts. The run is a
//! process of its own, which goes on when the server ends.

use std::ffi::OsString;
use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form, Path, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use bakeoff_core::model::event::StopReason;
use bakeoff_core::plan;
use bakeoff_core::report::now::Now;
use bakeoff_core::report::pages::{Choice, NewPage};
use bakeoff_core::report::runs::State as RunState;
use bakeoff_core::units;
use rustix::fs::{Access, access};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::app::{App, slowly};
use super::guard::Reader;
use super::pages::{Pairs, all, named, one, printed};
use super::problem::Problem;
use crate::cli::Global;
use crate::cmd::scheduled::{self, Begun};
use crate::host;
use crate::store::{RunId, lock};

/// Time limit that is proposed.
const TIME: &str = "3m";
/// More time for a run whose limit was reached.
const MORE_TIME: &str = "10m";
/// Most places compared at once.
const PLACES: usize = 16;

/// What a form asks for, every word of it ours.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    /// Compare places.
    Quick { places: Vec<String>, time: String },
    /// A built-in plan on a drive.
    Plan { plan: &'static str, target: String, time: Option<String> },
}

/// Whether a run may be resumed from a page.
pub fn can_resume(now: &Now) -> bool {
    match now.state {
        RunState::Dead => true,
        RunState::Stopped => {
            now.stopped.is_some_and(StopReason::is_resumable) && now.verb != "bench"
        }
        RunState::Running | RunState::Unreadable => false,
    }
}

/// The form.
pub async fn form(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
) -> Result<Html<String>, Problem> {
    let page = slowly(&app, move |app| empty_form(app, reader, &Pairs::new())).await?;
    Ok(Html(page.html()))
}

/// The form with what was chosen in it.
fn empty_form(app: &App, reader: Reader, pairs: &Pairs) -> Result<NewPage, Problem> {
    let chosen = all(pairs, "place");
    let places = places(app)?.into_iter().map(|(value, about)| Choice {
        is_chosen: chosen.contains(&value.as_str()),
        name: value.clone(),
        value,
        about,
    });
    let target = one(pairs, "target");
    let devices = app.devices()?;
    let drives = devices.drives.iter().map(|drive| Choice {
        value: drive.path.clone(),
        name: drive.path.clone(),
        about: format!(
            "{}, {}",
            drive.model.as_deref().unwrap_or("no model name"),
            units::size_decimal(drive.size_bytes)
        ),
        is_chosen: drive.path == target,
    });
    let wanted = one(pairs, "plan");
    let plans = plan::BUILT_IN.iter();
    let plans = plans.map(|p| (p.name.to_string(), p.summary.to_string(), p.name == wanted));
    let time = match one(pairs, "time") {
        "" => TIME.to_string(),
        time => time.chars().take(20).collect(),
    };
    Ok(NewPage {
        can_act: reader.may_act,
        may_erase: app.may_erase,
        places: places.collect(),
        plans: plans.collect(),
        drives: drives.collect(),
        time,
        ..NewPage::default()
    })
}

/// Directories that can be compared: where drives are mounted, as far as this user can write there.
fn places(app: &App) -> Result<Vec<(String, String)>, Problem> {
    let devices = app.devices()?;
    let mut places: Vec<(String, String)> = Vec::new();
    let home = std::env::var_os("HOME").and_then(|home| home.into_string().ok());
    places.extend(home.map(|home| (home, "home directory".to_string())));
    for drive in &devices.drives {
        let model = drive.model.as_deref().unwrap_or(&drive.name);
        for part in &drive.contents {
            let fs = part.fs.as_deref().unwrap_or("unknown filesystem");
            let mounts = part.mount_points.iter().filter_map(|path| path.as_path().to_str());
            places.extend(mounts.map(|path| (path.to_string(), format!("{fs} on {model}"))));
        }
    }
    let may_write = |path: &str| access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    places.retain(|(path, _)| FilePath::new(path).is_absolute() && may_write(path));
    places.sort();
    places.dedup_by(|a, b| a.0 == b.0);
    Ok(places)
}

fn asked(app: &App, pairs: &Pairs) -> Result<Asked, Problem> {
    let typed = one(pairs, "time").trim();
    let time = match typed {
        "" => None,
        text => {
            units::parse_duration_ns(text).map_err(Problem::bad)?;
            Some(text.to_string())
        }
    };
    let chosen = all(pairs, "place");
    match (one(pairs, "plan"), one(pairs, "target")) {
        ("", _) if chosen.is_empty() => Err(Problem::bad("Choose a place, or a plan and a drive.")),
        ("", _) => {
            let places = places(app)?;
            let is_offered = |place: &&str| places.iter().any(|(path, _)| path == place);
            if chosen.len() > PLACES || !chosen.iter().all(is_offered) {
                return Err(Problem::bad("Choose among the places that are listed."));
            }
            let places = chosen.into_iter().map(str::to_string).collect();
            Ok(Asked::Quick { places, time: time.unwrap_or_else(|| TIME.to_string()) })
        }
        (name, target) => {
            let plan = plan::built_in(name).ok_or_else(|| Problem::bad("No such plan."))?;
            let devices = app.devices()?;
            match devices.drives.iter().any(|drive| drive.path == target) {
                true => Ok(Asked::Plan { plan: plan.name, target: target.to_string(), time }),
                false => Err(Problem::bad("Choose a drive for the plan.")),
            }
        }
    }
}

impl Asked {
    /// What identifies it, so that what is started is what was shown.
    fn key(&self) -> String {
        format!("{self:?}")
    }

    /// What it would do: of a plan what `bakeoff plan` prints.
    fn preview(&self, app: &App) -> Result<String, Problem> {
        match self {
            Asked::Quick { places, time } => Ok(format!(
                "Compare {} in blocks of random order for {time} at most.\n\nbakeoff writes a \
                 scratch file in each place, 2 GiB or 1 % of the disk in all at most, and removes \
                 it.\n\n$ bakeoff quick --time {time} {}\n",
                places.join(", "),
                places.join(" ")
            )),
            Asked::Plan { plan, target, time } => {
                let mut args = vec!["plan", plan, "--target", target];
                args.extend(time.iter().flat_map(|time| ["--time", time]));
                printed(app, &args)
            }
        }
    }

    /// The command line of the run; `token` as it was typed.
    fn command(&self, token: &str) -> Vec<OsString> {
        match self {
            Asked::Quick { places, time } => {
                let words = ["quick", "--time", time, "--"].map(OsString::from);
                words.into_iter().chain(places.iter().map(OsString::from)).collect()
            }
            Asked::Plan { plan, target, time } => {
                let mut words = ["run", plan, "--target", target].map(OsString::from).to_vec();
                words.push(format!("--erase={token}").into());
                words.extend(time.iter().flat_map(|time| ["--time".into(), time.into()]));
                words
            }
        }
    }

    fn erases(&self) -> bool {
        matches!(self, Asked::Plan { .. })
    }
}

/// Shows what a choice would do, or starts it once that was shown.
pub async fn submitted(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Form(pairs): Form<Pairs>,
) -> Result<Response, Problem> {
    let answer = slowly(&app, move |app| {
        let mut page = empty_form(app, reader, &pairs)?;
        let done = asked(app, &pairs).and_then(|asked| {
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
        Ok(Html(page.html()).into_response())
    });
    answer.await
}

/// Starts what was asked for; an early end is the answer.
fn begin(app: &App, reader: Reader, asked: &Asked, token: &str) -> Result<(), Problem> {
    allowed(app, reader, asked.erases())?;
    let is_token = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    if asked.erases() && (token.is_empty() || !token.chars().all(is_token)) {
        return Err(Problem::forbidden("Type the erase token of the drive, which the plan shows."));
    }
    if !lock::held(&app.store)?.is_empty() {
        return Err(Problem::busy("A run is measured already. Wait for its end, or stop it."));
    }
    start_process(app, asked.command(token))
}

fn allowed(app: &App, reader: Reader, erases: bool) -> Result<(), Problem> {
    if !reader.may_act {
        return Err(Problem::forbidden("Log in with the token of this server first."));
    }
    match erases && !app.may_erase {
        true => Err(Problem::forbidden(
            "This server may not erase a drive. Start it with --allow-erase.",
        )),
        false => Ok(()),
    }
}

fn start_process(app: &App, mut words: Vec<OsString>) -> Result<(), Problem> {
    words.splice(0..0, ["--store".into(), app.store.clone().into()]);
    let global = Global { store: Some(app.store.clone()), format: None, quiet: true, seed: None };
    let mut begun = scheduled::begin(&global, &words)?;
    begun.early_end()?;
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
) -> Result<Redirect, Problem> {
    slowly(&app, move |app| go_on(app, reader, &name)).await?;
    Ok(Redirect::to("/"))
}

/// Sends the signal of Ctrl-C to the process that has the run in hand, and to no other.
fn interrupt(app: &App, reader: Reader, name: &str) -> Result<(), Problem> {
    allowed(app, reader, false)?;
    let run: RunId = named(app, name)?;
    let gone = || Problem::bad("This run is not measured now.");
    if !lock::is_held(&app.store, &run)? {
        return Err(gone());
    }
    let store = app.open()?.ok_or_else(gone)?;
    let owner = store.owner(&run)?.ok_or_else(gone)?;
    let pid = i32::try_from(owner.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    // Opened first: a number that another process got meanwhile has another start.
    let process = pidfd_open(pid, PidfdFlags::empty()).map_err(|_| gone())?;
    let is_it = host::process_start_ticks(owner.pid).is_ok_and(|ticks| ticks == owner.start_ticks)
        && host::boot_id().is_ok_and(|boot| boot == owner.boot_id);
    if !is_it {
        return Err(gone());
    }
    pidfd_send_signal(&process, Signal::INT).map_err(|error| {
        Problem::forbidden(format!(
            "Cannot stop the run: {error}. It belongs to another user; stop it as that user."
        ))
    })
}

fn go_on(app: &App, reader: Reader, name: &str) -> Result<(), Problem> {
    let run: RunId = named(app, name)?;
    let now = app.view_now(&run)?.now;
    allowed(app, reader, now.verb == "run")?;
    if !can_resume(&now) {
        return Err(Problem::bad("This run cannot be resumed."));
    }
    let mut words: Vec<OsString> = vec!["resume".into(), run.as_str().into()];
    if now.stopped == Some(StopReason::TimeUp) {
        words.extend(["--time".into(), MORE_TIME.into()]);
    }
    start_process(app, words)
}

/// What a choice would do, as text.
#[utoipa::path(post, path = "/api/1/plan", request_body(content_type =
    "application/x-www-form-urlencoded", description = "place=… or plan=…&target=…, time=…",
    content = String),
    responses((status = 200, description = "As bakeoff plan", content_type = "text/plain")))]
pub async fn preview(
    State(app): State<Arc<App>>,
    Form(pairs): Form<Pairs>,
) -> Result<Response, Response> {
    let text = slowly(&app, move |app| asked(app, &pairs)?.preview(app)).await;
    Ok(text.map_err(Problem::json)?.into_response())
}

/// Starts a run.
#[utoipa::path(post, path = "/api/1/runs", request_body(content_type =
    "application/x-www-form-urlencoded", content = String,
    description = "place=… or plan=…&target=…&erase=TOKEN, time=…"),
    responses((status = 202, description = "It runs"), (status = 403, description = "Refused")))]
pub async fn start(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Form(pairs): Form<Pairs>,
) -> Response {
    let begun = slowly(&app, move |app| {
        let token = one(&pairs, "erase").trim();
        begin(app, reader, &asked(app, &pairs)?, token)
    });
    accepted(begun.await)
}

/// Stops a run, as Ctrl-C does.
#[utoipa::path(post, path = "/api/1/runs/{run}/stop",
    params(("run" = String, Path, description = "Start of an ID, or last")),
    responses((status = 202, description = "It was asked to stop")))]
pub async fn stop(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Path(name): Path<String>,
) -> Response {
    accepted(slowly(&app, move |app| interrupt(app, reader, &name)).await)
}

/// Resumes a run.
#[utoipa::path(post, path = "/api/1/runs/{run}/resume",
    params(("run" = String, Path, description = "Start of an ID, or last")),
    responses((status = 202, description = "It runs")))]
pub async fn resume(
    State(app): State<Arc<App>>,
    Extension(reader): Extension<Reader>,
    Path(name): Path<String>,
) -> Response {
    accepted(slowly(&app, move |app| go_on(app, reader, &name)).await)
}

fn accepted(done: Result<(), Problem>) -> Response {
    match done {
        Ok(()) => axum::http::StatusCode::ACCEPTED.into_response(),
        Err(problem) => problem.json(),
    }
}
