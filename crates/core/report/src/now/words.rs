//! What is said of a run that is watched.

use crate::answer::workload_name;
use crate::runs::State;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::{BlockState, Run};
use bakeoff_stats::units;

use super::Now;

/// What a run does right now: "Measuring random writes, block 3".
pub fn doing(run: &Run, state: State) -> String {
    match state {
        State::Running => {}
        State::Dead => return "Interrupted: its process ended unexpectedly".to_string(),
        State::Unfinished => return "The server has not received the end of this run".to_string(),
        State::Stopped => return "Not running".to_string(),
        State::Unreadable => return "Its record cannot be read".to_string(),
    }
    let Some(block) = run.blocks.last() else {
        return match run.rehearsal {
            None => "Preparing every candidate once".to_string(),
            Some(_) => "Measuring the layers below the candidates".to_string(),
        };
    };
    let number = run.complete_blocks().count() + 1;
    if block.state != BlockState::Open {
        return match run.stopped {
            None => format!("Between blocks, {} complete", number - 1),
            Some(_) => "Undoing all changes".to_string(),
        };
    }
    let is_measured = |w: &usize| block.cells.iter().any(|c| usize::from(c.workload) == *w);
    let left: Vec<usize> = (0..run.header.workloads.len()).filter(|w| !is_measured(w)).collect();
    match left.as_slice() {
        [last] => {
            let name = workload_name(&run.header.workloads[*last].name);
            format!("Measuring {name}, block {number}")
        }
        [] => format!("Finishing block {number}"),
        several => format!("Measuring block {number}, {} workloads left", several.len()),
    }
}

/// A run's state in words for a heading.
pub fn state_words(now: &Now) -> String {
    match now.state {
        State::Running => "Running".to_string(),
        State::Dead => {
            format!(
                "Interrupted. Continue with: bakeoff resume {}",
                &now.run[..now.run.len().min(8)]
            )
        }
        State::Stopped => match now.can_resume {
            true => "Stopped; can be resumed".to_string(),
            false => "Done".to_string(),
        },
        State::Unfinished => "Not finished".to_string(),
        State::Unreadable => "Its record cannot be read".to_string(),
    }
}

pub fn notification(now: &Now) -> String {
    format!(
        "{}: {} ({} blocks, {})",
        sanitize(&now.title),
        now.headline,
        now.blocks,
        units::duration(now.elapsed_ns)
    )
}
