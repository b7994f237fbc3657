//! What can go wrong with a server, each with what to do about it. None has a secret in it.

use std::error::Error;
use std::fmt::Display;

use bakeoff_model::path::printable;
use thiserror::Error;

use crate::fault::Fault;

#[derive(Debug, Error)]
#[error("{fault}")]
pub struct ServerError {
    fault: Fault,
    /// Whether the server reported what has no meaning of its own here.
    pub(super) is_other: bool,
}

impl ServerError {
    pub(super) fn new(fault: Fault) -> ServerError {
        ServerError { fault, is_other: false }
    }

    pub(super) fn environment(text: impl Display) -> ServerError {
        ServerError::new(Fault::environment(text))
    }

    /// It cannot take more work now.
    pub(super) fn busy(server: impl Display, detail: &str) -> ServerError {
        ServerError::environment(format!(
            "the server {server} is busy or starting: {detail}. Repeat the command later"
        ))
    }

    pub(super) fn other(server: &str, detail: &str) -> ServerError {
        let fault = Fault::environment(format!("the server {server} reports: {detail}"));
        ServerError { fault, is_other: true }
    }
}

impl From<ServerError> for Fault {
    fn from(error: ServerError) -> Fault {
        error.fault
    }
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
