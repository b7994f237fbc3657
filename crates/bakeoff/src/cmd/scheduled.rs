//! `--at` and `--detach`: a run that begins at night, and one that outlives its terminal.

use std::ffi::OsString;
use std::time::Duration;

use bakeoff_machine::prepare::commands::shell_word;
use bakeoff_model::path::RawPath;
use bakeoff_stats::units;
use jiff::Zoned;
use jiff::civil::Time;

use crate::cli::Global;
use crate::detached::{self, Begun};
use crate::exec::internal;
use crate::fault::{Fault, Outcome};
use crate::signals::Cancel;
use crate::store::place;
use crate::ui::say;

/// How often the clock is looked at; the machine may have slept meanwhile.
const TICK: Duration = Duration::from_millis(500);

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

/// Starts the same command again where it survives the end of this session, with the consent that
/// was given here, and says how to follow it.
pub fn detach(global: &Global, consents: &[String]) -> Result<Outcome, Fault> {
    let args = arguments(internal::typed_args(), consents);
    let store = place::path(global.store.as_deref())?;
    let runs = format!("bakeoff runs --store {}", shell_word(&RawPath::new(&store)));
    let mut begun = detached::begin(&store, &args)?;
    if let Some(ended) = begun.early_end()? {
        return Ok(ended);
    }
    let (what, ends, log) = match begun {
        Begun::Unit { name, log } => (name.clone(), format!("systemctl stop {name}"), log),
        Begun::Session { child, log } => {
            let pid = child.id();
            (format!("process {pid}"), format!("kill {pid}"), log)
        }
    };
    let shown = shell_word(&RawPath::new(&log));
    say::line(format_args!(
        "The run continues in the background as {what}.\n  tail -f {shown}\n  {runs}\n  {ends} \
         stops it and undoes all changes"
    ));
    Ok(Outcome::Done)
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
