//! What holds a cell, and what holds a candidate back: a cause with what speaks for it.
//!
//! Nothing of it is recorded: it follows from the record.

use super::cause::{Cause, Grade};
use super::clue::{Clue, Subject};

/// One cause of one cell, with what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// What.
    pub cause: Cause,
    /// How surely.
    pub grade: Grade,
    /// Share of the cell's time it accounts for, 0 to 1, where it can be told.
    pub share: Option<f64>,
    /// Whose: a thread, a link, a process.
    pub subject: Option<Subject>,
    /// What was seen, in numbers; one clue at least.
    pub evidence: Vec<Clue>,
}

impl Reason {
    /// A reason the signals agree with.
    pub fn consistent(cause: Cause, clue: Clue) -> Reason {
        let (grade, share, subject) = (Grade::Consistent, None, None);
        Reason { cause, grade, share, subject, evidence: vec![clue] }
    }

    /// A reason that lower layers or a perturbation prove.
    pub fn proved(cause: Cause, clue: Clue) -> Reason {
        Reason { grade: Grade::Proved, ..Reason::consistent(cause, clue) }
    }

    /// No cause that can be named.
    pub fn unattributed(clue: Clue) -> Reason {
        Reason { grade: Grade::Unattributed, ..Reason::consistent(Cause::Unattributed, clue) }
    }

    /// With the share of the time it accounts for.
    pub fn share(self, share: f64) -> Reason {
        Reason { share: Some(share.clamp(0.0, 1.0)), ..self }
    }

    /// With whose it is.
    pub fn subject(self, subject: Subject) -> Reason {
        Reason { subject: Some(subject), ..self }
    }

    /// With one clue more.
    pub fn and(mut self, clue: Clue) -> Reason {
        self.evidence.push(clue);
        self
    }

    /// Proved by one clue more.
    pub fn proved_by(self, clue: Clue) -> Reason {
        Reason { grade: Grade::Proved, ..self.and(clue) }
    }

    /// What it is, however it is known.
    pub fn what(&self) -> (Cause, Option<&Subject>) {
        (self.cause, self.subject.as_ref())
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
