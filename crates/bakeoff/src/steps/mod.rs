//! Changes to the system: each is recorded before it is made, and undone on every way out.
//!
//! `stepper` takes the steps of a run (`session`), and `action` performs them. `unwind` undoes them,
//! and `undoing` is the closed list of what is ever undone. `journal` records, and `recover` undoes
//! what a dead run left. `target` chooses drives, `locked_target` keeps them for us. What only root
//! uses is in a directory of our own (`own_place`), and mounted for nobody else (`own_mounts`).
//! `limits` holds a run to its time and bytes.

pub mod action;
pub mod error;
pub mod journal;
pub mod limits;
pub mod locked_target;
pub mod loops;
pub mod own_mounts;
pub mod own_place;
pub mod probing;
pub mod recover;
pub mod session;
pub mod stepper;
pub mod target;
mod undoing;
pub mod unwind;
