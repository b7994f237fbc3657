//! The examination of a drive: its parts in the order of their cost, what each saw, what was left
//! out, and what follows from all of them together.

use serde::Serialize;

use super::judge;

/// A part of an examination, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExamPart {
    Link,
    /// Who an SD card or eMMC says it is.
    Identity,
    /// The drive's own counters of wear and errors.
    Wear,
    /// What the kernel logged about it.
    Log,
    SequentialReads,
    RandomReads,
    SequentialWrites,
    RandomWrites,
    /// Everything that is on it, read once.
    Contents,
    /// Samples of its capacity, written and put back.
    Capacity,
    /// Every block, written and read back.
    EveryBlock,
    /// What is there of flushed writes after a power cut.
    PowerCut,
}

impl ExamPart {
    pub fn label(self) -> &'static str {
        match self {
            ExamPart::Link => "link",
            ExamPart::Identity => "card",
            ExamPart::Wear => "wear",
            ExamPart::Log => "kernel log",
            ExamPart::SequentialReads => "sequential reads",
            ExamPart::RandomReads => "random reads",
            ExamPart::SequentialWrites => "sequential writes",
            ExamPart::RandomWrites => "random writes",
            ExamPart::Contents => "everything on it",
            ExamPart::Capacity => "capacity",
            ExamPart::EveryBlock => "every block",
            ExamPart::PowerCut => "power cut",
        }
    }
}

/// What is wrong with a drive, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExamAnswer {
    NothingWrongFound,
    Slow,
    Failing,
    Fake,
}

impl ExamAnswer {
    pub fn label(self) -> &'static str {
        match self {
            ExamAnswer::NothingWrongFound => "nothing wrong found",
            ExamAnswer::Slow => "slow",
            ExamAnswer::Failing => "failing",
            ExamAnswer::Fake => "fake",
        }
    }
}

/// What a part saw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartSeen {
    pub part: ExamPart,
    /// What is wrong by this part alone.
    pub answer: ExamAnswer,
    pub found: String,
    pub advice: Option<String>,
}

impl PartSeen {
    pub fn fine(part: ExamPart, found: impl Into<String>) -> PartSeen {
        PartSeen { part, answer: ExamAnswer::NothingWrongFound, found: found.into(), advice: None }
    }

    pub fn wrong(part: ExamPart, answer: ExamAnswer, found: impl Into<String>) -> PartSeen {
        PartSeen { answer, ..PartSeen::fine(part, found) }
    }

    pub fn advise(self, advice: impl Into<String>) -> PartSeen {
        PartSeen { advice: Some(advice.into()), ..self }
    }
}

/// A part that was not examined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartLeftOut {
    pub part: ExamPart,
    /// What it takes and does, or why it is impossible.
    pub why: String,
    /// What to type for it; `None` where it is impossible.
    pub command: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Exam {
    pub target: String,
    pub size_bytes: u64,
    pub parts: Vec<PartSeen>,
    pub left_out: Vec<PartLeftOut>,
    /// Of the capacity: of every block where those were written, else of samples.
    #[serde(skip)]
    pub capacity: Option<judge::Report>,
}

impl Exam {
    /// The worst that any part found.
    pub fn answer(&self) -> ExamAnswer {
        let worst = self.parts.iter().map(|seen| seen.answer).max();
        worst.unwrap_or(ExamAnswer::NothingWrongFound)
    }

    pub fn evidence(&self) -> impl Iterator<Item = &PartSeen> {
        self.parts.iter().filter(|seen| seen.answer > ExamAnswer::NothingWrongFound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_part_is_the_answer() {
        let mut exam = Exam::default();
        assert_eq!(exam.answer(), ExamAnswer::NothingWrongFound);
        exam.parts.push(PartSeen::wrong(ExamPart::RandomReads, ExamAnswer::Slow, "3 IOPS"));
        exam.parts.push(PartSeen::wrong(ExamPart::Capacity, ExamAnswer::Fake, "wraps"));
        exam.parts.push(PartSeen::wrong(ExamPart::Wear, ExamAnswer::Failing, "it says so"));
        exam.parts.push(PartSeen::fine(ExamPart::Link, "USB at 480 Mb/s"));
        assert_eq!((exam.answer(), exam.evidence().count()), (ExamAnswer::Fake, 3));
    }
}
