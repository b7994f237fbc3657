//! JSON that was cut, and two in one text.

use crate as tools;
use crate::scan::Imported;

const TWO: &str = include_str!("../../../../../../fixtures/tools/fio/json_two_jobs.stdout");

fn read(text: &str) -> Imported {
    tools::read(text.as_bytes())
}

#[test]
fn a_json_that_was_cut_is_listed() {
    let whole = read(TWO);
    assert_eq!((whole.results.len(), whole.unread.len()), (2, 0), "{:#?}", whole.unread);
    for end in ["\"disk_util\"", "\"read\" : {"] {
        let cut = read(&TWO[..TWO.find(end).unwrap()]);
        assert_eq!((cut.results.len(), cut.unread.len()), (0, 1));
        assert!(cut.unread[0].why.contains("its last brace is missing"), "{:?}", cut.unread);
    }
}

#[test]
fn a_second_json_behind_one_that_was_cut_is_read() {
    let text = format!("{}\n{TWO}", &TWO[..TWO.rfind("\"jobname\"").unwrap()]);
    let both = read(&text);
    assert_eq!((both.results.len(), both.unread.len()), (2, 1), "{:#?}", both.unread);
    assert_eq!(both.results[0].metrics[0].value, read(TWO).results[0].metrics[0].value);
}
