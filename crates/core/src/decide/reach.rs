//! What a mode can resolve at all.

use crate::model::protocol::{Protocol, Rules};
use crate::stats::paired::half_width;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::protocol::Mode;

    #[test]
    fn more_candidates_need_less_noise() {
        let limits: Vec<String> = [2, 4, 9]
            .map(|k| largest_noise(&Protocol::of_version_0_1(Mode::Quick, k)))
            .map(|noise| format!("{:.1} %", noise * 100.0))
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
