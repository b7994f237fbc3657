//! Whether what a step changed can be seen from here. In a container, or with a drive unplugged,
//! what is not there is not known to be gone, and its step stays in the record.

use std::path::Path;

use bakeoff_model::event::{Namespaces, Owner};
use bakeoff_model::path::RawPath;
use bakeoff_model::undo::{On, Undo};

use super::action_error::ActionError;
use crate::host;

/// Looks whether a step of a run can be undone from here. `is_past`: the machine has started anew
/// since.
///
/// # Errors
/// What cannot be seen, and what to do.
pub fn check(
    undo: &Undo,
    run: &str,
    owner: Option<&Owner>,
    is_past: bool,
) -> Result<(), ActionError> {
    let view = owner.and_then(|owner| owner.view);
    let is_same = |path: &str, then: fn(Namespaces) -> u64| {
        is_past || view.is_none_or(|view| host::device_at(Path::new(path)) == Some(then(view)))
    };
    match undo {
        Undo::RemoveOurScratch { parent, of, on: Some(on) } => {
            return scratch(parent, &of.name(run), *on, is_past);
        }
        Undo::RemoveMountPoints | Undo::RemoveOurRule if !is_same("/run", |view| view.run_dev) => {
            Err("/run is not the one that the run used")
        }
        Undo::UnmountOurs { .. } if !host::sees_processes_of(view.map(|view| view.pid_ns)) => {
            Err("/proc does not show the processes of the run")
        }
        Undo::DetachMarkedLoop
        | Undo::RemoveVolume(_)
        | Undo::RestoreKnob { .. }
        | Undo::KeepKnob { .. }
            if !host::sees_drives() =>
        {
            Err("/sys does not show the drives")
        }
        Undo::RestoreSaved { .. }
            if rustix::process::geteuid().is_root()
                && !is_same("/var/lib", |view| view.var_lib_dev) =>
        {
            Err("/var/lib is not the one that the probe used")
        }
        Undo::RemoveOurScratch { .. }
        | Undo::RemoveMountPoints
        | Undo::RemoveOurRule
        | Undo::UnmountOurs { .. }
        | Undo::DetachMarkedLoop
        | Undo::RemoveVolume(_)
        | Undo::RestoreKnob { .. }
        | Undo::KeepKnob { .. }
        | Undo::RestoreSaved { .. }
        | Undo::Unknown(_) => Ok(()),
    }
    .map_err(|what| {
        ActionError::Other(format!(
            "{what}, as in a container, so bakeoff cannot see whether the changes of run {} are \
             gone. Run `sudo bakeoff clean` outside it",
            short(run)
        ))
    })
}

fn scratch(parent: &RawPath, name: &str, on: On, is_past: bool) -> Result<(), ActionError> {
    let is_there = std::fs::symlink_metadata(parent.as_path().join(name)).is_ok();
    let mut around = parent.as_path().ancestors();
    let found = around.find_map(host::device_at);
    if is_there || found == Some(on.dev) || (is_past && on.is_in_memory) {
        return Ok(());
    }
    Err(ActionError::Other(format!(
        "{parent} is not on the filesystem that the run used, so bakeoff cannot see whether {name} \
         in it is gone. Mount that filesystem, or leave the container, and run `bakeoff clean`. If \
         the filesystem no longer exists: bakeoff clean --force {}",
        short(name.trim_start_matches(".bakeoff-"))
    )))
}

fn short(run: &str) -> &str {
    run.get(..8).unwrap_or(run)
}
