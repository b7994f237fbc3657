//! What a run will do, decided before anything is changed: the candidates, where they are put, what
//! has no room, what it costs, and what is refused. [`run_plan::RunPlan`] is what comes out.

// A new variant of an enum is checked wherever the enum decides something.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod commands;
pub mod costs;
pub mod directories;
pub mod filesystems;
pub mod on_targets;
pub mod plan_text;
pub mod run_plan;
mod standing;
