//! `bakeoff serve`: the runs of a store in the browser, for programs, and for monitors.
//!
//! The server is a reader of the store: it starts, stops and changes nothing. It measures nothing
//! and shares no process with anything that does; what reads whole runs is a process of its own
//! ([`view`]).

mod api;
mod app;
mod crowd;
mod gate;
mod history;
mod hub;
mod metrics;
mod net;
mod pages;
mod problem;
pub mod view;
mod watcher;
mod who;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;

use crate::cli::{Global, Serve};
use crate::fault::{Fault, Outcome};
use crate::planning::new_run::fresh_u64;
use crate::signals::Cancel;
use crate::ui::say;
use app::App;
use gate::Names;
use who::Readers;

const BLOCKING_THREADS: usize = 6;

pub fn run(global: &Global, args: &Serve) -> Result<Outcome, Fault> {
    let store = crate::store::place::path(global.store.as_deref())?;
    let listener = bind(args.listen)?;
    let address = listener.local_addr().map_err(Fault::environment)?;
    let is_open = !address.ip().is_loopback();
    let readers = Readers::new(args.allow_local_users);
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let hostname = rustix::system::uname().nodename().to_string_lossy().into_owned();
    say_where(global, address, &readers);
    let boot = format!("{:08x}", fresh_u64() >> 32);
    let app = Arc::new(App::new(store, Names { is_open, hostname }, boot, cancel.clone()));
    // A store that cannot be read is reported before anybody asks.
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
    let served = runtime.block_on(net::serve(listener, readers, router(app), cancel));
    // What blocks in another thread holds nothing that has to be restored.
    runtime.shutdown_background();
    served.map_err(Fault::environment)?;
    Ok(Outcome::Done)
}

fn bind(address: SocketAddr) -> Result<TcpListener, Fault> {
    let failed = |error: std::io::Error| match error.kind() == std::io::ErrorKind::AddrInUse {
        true => Fault::environment(format!(
            "cannot listen on {address}: another program uses this port. Choose another one with \
             --listen {}",
            SocketAddr::new(address.ip(), address.port().wrapping_add(1))
        )),
        false => Fault::environment(format!("cannot listen on {address}: {error}")),
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

fn say_where(global: &Global, address: SocketAddr, readers: &Readers) {
    say::line(format_args!("Serving on http://{address}/"));
    if !address.ip().is_loopback() {
        say::line(format_args!(
            "Warning: anyone on the network can read these pages, in plain HTTP. To ask for a \
             password and encrypt, put a reverse proxy in front (docs/live.md)"
        ));
    }
    let who = match readers.has_all_local() {
        true => "Every user of this machine can read the pages.",
        false => {
            "Of the users of this machine, only you and root can read the pages \
             (--allow-local-users lets all read)."
        }
    };
    say::note(global.quiet, format_args!("{who}"));
    say::note(global.quiet, format_args!("Ctrl-C stops the server. Runs continue."));
}

/// Every address. Each is only read: there is no other method.
fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(pages::now))
        .route("/runs", get(history::runs))
        .route("/runs/{run}", get(pages::run))
        .route("/assets/{name}", get(pages::asset))
        .route("/metrics", get(metrics::scrape))
        .route("/api/1/now", get(api::now))
        .route("/api/1/events", get(api::events))
        .route("/api/1/runs", get(api::runs))
        .route("/api/1/runs/{run}", get(api::run))
        .fallback(pages::nothing)
        .layer(from_fn_with_state(Arc::clone(&app), gate::admit))
        .with_state(app)
}
