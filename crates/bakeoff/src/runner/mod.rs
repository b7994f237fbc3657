//! Runs a plan: prepares candidates, measures cells, records what happened, puts everything back.
//!
//! `session` is the loop; `target_set` is what candidates stand on (`directories` or `regions`,
//! those of the demo's `image` or of `targets`); `stepper` and `action` change the system and undo
//! it; `locked_target` keeps targets for us; `rounds` has `member`s measured in slices (`sliced`),
//! `cell` and `load` what cannot be cut; `journal` records; `recover` undoes what a dead run left.
//! What is below a directory of others is held open from its making on (`scratch`,
//! `making`, `subject`); what only root uses is in a place of our own (`own_place`).

pub mod action;
pub mod block;
pub mod calibration;
pub mod ceilings;
pub mod cell;
pub mod cooling;
pub mod cost;
pub mod device_actions;
pub mod directories;
pub mod foreign;
pub mod group;
pub mod idle;
pub mod image;
pub mod in_memory;
pub mod journal;
pub mod load;
pub mod locked_target;
pub mod loops;
pub mod making;
pub mod marks;
pub mod member;
pub mod own_place;
pub mod precondition;
pub mod probing;
pub mod prove;
pub mod recover;
pub mod regions;
pub mod rehearse;
pub mod rounds;
pub mod scratch;
pub mod session;
pub mod side_by_side;
pub mod site;
pub mod sliced;
pub mod stacks;
pub mod stepper;
pub mod subject;
pub mod survey;
pub mod target;
pub mod target_set;
pub mod targets;
pub mod undoing;
