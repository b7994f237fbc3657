//! Why an action failed, and what one that did not answered.

use std::io;

use bakeoff_machine::guard::Reason;
use bakeoff_model::path::RawPath;
use thiserror::Error;

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
    #[error("{what}: {source}{}", fault::limit_advice(source))]
    Io { what: String, source: io::Error },
    #[error(
        "{device} is still in use after its filesystem was unmounted: {}",
        in_use(users, source)
    )]
    InUse { device: RawPath, users: Vec<Reason>, source: io::Error },
    #[error("{0}")]
    Refused(String),
    /// The target is not the one any more that was consented to.
    #[error("{0}")]
    Lost(String),
    /// What was read back is not what was written.
    #[error("{0}")]
    Lies(String),
    /// Writing a file of ours failed; where and why.
    #[error("cannot write a scratch file: {0}")]
    Fill(String),
    /// What was changed cannot be seen from here, so nobody knows whether it is gone.
    #[error("{0}")]
    Unseen(String),
    /// What is recorded is nothing that this version does, or that may be done here.
    #[error("{0}")]
    Unknown(String),
    /// A program is missing or could not be started.
    #[error(transparent)]
    Exec(ExecError),
}

/// A load that prepares something failed; as the failure of that step.
impl From<LoadError> for ActionError {
    fn from(error: LoadError) -> ActionError {
        match error {
            LoadError::Interrupted => ActionError::Interrupted,
            _ => ActionError::Fill(error.to_string()),
        }
    }
}

/// The same with what it was to prepare.
pub fn load_error(what: &str) -> impl Fn(LoadError) -> ActionError + '_ {
    move |error| match error.into() {
        ActionError::Fill(said) => ActionError::Fill(format!("{what}: {said}")),
        interrupted => interrupted,
    }
}

pub fn io_error(what: &str) -> impl Fn(io::Error) -> ActionError + '_ {
    move |source| ActionError::Io { what: what.to_string(), source }
}

fn in_use(users: &[Reason], source: &io::Error) -> String {
    if users.is_empty() {
        return source.to_string();
    }
    let users: Vec<String> = users.iter().map(|user| user.text.clone()).collect();
    format!("{}. Free the device, then try again", users.join("; "))
}
