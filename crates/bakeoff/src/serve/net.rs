//! Sockets: connections with limits, in plain HTTP or TLS.
//!
//! A client that is slow or gone holds one connection, for as long as the limits here allow, and
//! nobody else up: the header has a time limit, and the kernel ends a connection whose data is not
//! acknowledged (tcp(7), TCP_USER_TIMEOUT).

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::net::sockopt::set_tcp_user_timeout;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

use crate::signals::Cancel;

/// Connections at one time; twenty browsers have two each, and more while they load.
const CONNECTIONS: usize = 96;
/// Time for a request's header, and for the handshake of TLS.
const HEADER: Duration = Duration::from_secs(10);
/// How long data may stay unacknowledged.
const UNHEARD_MS: u32 = 30_000;
/// Most bytes of a request's header.
const HEADER_BYTES: usize = 32 << 10;
/// How often is looked for Ctrl-C.
const TICK: Duration = Duration::from_millis(200);

/// A certificate and its key, ready to serve.
///
/// # Errors
/// What is wrong with the files, in words.
pub fn tls(cert: &Path, key: &Path) -> Result<TlsAcceptor, String> {
    let shown = |path: &Path| bakeoff_core::model::path::RawPath::new(path);
    let unread =
        |path: &Path, e: &dyn std::fmt::Display| format!("cannot read {}: {e}", shown(path));
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(|found| found.collect::<Result<Vec<_>, _>>())
        .map_err(|e| unread(cert, &e))?;
    if chain.is_empty() {
        return Err(format!("{} contains no PEM certificate", shown(cert)));
    }
    let key_der = PrivateKeyDer::from_pem_file(key).map_err(|e| {
        match matches!(e, pem::Error::NoItemsFound) {
            true => format!("{} contains no PEM private key", shown(key)),
            false => unread(key, &e),
        }
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain, key_der)
        .map_err(|e| match matches!(e, rustls::Error::InconsistentKeys(_)) {
            true => format!(
                "the key in {} does not belong to the certificate in {}",
                shown(key),
                shown(cert)
            ),
            false => format!("cannot use {} with {}: {e}", shown(cert), shown(key)),
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Serves until Ctrl-C.
///
/// # Errors
/// When the listener does not work.
pub async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    app: Router,
    cancel: Cancel,
) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
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
        tokio::spawn(connection(stream, tls.clone(), app.clone(), permit));
    }
}

/// The next connection, once there is a place for it.
async fn accept(
    listener: &tokio::net::TcpListener,
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

async fn connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    app: Router,
    permit: OwnedSemaphorePermit,
) {
    match tls {
        None => http(stream, app).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = timeout(HEADER, tls.accept(stream)).await {
                http(stream, app).await;
            }
        }
    }
    drop(permit);
}

async fn http(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, app: Router) {
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    // What went wrong on a connection is the client's affair.
    let _ = served.await;
}

/// Where a server listens.
pub fn shown(address: SocketAddr, is_tls: bool) -> String {
    format!("{}://{address}/", if is_tls { "https" } else { "http" })
}
