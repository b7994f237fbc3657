//! What can go wrong with a server, each with what to do about it. None has a secret in it.

use std::error::Error;

use bakeoff_core::model::path::printable;
use thiserror::Error;

use super::schema;
use crate::fault::Fault;
use crate::store::RunId;

/// What went wrong.
#[derive(Debug, Error)]
pub enum ServerError {
    /// `--store` is not an address.
    #[error(
        "cannot read the address of the server: {why}. Write it as postgresql://USER@HOST/DATABASE"
    )]
    Address {
        /// What is wrong with it.
        why: String,
    },
    /// The address has a password in it.
    #[error(
        "Refusing a password in the address of a server: every user of this machine can read it \
         there. Put it into ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 600) or into the \
         variable PGPASSWORD"
    )]
    PasswordTyped,
    /// It would cross a network in clear text.
    #[error(
        "Refusing to send the password to {server} without encryption: others on the network could \
         read it. Remove sslmode=disable (PGSSLMODE)"
    )]
    PasswordUnencrypted {
        /// The server.
        server: String,
    },
    /// The file of passwords cannot be used.
    #[error("cannot use the passwords in {path}: {why}")]
    PassFile {
        /// The file.
        path: String,
        /// Why, and what to type.
        why: String,
    },
    /// Nobody answers there.
    #[error("cannot connect to the server {server}: {detail}. Check that PostgreSQL runs there")]
    Away {
        /// The server.
        server: String,
        /// The system's word.
        detail: String,
    },
    /// The connection ended.
    #[error(
        "the server {server} closed the connection: it was stopped or restarted. Repeat the \
         command later"
    )]
    Gone {
        /// The server.
        server: String,
    },
    /// No answer in time.
    #[error(
        "the server {server} did not answer within {seconds} s. Check the network, or repeat the \
         command later"
    )]
    Slow {
        /// The server.
        server: String,
        /// The limit.
        seconds: u64,
    },
    /// The encryption failed.
    #[error(
        "cannot encrypt the connection to {server}: {detail}. Specify the server's certificate or \
         its authority's with ?sslrootcert=FILE, or allow no encryption with ?sslmode=disable"
    )]
    Tls {
        /// The server.
        server: String,
        /// What rustls says.
        detail: String,
    },
    /// Wrong password, or a role that is not known or not admitted.
    #[error(
        "the server {server} rejects the user {user}: {detail}. Check the name and the password in \
         ~/.pgpass or PGPASSWORD"
    )]
    Rejected {
        /// The server.
        server: String,
        /// The role.
        user: String,
        /// What the server says.
        detail: String,
    },
    /// There is no such database.
    #[error("the server {server} has no database {database}. Create it there: createdb {database}")]
    NoDatabase {
        /// The server.
        server: String,
        /// The database.
        database: String,
    },
    /// A database of something else, or a new one.
    #[error(
        "the database {database} on {server} has no tables of bakeoff. Create them as its owner: \
         bakeoff fleet schema | psql {database}"
    )]
    NoSchema {
        /// The server.
        server: String,
        /// The database.
        database: String,
    },
    /// A later bakeoff changed the layout.
    #[error(
        "the server {server} has layout {found}, and bakeoff {} supports layouts up to {}. Update \
         bakeoff on this machine",
        env!("CARGO_PKG_VERSION"),
        schema::KNOWN
    )]
    Newer {
        /// The server.
        server: String,
        /// Its layout.
        found: i32,
    },
    /// An earlier bakeoff made the tables.
    #[error(
        "the server {server} has layout {found}, and bakeoff {} needs layout {}. Update it as its \
         owner: bakeoff fleet schema | psql {database}",
        env!("CARGO_PKG_VERSION"),
        schema::KNOWN
    )]
    Older {
        /// The server.
        server: String,
        /// The database.
        database: String,
        /// Its layout.
        found: i32,
    },
    /// The role may not do that.
    #[error(
        "the user {user} lacks a permission on {server}: {detail}. Grant it there with psql: GRANT \
         bakeoff_writer TO \"{user}\" (to push) or GRANT bakeoff_reader TO \"{user}\" (to read)"
    )]
    NoRight {
        /// The server.
        server: String,
        /// The role.
        user: String,
        /// What the server says.
        detail: String,
    },
    /// No space.
    #[error("no space left on the server {server} ({detail}). Free some space there")]
    Full {
        /// The server.
        server: String,
        /// What the server says.
        detail: String,
    },
    /// It cannot take more work now.
    #[error("the server {server} is busy or starting: {detail}. Repeat the command later")]
    Busy {
        /// The server.
        server: String,
        /// What the server says.
        detail: String,
    },
    /// What it has is no record of ours.
    #[error(
        "run {run} on the server {server} is damaged or was changed: {why}. Other runs are not \
         affected"
    )]
    Altered {
        /// The server.
        server: String,
        /// The run.
        run: RunId,
        /// What is wrong.
        why: String,
    },
    /// The system has no resources for a connection.
    #[error("cannot prepare a connection: {detail}")]
    Here {
        /// The system's word.
        detail: String,
    },
    /// Anything else.
    #[error("the server {server} reports: {detail}")]
    Other {
        /// The server.
        server: String,
        /// What the server says.
        detail: String,
    },
}

impl From<ServerError> for Fault {
    fn from(error: ServerError) -> Fault {
        match error {
            ServerError::Address { .. } | ServerError::PasswordTyped => Fault::usage(error),
            ServerError::PasswordUnencrypted { .. } => Fault::refused(error),
            ServerError::PassFile { .. }
            | ServerError::Away { .. }
            | ServerError::Gone { .. }
            | ServerError::Slow { .. }
            | ServerError::Tls { .. }
            | ServerError::Rejected { .. }
            | ServerError::NoDatabase { .. }
            | ServerError::NoSchema { .. }
            | ServerError::Newer { .. }
            | ServerError::Older { .. }
            | ServerError::NoRight { .. }
            | ServerError::Full { .. }
            | ServerError::Busy { .. }
            | ServerError::Altered { .. }
            | ServerError::Here { .. }
            | ServerError::Other { .. } => Fault::environment(error),
        }
    }
}

/// An error and what caused it, on one line.
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
