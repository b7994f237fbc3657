//! `--fill 80% --age used`: how candidates are used before they are measured.

use bakeoff_judge::plan::PlannedStack;
use bakeoff_model::use_state::{Age, UseState};

use crate::cli::UseArgs;
use crate::fault::Fault;

/// In place of what the plan says.
pub fn change_plan(args: UseArgs, stacks: &mut [PlannedStack]) -> Result<(), Fault> {
    let mut with_files = stacks.iter_mut().filter(|stack| !stack.is_raw());
    with_files.try_for_each(|stack| change(args, &mut stack.state))
}

fn change(args: UseArgs, state: &mut UseState) -> Result<(), Fault> {
    state.fill_percent = args.fill.unwrap_or(state.fill_percent);
    state.age = args.age.unwrap_or(state.age);
    match (state.is_empty(), state.age) {
        (true, Age::Used) => Err(Fault::usage("--age used needs files. Add --fill 80%")),
        (false, _) | (true, Age::Fresh) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_has_files() {
        let used = UseArgs { fill: None, age: Some(Age::Used) };
        assert!(change(used, &mut UseState::default()).is_err());
        let mut full = UseState { fill_percent: 20, age: Age::Fresh };
        change(used, &mut full).unwrap();
        assert_eq!(full.label(), "20% used");
    }
}
