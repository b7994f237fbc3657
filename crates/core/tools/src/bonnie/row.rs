//! A row of bonnie++'s tables as its cells: by columns, blank ones included, or by blanks where a
//! page ate the columns.

use super::cells::{Figure, figure, is_pluses, size};
use crate::scan::lines::words;

pub const NAME_WIDTH: usize = 19;
/// Characters of one phase: a blank, five of the rate, a blank, three of the CPU.
pub const CELL_WIDTH: usize = 10;
const CPU_WIDTH: usize = 4;

/// A bulk rate: KiB/s, with a unit since 1.98.
pub fn bulk(text: &str, line: u64) -> Option<Figure> {
    if text.ends_with(['k', 'm', 'g']) {
        return size(text, line);
    }
    figure(text, 1024, line)
}

/// Whether the last CPU share ends nearer to its rate than a column is wide: the row was cut there,
/// as by a terminal that a large rate pushed it out of.
pub fn is_last_cut(text: &str) -> bool {
    let words = words(text);
    let [.., (rate, _), (cpu, _)] = &words[..] else { return false };
    *cpu < *rate + CPU_WIDTH
}

/// A data row as what stands in front and its twelve cells, blank ones included.
pub fn row(text: &str) -> Option<(String, Vec<String>)> {
    whole(text).or_else(|| by_columns(text))
}

/// A row with nothing left out: what stands in front, then six rates with the CPU of each. Its
/// order tells the tests, wherever a page, an indent or another name moved its columns.
pub fn whole(text: &str) -> Option<(String, Vec<String>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.len().checked_sub(12).filter(|at| (1..=3).contains(at))?;
    let (head, cells) = words.split_at(at);
    let is_pair = |pair: &[&str]| {
        if is_pluses(pair[0]) {
            is_pluses(pair[1])
        } else {
            bulk(pair[0], 0).is_some() && pair[1].bytes().all(|byte| byte.is_ascii_digit())
        }
    };
    let is_row = is_end_of_head(head[at - 1]) && cells.chunks(2).all(is_pair);
    is_row.then(|| (head.join(" "), cells.iter().map(|word| (*word).to_string()).collect()))
}

/// Whether a word is the last one in front of the cells: the file's size or the number of files.
fn is_end_of_head(word: &str) -> bool {
    let first = word.split(':').next().unwrap_or(word);
    let digits = first.trim_end_matches(['M', 'G', 'k']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A row with blank cells: a cell is where its columns are, counted from the end of what stands in
/// front. That moves with a name that was replaced, and with an indent; the titles do not.
fn by_columns(text: &str) -> Option<(String, Vec<String>)> {
    let start = cells_start(text)?;
    let head: String = text.chars().take(start).collect();
    let body: String = text.chars().skip(start).collect();
    let found = words(&body);
    let mut cells = vec![String::new(); 12];
    let mut next = 0;
    let mut is_aligned = true;
    for (at, (end, word)) in found.iter().enumerate() {
        if is_aligned {
            let in_group = end % CELL_WIDTH;
            let column = match in_group {
                6 => Some(2 * (end / CELL_WIDTH)),
                0 => Some(2 * (end / CELL_WIDTH) - 1),
                _ => None,
            };
            match column.filter(|column| (next..12).contains(column)) {
                Some(column) => {
                    cells[column] = word.clone();
                    next = column + 1;
                    continue;
                }
                None => is_aligned = false,
            }
        }
        // A value wider than its column pushes the rest to the right: then all must be there.
        if found.len() - at != 12 - next {
            let start = end - word.chars().count();
            let column = 2 * (start / CELL_WIDTH);
            if column < next || found.len() - at + column != 12 {
                return None;
            }
            next = column;
        }
        cells[next] = word.clone();
        next += 1;
    }
    Some((head, cells))
}

/// Where the cells of a row begin: after the file's size or the number of files.
fn cells_start(text: &str) -> Option<usize> {
    let words = words(text);
    let ends = words.iter().take(3).filter(|(_, word)| is_end_of_head(word));
    // A rate looks like a number of files: the head is the first, or the one with a unit.
    let ends: Vec<&(usize, String)> = ends.collect();
    let has_unit = |word: &str| word.contains(['M', 'G', 'k', ':']);
    let named = ends.iter().find(|(_, word)| has_unit(word));
    named.or(ends.first()).map(|(end, _)| *end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_far_to_the_right_is_no_row() {
        for width in 120..200 {
            let text = format!("sample-e 8M {:>width$} 99", "4422");
            assert_eq!(row(&text), None, "{width}");
        }
    }

    #[test]
    fn blank_cells_stay_blank() {
        let text =
            "sample-e         8M           +++++ +++ +++++ +++           +++++ +++ +++++ +++";
        let (head, cells) = row(text).unwrap();
        assert_eq!(head, "sample-e         8M");
        assert_eq!([cells[0].as_str(), cells[2].as_str(), cells[6].as_str()], ["", "+++++", ""]);
    }

    #[test]
    fn a_value_wider_than_its_column_pushes_the_rest() {
        let text =
            "sampl 32M:::2000000           +++++ +++ +++++ +++           +++++ +++ 1343176 982";
        let (_, cells) = row(text).unwrap();
        assert_eq!([cells[10].as_str(), cells[11].as_str()], ["1343176", "982"]);
        assert_eq!(row(&text.replace("+++ 1343176", "+++   1343176")), None);
    }

    #[test]
    fn the_units_of_2_00_are_powers_of_1024() {
        assert_eq!(bulk("3324k", 1).unwrap().0.value(), 3324.0 * 1024.0);
        assert_eq!(bulk("9.8m", 1).unwrap().0.value(), 9.8 * 1048576.0);
        assert_eq!(bulk("84", 1).unwrap().0.value(), 84.0 * 1024.0);
    }
}
