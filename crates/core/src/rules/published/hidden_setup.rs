//! L65 hidden-setup: the board, memory, kernel or device is not named.

use crate::evidence::rule::{Check, RUN, Rule, Stated, W, When};

pub static RULE: Rule = Rule {
    id: "L65",
    slug: "hidden-setup",
    when: &[When::Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "the board, memory, kernel or device is not named",
    explain: "\"A Raspberry Pi\" can be any of a dozen boards, with drives behind 53 or 500 MB/s \
        and with or without AES instructions. Without these facts a result cannot be interpreted. \
        bakeoff stores a fingerprint of machine and drive with every run.",
    checks: &[Check::Stated(Stated {
        key: "unstated",
        value: "",
        severity: None,
        advice: "State board, memory, kernel and device.",
    })],
};

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l65_a_board_that_is_not_named_and_one_that_is() {
        assert!(fires("L65", &TWO, "unstated=board") && !fires("L65", &TWO, ""));
    }
}
