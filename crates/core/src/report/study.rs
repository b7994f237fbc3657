//! A published study as a document: what its figures are consistent with, what limits them as a
//! comparison, what it states with them, and every figure with the lines that it is on.

use super::document::{Document, Table, words};
use super::import::{is_shown, lines, value};
use super::view::{FindingView, findings};
use crate::import::study::facts::{Fact, Facts};
use crate::import::{Imported, Metric, ToolResult, observe};
use crate::model::finding::Finding;
use crate::model::path::sanitize;
use crate::phrases::count;
use crate::rules::limit;

/// Most findings that the headline tells.
const SAID_IN_HEADLINE: usize = 2;

/// The study, judged by its facts. `source` is what it is called: `study:NAME`.
pub fn study_document(source: &str, imported: &Imported, facts: &Facts) -> Document {
    let told = limit::sorted(imported.findings.clone());
    let mut out = Document::default();
    out.headline(format!("{source}: {}", headline(&told)));
    let observed = observe::observations(imported);
    if !observed.is_empty() {
        out.heading("What its figures are consistent with");
        observed.iter().for_each(|line| out.bullet(line.as_str()));
        out.paragraph(observe::ASSUMPTION);
    }
    write_findings("Limits of the comparison", &findings(&told), &mut out);
    let of_results = imported.results.iter().flat_map(|result| &result.findings);
    let of_results: Vec<Finding> = of_results.cloned().collect();
    write_findings("What limits single figures", &findings(&of_results), &mut out);
    if !facts.fact.is_empty() {
        out.heading("Stated with the figures");
        out.rows(facts.fact.iter().map(fact));
    }
    out.heading("Every figure");
    out.paragraph(format!(
        "{}, {}. Figures are as published, converted to one unit, with the original text in \
         brackets. Line numbers refer to the table that comes with bakeoff.",
        count(imported.results.len(), "result"),
        count(imported.unread.len(), "unread part")
    ));
    // Without a finding about a single figure, the last column would be empty.
    let titles = ["lines", "tool and test", "setup", "figures", "findings"];
    let shown = titles.len() - usize::from(of_results.is_empty());
    let rows = imported.results.iter().map(|result| row(result)[..shown].to_vec());
    out.table(Table::new(titles[..shown].iter().map(|title| words(*title)), rows));
    if !imported.unread.is_empty() {
        out.heading("Not read");
    }
    for part in &imported.unread {
        let place = lines(part.first_line, part.last_line);
        out.bullet(format!("{place}: {}", part.why));
    }
    out
}

fn write_findings(heading: &str, found: &[FindingView], out: &mut Document) {
    if !found.is_empty() {
        out.heading(heading);
        found.iter().for_each(|finding| out.finding(finding));
    }
}

/// Whether anything may be ranked, and what forbids it.
fn headline(told: &[Finding]) -> String {
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

/// Key with what it is about, and the statement.
fn fact(fact: &Fact) -> (String, String) {
    let of = [&fact.device, &fact.candidate, &fact.test].into_iter().find(|of| !of.is_empty());
    let of = of.map(|of| format!(" of {of}")).unwrap_or_default();
    (format!("{}{of}", fact.key), format!("{}: {}", fact.value, fact.says))
}

fn row(result: &ToolResult) -> [String; 5] {
    let parts = [Some(&result.tool), result.version.as_ref(), result.test.as_ref()];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    let command = result.command.iter().map(|command| format!("$ {command}"));
    let what: Vec<String> = parts.cloned().chain(command).collect();
    let setup = result.setup.iter().map(|(key, what)| format!("{key} {what}"));
    let shown = result.metrics.iter().filter(|metric| is_shown(metric));
    let figure = |metric: &Metric| format!("{}: {}", metric.name, value(metric));
    let mut ids: Vec<&str> = result.findings.iter().map(|f| f.id.as_str()).collect();
    ids.dedup();
    [
        lines(result.first_line, result.last_line),
        what.join(" "),
        setup.collect::<Vec<_>>().join(", "),
        shown.map(figure).collect::<Vec<_>>().join("; "),
        ids.join(", "),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Finder, studies};
    use crate::report::html::{Assets, document_page};

    fn page(document: &Document) -> String {
        document_page("A study", document, &Assets { js: "", css: "" })
    }

    #[test]
    fn every_study_has_its_findings_facts_and_every_line_of_its_table() {
        for of in &studies::STUDIES {
            let facts = Facts::parse(of.facts).unwrap();
            let imported = Finder::all(of.table().as_bytes()).judged(&facts);
            let document = study_document(&format!("study:{}", of.name), &imported, &facts);
            let (block, page) = (document.markdown(), page(&document));
            assert!(page.contains(": Not ranked: ") && block.contains(": Not ranked: "));
            for Finding { id, .. } in &imported.findings {
                assert!(block.contains(&format!(" ({id})\n")), "{}: {id}", of.name);
                let link = format!("<a class=\"lint\" href=\"#rule-{id}\">{id}</a>");
                assert!(page.contains(&link), "{}: {id}", of.name);
                let meaning = format!("<dt id=\"rule-{id}\">");
                assert_eq!(page.matches(&meaning).count(), 1, "{}: {id}", of.name);
            }
            let rows = block.lines().filter(|line| line.starts_with("| line"));
            assert_eq!(rows.count(), imported.results.len() + 1, "with the head");
            assert_eq!(page.matches("<th scope=\"row\"").count(), imported.results.len());
            assert!(!page.contains("<script"), "{}", of.name);
        }
    }

    #[test]
    fn the_page_says_what_the_figures_are_compatible_with_and_what_is_assumed() {
        let of = studies::find("luks-btrfs").unwrap();
        let facts = Facts::parse(of.facts).unwrap();
        let imported = Finder::all(of.table().as_bytes()).judged(&facts);
        let page = page(&study_document("x", &imported, &facts));
        assert!(page.contains("position alone can explain the difference"));
        assert!(page.contains("consistent with about 29\u{a0}%"));
        assert!(page.contains(observe::ASSUMPTION));
        assert!(!page.contains("beats"));
    }

    #[test]
    fn markup_of_others_is_text() {
        let table = "device,test,metric,value,unit\n[x](y)|z,*y*,rate,5,MB/s\n";
        let toml = "[[fact]]\nkey = \"order\"\nvalue = \"fixed\"\n\
                    says = \"<script>alert(1)</script>\"\n";
        let facts = Facts::parse(toml).unwrap();
        let document = study_document("<i>", &Finder::all(table.as_bytes()), &facts);
        let (block, page) = (document.markdown(), page(&document));
        assert!(block.contains("\\*y\\* | device \\[x\\](y)\\|z | rate: 5.00 MB/s"), "{block}");
        assert!(block.contains("&lt;script&gt;alert") && !block.contains("<i>"), "{block}");
        assert_eq!(page.matches("&#60;script&#62;alert").count(), 1, "{page}");
        assert!(!page.contains("<script") && !page.contains("<i>"));
    }
}
