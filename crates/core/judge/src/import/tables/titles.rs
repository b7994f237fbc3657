//! What the title of a column says of it, and the numbers below it: a label of the set-up, figures
//! with their unit, or nothing that is known.

use crate::import::cell::{self, is_blank};
use crate::import::columns::{Column, Columns};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Title {
    Label(&'static str),
    Value {
        /// What they are, in the title's own words; two with `/` between them where a cell has two.
        test: String,
        unit: Option<String>,
        setup: Option<String>,
    },
    /// Figures that are more than numbers: `~3,500 MB/s`, `Read 88 MB/s / Write 40 MB/s`.
    Unclear,
    Unknown,
}

const LABELS: [(&str, &[&str]); 9] = [
    ("filesystem", &["filesystem", "file system", "fs", "fs type", "dateisystem"]),
    ("device", &["device", "drive", "disk", "card", "sd card", "ssd", "hdd", "model", "media"]),
    ("host", &["host", "board", "machine", "system", "platform", "computer", "server"]),
    ("encryption", &["encryption", "cipher", "crypto", "luks"]),
    ("scheduler", &["scheduler", "elevator", "io scheduler", "i/o scheduler"]),
    ("journal", &["journal", "journaling"]),
    ("tool", &["tool", "benchmark", "program"]),
    ("test", &["test", "workload", "operation", "mode", "job", "pattern", "access", "type"]),
    ("block_size_bytes", &["block size", "blocksize", "bs", "record size", "request size"]),
];
const FILESYSTEMS: &str = "ext2 ext3 ext4 xfs btrfs f2fs zfs bcachefs ntfs ntfs3 exfat vfat fat32 \
    jfs reiserfs nilfs2 hfs+ apfs";
const QUANTITIES: &str = "read reads write writes rewrite reread seek seeks create delete iops \
    throughput bandwidth bw speed rate latency lat seq sequential random rand rnd fsync copy clat \
    randread randwrite seqread seqwrite lesen schreiben lecture écriture lectura escritura";
const UNITS: [(&str, &str); 10] = [
    ("MB/s", "mb/s mb/sec mbps mbytes/s"),
    ("MiB/s", "mib/s mib/sec mibps"),
    ("KB/s", "kb/s kb/sec kbps kbytes/sec"),
    ("KiB/s", "kib/s kib/sec"),
    ("GB/s", "gb/s"),
    ("GiB/s", "gib/s"),
    ("ops/s", "iops io/s ops/s ops/sec"),
    ("ms", "ms msec"),
    ("us", "us µs μs usec"),
    ("ns", "ns"),
];
const NAME_CHARACTERS: usize = 40;

/// The unit that a text names; `None` when there is none, or more than one. Bits a second are
/// written as bytes are in lower case (`Mbps`): they are none.
pub(super) fn unit(text: &str) -> Option<&'static str> {
    let mut found = None;
    for word in words(text) {
        let is_bits = word.starts_with("Mb") || word.starts_with("Kb") || word.starts_with("Gb");
        let Some(unit) = spelled(word) else { continue };
        if is_bits || found.is_some_and(|known| known != unit) {
            return None;
        }
        found = Some(unit);
    }
    found
}

fn spelled(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    UNITS.iter().find(|(_, spellings)| has(spellings, &lower)).map(|(unit, _)| *unit)
}

fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let around = |c: char| "()[]{},;:*`".contains(c);
    text.split_whitespace().map(move |word| word.trim_matches(around).trim_end_matches('.'))
}

/// Whether a cell begins with a number that is whole, with its unit or none: `4K write` is a title.
pub(super) fn is_figure(cell: &str) -> bool {
    let rest = cell.trim_start_matches(digits);
    let own = rest.split_whitespace().next().unwrap_or("");
    let is_number = !cell::numbers(&cell[..cell.len() - rest.len()], "").is_empty();
    is_number && (own.is_empty() || unit(own).is_some())
}

