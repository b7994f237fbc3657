//! One CSV line of bonnie++, by position: the header that `-x` prints has the wrong columns.

use super::cells::{Cell, Cells, TESTS, figure, is_pluses, latency, size};

pub const INCOMPLETE: &str = "a CSV line of bonnie++ is incomplete";

struct CsvColumns {
    count: usize,
    bulk: usize,
    files: usize,
    small: usize,
    latency: Option<usize>,
}

/// 1.96 and 1.97; then 1.98, which 2.00 prints; then 1.03.
const V197: CsvColumns = CsvColumns { count: 48, bulk: 7, files: 19, small: 24, latency: Some(36) };
const V198: CsvColumns = CsvColumns { count: 50, bulk: 9, files: 21, small: 26, latency: Some(38) };
const V103: CsvColumns = CsvColumns { count: 27, bulk: 2, files: 14, small: 15, latency: None };

/// The line of column names that `-x` prints first.
pub fn is_header(text: &str) -> bool {
    text.starts_with("format_version,bonnie_version,")
}

pub fn begins(text: &str) -> bool {
    has_version(text) || begins_1_03(text)
}

fn has_version(text: &str) -> bool {
    let mut fields = text.split(',');
    let format = fields.next().unwrap_or("");
    let is_program = |v: &str| v.starts_with(|c: char| c.is_ascii_digit()) && v.contains('.');
    matches!(format, "1.96" | "1.97" | "1.98") && fields.next().is_some_and(is_program)
}

/// Whether the line is a part of 1.03's: a name, a size and numbers.
fn begins_1_03(text: &str) -> bool {
    const FEWEST_FIELDS: usize = 8;
    let fields: Vec<&str> = text.split(',').take(V103.count).collect();
    let is_cell =
        |field: &&str| is_pluses(field) || field.is_empty() || field.parse::<f64>().is_ok();
    (FEWEST_FIELDS..V103.count).contains(&fields.len())
        && fields[1].ends_with(['M', 'G'])
        && size(fields[1], 0).is_some()
        && fields[2..].iter().all(is_cell)
}

/// Reads a whole line that begins on `line`; `None` when it is none. One that was cut is none.
pub fn read(text: &str, is_ended: bool, line: u64) -> Option<Cells> {
    // Before the split: a line with other counts of commas is not worth the work.
    let commas = text.bytes().filter(|byte| *byte == b',').count();
    if !matches!(commas, 26 | 47 | 49) {
        return None;
    }
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let columns = match (fields[0], fields.len()) {
        ("1.96" | "1.97", 48) if has_version(text) => V197,
        ("1.98", 50) if has_version(text) => V198,
        (_, 27) => V103,
        _ => return None,
    };
    let is_cut = !is_ended && !fields[columns.count - 1].is_empty();
    let whole = fields[columns.count - 1];
    if is_cut && latency(whole, 0).is_none() && !whole.contains("+++") {
        return None;
    }
    let mut cells = Cells { tests: tests(&fields, &columns, line)?, ..Cells::default() };
    match columns.latency {
        Some(_) => {
            cells.version = fields[1].to_string();
            cells.name = fields[2].to_string();
            cells.concurrency = optional(fields[3], |text| figure(text, 1, line))?;
            cells.file_size = optional(fields[5], |text| size(text, line))?;
            cells.chunk_size = optional(fields[6], |text| size(text, line))?;
            cells.files = optional(fields[columns.files], |text| figure(text, 1024, line))?;
        }
        None => {
            cells.version = "1.03".to_string();
            cells.name = fields[0].to_string();
            let (file, chunk) = fields[1].split_once(':').unwrap_or((fields[1], ""));
            cells.file_size = optional(file, |text| size(text, line))?;
            cells.chunk_size = optional(chunk, |text| size(text, line))?;
            let files = fields[columns.files].split(':').next().unwrap_or("");
            cells.files = optional(files, |text| figure(text, 1024, line))?;
            // 27 fields are no proof; a size, or a count of files, among numbers is.
            let has_size = file.is_empty() || file.ends_with(['M', 'G']);
            if !has_size || (cells.file_size.is_none() && cells.files.is_none()) {
                return None;
            }
        }
    }
    Some(cells)
}

/// Nothing, a figure, or `None` when the text is neither.
fn optional<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if text.is_empty() { Some(None) } else { read(text).map(Some) }
}

fn tests(fields: &[&str], columns: &CsvColumns, line: u64) -> Option<[Cell; 12]> {
    let mut tests: [Cell; 12] = Default::default();
    for (at, cell) in tests.iter_mut().enumerate() {
        let first = if at < 6 { columns.bulk + 2 * at } else { columns.small + 2 * (at - 6) };
        cell.is_too_short = is_pluses(fields[first]);
        if !cell.is_too_short {
            cell.rate = optional(fields[first], |text| figure(text, TESTS[at].unit(), line))?;
        }
        if !is_pluses(fields[first + 1]) {
            cell.cpu = optional(fields[first + 1], |text| figure(text, 1, line))?;
        }
        if let Some(first) = columns.latency {
            cell.latency = optional(fields[first + at], |text| latency(text, line))?;
        }
    }
    Some(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_2_00_is_read_by_position() {
        let text = "1.98,2.00a,b,1,42,8M,,8192,5,3324,75,+++++,+++,+++++,+++,6050,93,+++++,+++,\
                    +++++,+++,1,4096,512,,4,1154,16,+++++,+++,+++++,+++,930,17,+++++,+++,+++++,+++,\
                    6669us,73us,169us,5307us,3us,1034us,35835us,102us,9619us,62860us,67us,2692us";
        let cells = read(text, true, 1).unwrap();
        assert_eq!(cells.tests[0].rate.as_ref().unwrap().0.value(), 3324.0 * 1024.0);
        assert_eq!(cells.tests[6].rate.as_ref().unwrap().0.value(), 1154.0);
        assert_eq!(cells.tests[9].rate.as_ref().unwrap().0.value(), 930.0);
        assert_eq!(cells.tests[11].latency.as_ref().unwrap().0.value(), 2_692_000.0);
        assert!(read(text, false, 1).is_some(), "its last unit is there");
        assert!(read(&text[..text.len() - 2], false, 1).is_none(), "a cut latency has no unit");
        assert!(read(&text[..text.len() - 2], true, 1).is_none());
    }

    #[test]
    fn the_line_of_1_03_is_told_from_any_other_csv() {
        let text = "host,2G,41064,74,40000,10,20000,5,38000,70,50000,6,180.5,0,16,\
                    2000,10,+++++,+++,2100,9,2050,10,+++++,+++,1900,8";
        let cells = read(text, true, 1).unwrap();
        assert_eq!(cells.tests[5].rate.as_ref().unwrap().0.value(), 180.5);
        assert!(cells.tests[7].is_too_short);
        assert_eq!(read(&vec!["1"; 27].join(","), true, 1), None);
        assert_eq!(read(&text.replace("41064", "n/a"), true, 1), None);
    }
}
