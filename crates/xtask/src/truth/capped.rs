//! What runs over disks that are held to a speed said: whether that is right, and in words.

use crate::vm::{CappedPair, Said};

/// Whether at least nineteen of twenty runs were right and had the truth in their interval.
pub fn is_right(said: &[Said]) -> bool {
    let are = |is: fn(&Said) -> bool| said.iter().filter(|said| is(said)).count();
    [are(|said| said.is_right), are(|said| said.is_covered)]
        .iter()
        .all(|count| count * 20 >= said.len() * 19)
}

/// What they said, for the page.
pub fn in_words(pair: &CappedPair, said: &[Said]) -> String {
    let (all, right) = (said.len(), said.iter().filter(|said| said.is_right).count());
    let covered = said.iter().filter(|said| said.is_covered).count();
    let percent = |ratio: f64| format!("{:+.2} %", (ratio - 1.0) * 100.0);
    let ends = |at: usize| {
        let values = || said.iter().map(move |said| said.ratio[at]);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let (estimates, low, high) = (ends(0), ends(1).0, ends(2).1);
    format!(
        "- **{} MB/s**, a true difference of {}: the verdict is right in {right} of {all} runs and \
         the interval contains the true difference in {covered}. Estimates from {} to {}, no \
         interval beyond {} and {}. Seeds 1 to {all}.\n",
        pair.name.replace('-', ".0 against ") + ".0",
        percent(pair.truth()),
        percent(estimates.0),
        percent(estimates.1),
        percent(low),
        percent(high),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::CAPPED_PAIRS;

    #[test]
    fn nineteen_of_twenty_are_enough_and_eighteen_are_not() {
        let said = |right: usize, covered: usize| -> Vec<Said> {
            let one = |at| Said {
                ratio: [1.05, 1.04, 1.06],
                is_right: at < right,
                is_covered: at < covered,
                verdict: String::new(),
            };
            (0..20).map(one).collect()
        };
        assert!(is_right(&said(19, 20)) && is_right(&said(20, 19)));
        assert!(!is_right(&said(18, 20)) && !is_right(&said(20, 18)));
        let words = in_words(&CAPPED_PAIRS[0], &said(19, 20));
        assert!(
            words.contains("40.0 against 38.0 MB/s**, a true difference of +5.26 %"),
            "{words}"
        );
        assert!(words.contains("right in 19 of 20 runs"), "{words}");
    }
}
