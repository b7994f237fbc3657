//! A published study as a page: what its figures are consistent with, what limits them as a
//! comparison, and every figure with the line it stands on.
//!
//! It has no script and no chart: one run each has nothing to draw an interval from.

use askama::Template;

use super::super::import::{is_shown, lines, value};
use super::super::view::{FindingView, findings};
use super::{Assets, policy, rule_anchor, rules_of, seen, severity_class, without_controls};
use crate::evidence::Rule;
use crate::import::study::facts::{Fact, Facts};
use crate::import::{Imported, Metric, ToolResult, observe};
use crate::model::finding::Finding;
use crate::model::path::{printable, sanitize};
use crate::rules::limit;
use crate::words;

/// Most findings that the headline tells.
const SAID_IN_HEADLINE: usize = 2;

/// The page of a study, judged by its facts. `source` is what it is called: `study:NAME`.
pub fn study(source: &str, imported: &Imported, facts: &Facts, assets: &Assets) -> String {
    let told = limit::sorted(imported.findings.clone());
    let page = StudyPage {
        title: sanitize(source),
        headline: headline(&told),
        extent: format!(
            "{}, {}",
            words::count(imported.results.len(), "result"),
            words::count(imported.unread.len(), "unread part")
        ),
        observations: observe::observations(imported),
        assumption: observe::ASSUMPTION,
        rules: rules_of(findings(&all_findings(imported)).iter()),
        findings: findings(&told),
        facts: facts.fact.iter().map(fact).collect(),
        results: imported.results.iter().map(result).collect(),
        unread: imported
            .unread
            .iter()
            .map(|u| (lines(u.first_line, u.last_line), printable(u.why.as_bytes())))
            .collect(),
        policy: policy::policy(""),
        css: assets.css,
    };
    // Rendering into a String fails only when a Display of ours does, and none of them can.
    let page = page.render();
    let page = page.unwrap_or_else(|e| format!("<!doctype html><title>bakeoff</title>{e}"));
    without_controls(&page, "")
}

#[derive(Template)]
#[template(path = "study.html")]
struct StudyPage<'a> {
    title: String,
    headline: String,
    extent: String,
    observations: Vec<String>,
    assumption: &'static str,
    findings: Vec<FindingView>,
    /// What they mean.
    rules: Vec<&'static Rule>,
    /// Key with what it is about, and the statement.
    facts: Vec<(String, String)>,
    results: Vec<ResultView>,
    /// Lines and reason.
    unread: Vec<(String, String)>,
    policy: String,
    css: &'a str,
}

/// Of the comparison and of each result.
fn all_findings(imported: &Imported) -> Vec<Finding> {
    let of_results = imported.results.iter().flat_map(|r| &r.findings);
    imported.findings.iter().chain(of_results).cloned().collect()
}

/// One result as the template walks it.
struct ResultView {
    lines: String,
    what: String,
    setup: String,
    command: Option<String>,
    figures: Vec<(String, String)>,
    findings: Vec<FindingView>,
}

/// Whether anything may be ranked, and what forbids it.
pub fn headline(told: &[Finding]) -> String {
    let forbidding = limit::forbidding(told);
    let of = |f: &&Finding| format!("{} ({})", sanitize(&f.evidence), sanitize(&f.id));
    let reasons: Vec<String> = forbidding.iter().take(SAID_IN_HEADLINE).map(of).collect();
    let more = match forbidding.len().saturating_sub(SAID_IN_HEADLINE) {
        0 => String::new(),
        1 => "; and one more reason below".to_string(),
        n => format!("; and {n} more reasons below"),
    };
    match reasons.is_empty() {
        true => "Results of others, as published. There is no verdict.".to_string(),
        false => format!("Not ranked: {}{more}.", reasons.join("; ")),
    }
}

fn fact(fact: &Fact) -> (String, String) {
    let of = [&fact.device, &fact.candidate, &fact.test].into_iter().find(|of| !of.is_empty());
    let of = of.map(|of| format!(" of {of}")).unwrap_or_default();
    (sanitize(&format!("{}{of}", fact.key)), sanitize(&format!("{}: {}", fact.value, fact.says)))
}

fn result(result: &ToolResult) -> ResultView {
    let clean = |text: &str| printable(text.as_bytes());
    let parts = [Some(&result.tool), result.version.as_ref(), result.test.as_ref()];
    let what: Vec<String> = parts.into_iter().flatten().map(|text| clean(text)).collect();
    let setup: Vec<String> =
        result.setup.iter().map(|(key, what)| clean(&format!("{key} {what}"))).collect();
    let figure = |metric: &Metric| (clean(&metric.name), value(metric));
    ResultView {
        lines: lines(result.first_line, result.last_line),
        what: what.join(" "),
        setup: setup.join(", "),
        command: result.command.as_deref().map(clean),
        figures: result.metrics.iter().filter(|m| is_shown(m)).map(figure).collect(),
        findings: findings(&result.findings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Finder, studies};

    const ASSETS: Assets = Assets { js: "", css: "" };

    #[test]
    fn every_study_has_its_findings_facts_and_every_line_of_its_table() {
        for of in &studies::STUDIES {
            let facts = Facts::parse(of.facts).unwrap();
            let imported = Finder::all(of.table().as_bytes()).judged(&facts);
            let page = study(&format!("study:{}", of.name), &imported, &facts, &ASSETS);
            assert!(page.contains(">Not ranked: "), "{}", of.name);
            for finding in &imported.findings {
                let tag = format!("<a class=\"lint\" href=\"#rule-{0}\">{0}</a>", finding.id);
                assert!(page.contains(&tag), "{}: {}", of.name, finding.id);
                let meaning = format!("<dt id=\"rule-{}\">", finding.id);
                assert_eq!(page.matches(&meaning).count(), 1, "{}: {}", of.name, finding.id);
            }
            assert_eq!(page.matches("<tr>\n<th scope=\"row\"").count(), imported.results.len());
            assert!(!page.contains("<script"), "{}", of.name);
        }
    }

    #[test]
    fn the_page_says_what_the_figures_are_compatible_with_and_what_is_assumed() {
        let of = studies::find("luks-btrfs").unwrap();
        let facts = Facts::parse(of.facts).unwrap();
        let page = study("x", &Finder::all(of.table().as_bytes()).judged(&facts), &facts, &ASSETS);
        assert!(page.contains("consistent with position alone"));
        assert!(page.contains("consistent with about 29 %"));
        assert!(page.contains(observe::ASSUMPTION));
        assert!(!page.contains("beats"));
    }

    #[test]
    fn markup_of_others_is_text() {
        let csv = "study,host,filesystem,tool,test,metric,value,unit\n\
                   x,pi,ext4,dd,sequential read,throughput,1,MB/s\n\
                   x,pi,xfs,dd,sequential read,throughput,2,MB/s\n";
        let toml = "[[fact]]\nkey = \"order\"\nvalue = \"fixed\"\n\
                    says = \"<script>alert(1)</script>\"\n";
        let facts = Facts::parse(toml).unwrap();
        let page = study("<i>", &Finder::all(csv.as_bytes()).judged(&facts), &facts, &ASSETS);
        assert_eq!(page.matches("&#60;script&#62;alert").count(), 2, "{page}");
        assert!(!page.contains("<script") && !page.contains("<i>"));
    }
}
