//! Why a step did not succeed, and how that ends a command.

use std::io;

use thiserror::Error;

use crate::exec::ExecError;
use crate::fault::{self, Fault};
use crate::load::LoadError;

#[derive(Debug, Error)]
pub enum StepError {
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
    /// It ends the run: the record cannot be kept, for example.
    #[error("{0}")]
    Fault(Fault),
}

impl From<ExecError> for StepError {
    fn from(error: ExecError) -> StepError {
        match error {
            ExecError::Interrupted => StepError::Interrupted,
            ExecError::Missing { .. } => StepError::Missing(error.to_string()),
            _ => StepError::Other(error.to_string()),
        }
    }
}

impl From<LoadError> for StepError {
    fn from(error: LoadError) -> StepError {
        match error {
            LoadError::Interrupted => StepError::Interrupted,
            _ => StepError::Fill(error.to_string()),
        }
    }
}

impl From<Fault> for StepError {
    fn from(fault: Fault) -> StepError {
        StepError::Fault(fault)
    }
}

impl StepError {
    /// Why it failed, in words, where the run may continue without it.
    ///
    /// # Errors
    /// The fault that ends the run.
    pub fn why(self) -> Result<String, Fault> {
        match self {
            StepError::Fault(fault) => Err(fault),
            error => Ok(error.to_string()),
        }
    }

    /// Turns the failure into the command's end.
    pub fn into_fault(self) -> Fault {
        match self {
            StepError::Interrupted => Fault::interrupted("interrupted"),
            StepError::Refused(distrust) => Fault::refused(distrust),
            StepError::Fault(fault) => fault,
            error => Fault::environment(error),
        }
    }
}

pub fn load_error(what: &str) -> impl Fn(LoadError) -> StepError + '_ {
    move |error| match error.into() {
        StepError::Fill(said) => StepError::Fill(format!("{what}: {said}")),
        interrupted => interrupted,
    }
}

pub fn io_error(what: &str) -> impl Fn(io::Error) -> StepError + '_ {
    move |source| StepError::Other(format!("{what}: {source}{}", fault::limit_advice(&source)))
}
