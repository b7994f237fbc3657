//! What a mode can resolve at all, said before the first block.

use super::protocol::FIRST_LOOK;
use crate::model::protocol::Protocol;
use crate::stats::paired::half_width;

/// Complete blocks after which the interval is narrower than plus or minus `half` at `noise` (both
/// as fractions; noise is the standard deviation of a paired difference); `None` = never.
pub fn blocks_for(protocol: &Protocol, noise: f64, half: f64) -> Option<u32> {
    let alpha = protocol.alpha_pair();
    let looks = protocol.looks.iter().copied().filter(|look| *look >= FIRST_LOOK);
    looks.into_iter().find(|look| half_width(alpha, *look) * noise <= half)
}

/// The largest noise at which the mode's last look still proves a tie between equals.
pub fn largest_noise(protocol: &Protocol) -> f64 {
    libm::log1p(protocol.tie_margin) / half_width(protocol.alpha_pair(), protocol.last_block())
}

/// One sentence: what can be resolved, and at `noise`, where it is known, how soon or that never.
pub fn foresee(protocol: &Protocol, noise: Option<f64>) -> String {
    let margin = percent(protocol.tie_margin);
    let last = protocol.last_block();
    let limit = percent(largest_noise(protocol));
    match noise.map(|n| (n, blocks_for(protocol, n, protocol.tie_margin))) {
        None => format!(
            "differences down to {margin} are settled within {last} blocks while the noise of a \
             block stays under {limit}"
        ),
        Some((n, Some(blocks))) => {
            format!("at {} noise a difference of {margin} takes {blocks} blocks", percent(n))
        }
        Some((n, None)) => format!(
            "at {} noise a difference of {margin} is never settled within {last} blocks; only \
             larger ones are (the noise would have to stay under {limit})",
            percent(n)
        ),
    }
}

fn percent(fraction: f64) -> String {
    let value = fraction * 100.0;
    let whole = (value - libm::round(value)).abs() < 0.05 || value >= 10.0;
    if whole { format!("{value:.0} %") } else { format!("{value:.1} %") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::protocol::Mode;

    #[test]
    fn two_percent_at_two_percent_noise_takes_twelve_blocks_and_at_five_never_comes() {
        let precise = Protocol::for_mode(Mode::Precise, 2);
        assert_eq!(blocks_for(&precise, 0.02, 0.02), Some(12));
        assert_eq!(blocks_for(&precise, 0.05, 0.02), None);
        assert!(foresee(&precise, Some(0.05)).contains("never settled within 27 blocks"));
        assert!(foresee(&precise, Some(0.02)).contains("takes 12 blocks"));
    }

    #[test]
    fn more_candidates_need_less_noise() {
        let limits: Vec<String> =
            [2, 4, 9].map(|k| percent(largest_noise(&Protocol::for_mode(Mode::Quick, k)))).to_vec();
        insta::assert_debug_snapshot!(limits, @r#"
        [
            "8.2 %",
            "5.7 %",
            "4.2 %",
        ]
        "#);
    }
}
