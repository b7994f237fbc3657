//! Undoes steps: the only code that acts on what a record says about another process's past.
//!
//! A record can be edited by whoever owns the store. So what is done here is chosen from a closed
//! list, names are derived from the run's id and the step's number, and the live object is looked
//! at before anything happens to it. What is gone already is success; what is not ours is left.

use std::path::Path;

use bakeoff_machine::prepare::{knobs, steps, udev_rule};
use bakeoff_model::path::RawPath;
use bakeoff_model::undo::{Knob, Undo, is_run_id};
use rustix::mount::UnmountFlags;

use super::action;
use super::error::{StepError, io_error};
use super::loops;
use super::own_mounts;
use super::own_place;
use super::probing;
use crate::host;
use crate::load::scratch::{self, Scratch};

#[derive(Clone, Copy, Debug)]
pub struct Of<'r> {
    pub run: &'r str,
    pub step: u32,
    pub store: &'r Path,
    pub made: Option<&'r Scratch>,
}

/// Undoes a step. It is not interrupted.
///
/// # Errors
/// When it cannot be undone, or what is recorded is nothing that this version does.
pub fn undo(undo: &Undo, of: Of<'_>) -> Result<(), StepError> {
    if !is_run_id(of.run) {
        let why = "the record contains no valid run ID, so bakeoff executes none of its steps";
        return Err(StepError::Other(why.to_string()));
    }
    let what = steps::describe_undo(undo, of.run, of.step);
    match undo {
        Undo::RemoveOurScratch { parent, of: which, .. } => {
            let removed = match of.made {
                Some(made) => made.remove(),
                None => scratch::remove(parent.as_path(), &which.name(of.run)),
            };
            removed.map_err(io_error(&what))
        }
        Undo::RemoveMountPoints => {
            let parent = own_place::parent().map_err(unseen)?;
            let removed = scratch::remove(parent.as_path(), of.run);
            removed.map_err(io_error(&what))
        }
        Undo::UnmountOurs { slot } => unmount(of.run, *slot, &what),
        Undo::DetachMarkedLoop => loops::detach(&steps::loop_mark(of.run, of.step)),
        Undo::RemoveVolume(volume) => action::close_mapper(&steps::volume_name(of.run, *volume)),
        Undo::RestoreKnob { knob, ours, before } => restore(knob, ours, before, &what),
        Undo::KeepKnob { knob, value } => keep(knob, value),
        Undo::RemoveOurRule => action::remove_udev_rule(&udev_rule::path(of.run)),
        Undo::RestoreSaved { drive } => {
            let saved = probing::saved_file(of.run, of.store).map_err(io_error(&what))?;
            let restored = probing::restore_saved(&saved, drive);
            restored.map_err(|e| StepError::Lost(e.to_string()))
        }
        Undo::Unknown(recorded) => Err(StepError::Other(format!(
            "refusing to undo step {} of run {}, which another version recorded or someone edited: \
             {}. Check whether its change still exists, then remove the run: bakeoff clean --force \
             {}",
            of.step,
            of.run,
            shown(recorded),
            &of.run[..8]
        ))),
    }
}

/// The text of a record, cut short and harmless.
fn shown(recorded: &serde_json::Value) -> String {
    const MOST: usize = 200;
    let text: String = recorded.to_string().chars().take(MOST).collect();
    bakeoff_model::path::printable(text.as_bytes())
}

fn unseen(why: impl std::fmt::Display) -> StepError {
    StepError::Other(why.to_string())
}

/// Unmounts whatever is mounted at a mount point of ours: its path is derived, and nobody but root
/// can rename anything above it.
///
/// The mounts of a dead run ended with its last process. The driver of a FUSE filesystem lives on
/// and keeps the mount that it serves, which only it sees. Unmounted there, it ends the driver.
fn unmount(run: &str, slot: u16, what: &str) -> Result<(), StepError> {
    let at = own_place::mount_point_of(run, slot).map_err(unseen)?;
    let at = at.as_path();
    let busy = |how: String| StepError::Tool { command: what.into(), how, said: String::new() };
    action::retry_while_busy(what, || {
        if host::is_mount_point(at).map_err(io_error("read the mount table"))? {
            let unmounted = rustix::mount::unmount(at, UnmountFlags::NOFOLLOW);
            return unmounted.map_err(|error| busy(std::io::Error::from(error).to_string()));
        }
        let there = host::mounted_elsewhere(at).map_err(io_error("read other mount tables"))?;
        // Killed, it would wait for itself: the last process of a namespace unmounts all there.
        if let Some(driver) = there.iter().find(|process| host::serves_fuse(process.pid)) {
            let unmounted = own_mounts::inside(driver.pid, || {
                Ok(rustix::mount::unmount(at, UnmountFlags::NOFOLLOW)?)
            });
            return unmounted.map_err(|error| busy(error.to_string()));
        }
        match there.first() {
            None => Ok(()),
            Some(process) => Err(busy(format!(
                "still mounted for {} (process {}). End that process",
                process.name, process.pid
            ))),
        }
    })
}

