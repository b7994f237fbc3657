//! Why an action failed, and what one that did not answered.

use std::io;

use thiserror::Error;

use super::step_error::StepError;
use crate::exec::ExecError;
use crate::fault;
use crate::load::LoadError;

#[derive(Debug, Error)]
pub enum ActionError {
    #[error("interrupted")]
    Interrupted,
    /// A program failed; its own words follow.
    #[error("{command}: {how}{}{said}", if said.is_empty() { "" } else { ": " })]
    Tool { command: String, how: String, said: String },
    #[error("{0}")]
    Missing(String),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Lost(String),
    #[error("{0}")]
    Lies(String),
    /// Writing a file of ours failed; where and why.
    #[error("cannot write a scratch file: {0}")]
    Fill(String),
    #[error("{0}")]
    Other(String),
}

impl From<ExecError> for ActionError {
    fn from(error: ExecError) -> ActionError {
        match error {
            ExecError::Interrupted => ActionError::Interrupted,
            ExecError::Missing { .. } => ActionError::Missing(error.to_string()),
            _ => ActionError::Other(error.to_string()),
        }
    }
}

impl From<ActionError> for StepError {
    fn from(error: ActionError) -> StepError {
        StepError::Failed(error)
    }
}

impl From<LoadError> for ActionError {
    fn from(error: LoadError) -> ActionError {
        match error {
            LoadError::Interrupted => ActionError::Interrupted,
            _ => ActionError::Fill(error.to_string()),
        }
    }
}

pub fn load_error(what: &str) -> impl Fn(LoadError) -> ActionError + '_ {
    move |error| match error.into() {
        ActionError::Fill(said) => ActionError::Fill(format!("{what}: {said}")),
        interrupted => interrupted,
    }
}

pub fn io_error(what: &str) -> impl Fn(io::Error) -> ActionError + '_ {
    move |source| ActionError::Other(format!("{what}: {source}{}", fault::limit_advice(&source)))
}
