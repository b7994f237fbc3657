//! Changes to the system: each is recorded before it is taken, and undone on every way out.
//!
//! `stepper` takes steps of the run in hand (`session`), `action` and `device_actions` do them,
//! with programs where they need any (`tool`). `unwind` undoes them, and `undoing` is the closed
//! list of what is ever undone. `journal` records, `recover` undoes what a dead run left, and
//! `in_hand` tells whether it is dead. `target` chooses drives, `locked_target` keeps them for us.
//! What is below a directory of others is made and held open by `making`; what only root uses is in
//! a place of our own (`own_place`), and mounted for nobody else (`own_mounts`). What cannot be
//! seen is not undone (`seen`). `watchdog` holds a run to its limits, and `spent` counts what
//! it wrote.

pub mod action;
pub mod action_error;
pub mod device_actions;
pub mod in_hand;
pub mod journal;
pub mod locked_target;
pub mod loops;
pub mod making;
pub mod own_mounts;
pub mod own_place;
pub mod probing;
pub mod recover;
mod seen;
pub mod session;
pub mod spent;
pub mod step_error;
pub mod stepper;
pub mod target;
mod tool;
mod undoing;
pub mod unwind;
mod watchdog;
