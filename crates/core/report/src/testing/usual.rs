//! The page about what is usual: docs/normal.md, made from `data/usual.csv`, `data/links.csv` and
//! `data/boards.csv`.

use bakeoff_machine::usual::{self, Line, LineKind, links};
use bakeoff_model::boards;
use bakeoff_model::normal::{Confidence, Medium, Test};
use bakeoff_stats::phrases;
use bakeoff_stats::units;

use crate::answer::normal::medium as medium_words;

/// What a reader has to know before the tables.
const HEAD: &str = include_str!("normal_head.md");

pub fn usual_markdown() -> String {
    let mut out = HEAD.to_string();
    out.push_str("## Kinds of storage\n\n");
    out.push_str("| storage | restricted to | test | usual | basis | source |\n");
    out.push_str("|---|---|---|---|---|---|\n");
    let all = usual::lines();
    all.iter().filter(|line| line.kind == LineKind::Range).for_each(|l| out.push_str(&range(l)));
    out.push_str("\n## Labels of SD cards\n\n| label | promises | source |\n|---|---|---|\n");
    for line in all.iter().filter(|line| line.kind == LineKind::Promise) {
        let promise = units::rate(line.low);
        let test = line.test.workload();
        out.push_str(&format!("| {} | {test} {promise} | {} |\n", line.class, line.source));
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

fn range(line: &Line) -> String {
    let of = |test: Test, value: f64| match test.is_in_bytes() {
        true => units::rate(value),
        false => format!("{} IOPS", units::count(value)),
    };
    let usual = match line.high {
        Some(high) => format!("{} to {}", of(line.test, line.low), of(line.test, high)),
        None => format!("{} up to the link", of(line.test, line.low)),
    };
    let link = links::find(line.link).map(|link| link.name);
    let only = [line.class, link.unwrap_or_default(), line.board];
    let only: Vec<&str> = only.into_iter().filter(|text| !text.is_empty()).collect();
    let basis = match line.confidence {
        Confidence::Specification => "specification",
        Confidence::Measured => "measured by others",
        Confidence::Estimate => "estimate",
    };
    format!(
        "| {} | {} | {} | {usual} | {basis} | {} |\n",
        kind(line.medium),
        only.join(", "),
        line.test.workload(),
        line.source
    )
}

fn kind(medium: Medium) -> String {
    let name = medium_words(medium);
    phrases::capital(name.split_once(' ').map_or(name, |(_, name)| name))
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
    fn every_board_and_kind_has_a_line() {
        let page = usual_markdown();
        for board in boards::all() {
            assert!(page.contains(&format!("| {} |", board.name())), "{}", board.name());
        }
        for &medium in Medium::ALL {
            assert!(page.contains(&format!("| {} |", kind(medium))), "{medium:?}");
        }
    }
}
