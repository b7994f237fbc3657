//! Performs the actions of steps: the only code that changes the system for a run.
//!
//! What is done is data ([`Action`]); here is only how. Nothing is decided here. Undoing twice does
//! no harm, and what is gone already is success.

use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::time::Duration;

use bakeoff_machine::prepare::{commands, crypt, knobs, region, steps};
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::path::{RawPath, printable};
use bakeoff_model::step::Action;
use bakeoff_tools::native::{FailureKind, TargetKind};

use super::error::{StepError, io_error, load_error};
use crate::exec::Spec;
use crate::files::{Entry, FileError};
use crate::host;
use crate::load::scratch::{MakeError, Scratch};
use crate::load::site::Subject;
use crate::load::{self, LoadError};
use crate::signals::Cancel;
use crate::ui::progress::LiveProgress;

const OVERWRITE_BLOCK_BYTES: u64 = 1 << 20;

/// Longest a preparing tool may take (mkfs of a large slow drive).
const TOOL_LIMIT: Duration = Duration::from_secs(30 * 60);
/// How often and how long a busy mount or loop is tried again: whatever of ours was killed may
/// still be finishing its last write.
const BUSY_TRIES: u32 = 60;
const BUSY_PAUSE: Duration = Duration::from_millis(500);

pub fn perform(
    action: &Action,
    cancel: &Cancel,
    tick: &mut dyn FnMut(LiveProgress),
) -> Result<String, StepError> {
    match action {
        Action::MakeScratch { parent, name } => drop(scratch_in(parent, name)?),
        Action::Fill { file, size_bytes } => fill(file.as_path(), *size_bytes, cancel, tick)?,
        Action::Overwrite { device, size_bytes, verify } => {
            overwrite(device, *size_bytes, *verify, cancel, tick)?;
        }
        Action::SetKnob { path, value } => set_knob(path, value)?,
        Action::AddUdevRule { path, text } => add_udev_rule(path, text)?,
        Action::Run { .. }
        | Action::RunWithKey { .. }
        | Action::AttachLoop { .. }
        | Action::Mount { .. } => return run_program(action, cancel),
    }
    Ok(String::new())
}

/// Makes our directory in one that may be somebody else's.
pub fn scratch_in(parent: &RawPath, name: &str) -> Result<Scratch, StepError> {
    Scratch::make_among_others(parent.as_path(), name).map_err(|error| match error {
        MakeError::Distrust(distrust) => StepError::Refused(distrust),
        MakeError::Io(source) => io_error(&format!("create a directory in {parent}"))(source),
    })
}

/// Runs the program of an action; anything but exit 0 is an error with the tool's own words.
fn run_program(action: &Action, cancel: &Cancel) -> Result<String, StepError> {
    let argv: Vec<_> = steps::argv(action)
        .unwrap_or_default()
        .iter()
        .map(|word| word.as_path().as_os_str().to_os_string())
        .collect();
    let needs_key = matches!(action, Action::RunWithKey { .. });
    let input = if needs_key { key()? } else { Vec::new() };
    run_with_input(&argv, input, &steps::describe(action), cancel)
}

/// Writes a new file in full with the engine: incompressible, past the cache where possible, and
/// flushed.
pub fn fill(
    file: impl Into<Subject>,
    size_bytes: u64,
    cancel: &Cancel,
    tick: &mut dyn FnMut(LiveProgress),
) -> Result<(), StepError> {
    let file = file.into();
    let mut job = Job::filling(size_bytes);
    job.direct = host::supports_direct(file.path());
    let filled = load::run(&job, file, TargetKind::File, cancel, tick);
    filled.map(drop).map_err(load_error("the image"))
}

/// Writes a block device in full with tagged data; where asked, reads it back and compares, a large
/// one in pieces.
pub fn overwrite(
    device: &RawPath,
    size_bytes: u64,
    verify: bool,
    cancel: &Cancel,
    tick: &mut dyn FnMut(LiveProgress),
) -> Result<(), StepError> {
    let one_of = region::read_back_one_of(size_bytes);
    let job = Job {
        direct: true,
        end_fsync: true,
        verify,
        verify_one_of: if one_of > 1 { one_of } else { 0 },
        seed: fresh_seed()?,
        ..Job::new(Rw::Write, OVERWRITE_BLOCK_BYTES, size_bytes)
    };
    match load::run(&job, device.as_path(), TargetKind::Block, cancel, tick) {
        Ok(_) => Ok(()),
        Err(LoadError::Interrupted) => Err(StepError::Interrupted),
        Err(LoadError::Failed(failure)) if failure.kind == FailureKind::VerifyFailed => {
            Err(StepError::Lies(failure.message))
        }
        Err(error) => Err(StepError::Fill(format!("the region: {error}"))),
    }
}

/// Another seed for each pass: what was there before is never taken for what was written now.
fn fresh_seed() -> Result<u64, StepError> {
    let bytes = random()?;
    // 53 bits: a seed survives a detour through a reader that knows only doubles.
    Ok(bytes.first_chunk().map_or(1, |bytes| u64::from_le_bytes(*bytes)) >> 11)
}

/// The key of this process for encrypted candidates: random, in memory, never written or logged.
pub fn key() -> Result<Vec<u8>, StepError> {
    static KEY: OnceLock<[u8; crypt::KEY_BYTES]> = OnceLock::new();
    match KEY.get() {
        Some(key) => Ok(key.to_vec()),
        None => {
            let fresh = random()?;
            Ok(KEY.get_or_init(|| fresh).to_vec())
        }
    }
}

