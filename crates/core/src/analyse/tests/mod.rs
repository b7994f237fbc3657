//! Whole analyses: verdicts by the lead, and what holds for any run.

mod lead;
pub(crate) mod properties;
mod texts;
