//! slow-start: the first slice of each block, or the first block of the run, is over a quarter
//! slower than the rest.

use super::pieces::{Course, hits, level};
use crate::decide::figure;
use crate::evidence::rule::Hit;
use bakeoff_model::run::Run;
use bakeoff_stats::phrases;
use bakeoff_stats::{sample, student_t};

/// Clean runs fire in half a percent of all for each of the two tests.
const FALSE_SHARE: f64 = 0.005;
const SHARE: f64 = 0.75;
const FEWEST_SLICES: usize = 4;
const FEWEST_BLOCKS: usize = 3;
const FEWEST_OTHERS: usize = 4;

pub fn check(run: &Run) -> Vec<Hit> {
    let advice = "ignore the start for the steady speed, or run longer";
    hits(run, advice, |course, courses| {
        let alpha = level(FALSE_SHARE, courses);
        first_slices(course, alpha).or_else(|| first_block(course, alpha))
    })
}

fn percent_slower(ln: f64) -> f64 {
    -libm::expm1(ln) * 100.0
}

fn first_slices(course: &Course, alpha: f64) -> Option<String> {
    let off = |scores: Vec<f64>| {
        let (first, rest) = scores.split_first()?;
        Some(first - sample::median(rest).filter(|_| scores.len() >= FEWEST_SLICES)?)
    };
    let off: Vec<f64> = course.pieces().into_iter().filter_map(off).collect();
    let mean = sample::mean(&off).filter(|_| off.len() >= FEWEST_BLOCKS)?;
    let error = sample::standard_error(&off)?;
    let limit = student_t::two_sided(2.0 * alpha, off.len() as f64 - 1.0);
    let is_slow = mean <= libm::log(SHARE) && mean + limit * error < 0.0;
    is_slow.then(|| {
        format!(
            "the first slice of each block is {:.0} % slower than the rest, on average of {}",
            percent_slower(mean),
            phrases::count(off.len(), "block")
        )
    })
}

fn first_block(course: &Course, alpha: f64) -> Option<String> {
    let metric = course.of.metric;
    let score =
        |cell: &&bakeoff_model::event::Cell| Some(metric.to_score(figure::of_cell(metric, cell)?));
    let scores: Vec<f64> = course.cells.iter().filter_map(score).collect();
    let (first, rest) = scores.split_first()?;
    let mean = sample::mean(rest).filter(|_| rest.len() >= FEWEST_OTHERS)?;
    let n = rest.len() as f64;
    let spread = sample::sd(rest)? * libm::sqrt(1.0 + 1.0 / n);
    let limit = student_t::two_sided(2.0 * alpha, n - 1.0);
    let off = first - mean;
    (off <= libm::log(SHARE) && off + limit * spread < 0.0).then(|| {
        format!(
            "the first block is {:.0} % slower than the {} others",
            percent_slower(off),
            rest.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::pieces::tests::{clean, fired_percent, sliced};
    use super::*;
    use crate::analyse::analyse;
    use crate::rules::tests::told;

    #[test]
    fn slow_first_slices_and_a_slow_first_block_are_named() {
        let mut noise = clean(1, 0.05);
        let slices = sliced(1, 6, |b, c, s| noise(b, c, s) * if s == 0 { 0.5 } else { 1.0 });
        let found = told(&analyse(&slices).findings, "slow-start").unwrap();
        assert!(found.evidence.contains("first slice of each block is 5"), "{found:?}");
        let mut noise = clean(2, 0.05);
        let block = sliced(1, 8, |b, c, s| noise(b, c, s) * if b == 0 { 0.5 } else { 1.0 });
        let found = told(&analyse(&block).findings, "slow-start").unwrap();
        assert!(found.evidence.contains("first block is"), "{found:?}");
        assert!(found.evidence.contains("7 others"), "{found:?}");
    }

    #[test]
    fn a_start_that_is_a_fifth_slower_or_faster_is_none() {
        let mut noise = clean(3, 0.02);
        let near = sliced(1, 12, |b, c, s| noise(b, c, s) * if s == 0 { 0.82 } else { 1.0 });
        assert!(check(&near).is_empty());
        let mut noise = clean(4, 0.02);
        let fast = sliced(1, 12, |b, c, s| noise(b, c, s) * if s == 0 { 2.0 } else { 1.0 });
        assert!(check(&fast).is_empty());
        let mut noise = clean(5, 0.02);
        let later = sliced(1, 12, |b, c, s| noise(b, c, s) * if b == 5 { 0.4 } else { 1.0 });
        assert!(check(&later).is_empty());
    }

    #[test]
    fn clean_input_fires_in_at_most_one_run_of_a_hundred() {
        let percent = fired_percent(check);
        assert!(percent <= 1.0, "{percent} %");
    }
}
