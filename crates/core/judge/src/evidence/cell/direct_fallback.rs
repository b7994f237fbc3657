//! L17 direct-fallback: direct writes went through the page cache.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;

const DIRTIED_PER_PAGE: f64 = 0.5;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let m = &cell.measurement;
    let dirtied = cell.truth.dirtied_per_page.filter(|_| m.job.direct && m.write.is_some())?;
    (dirtied > DIRTIED_PER_PAGE).then(|| {
        let evidence = format!(
            "direct writes went through the page cache: the kernel dirtied {dirtied:.2} cache \
             pages for each page written"
        );
        let advice = "mount btrfs with nodatasum (chattr +C for a directory), or drop \
                      {direct=true} for all";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::found;
    use bakeoff_model::event::{Cell, Header};

    #[test]
    fn l17_a_direct_write_that_dirties_pages() {
        let dirtied =
            |d: f64| move |_: &mut Header, c: &mut Cell| c.truth.dirtied_per_page = Some(d);
        assert_eq!(found("randrw", 900.0, dirtied(1.02)), ["L17"]);
        assert!(found("randrw", 900.0, dirtied(0.4)).is_empty());
        // A buffered write dirties pages, as it says.
        assert!(found("seqwrite", 5e7, dirtied(1.0)).is_empty());
    }
}