fn random() -> Result<[u8; crypt::KEY_BYTES], StepError> {
    let mut bytes = [0; crypt::KEY_BYTES];
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|e| io_error("get random bytes from the kernel")(e.into()))?;
    if got == bytes.len() {
        Ok(bytes)
    } else {
        Err(io_error("get random bytes from the kernel")(io::ErrorKind::Other.into()))
    }
}

/// Writes a setting and reads it back: the kernel accepts some values and does not take them. One
/// that has the value is left alone: some show a value that they do not accept.
pub fn set_knob(path: &RawPath, value: &str) -> Result<(), StepError> {
    let is_set = |text: &String| knobs::current(text) == value;
    if host::setting(path.as_path()).as_ref().is_some_and(is_set) {
        return Ok(());
    }
    let failed = |how: String| StepError::Tool {
        command: commands::describe(&Action::SetKnob {
            path: path.clone(),
            value: value.to_string(),
        }),
        how,
        said: String::new(),
    };
    host::write_setting(path.as_path(), value).map_err(|error| {
        let known = host::setting(path.as_path()).unwrap_or_default();
        failed(match error.kind() {
            io::ErrorKind::NotFound => "this machine does not have this setting".to_string(),
            io::ErrorKind::InvalidInput => {
                format!(
                    "the kernel does not support it; available: {}",
                    printable(known.as_bytes())
                )
            }
            _ => error.to_string(),
        })
    })?;
    let now = knobs::current(&host::setting(path.as_path()).unwrap_or_default());
    if now == value {
        Ok(())
    } else {
        Err(failed(format!("the kernel changed it to {}", printable(now.as_bytes()))))
    }
}

/// Removes a mapper volume; its name carries the run id, so it is ours.
pub fn close_mapper(name: &str) -> Result<(), StepError> {
    let what = format!("dmsetup remove --retry {name}");
    let argv = ["dmsetup", "remove", "--retry", name].map(std::ffi::OsString::from);
    retry_while_busy(&what, || {
        if !host::has_mapper(name).map_err(io_error("list the volumes"))? {
            return Ok(());
        }
        run_tool(&argv, &what, &Cancel::default()).map(drop)
    })
}

pub fn add_udev_rule(path: &RawPath, text: &str) -> Result<(), StepError> {
    let written = || {
        let rule = Entry::making(path.as_path(), (0o755, None))?;
        rule.replace((0o644, false), |file| file.write_all(text.as_bytes()))
    };
    written().map_err(|e: FileError| io_error(&format!("write {path}"))(io::Error::other(e)))?;
    reload_udev()
}

pub fn remove_udev_rule(path: &RawPath) -> Result<(), StepError> {
    let removed = Entry::of(path.as_path()).and_then(|rule| Ok(rule.remove()?));
    match removed {
        Ok(()) => reload_udev(),
        Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(io_error(&format!("remove {path}"))(io::Error::other(error))),
    }
}

fn reload_udev() -> Result<(), StepError> {
    if !host::udev_runs() {
        return Ok(());
    }
    let argv = ["udevadm", "control", "--reload"].map(std::ffi::OsString::from);
    run_tool(&argv, "udevadm control --reload", &Cancel::default()).map(drop)
}

/// Waits until udev has dealt with what was just made; nothing to wait for where none runs.
pub fn settle_udev() {
    if !host::udev_runs() {
        return;
    }
    let argv = ["udevadm", "settle", "--timeout=30"].map(std::ffi::OsString::from);
    // A udev that takes longer is slow, not wrong: what it may hold is asked for again and again.
    let _ = run_tool(&argv, "udevadm settle", &Cancel::default());
}

pub fn run_tool(argv: &[OsString], command: &str, cancel: &Cancel) -> Result<String, StepError> {
    run_with_input(argv, Vec::new(), command, cancel)
}

fn run_with_input(
    argv: &[OsString],
    input: Vec<u8>,
    command: &str,
    cancel: &Cancel,
) -> Result<String, StepError> {
    let finished = Spec::tool(argv, TOOL_LIMIT)?.input(input).run(cancel)?;
    let output = [&finished.stdout[..], &finished.stderr[..]].concat();
    if !finished.status.success() {
        return Err(StepError::Tool {
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
    mut attempt: impl FnMut() -> Result<(), StepError>,
) -> Result<(), StepError> {
    for _ in 1..BUSY_TRIES {
        match attempt() {
            Err(StepError::Tool { .. }) => std::thread::sleep(BUSY_PAUSE),
            other => return other,
        }
    }
    attempt().map_err(|error| {
        let StepError::Tool { how, said, .. } = error else { return error };
        StepError::Tool { command: what.to_string(), how, said }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_stays_the_same_in_a_process_and_is_not_zeros() {
        let key = key().unwrap();
        assert_eq!(key.len(), 64);
        assert_eq!(super::key().unwrap(), key);
        assert!(key.iter().any(|byte| *byte != 0));
    }

    #[test]
    fn a_rule_that_is_gone_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let path = RawPath::new(dir.path().join("rules.d/00-bakeoff-x.rules"));
        // Where udev runs it is told to read its rules again, which needs root; the file counts.
        let _ = add_udev_rule(&path, "KERNEL==\"sda\"\n");
        assert_eq!(std::fs::read_to_string(path.as_path()).unwrap(), "KERNEL==\"sda\"\n");
        let _ = remove_udev_rule(&path);
        assert!(!path.as_path().exists());
        remove_udev_rule(&path).unwrap();
    }

    #[test]
    fn a_volume_that_is_not_there_is_removed() {
        close_mapper("bakeoff-no-such-run-crypt").unwrap();
    }
}
