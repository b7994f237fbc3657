//! The shared store: a PostgreSQL server that many boards send their finished runs to.
//!
//! It is never the journal of a run. A board writes every event to its own file first and sends
//! the run when it is over ([`send`]); until the server has acknowledged it, and after, the file is
//! the truth. Reading ([`read`]) believes nothing: every line that comes back is checked against
//! its checksum and as that of a bundle is. The tables are in [`schema`], documented in
//! docs/format.md.

mod address;
mod cause;
mod packed;
mod passfile;
pub mod push;
mod read;
pub mod schema;
mod seen;
pub mod send;
mod tls;

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::Client;

pub use address::Address;
pub use packed::PackedEvents;

use super::StoreError;
use super::place::is_address;

const ANSWER: Duration = Duration::from_secs(60);
/// Slowest link that is waited for, bytes per second.
const SLOWEST: u64 = 8 << 10;

pub struct Server {
    // Before the runtime that drives it.
    client: Client,
    runtime: Runtime,
    address: Address,
    id: String,
    until: Option<Instant>,
}

impl Server {
    /// Connects, and checks that the server has tables this version knows.
    ///
    /// # Errors
    /// Each with what to do about it.
    pub fn connect(address: Address) -> Result<Server, StoreError> {
        Server::until(address, None)
    }

    /// The same, with everything that is asked of it done in so much time or not at all. Afterwards
    /// the kernel sends nothing more to a server that does not answer.
    ///
    /// # Errors
    /// Each with what to do about it.
    pub fn connect_within(mut address: Address, limit: Duration) -> Result<Server, StoreError> {
        address.connect = address.connect.min(limit);
        address.config.tcp_user_timeout(limit);
        Server::until(address, Some(Instant::now() + limit))
    }

    fn until(address: Address, until: Option<Instant>) -> Result<Server, StoreError> {
        let here =
            |detail: String| StoreError::server(format!("cannot prepare a connection: {detail}"));
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| here(error.to_string()))?;
        let tls = tls::Tls::new(address.certificates.as_deref()).map_err(here)?;
        let connected =
            runtime.block_on(async { timeout(address.connect, address.config.connect(tls)).await });
        let (client, connection) = match connected {
            Ok(Ok(connected)) => connected,
            failed => {
                // A name that nobody resolves would be waited for.
                runtime.shutdown_background();
                return Err(match failed {
                    Ok(Err(error)) => StoreError::from_server(&address, &error),
                    _ => slow(&address, address.connect),
                });
            }
        };
        // How it ends, the next statement says.
        runtime.spawn(async move { drop(connection.await) });
        let mut server = Server { client, runtime, address, id: String::new(), until };
        server.check_layout()?;
        let sql = "SELECT id::text FROM bakeoff.server";
        server.id = server.ask(ANSWER, server.client.query_one(sql, &[]))?.get(0);
        Ok(server)
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    fn check_layout(&self) -> Result<(), StoreError> {
        let sql = "SELECT coalesce(max(version), 0) FROM bakeoff.migrations";
        let found: i32 = self.ask(ANSWER, self.client.query_one(sql, &[]))?.get(0);
        let (server, known) = (&self.address, schema::KNOWN);
        let bakeoff = concat!("bakeoff ", env!("CARGO_PKG_VERSION"));
        let error = match found {
            found if found > known => format!(
                "the server {server} has layout {found}, and {bakeoff} supports layouts up to \
                 {known}. Update bakeoff on this machine"
            ),
            found if found < known => format!(
                "the server {server} has layout {found}, and {bakeoff} needs layout {known}. \
                 Update it as its owner: bakeoff fleet schema | psql {}",
                server.database()
            ),
            _ => return Ok(()),
        };
        Err(StoreError::server(error))
    }

    fn ask<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, StoreError> {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let limit = limit.min(left.unwrap_or(limit));
        // The timer is made inside, where the runtime is.
        match self.runtime.block_on(async { timeout(limit, work).await }) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(StoreError::from_server(&self.address, &error)),
            Err(_) => Err(slow(&self.address, limit)),
        }
    }
}

fn slow(address: &Address, limit: Duration) -> StoreError {
    StoreError::server(format!(
        "the server {address} did not answer within {} s. Check the network, or repeat the command \
         later",
        limit.as_secs().max(1)
    ))
}

fn time_for(bytes: usize) -> Duration {
    ANSWER + Duration::from_secs(bytes as u64 / SLOWEST)
}
