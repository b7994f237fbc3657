//! Runs a program for a step: any end but exit 0 is an error in the program's own words.

use std::ffi::OsString;
use std::time::Duration;

use bakeoff_model::path::printable;

use super::action_error::ActionError;
use crate::exec::Spec;
use crate::signals::Cancel;

/// Longest a preparing tool may take (mkfs of a large slow drive).
const TOOL_LIMIT: Duration = Duration::from_secs(30 * 60);
/// How often and how long a busy mount or loop is tried again: whatever of ours was killed may
/// still be finishing its last write.
const BUSY_TRIES: u32 = 60;
const BUSY_PAUSE: Duration = Duration::from_millis(500);

pub fn run(argv: &[OsString], command: &str, cancel: &Cancel) -> Result<String, ActionError> {
    run_with_input(argv, Vec::new(), command, cancel)
}

pub fn run_with_input(
    argv: &[OsString],
    input: Vec<u8>,
    command: &str,
    cancel: &Cancel,
) -> Result<String, ActionError> {
    let finished = Spec::tool(argv, TOOL_LIMIT)?.input(input).run(cancel)?;
    let output = [&finished.stdout[..], &finished.stderr[..]].concat();
    if !finished.status.success() {
        return Err(ActionError::Tool {
            command: command.to_string(),
            how: finished.how(),
            said: printable(output.trim_ascii()),
        });
    }
    Ok(String::from_utf8_lossy(&output).into_owned())
}

/// Tries again while a program fails: what holds the thing may still be letting go.
pub fn retry_while_busy(
    what: &str,
    mut attempt: impl FnMut() -> Result<(), ActionError>,
) -> Result<(), ActionError> {
    for _ in 1..BUSY_TRIES {
        match attempt() {
            Err(ActionError::Tool { .. }) => std::thread::sleep(BUSY_PAUSE),
            other => return other,
        }
    }
    attempt().map_err(|error| {
        let ActionError::Tool { how, said, .. } = error else { return error };
        ActionError::Tool { command: what.to_string(), how, said }
    })
}
