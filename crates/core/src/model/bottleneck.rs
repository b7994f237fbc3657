//! What holds a cell, and what holds a candidate back: a cause with what speaks for it.
//!
//! Nothing of it is recorded: it follows from the record.

use super::cause::{Cause, Grade};

/// One cause of one cell, with what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// What.
    pub cause: Cause,
    /// How surely.
    pub grade: Grade,
    /// Share of the cell's time it accounts for, 0 to 1, where it can be told.
    pub share: Option<f64>,
    /// Whose: a thread, a link, a process, in words.
    pub subject: Option<String>,
    /// Whether it is dm-crypt's work.
    pub is_ciphers: bool,
    /// What was seen, in numbers; one sentence at least. Shares are of the cell's time where
    /// nothing else is said.
    pub evidence: Vec<String>,
}

impl Reason {
    /// A reason the signals agree with.
    pub fn consistent(cause: Cause, clue: impl Into<String>) -> Reason {
        let (grade, share, subject) = (Grade::Consistent, None, None);
        Reason { cause, grade, share, subject, is_ciphers: false, evidence: vec![clue.into()] }
    }

    /// A reason that lower layers or a perturbation prove.
    pub fn proved(cause: Cause, clue: impl Into<String>) -> Reason {
        Reason { grade: Grade::Proved, ..Reason::consistent(cause, clue) }
    }

    /// No cause that can be named.
    pub fn unattributed(clue: impl Into<String>) -> Reason {
        Reason { grade: Grade::Unattributed, ..Reason::consistent(Cause::Unattributed, clue) }
    }

    /// With the share of the time it accounts for.
    pub fn share(self, share: f64) -> Reason {
        Reason { share: Some(share.clamp(0.0, 1.0)), ..self }
    }

    /// With whose it is.
    pub fn subject(self, subject: impl Into<String>) -> Reason {
        Reason { subject: Some(subject.into()), ..self }
    }

    /// With one clue more.
    pub fn and(mut self, clue: impl Into<String>) -> Reason {
        self.evidence.push(clue.into());
        self
    }

    /// Proved by one clue more.
    pub fn proved_by(self, clue: impl Into<String>) -> Reason {
        Reason { grade: Grade::Proved, ..self.and(clue) }
    }

    /// "the CPU (kcryptd)".
    pub fn name(&self) -> String {
        match &self.subject {
            Some(subject) => format!("{} ({subject})", self.cause.label()),
            None => self.cause.label().to_string(),
        }
    }

    /// What it is, however it is known.
    pub fn what(&self) -> (Cause, Option<&str>) {
        (self.cause, self.subject.as_deref())
    }
}

/// What holds one candidate back on one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottleneck {
    /// The candidate's name.
    pub candidate: String,
    /// The cause most cells have; of those the one of the cell in the middle.
    pub reason: Reason,
    /// Cells with that cause.
    pub cells: u32,
    /// Cells in all.
    pub of: u32,
}
