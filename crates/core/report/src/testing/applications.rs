//! The page about applications: docs/fit.md, made from `applications.toml` of the judge.

use bakeoff_judge::applications;
use bakeoff_model::application::{Application, Demand};
use bakeoff_model::workload::Workload;
use bakeoff_stats::phrases;

use crate::fit::{needs, source};

/// What a reader has to know before the tables.
const HEAD: &str = include_str!("fit_head.md");

pub fn applications_markdown() -> String {
    let table = applications::built_in();
    let mut out = HEAD.to_string();
    out.push_str(
        "## Applications\n\n| application | needs | if not met | source |\n|---|---|---|---|\n",
    );
    table.applications.iter().for_each(|of| out.push_str(&row(of)));
    out.push_str("\n## Workloads\n\n| workload | what it does | applications |\n|---|---|---|\n");
    for workload in &table.workloads {
        out.push_str(&used(workload, &table.applications));
    }
    out
}

fn row(of: &Application) -> String {
    let linked = |d: &Demand| match d.url.as_str() {
        "" => source(d),
        url => format!("[{}]({url})", d.source),
    };
    let mut sources: Vec<String> = of.demands.iter().map(linked).collect();
    sources.dedup();
    let missed = phrases::capital(&of.missed);
    let cells = [needs(of), missed, sources.join("; ")].map(|cell| cell.replace('|', "/"));
    format!("| **{}**: {} | {} |\n", of.name, of.about, cells.join(" | "))
}

fn used(workload: &Workload, all: &[Application]) -> String {
    let by = all.iter().filter(|of| of.demands.iter().any(|d| d.workload == workload.name));
    let by: Vec<&str> = by.map(|of| of.name.as_str()).collect();
    format!("| {} | {} | {} |\n", workload.name, workload.summary, by.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_fit_md_is_this_page() {
        let page = include_str!("../../../../../docs/fit.md");
        let page = page.replace("\r\n", "\n");
        let advice = "write it again: cargo run -p bakeoff --example docs";
        assert_eq!(applications_markdown(), page, "{advice}");
    }
}
