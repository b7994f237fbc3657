//! Why a step did not succeed, and how that ends a command.

use super::action_error::ActionError;
use crate::fault::Fault;

#[derive(Debug)]
pub enum StepError {
    Failed(ActionError),
    /// The record cannot be kept; nothing may go on.
    Fault(Fault),
}

impl From<Fault> for StepError {
    fn from(fault: Fault) -> StepError {
        StepError::Fault(fault)
    }
}

impl StepError {
    /// Why it failed, in words, where the run may go on without it.
    ///
    /// # Errors
    /// What ends the run.
    pub fn why(self) -> Result<String, Fault> {
        match self {
            StepError::Failed(error) => Ok(error.to_string()),
            StepError::Fault(fault) => Err(fault),
        }
    }

    /// Turns the failure into the command's end.
    pub fn into_fault(self) -> Fault {
        match self {
            StepError::Failed(ActionError::Interrupted) => Fault::interrupted("interrupted"),
            StepError::Failed(ActionError::Refused(distrust)) => Fault::refused(distrust),
            StepError::Failed(error) => Fault::environment(error),
            StepError::Fault(fault) => fault,
        }
    }
}
