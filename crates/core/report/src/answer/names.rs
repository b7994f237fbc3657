//! Names for people: workloads in words, and candidates cut so that they stay apart.

use crate::layout::{columns, cut};
use bakeoff_model::path::sanitize;

/// Built-in workloads: name, in a sentence, as a heading of a column.
const WORKLOADS: [(&str, &str, &str); 6] = [
    ("randwrite", "random writes", "rnd writes"),
    ("smallfiles", "small files", "small files"),
    ("randread", "random reads", "rnd reads"),
    ("seqwrite", "sequential writes", "seq writes"),
    ("seqread", "sequential reads", "seq reads"),
    ("randrw", "random reads and writes", "rnd mixed"),
];

/// A workload in a sentence: "random writes"; the name itself of one that a plan defines.
pub fn workload(name: &str) -> String {
    let known = WORKLOADS.iter().find(|w| w.0 == name);
    known.map_or_else(|| sanitize(name), |w| w.1.to_string())
}

/// A workload as a heading of a column, 11 characters if it is built in.
pub fn heading(name: &str) -> String {
    let known = WORKLOADS.iter().find(|w| w.0 == name);
    known.map_or_else(|| sanitize(name), |w| w.2.to_string())
}

/// `names` within `width` characters each, no two alike: what makes long names differ is often at
/// their end, so then the middle is left out.
pub fn labels(names: &[String], width: usize) -> Vec<String> {
    let is_apart = |all: &[String]| {
        let mut sorted = all.to_vec();
        sorted.sort();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    let from_start: Vec<String> = names.iter().map(|n| cut(n, width)).collect();
    if is_apart(&from_start) {
        return from_start;
    }
    let middle: Vec<String> = names.iter().map(|n| cut_middle(n, width)).collect();
    if is_apart(&middle) {
        return middle;
    }
    let numbered = |(i, name): (usize, &String)| {
        let number = format!(" {}", i + 1);
        match columns(name) <= width {
            true => name.clone(),
            false => cut(name, width.saturating_sub(number.len()).max(1)) + &number,
        }
    };
    names.iter().enumerate().map(numbered).collect()
}

fn cut_middle(text: &str, width: usize) -> String {
    let all: Vec<char> = text.chars().collect();
    if all.len() <= width || width < 3 {
        return cut(text, width);
    }
    let tail = (width - 1) / 2;
    let head = width - 1 - tail;
    let start: String = all[..head].iter().collect();
    let end: String = all[all.len() - tail..].iter().collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stay_apart() {
        let names = ["ext4-with-a-very-long-name-a", "ext4-with-a-very-long-name-b", "xfs"];
        let names = names.map(String::from);
        assert_eq!(labels(&names, 9), ["ext4…me-a", "ext4…me-b", "xfs"]);
        assert_eq!(labels(&names, 40), names);
        let same_ends = ["aaaaaa1bbbb", "aaaaaa2bbbb"].map(String::from);
        assert_eq!(labels(&same_ends, 6), ["aaa… 1", "aaa… 2"]);
    }

    #[test]
    fn workloads_have_names_for_people() {
        assert_eq!(workload("randwrite"), "random writes");
        assert_eq!(workload("night\u{1b}"), "night\\x1b");
        assert!(WORKLOADS.iter().all(|w| w.2.len() <= 11));
        let missing = bakeoff_model::workloads::DEMO.iter().find(|name| workload(name) == **name);
        assert_eq!(missing, None);
    }
}
