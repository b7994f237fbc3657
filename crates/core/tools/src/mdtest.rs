//! mdtest: its summary of operations per second, of which the mean is given.

use crate::scan::ScannedTool;
use crate::scan::grammar::{Grammar, LineForm, alone, kind, no_note, own};

pub static TOOL: ScannedTool = ScannedTool::new("mdtest", &[], || vec![GRAMMAR.reader()]);

const FORMS: &[LineForm] = &[
    alone("Directory creation {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("directory creation"),
    alone("Directory stat {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("directory stat"),
    alone("Directory rename {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("directory rename"),
    alone("Directory removal {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("directory removal"),
    alone("File creation {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("file creation"),
    alone("File stat {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("file stat"),
    alone("File read {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("file read"),
    alone("File removal {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("file removal"),
    alone("Tree creation {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("tree creation"),
    alone("Tree removal {_max:n} {_min:n} {rate:n} {_dev:n}").of_test("tree removal"),
    own("SUMMARY rate: {}"),
    own("Operation Max Min Mean Std Dev"),
];
static GRAMMAR: Grammar = Grammar {
    tool: "mdtest",
    kinds: &[kind("n", "1/s", &[("", 1)])],
    forms: FORMS,
    laws: &[],
    gap_lines: 4,
    note: no_note,
};

#[cfg(test)]
mod tests {
    use crate::scan::Finder;

    #[test]
    fn the_mean_of_each_operation_is_a_result() {
        let text = "   Operation      Max            Min           Mean        Std Dev\n\
                    File creation     24001.000      23999.000      24000.000          0.500\n\
                    File stat         50000.000      50000.000      50000.000          0.000\n";
        let found = Finder::for_tool("mdtest").all_of(text.as_bytes());
        let rates: Vec<_> = found.results.iter().filter_map(|r| r.figure(&["rate"])).collect();
        assert_eq!((rates, found.unread), (vec![24e3, 50e3], Vec::new()));
    }
}
