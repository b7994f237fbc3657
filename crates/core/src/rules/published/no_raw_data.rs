//! L64 no-raw-data: results are available only as pictures or rounded figures.

use crate::evidence::of_study;
use crate::evidence::rule::{Check, RUN, Rule, W, When};
use crate::model::finding::Finding;
use crate::study::Study;
use crate::study::facts::RawData;

pub static RULE: Rule = Rule {
    id: "L64",
    slug: "no-raw-data",
    when: &[When::Import],
    severity: [W, W, W, W],
    scope: RUN,
    condition: "results are only pictures or rounded figures, or raw data is not mentioned",
    explain: "Bars without numbers cannot be checked or reused. In one study a redirection mistake \
        kept dd's rates out of the log. bakeoff export --format bundle contains every window and \
        every command.",
    checks: &[Check::Study(in_study)],
};

fn in_study(study: &Study) -> Option<Finding> {
    let fact = study.facts.all("raw").find(|fact| RawData::parse(&fact.value).is_none_left())?;
    Some(of_study(&RULE, fact.says.clone(), "Publish the tools' output as text."))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l64_pictures_alone_and_figures() {
        assert!(fires("L64", &TWO, "raw=pictures only") && !fires("L64", &TWO, ""));
    }
}
