//! What a run will do, decided before anything is changed: the candidates, where they are put, what
//! has no room, what it costs, and what is refused. The header of a run
//! is what comes out.

pub mod commands;
pub mod costs;
pub mod directories;
pub mod filesystems;
pub mod new_run;
pub mod on_targets;
pub mod plan_text;
pub mod share;
mod standing;
pub mod used;
