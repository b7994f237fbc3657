//! What holds a cell, and what holds a candidate back: a cause with what speaks for it.
//!
//! Nothing of it is recorded: it follows from the record.

use super::cause::{Cause, Grade};

/// One cause of one cell, with what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    pub cause: Cause,
    pub grade: Grade,
    /// Share of the cell's time it accounts for, 0 to 1, where it can be told.
    pub share: Option<f64>,
    /// Whose: a thread, a link, a process, in words.
    pub subject: Option<String>,
    /// What was seen, in numbers; one sentence at least. Shares are of the cell's time where
    /// nothing else is said.
    pub evidence: Vec<String>,
}

impl Reason {
    pub fn consistent(cause: Cause, clue: impl Into<String>) -> Reason {
        let (grade, share, subject) = (Grade::Consistent, None, None);
        Reason { cause, grade, share, subject, evidence: vec![clue.into()] }
    }

    pub fn proved(cause: Cause, clue: impl Into<String>) -> Reason {
        Reason { grade: Grade::Proved, ..Reason::consistent(cause, clue) }
    }

    pub fn unattributed(clue: impl Into<String>) -> Reason {
        Reason { grade: Grade::Unattributed, ..Reason::consistent(Cause::Unattributed, clue) }
    }

    pub fn share(self, share: f64) -> Reason {
        Reason { share: Some(share.clamp(0.0, 1.0)), ..self }
    }

    pub fn subject(self, subject: impl Into<String>) -> Reason {
        Reason { subject: Some(subject.into()), ..self }
    }

    pub fn and(mut self, clue: impl Into<String>) -> Reason {
        self.evidence.push(clue.into());
        self
    }

    pub fn proved_by(self, clue: impl Into<String>) -> Reason {
        Reason { grade: Grade::Proved, ..self.and(clue) }
    }

    pub fn name(&self) -> String {
        match &self.subject {
            Some(subject) => format!("{} ({subject})", self.cause.label()),
            None => self.cause.label().to_string(),
        }
    }

    pub fn what(&self) -> (Cause, Option<&str>) {
        (self.cause, self.subject.as_deref())
    }
}

/// What holds one candidate back on one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottleneck {
    pub candidate: String,
    /// The cause most cells have; of those the one of the cell in the middle.
    pub reason: Reason,
    pub cells: u32,
    pub of: u32,
}
