//! `--at` and `--detach`: a run that begins at night, and one that outlives its terminal.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use bakeoff_machine::prepare::commands::shell_word;
use bakeoff_model::path::RawPath;
use bakeoff_stats::units;
use jiff::Zoned;
use jiff::civil::Time;

use crate::cli::Global;
use crate::exec::{internal, unlimited};
use crate::fault::{Fault, Outcome};
use crate::files::{Entry, FileError, OtherUser};
use crate::host;
use crate::signals::Cancel;
use crate::store::place;
use crate::ui::say;

/// How often the clock is looked at; the machine may have slept meanwhile.
const TICK: Duration = Duration::from_millis(500);
/// How long a detached run is watched.
const WATCH: Duration = Duration::from_secs(3);

/// Waits until the clock on the wall shows `time`, today or tomorrow.
pub fn wait_until(global: &Global, time: Time) -> Result<(), Fault> {
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let due = next(&Zoned::now(), time)?;
    let left_ns =
        |due: &Zoned| due.timestamp().as_nanosecond() - Zoned::now().timestamp().as_nanosecond();
    say::note(
        global.quiet,
        format_args!(
            "Waiting until {}, {} from now. Ctrl-C cancels the run; nothing was changed yet.",
            due.strftime("%Y-%m-%d %H:%M"),
            units::duration(u64::try_from(left_ns(&due)).unwrap_or(0))
        ),
    );
    while left_ns(&due) > 0 {
        if cancel.is_set() {
            return Err(Fault::interrupted("interrupted while waiting; nothing was changed"));
        }
        std::thread::sleep(TICK);
    }
    Ok(())
}

fn next(now: &Zoned, time: Time) -> Result<Zoned, Fault> {
    let unusable = |e: jiff::Error| Fault::usage(format!("--at: {e}"));
    let today = now.date().to_datetime(time).to_zoned(now.time_zone().clone()).map_err(unusable)?;
    if today > *now {
        return Ok(today);
    }
    let tomorrow = now.date().tomorrow().map_err(unusable)?;
    tomorrow.to_datetime(time).to_zoned(now.time_zone().clone()).map_err(unusable)
}

/// Starts the same command again in a session of its own, with the consent that was given here, and
/// says how to follow it.
pub fn detach(global: &Global, consents: &[String]) -> Result<Outcome, Fault> {
    let args = arguments(internal::typed_args(), consents);
    let store = place::path(global.store.as_deref())?;
    let runs = format!("bakeoff runs --store {}", shell_word(&RawPath::new(&store)));
    let (log, file) = log_file(&store)?;
    let mut child = unlimited::session(&args, &file, &file).map_err(Fault::environment)?;
    if let Some(ended) = early_end(&mut child, &log, WATCH)? {
        return Ok(ended);
    }
    let (pid, shown) = (child.id(), shell_word(&RawPath::new(&log)));
    say::line(format_args!(
        "The run continues in the background as process {pid}.\n  tail -f {shown}\n  {runs}\n  \
         kill {pid} stops it and undoes all changes"
    ));
    Ok(Outcome::Done)
}

/// Watches a detached run for as long as `watched`; `None` when it continues. One that ended ends
/// us as it did, with what it said.
fn early_end(child: &mut Child, log: &Path, watched: Duration) -> Result<Option<Outcome>, Fault> {
    let since = Instant::now();
    while since.elapsed() < watched {
        if let Some(ended) = child.try_wait().map_err(Fault::environment)? {
            let said = std::fs::read_to_string(log).unwrap_or_default();
            let said = format!("the background run ended immediately:\n{}", said.trim_end());
            return if ended.success() {
                Ok(Some(Outcome::Done))
            } else {
                Err(Fault::passed_on(ended.code(), said))
            };
        }
        std::thread::sleep(TICK);
    }
    Ok(None)
}

fn log_file(store: &Path) -> Result<(PathBuf, File), Fault> {
    let name = format!("{}-{}.log", host::unix_ns(), std::process::id());
    let owner = OtherUser::behind_sudo();
    let made = || {
        let logs = Entry::making(store, (0o700, owner.as_ref()))?.beside(".logs");
        let log = logs.make_directory((0o700, owner.as_ref()))?.entry(name);
        Ok((log.path(), log.create(0o666, owner.as_ref())?))
    };
    made().map_err(|e: FileError| {
        let logs = RawPath::new(place::beside(store, ".logs"));
        Fault::environment(format!("cannot create a log in {logs}: {e}"))
    })
}

/// The command line again, with what was consented to since and without `--detach`.
fn arguments(typed: Vec<OsString>, consents: &[String]) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        typed.into_iter().skip(1).filter(|word| word != "--detach").collect();
    args.extend(consents.iter().map(OsString::from));
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detached_run_that_ends_at_once_ends_us_as_it_did() {
        // A busy machine may take longer than WATCH to start it.
        const LONG: Duration = Duration::from_secs(600);
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        std::fs::write(&log, "bakeoff: the drive is in use\n").unwrap();
        let ended = |script: &str, watched: Duration| {
            let mut child = std::process::Command::new("sh").args(["-c", script]).spawn().unwrap();
            let ended = early_end(&mut child, &log, watched);
            // The one that continues; for the others it is too late.
            let _ = child.kill();
            child.wait().unwrap();
            ended
        };
        assert!(matches!(ended("exit 0", LONG), Ok(Some(Outcome::Done))));
        assert!(matches!(ended("exec sleep 600", WATCH), Ok(None)));
        let fault = ended("exit 3", LONG).unwrap_err();
        assert!(fault.to_string().contains("in use"), "{fault}");
        let code = |fault| format!("{:?}", crate::fault::exit(Err(fault)));
        assert_eq!(code(fault), format!("{:?}", std::process::ExitCode::from(3)));
    }

    #[test]
    fn the_next_midnight_is_never_now() {
        let now: Zoned = "2026-11-20T20:15:00+00:00[+00:00]".parse().unwrap();
        let at =
            |text: &str| next(&now, Time::strptime("%H:%M", text).unwrap()).unwrap().timestamp();
        assert_eq!(at("00:00").to_string(), "2026-11-21T00:00:00Z");
        assert_eq!(at("20:16").to_string(), "2026-11-20T20:16:00Z");
        assert_eq!(at("20:15").to_string(), "2026-11-21T20:15:00Z");
    }

    #[test]
    fn a_detached_run_has_its_consent_and_does_not_detach_again() {
        let typed = ["bakeoff", "run", "--detach", "plan.toml", "--target", "/dev/sdb"];
        let args = arguments(typed.map(OsString::from).into(), &["--erase=4C53".to_string()]);
        assert_eq!(args, ["run", "plan.toml", "--target", "/dev/sdb", "--erase=4C53"]);
    }
}
