//! Finding runs of the past: a store keeps [`facts::Facts`] of each run beside its events, so that
//! a [`filter::Filter`] finds runs without reading them.

pub mod facts;
pub mod filter;
