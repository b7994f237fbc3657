//! `[[exclude]]`: combinations that are left out.

use super::axes::{self, OneOrMany};
use super::error::PlanError;
use super::made::{Made, Planned};
use super::read::Field;
use super::stack::PlannedStack;
use super::workload::PlannedWorkload;

/// Most comparisons of a combination with a value to exclude: half a second on a small board.
const MOST_COMPARISONS: usize = 1_000_000;

pub(super) fn exclude(
    excluded: &Field,
    stacks: &mut [Made<PlannedStack>],
    workloads: &mut [Made<PlannedWorkload>],
) -> Result<(), PlanError> {
    let made = (stacks.len() + workloads.len()).max(1);
    let (mut found, most) = (0, (MOST_COMPARISONS / made).max(100));
    let (of_stacks, of_workloads) = (PlannedStack::keys(), PlannedWorkload::keys());
    let keys = [&of_stacks[..], &of_workloads[1..]].concat();
    for (table, span) in excluded.tables()? {
        let wanted = axes::of_table(excluded.source, table, "[[exclude]]", &keys)?;
        found += wanted.iter().map(|one| one.values.len()).sum::<usize>();
        if found > most {
            let what = format!("at most {most} values may be excluded of so many combinations");
            return Err(excluded.source.error(span, what));
        }
        let names_any = |keys: &[&str]| wanted.iter().any(|one| keys[1..].contains(&one.key));
        let (names_stacks, names_workloads) = (names_any(&of_stacks), names_any(&of_workloads));
        if names_stacks && names_workloads {
            let what = "an exclusion applies to stacks or to workloads, not to both: candidates \
                        are comparable only with the same workloads";
            return Err(excluded.source.error(span, what));
        }
        let mut matched = 0;
        if !names_workloads {
            matched += take_out(&wanted, stacks)?;
        }
        if !names_stacks {
            matched += take_out(&wanted, workloads)?;
        }
        if wanted.is_empty() || matched == 0 {
            let what = "this excludes nothing: no case has these values";
            return Err(excluded.source.error(span, what));
        }
    }
    Ok(())
}

fn take_out<T: Planned>(wanted: &[OneOrMany], made: &mut [Made<T>]) -> Result<usize, PlanError> {
    let mut matched = 0;
    for one in made {
        let mut has_all = true;
        for OneOrMany { values, .. } in wanted {
            let found: Vec<bool> =
                values.iter().map(|value| one.item.has(value)).collect::<Result<_, _>>()?;
            has_all &= found.contains(&true);
        }
        one.kept &= !has_all;
        matched += usize::from(has_all);
    }
    Ok(matched)
}
