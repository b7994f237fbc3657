//! What the library said about a connection or a statement, as an error that says what to do.

use std::error::Error;
use std::fmt::Display;

use bakeoff_model::path::printable;
use tokio_postgres::error::SqlState;

use super::address::Address;
use crate::store::{ErrorClass, StoreError};

impl StoreError {
    pub(super) fn from_server(address: &Address, error: &tokio_postgres::Error) -> StoreError {
        let Some(said) = error.as_db_error() else {
            return StoreError::not_of_server(address, error);
        };
        let server = address.to_string();
        let detail = printable(said.message().as_bytes());
        let (user, database) = (address.user(), address.database());
        StoreError::server(match said.code() {
            &SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                return rejected(address, &detail);
            }
            &SqlState::INVALID_CATALOG_NAME => format!(
                "the server {server} has no database {database}. Create it there: createdb \
                 {database}"
            ),
            &SqlState::UNDEFINED_TABLE | &SqlState::INVALID_SCHEMA_NAME => format!(
                "the database {database} on {server} has no tables of bakeoff. Create them as its \
                 owner: bakeoff fleet schema | psql {database}"
            ),
            &SqlState::INSUFFICIENT_PRIVILEGE => format!(
                "the user {user} lacks a permission on {server}: {detail}. Grant it there with \
                 psql: GRANT bakeoff_writer TO \"{user}\" (to push) or GRANT bakeoff_reader TO \
                 \"{user}\" (to read)"
            ),
            &SqlState::DISK_FULL => {
                format!("no space left on the server {server} ({detail}). Free some space there")
            }
            &SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN => return gone(address),
            &SqlState::CANNOT_CONNECT_NOW
            | &SqlState::TOO_MANY_CONNECTIONS
            | &SqlState::QUERY_CANCELED
            | &SqlState::LOCK_NOT_AVAILABLE
            | &SqlState::OUT_OF_MEMORY => return StoreError::busy_server(server, &detail),
            _ => return reported(&server, &detail),
        })
    }

    pub(super) fn server(text: impl Into<String>) -> StoreError {
        StoreError::new(ErrorClass::Server, text)
    }

    pub(super) fn busy_server(server: impl Display, detail: &str) -> StoreError {
        StoreError::server(format!(
            "the server {server} is busy or starting: {detail}. Repeat the command later"
        ))
    }

    /// An error that is not the server's. The library keeps its kinds private, so they are told by
    /// its texts, which Cargo.lock fixes; an unknown one becomes an other.
    fn not_of_server(address: &Address, error: &tokio_postgres::Error) -> StoreError {
        let (server, detail) = (address.to_string(), chain(error));
        if error.is_closed() || detail.starts_with("error communicating") {
            return gone(address);
        }
        if detail.starts_with("error performing TLS") {
            return StoreError::server(format!(
                "cannot encrypt the connection to {server}: {detail}. Specify the server's \
                 certificate or its authority's with ?sslrootcert=FILE, or allow no encryption \
                 with ?sslmode=disable"
            ));
        }
        if !address.has_password() && detail.contains("password missing") {
            return rejected(address, "it requires a password");
        }
        match detail.starts_with("error connecting") {
            true => StoreError::server(format!(
                "cannot connect to the server {server}: {detail}. Check that PostgreSQL runs there"
            )),
            false => reported(&server, &detail),
        }
    }
}

fn reported(server: &str, detail: &str) -> StoreError {
    let text = format!("the server {server} reports: {detail}");
    StoreError::new(ErrorClass::ServerSaid, text)
}

fn rejected(address: &Address, detail: &str) -> StoreError {
    StoreError::server(format!(
        "the server {address} rejects the user {}: {detail}. Check the name and the password in \
         ~/.pgpass or PGPASSWORD",
        address.user()
    ))
}

fn gone(address: &Address) -> StoreError {
    StoreError::server(format!(
        "the server {address} closed the connection: it was stopped or restarted. Repeat the \
         command later"
    ))
}

pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    printable(text.as_bytes())
}
