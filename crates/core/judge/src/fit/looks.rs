//! When a fit is looked at, and what each look spends of 5 %.
//!
//! A certain no may end it at once. A yes waits for the promised time, because stalls that are
//! rarer than what was measured are not seen.

use bakeoff_model::fit::{FitDoubt, FitNeed, FitRating, FitVerdict};
use bakeoff_model::looks;

const SECOND_NS: u64 = 1_000_000_000;
/// After so many seconds, with the two-sided alpha of each.
const LOOKS: [(u64, f64); 3] = [(5, 0.003), (10, 0.007), (20, 0.030)];
const ALPHAS: [f64; 3] = [LOOKS[0].1, LOOKS[1].1, LOOKS[2].1];
/// For looks after the promised time, of which each doubles it.
const AFTER: f64 = 0.010;
/// The look at the promised time.
pub const PROMISED: usize = LOOKS.len() - 1;
const MOST_DOUBLINGS: usize = 20;

/// The two-sided alpha of the look of that number, from 0.
pub fn alpha_at(look: usize) -> f64 {
    looks::alpha_at(&ALPHAS, AFTER, look)
}

/// Time since the first slice began after which the look of that number is due.
pub fn due_ns(look: usize) -> u64 {
    let doublings = look.saturating_sub(PROMISED).min(MOST_DOUBLINGS);
    (LOOKS[look.min(PROMISED)].0 * SECOND_NS) << doublings
}

/// Whether nothing more needs to be measured for this need.
pub fn is_settled(rating: &FitRating, look: usize) -> bool {
    match rating.verdict {
        FitVerdict::No => true,
        FitVerdict::Yes => look >= PROMISED,
        FitVerdict::TooClose { .. } => false,
    }
}

/// A figure beyond these many times its limit is not close to it: more time tells.
const CLOSE: std::ops::RangeInclusive<f64> = 0.7..=1.4;

/// Whether so much more time would probably settle it, and is not wasted on what is too close to
/// the limit or on a machine that is too busy.
pub fn is_worth_more(rating: &FitRating, left_ns: u64) -> bool {
    let FitVerdict::TooClose { doubt, more_ns } = rating.verdict else { return false };
    if doubt == FitDoubt::MachineBusy || left_ns == 0 {
        return false;
    }
    let limit = match rating.need {
        FitNeed::Latency { limit_ns, .. } => limit_ns as f64,
        FitNeed::Operations { per_s } | FitNeed::Bytes { per_s } => per_s,
        FitNeed::NoGap { .. } => return false,
    };
    let is_apart = rating.estimate.is_some_and(|figure| !CLOSE.contains(&(figure / limit)));
    is_apart || more_ns.is_some_and(|more| more <= left_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_time_is_for_what_it_may_settle() {
        let seen = |figure: f64, doubt, more_ns| FitRating {
            estimate: Some(figure),
            verdict: FitVerdict::TooClose { doubt, more_ns },
            ..crate::fit::judge(FitNeed::Operations { per_s: 100.0 }, &[], 0)
        };
        let is = |figure, doubt, more_ns| is_worth_more(&seen(figure, doubt, more_ns), 60);
        assert!(is(250.0, FitDoubt::Close, None), "long phases: far from the limit, and open");
        assert!(is(105.0, FitDoubt::Close, Some(50)) && !is(105.0, FitDoubt::Close, Some(70)));
        assert!(!is(250.0, FitDoubt::MachineBusy, Some(1)));
        assert!(!is_worth_more(&seen(250.0, FitDoubt::Close, Some(1)), 0));
    }

    #[test]
    fn looks_are_at_5_10_and_20_s_then_double_and_spend_5_percent() {
        let due: Vec<u64> = (0..6).map(|look| due_ns(look) / SECOND_NS).collect();
        assert_eq!(due, [5, 10, 20, 40, 80, 160]);
        let spent: f64 = (0..40).map(alpha_at).sum();
        assert!((0.0499..0.0501).contains(&spent), "{spent}");
        assert_eq!(due_ns(1000), due_ns(PROMISED + MOST_DOUBLINGS));
    }
}
