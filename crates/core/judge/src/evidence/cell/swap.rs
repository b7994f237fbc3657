//! L55 swap: over 1 MiB was swapped in or out during the cell.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;

pub const ID: &str = "L55";

/// Pages of swap traffic a machine with idle processes shows without being short of memory.
const SWAPPED_FLOOR_PAGES: u64 = 256;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let pages = cell.truth.swapped_pages?;
    (pages > SWAPPED_FLOOR_PAGES).then(|| {
        let evidence = format!("{pages} pages were swapped in or out");
        Hit::new(evidence, "free some memory, or use a smaller {size}")
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::found;
    use bakeoff_model::event::{Cell, Header};

    #[test]
    fn l55_swapping_and_the_odd_page() {
        let swapped = |n: u64| move |_: &mut Header, c: &mut Cell| c.truth.swapped_pages = Some(n);
        assert_eq!(found("randread", 900.0, swapped(257)), ["L55"]);
        assert!(found("randread", 900.0, swapped(256)).is_empty());
    }
}
