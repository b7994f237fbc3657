//! The page about what is usual: docs/normal.md, made from `data/others.csv`, `data/labels.csv`,
//! `data/links.csv` and `data/boards.csv`.

use bakeoff_machine::usual::others::{self, PublishedFigure};
use bakeoff_machine::usual::words::{drives, rate};
use bakeoff_machine::usual::{labels, links};
use bakeoff_model::boards;
use bakeoff_stats::distinct;
use bakeoff_stats::units;

use crate::answer::workload_name;

/// What a reader has to know before the tables.
const HEAD: &str = include_str!("normal_head.md");

pub fn usual_markdown() -> String {
    let mut out = HEAD.to_string();
    let all = others::all();
    let sources = distinct::sorted(all.iter().flat_map(|of| of.others.sources.clone()));
    let (ours, more): (Vec<_>, Vec<_>) = all.into_iter().partition(|of| of.test().is_some());
    out.push_str("## Kinds of drives\n\n");
    out.push_str(&tenths("drives", &ours, &sources));
    out.push_str(
        "\n### Other published figures\n\nNo figure of bakeoff is compared with these: other queue \
         depths (`qd64`), block sizes, and writes that were not flushed. Writes that are not \
         flushed bound flushed ones from above.\n\n",
    );
    out.push_str(&tenths("drives, figure", &more, &sources));
    out.push_str("\n### Sources\n\nOnly distributions are kept, and no figure of a drive.\n\n");
    for (number, source) in sources.iter().enumerate() {
        out.push_str(&format!("{}. {source}\n", number + 1));
    }
    out.push_str("\n## Labels of SD cards\n\n| label | promises | source |\n|---|---|---|\n");
    for of in labels::all() {
        let (test, promise) = (workload_name(of.test.workload()), rate(of.test, of.rate));
        out.push_str(&format!("| {} | {test}: {promise} | {} |\n", of.class, of.source));
    }
    out.push_str(
        "\n## Links\n\n| link | can carry | carries in practice | source |\n|---|--:|--:|---|\n",
    );
    for link in links::all() {
        out.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            link.name,
            units::rate(link.nominal_bytes_per_s),
            units::rate(link.practice_bytes_per_s),
            link.source
        ));
    }
    out.push_str(
        "\n## Raspberry Pi boards\n\nPublished measurements over the links of each board. \
         `data/boards.csv` has the sources.\n\n| board | card slot | reads from cards, MB/s | USB \
         storage, MB/s | PCIe, MB/s |\n|---|---|---|---|---|\n",
    );
    for board in boards::all() {
        let field = |name| match board.field(name) {
            "" => "unknown".to_string(),
            text => text.replace('|', "/"),
        };
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            board.name(),
            field("sd_mode_max"),
            field("sd_seq_read_measured_MBps"),
            field("usb_measured_MBps"),
            field("pcie_measured_MBps"),
        ));
    }
    out
}

/// A row for each group: the lowest, the tenths and the highest, and the numbers of its sources.
fn tenths(title: &str, all: &[PublishedFigure], sources: &[String]) -> String {
    let mut out = format!(
        "| {title} | lowest | 10 % | 20 % | 30 % | 40 % | median | 60 % | 70 % | 80 % | 90 % | \
         highest | sources |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
    );
    for of in all {
        let (name, unit) = match (of.test(), of.is_in_bytes()) {
            (Some(test), true) => (workload_name(test.workload()), "MB/s"),
            (Some(test), false) => (workload_name(test.workload()), "per second"),
            (None, true) => (format!("`{}`", of.name), "MB/s"),
            (None, false) => (format!("`{}`", of.name), "per second"),
        };
        let figure = |value: &f64| match of.is_in_bytes() {
            true => units::three_digits(value / 1e6),
            false => units::count(*value),
        };
        let tenths: Vec<String> = of.others.tenths.iter().map(figure).collect();
        let number = |source| sources.iter().position(|of| of == source);
        let numbers = of.others.sources.iter().filter_map(number);
        let numbers: Vec<String> = numbers.map(|number| (number + 1).to_string()).collect();
        out.push_str(&format!(
            "| {}: {name}, {unit} | {} | {} |\n",
            drives(&of.others),
            tenths.join(" | "),
            numbers.join(", ")
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_normal_md_is_this_page() {
        let page = include_str!("../../../../../docs/normal.md");
        assert_eq!(usual_markdown(), page, "write it again: cargo run -p bakeoff --example docs");
    }

    #[test]
    fn every_board_and_group_has_a_line() {
        let page = usual_markdown();
        for board in boards::all() {
            assert!(page.contains(&format!("| {} |", board.name())), "{}", board.name());
        }
        for of in others::all() {
            assert!(page.contains(&format!("| {}: ", drives(&of.others))), "{of:?}");
        }
    }
}
