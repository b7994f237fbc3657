//! docs/findings.md: every rule with what it means.

use crate::layout::wrap;
use bakeoff_judge::evidence::{RULES, Rule};
use bakeoff_model::setting::Setting;

const MARKDOWN_WIDTH: usize = 100;

const FINDINGS_HEAD: &str = "# Findings

These rules limit what you can conclude from a result. Every report lists its findings next to its
answers, with the evidence in numbers.

Severity depends on the type of comparison. The four letters stand for directories (`quick`), stacks
on an image (`demo`), stacks on a drive in mode decide, and stacks on a drive in mode precise:

| letter | means |
|---|---|
| R | prevents a verdict; a cell is discarded |
| E | an error; two errors prevent a verdict |
| W | a warning: the result is valid, and the warning is shown next to it |
| I | a note |

";

/// Every rule as a page: docs/findings.md is this text, and a test holds it to it.
pub fn rules_markdown() -> String {
    let mut out = String::from(FINDINGS_HEAD);
    for rule in RULES.iter() {
        let [places, image, decide, precise] = severities(rule);
        let name = if rule.id == rule.slug { String::new() } else { format!(" {}", rule.slug) };
        let row = format!(
            "- **{}{name}** ({places} {image} {decide} {precise}): {}. {}",
            rule.id, rule.condition, rule.explain
        );
        out.push_str(&wrap(&row, MARKDOWN_WIDTH, "", "  "));
    }
    out
}

fn severities(rule: &Rule) -> [char; 4] {
    [Setting::Places, Setting::Image, Setting::Decide, Setting::Precise]
        .map(|s| rule.severity_for(s).letter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_findings_md_is_the_registry() {
        let page = include_str!("../../../../../docs/findings.md");
        let advice = "run cargo run -p bakeoff --example docs";
        assert!(page == rules_markdown(), "docs/findings.md is out of date: {advice}");
        assert!(page.lines().all(|line| line.chars().count() <= 110));
        for rule in RULES.iter() {
            assert_eq!(
                page.matches(&format!(
                    "\n- **{}{}",
                    rule.id,
                    if rule.id == rule.slug { "*" } else { " " }
                ))
                .count(),
                1,
                "{}",
                rule.id
            );
        }
    }
}
