//! Tables in which nothing but the file's size stands in front of the cells: those of the bonnie
//! before bonnie++, and those of bonnie++ whose name was taken out.

use crate::scan::grammar::{Grammar, Kind, LineForm, alone, head, kind};
use crate::scan::{FoundMetric, ToolResult};

/// The rates and processor times of all tests but the seeks, whose figure may be missing.
macro_rules! cells {
    ($cpu:literal) => {
        concat!(
            "{sequential_output_per_chr.throughput:k} {sequential_output_per_chr.cpu:",
            $cpu,
            "} {sequential_output_block.throughput:k} {sequential_output_block.cpu:",
            $cpu,
            "} {sequential_output_rewrite.throughput:k} {sequential_output_rewrite.cpu:",
            $cpu,
            "} {sequential_input_per_chr.throughput:k} {sequential_input_per_chr.cpu:",
            $cpu,
            "} {sequential_input_block.throughput:k} {sequential_input_block.cpu:",
            $cpu,
            "}"
        )
    };
}

const FORMS: &[LineForm] = &[
    head("Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP /sec %CP").named("new"),
    head("Machine MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU /sec %CPU")
        .named("old"),
    head("MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU /sec %CPU").named("old"),
    alone(concat!("{file_size:size} ", cells!("p"), " {random_seeks.rate:n} {random_seeks.cpu:p}"))
        .named("^new"),
    alone(concat!("{file_size:size} ", cells!("p"), " +++++ +++")).named("^new"),
    alone(concat!("{file_size:mb} ", cells!("p1"), " {random_seeks.rate:n} {random_seeks.cpu:p1}"))
        .named("^old"),
    alone(concat!(
        "{$test} {file_size:mb} ",
        cells!("p1"),
        " {random_seeks.rate:n} {random_seeks.cpu:p1}"
    ))
    .named("^old"),
];
pub static GRAMMAR: Grammar = Grammar {
    tool: "bonnie",
    kinds: &[
        kind("size", "bytes", &[("M", 1 << 20), ("G", 1 << 30)]),
        kind("mb", "bytes", &[("", 1 << 20)]),
        kind("k", "bytes/s", &[("", 1 << 10)]),
        kind("n", "1/s", &[("", 1)]),
        kind("p", "percent", &[("", 1)]),
        Kind { decimals: 1, ..kind("p1", "percent", &[("", 1)]) },
    ],
    forms: FORMS,
    laws: &[],
    gap_lines: 4,
    note,
};

/// Only the old one prints shares with a decimal.
fn note(result: &mut ToolResult) -> Option<String> {
    let is_old = |metric: &FoundMetric| metric.unit == "percent" && metric.raw.contains('.');
    if !result.metrics.iter().any(is_old) {
        result.tool = "bonnie++".to_string();
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::scan::Finder;

    #[test]
    fn the_old_bonnie_has_one_decimal_in_its_shares() {
        let text = "Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU  /sec %CPU\n\
                    \x20        1024  9000 98.0 16000 15.1  6500 10.8  6100 78.6 23300 24.4 104.3  2.2\n";
        let found = Finder::for_tool("bonnie++").all_of(text.as_bytes());
        let [result] = found.results.as_slice() else { panic!("{found:#?}") };
        assert_eq!((result.tool.as_str(), found.unread.len()), ("bonnie", 0));
        assert_eq!(result.figure(&["sequential_output_block.throughput"]), Some(16_384_000.0));
        assert_eq!(result.figure(&["random_seeks.rate"]), Some(104.3));
    }
}
