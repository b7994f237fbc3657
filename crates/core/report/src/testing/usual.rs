//! The page about what is usual: docs/normal.md, made from `data/others.csv`, `data/labels.csv`,
//! `data/links.csv` and `data/boards.csv`.

use bakeoff_machine::usual::others::{self, PublishedFigure};
use bakeoff_machine::usual::words::{drives, rate};
use bakeoff_machine::usual::{labels, links};
use bakeoff_model::boards;
use bakeoff_stats::units;

use crate::answer::workload_name;

/// What a reader has to know before the tables.
const HEAD: &str = include_str!("normal_head.md");

pub fn usual_markdown() -> String {
    let mut out = HEAD.to_string();
    let all = others::all();
    out.push_str("## Kinds of drives\n\n");
    out.push_str(&tenths(&all));
    out.push_str(
        "\nOnly distributions are kept. `crates/core/machine/data/others.csv` has the sources of each \
         row.\n",
    );
    out.push_str("\n## Labels of SD cards\n\n| label | promises |\n|---|---|\n");
    for of in labels::all() {
        let (test, promise) = (workload_name(of.test.workload()), rate(of.test, of.rate));
        out.push_str(&format!("| {} | {test}: {promise} |\n", of.class));
    }
    out.push_str(
        "\n`crates/core/machine/data` has the source of each label and link.\n\
         \n## Links\n\n| link | can carry | carries in practice |\n|---|--:|--:|\n",
    );
    for link in links::all() {
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            link.name,
            units::rate(link.nominal_bytes_per_s),
            units::rate(link.practice_bytes_per_s),
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

/// A row for each group: the lowest, three tenths and the highest.
fn tenths(all: &[PublishedFigure]) -> String {
    let mut out = "| drives | lowest | 10 % | median | 90 % | highest |\n\
                   |---|--:|--:|--:|--:|--:|\n"
        .to_string();
    for of in all {
        let unit = if of.test.is_in_bytes() { "MB/s" } else { "per second" };
        let figure = |tenth: usize| {
            if of.test.is_in_bytes() {
                units::three_digits(of.others.tenths[tenth] / 1e6)
            } else {
                units::count(of.others.tenths[tenth])
            }
        };
        out.push_str(&format!(
            "| {}: {}, {unit} | {} |\n",
            drives(&of.others),
            workload_name(of.test.workload()),
            [0, 1, 5, 9, 10].map(figure).join(" | ")
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
