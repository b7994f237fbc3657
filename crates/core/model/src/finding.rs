//! A lint that fired: what it saw, what it limits, and what to do about it.
//!
//! The rules live in `lint/`; here is only the noun, because findings travel in events, engine
//! reports and every output format.

use serde::{Deserialize, Serialize};

/// How much a finding limits what may be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    #[serde(rename = "I")]
    Info,
    #[serde(rename = "W")]
    Warn,
    #[serde(rename = "E")]
    Error,
    #[serde(rename = "R")]
    Refuse,
}

impl Severity {
    pub fn letter(self) -> char {
        match self {
            Severity::Info => 'I',
            Severity::Warn => 'W',
            Severity::Error => 'E',
            Severity::Refuse => 'R',
        }
    }
}

/// What kind of claim a finding limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Cell,
    Place,
    /// Claims about stacks (filesystem, encryption, options).
    Stack,
    Device,
    Run,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// Lint id, `L01` to `L68`, or a name in small letters for what has no lint number.
    pub id: String,
    pub severity: Severity,
    pub scope: Scope,
    /// Workload it is about; `None` = all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub workload: Option<String>,
    /// Candidate it is about; `None` = all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub candidate: Option<String>,
    pub evidence: String,
    pub advice: String,
}
