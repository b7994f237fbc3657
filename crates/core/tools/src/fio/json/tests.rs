//! JSON that was cut, and two in one text.

use crate as tools;
use crate::scan::Imported;

const TWO: &str = include_str!("../../../../../../fixtures/tools/fio/json_two_jobs.stdout");

fn names(imported: &Imported, at: usize) -> Vec<&str> {
    imported.results[at].metrics.iter().map(|metric| metric.name.as_str()).collect()
}

fn read(text: &str) -> Imported {
    tools::read(text.as_bytes())
}

#[test]
fn of_a_json_that_was_cut_whole_jobs_and_directions_are_read() {
    let whole = read(TWO);
    assert_eq!((whole.results.len(), whole.unread.len()), (2, 0), "{:#?}", whole.unread);
    let second = TWO.rfind("\"jobname\"").unwrap();
    let write = second + TWO[second..].find("\"write\" : {").unwrap();
    for (cut, results) in [(TWO.find("\"disk_util\"").unwrap(), 2), (write, 2), (second, 1)] {
        let cut = read(&TWO[..cut]);
        assert_eq!((cut.results.len(), cut.unread.len()), (results, 1), "{:#?}", cut.unread);
        assert_eq!(cut.results[0].metrics, whole.results[0].metrics);
        assert_eq!(
            cut.unread[0].why,
            "fio's JSON ends before its last brace; the part before this was read"
        );
        assert!(cut.unread[0].first_line > cut.results[results - 1].last_line);
    }
    let cut = read(&TWO[..write]);
    assert!(names(&cut, 1).contains(&"read.bytes") && !names(&cut, 1).contains(&"write.bytes"));
    assert!(names(&whole, 1).contains(&"write.bytes"));
}

#[test]
fn a_json_that_was_cut_before_its_first_figures_moved_an_unknown_amount() {
    let cut = read(&TWO[..TWO.find("\"read\" : {").unwrap() + 40]);
    assert_eq!((cut.results.len(), cut.unread.len()), (0, 1));
    assert_eq!(
        cut.unread[0].why,
        "fio's JSON ends before its last brace; the part before this was read"
    );
}

#[test]
fn a_second_json_behind_one_that_was_cut_is_read_too() {
    let text = format!("{}\n{TWO}", &TWO[..TWO.rfind("\"jobname\"").unwrap()]);
    let both = read(&text);
    assert_eq!(both.results.len(), 3, "{:#?}", both.unread);
    assert_eq!(both.results[0].metrics[0].value, both.results[1].metrics[0].value);
}
