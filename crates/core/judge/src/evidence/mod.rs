//! What a cell is worth: the rules over one cell, and what a rule is.
//!
//! A cell whose number is not what it claims to be does not count ([`is_invalid`]) and is measured
//! again. The rules over anything else are in [`crate::rules`].

pub mod advice;
pub mod cell;
pub mod clock;
pub mod observation;
pub mod rule;

pub use cell::reads_drive;
pub use cell::{cell, discarded, invalid_reason, is_invalid};
pub use rule::{RULES, Rule};
