//! L33 no-dispersion: repetitions are mentioned without their spread.

use crate::evidence::rule::{Check, RUN, Rule, Stated, W, When};

pub static RULE: Rule = Rule {
    id: "L33",
    slug: "no-dispersion",
    when: &[When::Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "repetitions are mentioned without their spread",
    explain: "\"Repeated a couple of times and did not see much deviation\" contains no number. \
        Without the spread, you cannot tell whether 5 % is significant. Keep every run; bakeoff's \
        report contains each cell and its windows.",
    checks: &[Check::Stated(Stated {
        key: "repeats",
        value: "without figures",
        severity: None,
        advice: "Publish every repetition, or their spread.",
    })],
};

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l33_repeats_without_figures_and_repeats_with_them() {
        assert!(fires("L33", &TWO, "repeats=without figures"));
        assert!(!fires("L33", &TWO, "repeats=5 with all figures") && !fires("L33", &TWO, ""));
    }
}
