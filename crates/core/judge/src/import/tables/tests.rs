//! Tables as pages have them.

use crate::import::{self, Imported};
use bakeoff_tools::scan::Unread;

const MARKDOWN: &str = "# Cards\n\n| Card | Seq. read (MB/s) | 4K write IOPS | Price |\n\
                        |:-----|---:|---:|---:|\n| A1 | 91.2 | 702 | 9 |\n| A2 | 90.5 | 2,100 | 12 |\n";

fn figures(found: &Imported) -> Vec<String> {
    let of = |r: &crate::import::ToolResult| {
        let setup: Vec<_> = r.setup.values().map(String::as_str).collect();
        let (metric, test) = (&r.metrics[0], r.test.as_deref().unwrap_or(""));
        format!("{} {test} {} {}", setup.join("+"), metric.value.as_f64(), metric.unit)
    };
    found.results.iter().map(of).collect()
}

fn proposed(text: &str) -> Vec<String> {
    let found = import::all(text.as_bytes());
    assert!(found.results.is_empty());
    let list = |part: &Unread| {
        let (_, list) = part.why.split_once("--columns '")?;
        Some(list.trim_end_matches('\'').to_string())
    };
    found.unread.iter().filter_map(list).collect()
}

#[test]
fn a_table_is_proposed_as_a_list_of_columns_and_read_by_it() {
    assert_eq!(proposed(MARKDOWN), ["device,seq_read MB/s,4k_write ops/s,-"]);
    let columns = proposed(MARKDOWN)[0].parse().unwrap();
    let read = import::of_columns(columns).all_of(MARKDOWN.as_bytes());
    let guessed = import::guessing().all_of(MARKDOWN.as_bytes());
    // 2,100 may be two and a bit.
    assert_eq!(figures(&guessed), ["A1 seq_read 91200000 bytes/s", "A1 4k_write 702 1/s"]);
    assert_eq!(guessed.unread.len(), 1);
    assert_eq!(figures(&read), figures(&guessed));
}

#[test]
fn pages_of_html_and_columns_of_fixed_width_are_tables_too() {
    let html = "<h2>Disks</h2>\n<table>\n<thead><tr><th>Filesystem</th><th>Write MB/s</th></tr>\n\
                </thead><tbody>\n<tr>\n<td>ext4</td>\n<td>104</td>\n</tr>\n\
                <tr><td>xfs</td><td>99</td></tr>\n</tbody></table>\n";
    let fixed =
        "Filesystem   Write MB/s\n----------   ----------\next4         104\nxfs          99\n";
    let tabs = "Filesystem\tWrite MB/s\next4\t104\nxfs\t99\n";
    for text in [html, fixed, tabs] {
        assert_eq!(proposed(text), ["filesystem,write MB/s"], "{text}");
        let guessed = import::guessing().all_of(text.as_bytes());
        let expected = ["ext4 write 104000000 bytes/s", "xfs write 99000000 bytes/s"];
        assert_eq!(
            (figures(&guessed), guessed.unread.len()),
            (expected.map(String::from).to_vec(), 0)
        );
    }
}

#[test]
fn a_unit_that_nobody_stated_is_asked_for() {
    let text = "| fs | read | write |\n|---|---|---|\n| ext4 | 104 | 96 |\n";
    assert_eq!(proposed(text), ["filesystem,read UNIT,write UNIT"]);
    let guessed = import::guessing().all_of(text.as_bytes());
    assert_eq!((guessed.results.len(), guessed.unread.len()), (0, 1));
    let stated = format!("## Speed in MB/s\n{text}");
    assert_eq!(proposed(&stated), ["filesystem,read MB/s,write MB/s"]);
}

#[test]
fn several_tables_have_a_list_each() {
    let other = "\n| Board | ext4 | btrfs |\n|---|---|---|\n| Pi 4 | 40 MB/s | 38 MB/s |\n";
    let both = format!("{MARKDOWN}{other}");
    let list = "host,value MB/s filesystem=ext4,value MB/s filesystem=btrfs";
    assert_eq!(proposed(&both)[1], list);
    // One list is for the tables that it fits.
    let found = import::of_columns(list.parse().unwrap()).all_of(both.as_bytes());
    let expected = ["ext4+Pi 4 value 40000000 bytes/s", "btrfs+Pi 4 value 38000000 bytes/s"];
    assert_eq!(figures(&found), expected);
    assert_eq!((found.unread.len(), found.unread[0].first_line), (1, 3));
}

#[test]
fn a_list_does_not_fit_titles_that_say_something_else() {
    let text = "| fs | read MB/s |\n|---|---|\n| ext4 | 104 |\n\n\
                | fs | write MB/s |\n|---|---|\n| ext4 | 96 |\n";
    let found = import::of_columns("filesystem,read MB/s".parse().unwrap()).all_of(text.as_bytes());
    assert_eq!(figures(&found), ["ext4 read 104000000 bytes/s"]);
    assert_eq!((found.unread.len(), found.unread[0].first_line), (1, 5));
}

/// Reviews of boards quote the table alone: 100 of 3,300 rows were refused.
#[test]
fn a_table_of_iozone_without_its_unit_is_read_when_asked_and_says_so() {
    let text = "        kB  reclen    write  rewrite    read    reread\n    \
                102400       4     3672     3640    12849    12881\n    \
                102400      16    10923    11322    28427    26624\n";
    let listed = import::all(text.as_bytes());
    assert_eq!((listed.results.len(), listed.unread.len()), (0, 1), "{listed:?}");
    let guessed = import::guessing().all_of(text.as_bytes());
    assert_eq!((guessed.results.len(), guessed.unread.len()), (2, 0), "{guessed:?}");
    assert!(guessed.results.iter().all(|result| result.findings[0].id == "unit-assumed"));
    assert_eq!(guessed.results[0].metrics[2].value.as_f64(), 3672.0 * 1024.0);
}

/// Somebody put a second rate behind the first: three lines were lost without a word.
#[test]
fn a_line_of_dd_with_more_behind_it_is_not_lost() {
    let text = "kvm1: 26851934208 bytes (27 GB) copied, 884.971 s, 30.3 MB/s, 32.5 MB/s\n";
    let found = import::all(text.as_bytes());
    assert_eq!(found.results.len() + found.unread.len(), 1, "{found:?}");
}

#[test]
fn cells_that_are_more_than_a_number_are_listed() {
    for cells in ["~3,500 MB/s | ~3,000 MB/s", "Read 88 MB/s / Write 40 MB/s | x"] {
        let text = format!("| Item | A | B |\n|---|---|---|\n| a | {cells} |\n| b | {cells} |\n");
        let found = import::guessing().all_of(text.as_bytes());
        assert_eq!((found.results.len(), found.unread.len()), (0, 1), "{text}");
    }
}

#[test]
fn what_is_no_table_of_results_is_nobodys() {
    for text in [
        "Filesystem      Size  Used Avail Use% Mounted on\n/dev/root        29G  3.1G   25G  12% \
         /\n",
        "| name | age |\n|---|---|\n| A | 7 |\n",
        "I read  and write  a lot\nof 2  books\n",
        "a | b\nc | d\n",
    ] {
        assert_eq!(import::all(text.as_bytes()), Imported::default(), "{text}");
    }
}
