//! Runs a plan: prepares candidates, measures cells, records what happened, puts everything back.
//!
//! `session` is the loop; `ground` is what candidates stand on (`directories` or one `image`);
//! `stepper` and `action` change the system and undo it; `cell` and `load` measure; `journal`
//! records; `recover` undoes what a dead run left.

pub mod action;
pub mod cell;
pub mod cost;
pub mod directories;
pub mod ground;
pub mod idle;
pub mod image;
pub mod journal;
pub mod load;
pub mod recover;
pub mod rehearse;
pub mod scratch;
pub mod session;
pub mod site;
pub mod stepper;
