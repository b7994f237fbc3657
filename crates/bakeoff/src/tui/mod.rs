//! `--tui` and `t`: a run on the whole terminal.
//!
//! The view is a process of its own and a reader of the store: one that fails or is killed takes
//! nothing from a run. The process that starts it ([`guard`]) keeps the settings of the terminal
//! and restores them, however the view ends.

mod draw;
mod follow;
mod key;
pub mod show;
mod state;
mod terminal;
mod view_process;

pub use key::listen;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use bakeoff_model::path::printable;
use rustix::process::{Pid, Signal, kill_process};

use crate::cli::Global;
use crate::exec::{background, internal};
use crate::fault::{Fault, Outcome};
use crate::signals::Cancel;
use crate::ui::say;
use show::What;
use view_process::{ShownProcess, ViewMessage};

const TICK: Duration = Duration::from_millis(100);
const PRINTED_BYTES: u64 = 256 << 10;

/// Runs this command again without `--tui`, with what was consented to, and shows it.
pub fn around(global: &Global, consents: &[String]) -> Result<Outcome, Fault> {
    needs_terminal()?;
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let store = crate::store::place::path(global.store.as_deref())?;
    let [out, err] = [(); 2].map(|()| tempfile::tempfile());
    let (mut out, mut err) = (out.map_err(Fault::environment)?, err.map_err(Fault::environment)?);
    let args = arguments(internal::typed_args(), consents, global.quiet);
    let mut child = background::session(&args, &out, &err).map_err(Fault::environment)?;
    let (tell, said) = channel();
    let what = What::Run(child.id());
    let view = ShownProcess::start(&what.words(&store), move |event| {
        // Nobody listens any more when the run has ended.
        let _ = tell.send(event);
    });
    if view.is_err() {
        interrupt(&child);
    }
    let has_view = view.is_ok();
    let ended = until_end(&mut child, has_view.then_some(said), &cancel);
    // The answer goes to a terminal that is whole.
    let view = view.map(drop);
    print(&mut err, &mut std::io::stderr());
    print(&mut out, &mut std::io::stdout());
    let status = ended?;
    view?;
    match status.code() {
        Some(0) => Ok(Outcome::Done),
        Some(1) => Ok(Outcome::Open),
        // What went wrong has been printed.
        code => Err(Fault::passed_on(code, "")),
    }
}

fn until_end(
    child: &mut Child,
    mut said: Option<Receiver<ViewMessage>>,
    cancel: &Cancel,
) -> Result<std::process::ExitStatus, Fault> {
    let mut is_stopped = false;
    loop {
        if let Some(status) = child.try_wait().map_err(Fault::environment)? {
            return Ok(status);
        }
        let event = match &said {
            Some(said) => said.recv_timeout(TICK),
            None => {
                std::thread::sleep(TICK);
                Err(RecvTimeoutError::Timeout)
            }
        };
        let wants_stop = cancel.is_set() || matches!(event, Ok(ViewMessage::Stop));
        if wants_stop && !is_stopped {
            interrupt(child);
            is_stopped = true;
        }
        if matches!(event, Ok(ViewMessage::Gone) | Err(RecvTimeoutError::Disconnected)) {
            said = None;
            say::line(format_args!(
                "{}",
                match is_stopped {
                    true => "Stopping the run and undoing all changes…",
                    false => "Left the full-screen view. The run continues; Ctrl-C stops it.",
                }
            ));
        }
    }
}

pub fn watch(global: &Global, interval_ns: u64) -> Result<Outcome, Fault> {
    needs_terminal()?;
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let store = crate::store::place::path(global.store.as_deref())?;
    let (tell, said) = channel();
    let view = ShownProcess::start(&What::Machine(interval_ns).words(&store), move |event| {
        let _ = tell.send(event);
    })?;
    while !cancel.is_set() {
        if matches!(
            said.recv_timeout(TICK),
            Ok(ViewMessage::Gone) | Err(RecvTimeoutError::Disconnected)
        ) {
            break;
        }
    }
    drop(view);
    Ok(Outcome::Done)
}

fn needs_terminal() -> Result<(), Fault> {
    match terminal::is_ours() {
        true => Ok(()),
        false => Err(Fault::usage("--tui needs a terminal. Omit it to print lines")),
    }
}

/// The command line again, with what was consented to since and without `--tui`. It is quiet: what
/// a run says when it starts was said here, or was on the view.
fn arguments(typed: Vec<OsString>, consents: &[String], is_quiet: bool) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        typed.into_iter().skip(1).filter(|word| word != "--tui").collect();
    args.extend(consents.iter().map(OsString::from));
    args.extend((!is_quiet).then(|| "--quiet".into()));
    args
}

fn interrupt(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // It may have ended meanwhile.
    let _ = pid.map(|pid| kill_process(pid, Signal::INT));
}

fn print(file: &mut File, to: &mut impl std::io::Write) {
    use std::io::{Seek, SeekFrom};
    let mut text = Vec::new();
    let read =
        file.seek(SeekFrom::Start(0)).and_then(|_| file.take(PRINTED_BYTES).read_to_end(&mut text));
    if read.is_ok() && !text.is_empty() {
        let lines = text.split(|byte| *byte == b'\n').map(printable).collect::<Vec<_>>();
        let _ = write!(to, "{}", lines.join("\n"));
        let _ = to.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_is_started_without_a_view_and_with_its_consent() {
        let typed = ["bakeoff", "run", "--tui", "nas", "--target", "/dev/sdb"].map(OsString::from);
        let args = arguments(typed.into(), &["--erase=4C53".to_string()], false);
        assert_eq!(args, ["run", "nas", "--target", "/dev/sdb", "--erase=4C53", "--quiet"]);
    }
}
