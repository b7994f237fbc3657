//! L55 swap: over 1 MiB was swapped in or out during the cell.

use crate::evidence::advice::Key;
use crate::evidence::advice::Part::{Name, Say};
use crate::evidence::rule::{CELL, Check, R, Rule, When};
use crate::evidence::{finding, of_study};
use crate::model::design::Design;
use crate::model::event::Cell;
use crate::model::finding::{Finding, Severity};
use crate::model::workload::Workload;
use crate::study::Study;

pub static RULE: Rule = Rule {
    id: "L55",
    slug: "swap",
    when: &[When::Cell, When::Import],
    severity: [R, R, R, R],
    scope: CELL,
    condition: "over 1 MiB was swapped in or out during the cell",
    explain: "Memory was short and the kernel moved pages to and from the swap device. Swapping \
        takes time from every process, and from the drive under test if the swap is on it. In one \
        study swap was left enabled. The cell is discarded and repeated.",
    checks: &[Check::Cell(in_cell), Check::Study(in_study)],
};

/// Pages of swap traffic a machine with idle processes shows without being short of memory.
const SWAPPED_FLOOR_PAGES: u64 = 256;

fn in_cell(design: Design<'_>, _: &Workload, cell: &Cell) -> Option<Finding> {
    let pages = cell.truth.swapped_pages?;
    (pages > SWAPPED_FLOOR_PAGES).then(|| {
        let evidence = format!("{pages} pages were swapped in or out");
        finding(
            design,
            &RULE,
            evidence,
            &[Say("free some memory, or use a smaller "), Name(Key::Size)],
        )
    })
}

/// The statement names the drive with the swap by a part of its name in the table.
fn in_study(study: &Study) -> Option<Finding> {
    let fact = study.states_device("swap")?;
    let found = of_study(&RULE, fact.says.clone(), "Disable swap on the measured drive.");
    Some(Finding { severity: Severity::Error, ..found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::cell::fixture::found;
    use crate::model::event::Header;

    #[test]
    fn l55_swapping_and_the_odd_page() {
        let swapped = |n: u64| move |_: &mut Header, c: &mut Cell| c.truth.swapped_pages = Some(n);
        assert_eq!(found("randread", 900.0, swapped(257)), ["L55"]);
        assert!(found("randread", 900.0, swapped(256)).is_empty());
    }
}
