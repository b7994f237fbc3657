//! A published study as a block to paste: what its figures are compatible with, what limits them,
//! what it states beside them, and every figure in one table.

use super::document::{Document, Table, words};
use super::html::headline;
use super::import::{fact_words, is_shown, lines, value};
use super::view::findings;
use crate::import::study::facts::Facts;
use crate::import::{Imported, ToolResult, observe};
use crate::rules::limit;
use crate::words;

/// The study as Markdown, judged by its facts. `source` is what it is called: `study:NAME`.
pub fn study_markdown(source: &str, imported: &Imported, facts: &Facts) -> String {
    let told = limit::sorted(imported.findings.clone());
    let mut out = Document::default();
    out.headline(format!("{source}: {}", headline(&told)));
    let observed = observe::observations(imported);
    if !observed.is_empty() {
        list("What the figures are consistent with:", observed, &mut out);
        out.paragraph(observe::ASSUMPTION);
    }
    let limits = findings(&told).into_iter().map(|f| f.line()).collect();
    list("What limits the comparison:", limits, &mut out);
    list("Stated with the figures:", facts.fact.iter().map(fact_words).collect(), &mut out);
    let results = words::count(imported.results.len(), "result");
    out.paragraph(format!("{results}:"));
    let columns = ["lines", "what", "figures"].map(words);
    out.table(Table::new(columns, imported.results.iter().map(row)));
    let unread = imported
        .unread
        .iter()
        .map(|unread| format!("{}: {}", lines(unread.first_line, unread.last_line), unread.why));
    list("Not read:", unread.collect(), &mut out);
    out.markdown()
}

fn list(title: &str, items: Vec<String>, out: &mut Document) {
    if !items.is_empty() {
        out.paragraph(title);
    }
    items.into_iter().for_each(|item| out.bullet(item));
}

fn row(result: &ToolResult) -> Vec<String> {
    let parts = [Some(&result.tool), result.version.as_ref(), result.test.as_ref()];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.map(String::as_str).collect();
    let setup = result.setup.iter().map(|(key, what)| format!("{key} {what}"));
    let what: Vec<String> = std::iter::once(parts.join(" ")).chain(setup).collect();
    let shown = result.metrics.iter().filter(|metric| is_shown(metric));
    let figures: Vec<String> = shown.map(|m| format!("{} {}", m.name, value(m))).collect();
    vec![lines(result.first_line, result.last_line), what.join(", "), figures.join("; ")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Finder, studies};

    #[test]
    fn every_study_has_its_findings_and_a_row_for_each_result() {
        for of in &studies::STUDIES {
            let facts = Facts::parse(of.facts).unwrap();
            let imported = Finder::all(of.table().as_bytes()).judged(&facts);
            let block = study_markdown(&format!("study:{}", of.name), &imported, &facts);
            assert!(block.contains(": Not ranked: "), "{}", of.name);
            for finding in &imported.findings {
                let told = format!(" ({})\n", finding.id);
                assert!(block.contains(&told), "{}: {}", of.name, finding.id);
            }
            let rows = block.lines().filter(|line| line.starts_with("| line"));
            assert_eq!(rows.count(), imported.results.len() + 1, "with the head");
        }
    }

    #[test]
    fn markup_of_others_is_text() {
        let table = "device,test,metric,value,unit\n[x](y)|z,*y*,rate,5,MB/s\n";
        let toml = "[[fact]]\nkey = \"order\"\nvalue = \"fixed\"\nsays = \"<b>\"\n";
        let facts = Facts::parse(toml).unwrap();
        let block = study_markdown("<i>", &Finder::all(table.as_bytes()), &facts);
        assert!(block.contains("| \\*y\\*, device \\[x\\](y)\\|z | rate 5.00 MB/s"), "{block}");
        assert!(block.contains("&lt;b&gt;") && !block.contains("<i>"), "{block}");
    }
}
