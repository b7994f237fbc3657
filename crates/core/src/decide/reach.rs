//! What a mode can resolve at all, said before the first block.

use crate::model::protocol::{Protocol, Rules};
use crate::stats::paired::half_width;

/// Complete blocks after which the interval is narrower than plus or minus `half` at `noise` (both
/// as fractions; noise is the standard deviation of a paired difference); `None` = never.
pub fn blocks_for(protocol: &Protocol, noise: f64, half: f64) -> Option<u32> {
    let looks = protocol.looks.iter().copied().enumerate();
    let enough = looks.filter(|(_, look)| *look >= protocol.first_look());
    let is_narrow =
        |(number, look): &(usize, u32)| half_width(alpha(protocol, *number), *look) * noise <= half;
    enough.into_iter().find(is_narrow).map(|(_, look)| look)
}

/// The largest noise at which the mode's last look still proves a tie between equals.
pub fn largest_noise(protocol: &Protocol) -> f64 {
    let alpha = alpha(protocol, protocol.looks.len().saturating_sub(1));
    libm::log1p(protocol.tie_margin) / half_width(alpha, protocol.last_block())
}

/// The alpha of the interval that an answer rests on: one of the leader's by the lead, one of all
/// pairs in runs of version 0.1.
fn alpha(protocol: &Protocol, look: usize) -> f64 {
    match protocol.rules {
        Rules::Lead => protocol.alpha_at(look),
        Rules::AllPairs => protocol.alpha_pair(),
    }
}

/// One sentence: what can be resolved, and at `noise`, where it is known, how soon or that never.
pub fn foresee(protocol: &Protocol, noise: Option<f64>) -> String {
    let margin = percent(protocol.tie_margin);
    let last = protocol.last_block();
    let limit = percent(largest_noise(protocol));
    match noise.map(|n| (n, blocks_for(protocol, n, protocol.tie_margin))) {
        None => format!(
            "{last} blocks resolve differences down to {margin} while the noise of a block stays \
             below {limit}"
        ),
        Some((n, Some(blocks))) => {
            format!(
                "at {} noise, resolving a difference of {margin} takes {blocks} blocks",
                percent(n)
            )
        }
        Some((n, None)) => format!(
            "at {} noise, {last} blocks resolve only differences larger than {margin} (that would \
             take noise below {limit})",
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
        let precise = Protocol::of_version_0_1(Mode::Precise, 2);
        assert_eq!(blocks_for(&precise, 0.02, 0.02), Some(12));
        assert_eq!(blocks_for(&precise, 0.05, 0.02), None);
        assert!(foresee(&precise, Some(0.05)).contains("27 blocks resolve only"));
        assert!(foresee(&precise, Some(0.02)).contains("takes 12 blocks"));
    }

    #[test]
    fn more_candidates_need_less_noise() {
        let limits: Vec<String> = [2, 4, 9]
            .map(|k| percent(largest_noise(&Protocol::of_version_0_1(Mode::Quick, k))))
            .to_vec();
        insta::assert_debug_snapshot!(limits, @r#"
        [
            "8.2 %",
            "5.7 %",
            "4.2 %",
        ]
        "#);
    }
}
