//! What a run will do, decided before anything is changed: the candidates, where they are put, what
//! has no room, what it costs, and what is refused. [`run_plan::RunPlan`] is what comes out.

pub mod commands;
pub mod costs;
pub mod directories;
pub mod earlier;
pub mod filesystems;
pub mod on_targets;
pub mod plan_text;
pub mod run_plan;
mod standing;
