//! L07 fast-cache: the write rate falls permanently by 30 % or more within most cells of a
//! candidate.

use super::course::{FEWEST, in_most};
use crate::evidence::rule::Hit;
use bakeoff_model::event::Cell;
use bakeoff_model::thresholds;
use bakeoff_stats::change_point;
use bakeoff_stats::change_point::Segment;

pub fn in_course(cells: &[&Cell]) -> Option<Hit> {
    if !cells.first()?.measurement.job.rw.writes() {
        return None;
    }
    let (fall, penalty) = (thresholds::CACHE_FALL, thresholds::CHANGE_PENALTY);
    let falls = |rates: &[f64]| -> Option<(Segment, Segment)> {
        let segments = change_point::segments(rates, penalty);
        let (first, last) = (*segments.first()?, *segments.last()?);
        let is_low = |segment: &Segment| segment.mean < (1.0 - fall) * first.mean;
        let fell = segments.iter().position(is_low)?;
        segments[fell..].iter().all(is_low).then(|| {
            let before = Segment { mean: first.mean, ..segments[fell - 1] };
            (before, last)
        })
    };
    let ((first, last), count, all) = in_most(cells, FEWEST, falls)?;
    let evidence = format!(
        "the rate falls permanently in {count} of {all} measurements (in the first one by {:.0} % \
         after {:.1} s)",
        (1.0 - last.mean / first.mean) * 100.0,
        first.end as f64 / 10.0
    );
    let advice = "measure beyond the fast part: {runtime=60s}, or a larger io_size";
    Some(Hit::new(evidence, advice))
}
