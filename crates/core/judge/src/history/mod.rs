//! Runs of the past: finding them, and the history of one drive.
//!
//! A store keeps [`facts::Facts`] of each run beside its events, so that a [`filter::Filter`] finds
//! runs without reading them. [`trend`] puts the runs of one drive in order of time.

pub mod facts;
pub mod filter;
pub mod pasted;
pub mod since;
pub mod trend;
