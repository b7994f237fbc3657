//! What the library said about a connection or a statement, as an error that says what to do.

use bakeoff_core::model::path::printable;
use tokio_postgres::error::SqlState;

use super::address::Address;
use super::error::{ServerError, chain};

impl ServerError {
    /// What the library said about a connection or a statement.
    pub(super) fn of(address: &Address, error: &tokio_postgres::Error) -> ServerError {
        let server = address.to_string();
        let Some(said) = error.as_db_error() else {
            return ServerError::not_of_server(address, error);
        };
        let detail = printable(said.message().as_bytes());
        let (user, database) = (address.user(), address.database());
        match said.code() {
            &SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                ServerError::Rejected { server, user, detail }
            }
            &SqlState::INVALID_CATALOG_NAME => ServerError::NoDatabase { server, database },
            &SqlState::UNDEFINED_TABLE | &SqlState::INVALID_SCHEMA_NAME => {
                ServerError::NoSchema { server, database }
            }
            &SqlState::INSUFFICIENT_PRIVILEGE => ServerError::NoRight { server, user, detail },
            &SqlState::DISK_FULL => ServerError::Full { server, detail },
            &SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN => ServerError::Gone { server },
            &SqlState::CANNOT_CONNECT_NOW
            | &SqlState::TOO_MANY_CONNECTIONS
            | &SqlState::QUERY_CANCELED
            | &SqlState::LOCK_NOT_AVAILABLE
            | &SqlState::OUT_OF_MEMORY => ServerError::Busy { server, detail },
            _ => ServerError::Other { server, detail },
        }
    }

    /// An error that is not the server's. The library keeps its kinds private, so they are told by
    /// its texts, which Cargo.lock fixes; an unknown one becomes `Other`.
    fn not_of_server(address: &Address, error: &tokio_postgres::Error) -> ServerError {
        let (server, detail) = (address.to_string(), chain(error));
        if error.is_closed() || detail.starts_with("error communicating") {
            return ServerError::Gone { server };
        }
        if detail.starts_with("error performing TLS") {
            return ServerError::Tls { server, detail };
        }
        if !address.has_password() && detail.contains("password missing") {
            let detail = "it requires a password".to_string();
            return ServerError::Rejected { server, user: address.user(), detail };
        }
        match detail.starts_with("error connecting") {
            true => ServerError::Away { server, detail },
            false => ServerError::Other { server, detail },
        }
    }
}
