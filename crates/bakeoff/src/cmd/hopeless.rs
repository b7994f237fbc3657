//! What would make a run hopeless, said before it begins: busy CPUs, a drive that others use, a
//! loop device whose reads come from memory. A run that ends without an answer has cost time and
//! wear.

use std::time::Duration;

use bakeoff_machine::fitness;
use bakeoff_model::host::Place;
use bakeoff_stats::{distinct, phrases};

use crate::fault::Fault;
use crate::host;
use crate::signals::Cancel;
use crate::ui::say;

/// Share of all CPUs that others may use, percent: beside a compiler on one of two, runs answer.
const CPU_PERCENT: f64 = 90.0;
const HARDLY: &str = "This run will hardly get an answer";
const WATCHED: Duration = Duration::from_secs(1);

/// Reports what would make a run on `places` hopeless.
///
/// # Errors
/// There is something, and `goes_on` is false.
pub fn check(places: &[&Place], goes_on: bool, quiet: bool) -> Result<(), Fault> {
    let why = reasons(places)?;
    if why.is_empty() {
        return Ok(());
    }
    let all = phrases::list(&why);
    if goes_on {
        say::note(quiet, format_args!("{HARDLY}: {all}."));
        Ok(())
    } else {
        Err(Fault::failed(format!(
            "this run would hardly get an answer: {all}. Nothing was changed. Wait until that is \
             over, or add --anyway"
        )))
    }
}

/// Says it and goes on, where a short run is all there is to lose.
///
/// # Errors
/// Interrupted, or the machine cannot be looked at.
pub fn warn(place: &Place, quiet: bool) -> Result<(), Fault> {
    let why = reasons(&[place])?;
    if !why.is_empty() {
        say::note(quiet, format_args!("{HARDLY}: {}.", phrases::list(&why)));
    }
    Ok(())
}

fn reasons(places: &[&Place]) -> Result<Vec<String>, Fault> {
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let mut why = Vec::new();
    for on in places {
        why.extend(on.cached_files().map(|file| {
            format!(
                "the loop device of {file} has no direct I/O (losetup --direct-io=on), so that \
                 reads come from memory"
            )
        }));
        if on.options.iter().any(|option| option == "ro") {
            why.push(format!("{} is mounted read-only", on.mount_point));
        }
        let (facts, busy) = host::glance(&on.chain, WATCHED, &cancel);
        if cancel.is_set() {
            return Err(Fault::interrupted("interrupted; nothing was changed"));
        }
        let cpu = facts.watched.as_ref().ok().and_then(|watched| watched.cpu_percent);
        // Of a virtual machine the host may have taken the time, and no process here is named.
        let by = if busy.is_empty() { "other machines".into() } else { phrases::list(&busy) };
        let cpu = cpu.filter(|percent| *percent >= CPU_PERCENT);
        why.extend(cpu.map(|percent| format!("the CPUs are {percent:.0} % busy ({by})")));
        why.extend(fitness::stops(&facts).into_iter().map(|check| {
            let of = check.subject.map_or(String::new(), |name| format!("{name}: "));
            format!("{of}{} {}", check.id, check.found)
        }));
    }
    Ok(distinct::in_order(why))
}
