//! Whole analyses: verdicts by the lead, and what holds for any run.

mod folding;
mod lead;
mod properties;
