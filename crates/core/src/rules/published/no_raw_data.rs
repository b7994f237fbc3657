//! L64 no-raw-data: results only as pictures or rounded figures.

use crate::evidence::rule::{Check, RUN, Rule, Stated, W, When};

/// The rule.
pub static RULE: Rule = Rule {
    id: "L64",
    slug: "no-raw-data",
    when: &[When::Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "results only as pictures or rounded figures",
    explain: "Bars without numbers cannot be checked or reused. In one study a redirection mistake \
        kept dd's rates out of the log. bakeoff export --format bundle contains every window and \
        every command.",
    checks: &[Check::Stated(Stated {
        key: "raw",
        value: "",
        severity: None,
        advice: "Publish the tools' output as text.",
    })],
};

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l64_pictures_alone_and_figures() {
        assert!(fires("L64", &TWO, "raw=pictures only") && !fires("L64", &TWO, ""));
    }
}