pub(super) fn title(title: &str, cells: &[&str]) -> Title {
    let plain = title.trim().trim_matches(['*', '`', ':']).to_lowercase();
    if let Some((key, _)) = LABELS.iter().find(|(_, names)| names.contains(&plain.as_str())) {
        return Title::Label(key);
    }
    let filled = cells.iter().filter(|cell| !is_blank(cell)).count();
    let begins_as_one = |cell: &&&str| cell.starts_with(|c: char| c.is_ascii_digit());
    let has_number = cells.iter().any(|cell| !cell::numbers(cell, "").is_empty());
    if !has_number || cells.iter().filter(begins_as_one).count() * 2 <= filled {
        let has_digit = |cell: &str| cell.contains(|c: char| c.is_ascii_digit());
        let of_speed =
            |cell: &&&str| has_digit(cell) && unit(cell).is_some_and(|u| u.contains('/'));
        let is_unclear = cells.iter().filter(of_speed).count() >= 2;
        return if is_unclear { Title::Unclear } else { Title::Unknown };
    }
    let of_cells = cells.iter().find_map(|cell| unit(cell.trim_start_matches(digits)));
    let unit = unit(title).or(of_cells).map(str::to_string);
    if has(FILESYSTEMS, &plain) {
        let setup = Some(format!("filesystem={plain}"));
        return Title::Value { test: "value".to_string(), unit, setup };
    }
    let is_quantity = words(&plain)
        .flat_map(|word| word.split(['/', '-', '_']))
        .any(|word| has(QUANTITIES, word));
    match is_quantity || unit.is_some() {
        true => Title::Value { test: name(title, cells), unit, setup: None },
        false => Title::Unknown,
    }
}

/// Whether titles say that columns hold something else: reads in place of writes, or another unit.
pub(in crate::import) fn contradict(columns: &Columns, titles: &[String]) -> bool {
    if columns.0.len() != titles.len() || titles.iter().any(|title| is_figure(title)) {
        return false;
    }
    columns.0.iter().zip(titles).any(|(column, title)| {
        let Column::Value { tests, unit: known, .. } = column else { return false };
        let differs = |a: Option<&str>, b: Option<&str>| a.zip(b).is_some_and(|(a, b)| a != b);
        let tests = tests.join(" ");
        differs(direction(title), direction(&tests)) || differs(unit(title), unit(known))
    })
}

fn direction(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    match (lower.contains("read"), lower.contains("writ")) {
        (true, false) => Some("read"),
        (false, true) => Some("write"),
        _ => None,
    }
}

fn digits(c: char) -> bool {
    c.is_ascii_digit() || " .,/".contains(c)
}

/// The name of a column's figures: the title's words without its unit.
fn name(title: &str, cells: &[&str]) -> String {
    let has_two = cells.iter().any(|cell| cell::numbers(cell, "").len() == 2);
    let is_kept = |c: char| c.is_ascii_alphanumeric() || c == '_' || (has_two && c == '/');
    let mut name = String::new();
    for word in words(title).filter(|word| spelled(word).is_none()) {
        let word: String =
            word.chars().map(|c| if is_kept(c) { c.to_ascii_lowercase() } else { ' ' }).collect();
        for part in word.split_whitespace() {
            if !name.is_empty() {
                name.push('_');
            }
            name.push_str(part);
        }
    }
    let name: String = name.chars().take(NAME_CHARACTERS).collect();
    let is_whole = !name.is_empty() && name.split('/').all(|part| !part.is_empty());
    if is_whole { name } else { "value".to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(test: &str, unit: Option<&str>) -> Title {
        Title::Value { test: test.to_string(), unit: unit.map(str::to_string), setup: None }
    }

    #[test]
    fn a_title_says_what_its_column_is() {
        let numbers = ["104", "96.5"];
        for (text, cells, expected) in [
            ("**File system**", &["ext4", "xfs"][..], Title::Label("filesystem")),
            ("Drive", &["a", "b"], Title::Label("device")),
            ("Seq. Read [MB/s]", &numbers, value("seq_read", Some("MB/s"))),
            ("4K rand write IOPS", &numbers, value("4k_rand_write", Some("ops/s"))),
            ("write/read (MiB/s)", &["1/2"], value("write/read", Some("MiB/s"))),
            ("write/read (MiB/s)", &numbers, value("write_read", Some("MiB/s"))),
            ("Write", &["104 MB/s", "-"], value("write", Some("MB/s"))),
            ("Write", &numbers, value("write", None)),
            ("IOPS", &numbers, value("value", Some("ops/s"))),
            ("Price", &numbers, Title::Unknown),
            ("Write", &["fast", "slow"], Title::Unknown),
            ("Link Mbps", &numbers, Title::Unknown),
        ] {
            assert_eq!(title(text, cells), expected, "{text}");
        }
        let ext4 = title("ext4", &["104 MB/s"]);
        assert!(matches!(ext4, Title::Value { setup: Some(s), .. } if s == "filesystem=ext4"));
    }
}
