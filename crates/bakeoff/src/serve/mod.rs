//! `bakeoff serve`: the runs of a store and their pages, for a browser.
//!
//! The server only reads: it starts, stops and changes nothing. The page of a run is the file that
//! `show -o FILE.html` writes. While the run lasts, the browser requests it again.

mod names;
mod pages;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;

use crate::cli::{Global, Serve};
use crate::fault::{Fault, Outcome};
use crate::signals::Cancel;
use crate::store::Sqlite;
use crate::ui::say;
use names::Names;
use pages::Pages;

/// Pages that are made at a time. Further requests wait.
const AT_ONCE: usize = 2;
const TICK: Duration = Duration::from_millis(200);

pub fn run(global: &Global, args: &Serve) -> Result<Outcome, Fault> {
    let store = crate::store::place::path(global.store.as_deref())?;
    let listener = bind(args.listen)?;
    let address = listener.local_addr().map_err(Fault::environment)?;
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    // A store that cannot be read is reported before anybody asks.
    Sqlite::open_existing(&store)?;
    // A measurement comes first. What cannot yield runs as everything else does.
    let _ = rustix::process::nice(19);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(AT_ONCE)
        .build()
        .map_err(Fault::environment)?;
    say_where(global, address);
    let served = runtime.block_on(serve(listener, router(Pages::new(store), address), cancel));
    runtime.shutdown_background();
    served.map_err(Fault::environment)?;
    Ok(Outcome::Done)
}

fn bind(address: SocketAddr) -> Result<TcpListener, Fault> {
    let failed = |error: std::io::Error| {
        if error.kind() == std::io::ErrorKind::AddrInUse {
            Fault::environment(format!(
                "cannot listen on {address}: another program uses this port. Choose another one with \
             --listen {}",
                SocketAddr::new(address.ip(), address.port().wrapping_add(1))
            ))
        } else {
            Fault::environment(format!("cannot listen on {address}: {error}"))
        }
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

fn say_where(global: &Global, address: SocketAddr) {
    say::line(format_args!("Serving on http://{address}/"));
    if address.ip().is_loopback() {
        say::note(global.quiet, format_args!("Every user of this machine can read the pages."))
    } else {
        say::line(format_args!(
            "Warning: anyone on the network can read these pages, in plain HTTP. To ask for a \
             password and encrypt, put a reverse proxy in front (docs/live.md)"
        ))
    }
    say::note(global.quiet, format_args!("Ctrl-C stops the server. Runs continue."));
}

/// Every address. Each is only read: there is no other method.
fn router(pages: Pages, address: SocketAddr) -> Router {
    let names = Names {
        is_open: !address.ip().is_loopback(),
        hostname: rustix::system::uname().nodename().to_string_lossy().into_owned(),
    };
    Router::new()
        .route("/", get(pages::list))
        .route("/runs/{run}", get(pages::run))
        .layer(from_fn_with_state(Arc::new(names), names::admit))
        .with_state(Arc::new(pages))
}

/// Serves until Ctrl-C.
async fn serve(listener: TcpListener, app: Router, cancel: Cancel) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    tokio::spawn(axum::serve(listener, app).into_future());
    while !cancel.is_set() {
        tokio::time::sleep(TICK).await;
    }
    Ok(())
}