/// Writes back what a setting was, unless somebody else has changed it or the device is gone.
fn restore(knob: &Knob, ours: &str, before: &str, what: &str) -> Result<(), StepError> {
    match knob.path() {
        Some(path) => restore_at(&path, (knob, ours, before), what),
        None => Ok(()),
    }
}

fn restore_at(
    path: &RawPath,
    (knob, ours, before): (&Knob, &str, &str),
    what: &str,
) -> Result<(), StepError> {
    let Some(now) = host::setting_or_error(path.as_path()).map_err(io_error(what))? else {
        return Ok(());
    };
    if knobs::current(&now) != ours {
        return Ok(());
    }
    if !offers(knob, &now, before) {
        let why = format!("{what}: the kernel does not support that value");
        return Err(StepError::Other(why));
    }
    host::write_setting(path.as_path(), before).map_err(io_error(what))
}

/// Writes a setting that the kernel forgot when another was restored, unless the device is gone.
fn keep(knob: &Knob, value: &str) -> Result<(), StepError> {
    let Some(path) = knob.path() else { return Ok(()) };
    let read = io_error("read a setting of the kernel");
    match host::setting_or_error(path.as_path()).map_err(read)? {
        Some(now) if offers(knob, &now, value) => action::set_knob(&path, value),
        Some(_) | None => Ok(()),
    }
}

fn offers(knob: &Knob, now: &str, value: &str) -> bool {
    let listed = || now.split_whitespace().any(|word| word.trim_matches(['[', ']']) == value);
    knob.accepts(value)
        && match knob {
            Knob::Scheduler(_) => listed(),
            Knob::Governor(policy) => {
                let known = host::governors(policy);
                known.iter().any(|word| word == value)
            }
            Knob::NrRequests(_) | Knob::ReadAheadKb(_) => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    const RUN: &str = "00000000deadbeef";

    fn of(run: &str) -> Of<'_> {
        Of { run, step: 3, store: Path::new("/nowhere/s.db"), made: None }
    }

    /// Root ran a stored command: an edited record said `{"run":{"argv":[…]}}`.
    #[test]
    fn obeys_no_command_that_is_stored() {
        let dir = tempfile::tempdir().unwrap();
        let canary = dir.path().join("canary");
        let stored = json!({ "run": { "argv": ["touch", canary] } });
        let refused = undo(&Undo::Unknown(stored), of(RUN));
        assert!(refused.unwrap_err().to_string().contains("refusing to undo"));
        assert!(!canary.exists());
    }

    #[test]
    fn obeys_nothing_of_a_run_whose_id_could_lead_elsewhere() {
        for run in ["../../etc", "", "0123456789ABCDEF"] {
            let refused = undo(&Undo::RemoveOurRule, of(run));
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains("no valid run ID"), "{run}: {refused}");
        }
    }

    #[test]
    fn what_is_gone_already_is_success() {
        let parent = RawPath::new("/var/tmp/no-such-directory");
        let which = bakeoff_model::undo::ScratchOf::Run;
        let knob = Knob::Scheduler("nosuchdisk".to_string());
        for one in [
            Undo::RemoveOurScratch { parent, of: which, on: None },
            Undo::RemoveOurRule,
            Undo::UnmountOurs { slot: 7 },
            Undo::RestoreKnob { knob, ours: "bfq".into(), before: "none".into() },
        ] {
            assert!(undo(&one, of(RUN)).is_ok(), "{one:?}");
        }
    }

    #[test]
    fn a_setting_is_restored_only_while_it_is_ours() {
        let dir = tempfile::tempdir().unwrap();
        let path = RawPath::new(dir.path().join("read_ahead_kb"));
        let knob = Knob::ReadAheadKb("sda".to_string());
        let restored = || restore_at(&path, (&knob, "64", "128"), "restore").is_ok();
        let left = |text: &str| {
            fs::write(path.as_path(), text).unwrap();
            (restored(), fs::read_to_string(path.as_path()).unwrap())
        };
        assert_eq!(left("64\n"), (true, "128".to_string()));
        assert_eq!(left("256"), (true, "256".to_string()), "somebody else's value stays");
        fs::remove_file(path.as_path()).unwrap();
        assert!(restored(), "the device is gone");
        fs::write(path.as_path(), "64").unwrap();
        assert!(restore_at(&path, (&knob, "64", "1; reboot"), "restore").is_err());
    }

    /// Root wrote what a record said into a file in /etc, called a setting.
    #[test]
    fn writes_no_value_that_the_kernel_does_not_offer() {
        let knob = Knob::Scheduler("sda".to_string());
        assert!(offers(&knob, "none [mq-deadline] bfq", "bfq"));
        assert!(!offers(&knob, "none [mq-deadline]", "bfq"));
        assert!(!offers(&knob, "none [mq-deadline]", "none\nx"));
        assert!(!offers(&Knob::NrRequests("sda".into()), "64", "64; reboot"));
    }
}
