//! Rules and findings, for programs and for people.

use serde_json::{Value, json};

use super::document::{Document, Table, words};
use super::run_document;
use bakeoff_judge::evidence::{RULES, Rule};
use bakeoff_model::finding::Finding;
use bakeoff_model::setting::Setting;
use bakeoff_stats::phrases;

pub fn scope(rule: &Rule) -> &'static str {
    rule.limits.into()
}

pub fn severities(rule: &Rule) -> [char; 4] {
    [Setting::Places, Setting::Image, Setting::Decide, Setting::Precise]
        .map(|s| rule.severity_for(s).letter())
}

/// Every rule with what it fires on; those of the method's list by number, ours by name only.
pub fn rules_document() -> Document {
    let cells = |rule: &Rule| {
        let id = if rule.id == rule.slug { "" } else { rule.id.as_str() };
        let [places, image, decide, precise] = severities(rule);
        vec![
            rule.slug.to_string(),
            format!("{places} {image} {decide} {precise}"),
            id.to_string(),
            rule.condition.to_string(),
        ]
    };
    let columns = [words("name"), words("P I D p"), words("code"), words("fires when")];
    let mut out = Document::default();
    out.table(Table::new(columns, RULES.iter().map(cells)));
    out.gap();
    out.paragraph(
        "Columns: P = directories, I = image, D = mode decide on a drive, p = mode precise. \
         Letters: R = prevents a verdict, E = error (two errors prevent a verdict), W = warning, I \
         = note. `bakeoff self lint --explain L13` or `--explain NAME` explains one rule.",
    );
    out
}

pub fn rule_document(rule: &Rule) -> Document {
    let code = if rule.id == rule.slug { String::new() } else { format!(" ({})", rule.id) };
    let mut out = Document::default();
    out.headline(format!("{}{code}", rule.slug));
    out.rows([
        ("fires when", rule.condition.to_string()),
        ("limits", scope(rule).to_string()),
        ("severity", severity_words(rule)),
    ]);
    out.gap();
    out.paragraph(rule.explain.as_str());
    out
}

/// "warning for places, an image; prevents a verdict for decide, precise".
fn severity_words(rule: &Rule) -> String {
    let of = severities(rule).into_iter().zip(["places", "an image", "decide", "precise"]);
    let of: Vec<(char, &str)> = of.collect();
    let word = |letter| match letter {
        'R' => "prevents a verdict",
        'E' => "error (two of them prevent a verdict)",
        'W' => "warning",
        'I' => "note",
        _ => "unknown",
    };
    let tell = |same: &[(char, &str)]| {
        let names: Vec<&str> = same.iter().map(|(_, name)| *name).collect();
        let is_all = names.len() == 4;
        let names = if is_all { "everything".to_string() } else { names.join(", ") };
        format!("{} for {names}", word(same[0].0))
    };
    of.chunk_by(|a, b| a.0 == b.0).map(tell).collect::<Vec<_>>().join("; ")
}

fn rule_json(rule: &Rule) -> Value {
    let [places, image, decide, precise] = severities(rule);
    json!({
        "id": rule.id, "slug": rule.slug, "condition": rule.condition, "explain": rule.explain,
        "limits": scope(rule),
        "severity": {"places": places, "image": image, "decide": decide, "precise": precise},
    })
}

pub fn lint_json(source: Option<&str>, rules: &[Rule], findings: &[Finding]) -> String {
    json!({
        "schema": "bakeoff/lint/1",
        "source": source,
        "rules": rules.iter().map(rule_json).collect::<Vec<_>>(),
        "findings": findings,
    })
    .to_string()
}

/// Findings for people, most severe first; one that concerns several candidates is one line.
pub fn findings_document(source: &str, findings: &[Finding]) -> Document {
    let said = run_document::findings(findings);
    let count = match said.len() {
        0 => "no findings".to_string(),
        n => phrases::count(n, "finding"),
    };
    let mut out = Document::default();
    out.named(source, count);
    said.iter().for_each(|finding| out.bullet(finding.line()));
    if let Some(first) = said.first() {
        out.gap();
        out.paragraph(format!("To explain one of them: bakeoff self lint --explain {}", first.id));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_line_and_a_paragraph() {
        let text = rules_document().text(80, false);
        assert_eq!(text.matches("  L").count(), 61, "{text}");
        assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
        assert!(RULES.iter().all(|rule| text.contains(&rule.slug)), "{text}");
        let one = rule_document(Rule::find("L13").unwrap()).text(80, false);
        assert!(
            one.contains("conv=fdatasync")
                && one.contains("severity     prevents a verdict for every"),
            "{one}"
        );
        assert!(one.lines().all(|l| l.chars().count() <= 80), "{one}");
        let value: Value = serde_json::from_str(&lint_json(None, &RULES, &[])).unwrap();
        assert_eq!(value["rules"].as_array().unwrap().len(), RULES.len());
    }
}
