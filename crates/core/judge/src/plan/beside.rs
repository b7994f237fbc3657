//! `beside` of a workload: the companion that works at a fixed pace while it is measured.

use super::axes::OneOrMany;
use super::error::PlanError;
use super::made::Made;
use super::read::Field;
use super::workload::{Basis, PlannedWorkload};
use bakeoff_model::companions;
use bakeoff_model::profile::Profile;
use bakeoff_model::workload::Workload;
use bakeoff_model::workloads;
use bakeoff_stats::phrases;

pub(super) const KEY: &str = "beside";
const NONE: &str = "none";

/// The name that a value of `beside` is; nothing for "none".
pub(super) fn name(field: &Field) -> Result<Option<String>, PlanError> {
    let name = field.text()?.trim();
    Ok((name != NONE).then(|| name.to_string()))
}

/// Gives every workload the companion that it names.
pub(super) fn resolve<'t>(
    choices: impl Iterator<Item = &'t OneOrMany<'t>>,
    all: &mut [Made<PlannedWorkload>],
) -> Result<(), PlanError> {
    let values = choices.filter(|choice| choice.key == KEY).flat_map(|choice| &choice.values);
    for field in values {
        let Some(wanted) = name(field)? else { continue };
        let found = find(&wanted, all).map_err(|why| field.error(why))?;
        for one in all.iter_mut().filter(|one| one.item.beside.as_ref() == Some(&wanted)) {
            one.item.companion = Some(Box::new(found.clone()));
        }
    }
    Ok(())
}

/// The companion of this name, outside a plan.
///
/// # Errors
/// There is none, or it has several parts.
pub fn companion(wanted: &str) -> Result<Workload, String> {
    find(wanted, &[])
}

/// A workload of the plan, or what has the name anywhere.
fn find(wanted: &str, all: &[Made<PlannedWorkload>]) -> Result<Workload, String> {
    let is_named = |one: &&Made<PlannedWorkload>| one.item.name.as_deref() == Some(wanted);
    let own: Vec<&Made<PlannedWorkload>> = all.iter().filter(is_named).collect();
    let found = match own.as_slice() {
        [] => match companions::built_in(wanted) {
            Some(companion) => vec![companion],
            None => workloads::named(wanted).map_err(|_| unknown(wanted, all))?,
        },
        [one] => of_plan(&one.item, wanted)?,
        several => {
            return Err(format!(
                "{} workloads are named '{wanted}', because one of its keys has a list. A \
                 companion is one workload: define it without a list",
                several.len()
            ));
        }
    };
    match found.as_slice() {
        [one] => Ok(companions::of(one.clone())),
        parts => {
            let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
            Err(format!("'{wanted}' has several parts. Name one of them: {}", names.join(", ")))
        }
    }
}

fn of_plan(planned: &PlannedWorkload, name: &str) -> Result<Vec<Workload>, String> {
    if !planned.driver.is_native() {
        return Err(format!(
            "'{name}' is run by {}, and only bakeoff's own engine keeps the pace of a companion",
            planned.driver.name()
        ));
    }
    Ok(match planned.basis {
        Basis::Profile(_) => planned.parts(name),
        Basis::Words | Basis::BuiltIn(_) => vec![planned.workload(name)],
    })
}

fn unknown(wanted: &str, all: &[Made<PlannedWorkload>]) -> String {
    let own = all.iter().filter_map(|one| one.item.name.as_deref());
    let built_in = workloads::all();
    let words = built_in.iter().map(|workload| workload.name.as_str());
    let profiles = Profile::ALL.iter().map(|profile| profile.name());
    let first = companions::BUILT_IN.into_iter().filter(|name| !own.clone().any(|o| o == *name));
    let names: Vec<&str> = first.chain(own.clone()).chain(words).chain(profiles).collect();
    let hint = phrases::did_you_mean(wanted, &names);
    format!("there is no workload '{wanted}' to run beside this one; {hint}")
}
