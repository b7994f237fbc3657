//! Sockets: connections with limits.
//!
//! A client that is slow or gone holds one connection, for as long as the limits here allow, and
//! nobody else up: the header has a time limit, and the kernel ends a connection whose data is not
//! acknowledged (tcp(7), TCP_USER_TIMEOUT).

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::net::sockopt::set_tcp_user_timeout;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::crowd::Crowd;
use super::who::{Readers, Visitor};
use crate::signals::Cancel;

/// Connections at one time; twenty browsers have two each, and more while they load.
const CONNECTIONS: usize = 96;
const OF_ONE: usize = 64;
const REFUSED: usize = 8;
const HEADER: Duration = Duration::from_secs(10);
const UNHEARD_MS: u32 = 30_000;
/// Most bytes of a request's header.
const HEADER_BYTES: usize = 32 << 10;
const TICK: Duration = Duration::from_millis(200);

struct House {
    readers: Readers,
    app: Router,
    crowd: Arc<Crowd>,
    refused: Arc<Semaphore>,
}

/// Serves until Ctrl-C.
///
/// # Errors
/// When the listener does not work.
pub async fn serve(
    listener: std::net::TcpListener,
    readers: Readers,
    app: Router,
    cancel: Cancel,
) -> std::io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let crowd = Crowd::new(CONNECTIONS, OF_ONE);
    let refused = Arc::new(Semaphore::new(REFUSED));
    let house = Arc::new(House { readers, app, crowd, refused });
    let mut tick = tokio::time::interval(TICK);
    loop {
        let permit = Arc::clone(&slots).acquire_owned();
        let (stream, permit) = tokio::select! {
            accepted = accept(&listener, permit) => match accepted {
                Some(accepted) => accepted,
                None => continue,
            },
            _ = until_cancelled(&mut tick, &cancel) => return Ok(()),
        };
        // A kernel that does not know it ends the connection later.
        let _ = set_tcp_user_timeout(&stream, UNHEARD_MS);
        let _ = stream.set_nodelay(true);
        tokio::spawn(connection(stream, Arc::clone(&house), permit));
    }
}

async fn accept(
    listener: &TcpListener,
    permit: impl Future<Output = Result<OwnedSemaphorePermit, tokio::sync::AcquireError>>,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let permit = permit.await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, permit)),
        // The client went, or no descriptor is left: neither ends the server.
        Err(_) => {
            tokio::time::sleep(TICK).await;
            None
        }
    }
}

async fn until_cancelled(tick: &mut tokio::time::Interval, cancel: &Cancel) {
    while !cancel.is_set() {
        tick.tick().await;
    }
}

async fn connection(stream: TcpStream, house: Arc<House>, permit: OwnedSemaphorePermit) {
    // One who is gone already is served by nobody.
    let (Ok(client), Ok(server)) = (stream.peer_addr(), stream.local_addr()) else { return };
    let asked = Arc::clone(&house);
    let visitor = tokio::task::spawn_blocking(move || asked.readers.visitor(client, server));
    let Ok(visitor) = visitor.await else { return };
    if visitor.refusal.is_none() {
        if let Some(_place) = house.crowd.enter(client.ip()) {
            http(stream, &house, visitor).await;
        }
        drop(permit);
        return;
    }
    // Who is refused takes no place of those who are not.
    drop(permit);
    if let Ok(_place) = house.refused.try_acquire() {
        http(stream, &house, visitor).await;
    }
}

async fn http(stream: TcpStream, house: &House, visitor: Visitor) {
    let app = TowerToHyperService::new(house.app.clone());
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER)
        .max_buf_size(HEADER_BYTES)
        .keep_alive(visitor.refusal.is_none())
        .serve_connection(
            TokioIo::new(stream),
            service_fn(move |mut request: hyper::Request<_>| {
                request.extensions_mut().insert(visitor);
                app.call(request)
            }),
        );
    // What went wrong on a connection is the client's affair.
    let _ = served.await;
}
