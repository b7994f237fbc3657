//! `bakeoff serve`: the runs of a store in the browser, for programs, and for monitors.
//!
//! The server is a reader of the store. It measures nothing and shares no process with anything
//! that does: runs that it starts are processes of their own, and so is what reads whole runs
//! ([`view`]).

mod access;
mod acts;
mod answer;
mod api;
mod app;
mod choice;
mod gate;
mod history;
mod home;
mod hub;
mod metrics;
mod net;
mod pages;
mod problem;
mod token;
pub mod view;
mod watcher;

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use bakeoff_core::model::path::RawPath;

use crate::cli::{Global, Serve};
use crate::fault::{Fault, Outcome};
use crate::files::{Entry, User};
use crate::planning::run_plan::fresh_u64;
use crate::signals::Cancel;
use crate::ui::say;
use access::Rules;
use app::App;
use token::Token;

/// Threads for what blocks.
const BLOCKING_THREADS: usize = 6;

/// Serves until Ctrl-C.
pub fn run(global: &Global, args: &Serve) -> Result<Outcome, Fault> {
    let store = crate::store::place::path(global.store.as_deref())?;
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(cert), Some(key)) => Some(net::tls(cert, key).map_err(Fault::environment)?),
        _ => None,
    };
    let listener = bind(args.listen)?;
    let address = listener.local_addr().map_err(Fault::environment)?;
    let is_open = !address.ip().is_loopback();
    let is_root = rustix::process::geteuid().is_root();
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let (token, fresh) = match is_open || is_root {
        true => token_of(&store)?,
        false => (None, None),
    };
    let hostname = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let rules = Rules { is_open, is_tls: tls.is_some(), token, hostname };
    say_where(global, address, &rules, fresh.as_deref(), &store);
    let boot = format!("{:08x}", fresh_u64() >> 32);
    let app = Arc::new(App::new(store, rules, args.allow_erase, boot, cancel.clone()));
    // A store that cannot be read is said before anybody asks.
    app.open()?;
    history::read_results(&app);
    let watching = Arc::clone(&app);
    std::thread::Builder::new()
        .name("watcher".to_string())
        .spawn(move || watcher::run(&watching))
        .map_err(Fault::environment)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .map_err(Fault::environment)?;
    let served = runtime.block_on(net::serve(listener, tls, router(app), cancel));
    // What blocks in another thread holds nothing that has to be restored.
    runtime.shutdown_background();
    served.map_err(Fault::environment)?;
    Ok(Outcome::Done)
}

fn bind(address: SocketAddr) -> Result<TcpListener, Fault> {
    let failed = |error: std::io::Error| match error.kind() == std::io::ErrorKind::AddrInUse {
        true => Fault::environment(format!(
            "cannot listen on {address}: another program uses this port. Choose another one with \
             --listen {}:{}",
            address.ip(),
            address.port().wrapping_add(1)
        )),
        false => Fault::environment(format!("cannot listen on {address}: {error}")),
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

fn token_of(store: &Path) -> Result<(Option<Token>, Option<String>), Fault> {
    let unusable = |error: std::io::Error| {
        let path = token::path(store);
        Fault::environment(format!("cannot use the token in {}: {error}", RawPath::new(&path)))
    };
    let owner = User::behind_sudo();
    Entry::making(store, (0o700, owner.as_ref())).map_err(Fault::from)?;
    let (token, fresh) = Token::of_store(store).map_err(unusable)?;
    Ok((Some(token), fresh))
}

/// Where it is, and who gets in.
fn say_where(
    global: &Global,
    address: SocketAddr,
    rules: &Rules,
    fresh: Option<&str>,
    store: &Path,
) {
    say::line(format_args!("Serving on {}", net::shown(address, rules.is_tls)));
    match (fresh, &rules.token) {
        (Some(token), _) => say::line(format_args!(
            "Token: {token}\n  It is printed only once. To get a new one, remove {}",
            RawPath::new(token::path(store))
        )),
        (None, Some(_)) => say::line(format_args!(
            "The token was printed at the first start. To get a new one, remove {}",
            RawPath::new(token::path(store))
        )),
        (None, None) => {}
    }
    if rules.is_open && !rules.is_tls {
        say::line(format_args!(
            "Warning: this is plain HTTP. Anyone on the network can read the token and the pages. \
             Use --tls-cert and --tls-key"
        ));
    }
    say::note(global.quiet, format_args!("Ctrl-C stops the server. Runs continue."));
}

/// Every address.
fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(pages::now))
        .route("/runs", get(history::runs))
        .route("/runs/{run}", get(pages::run))
        .route("/runs/{run}/stop", post(acts::stop_page))
        .route("/runs/{run}/resume", post(acts::resume_page))
        .route("/compare", get(pages::compare))
        .route("/trend", get(pages::trend))
        .route("/check", post(pages::check))
        .route("/new", get(acts::form).post(acts::submitted))
        .route("/login", get(pages::login).post(pages::logged_in))
        .route("/assets/{name}", get(pages::asset))
        .route("/metrics", get(metrics::scrape))
        .route("/api/1/openapi.json", get(api::openapi))
        .route("/api/1/now", get(api::now))
        .route("/api/1/events", get(api::events))
        .route("/api/1/runs", get(api::runs).post(acts::start))
        .route("/api/1/runs/{run}", get(api::run))
        .route("/api/1/runs/{run}/stop", post(acts::stop))
        .route("/api/1/runs/{run}/resume", post(acts::resume))
        .route("/api/1/compare", get(api::compare))
        .route("/api/1/trend", get(api::trend))
        .route("/api/1/plan", post(acts::preview))
        .route("/api/1/devices", get(api::devices))
        .route("/api/1/homeassistant", get(home::document))
        .fallback(pages::nothing)
        .layer(from_fn_with_state(Arc::clone(&app), gate::admit))
        .with_state(app)
}
