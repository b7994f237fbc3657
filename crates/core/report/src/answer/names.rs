//! Names for people: workloads in words, and candidates cut so that they stay apart.

use crate::layout::{columns, cut};
use bakeoff_model::path::sanitize;
use bakeoff_model::workloads::IN_WORDS;

/// A workload in a sentence: "random writes"; the name itself of one that a plan defines.
pub fn workload(name: &str) -> String {
    let known = IN_WORDS.iter().find(|w| w.0 == name);
    known.map_or_else(|| sanitize(name), |w| w.1.to_string())
}

/// A workload as a heading of a column, 11 characters if it is built in.
pub fn heading(name: &str) -> String {
    let known = IN_WORDS.iter().find(|w| w.0 == name);
    known.map_or_else(|| sanitize(name), |w| w.2.to_string())
}

/// `names` within `width` characters each, no two alike: shortened by their meaning where that is
/// enough; then, of those that begin alike, the middle is left out, up to where they differ.
pub fn labels(names: &[String], width: usize) -> Vec<String> {
    let brief: Vec<String> = names.iter().map(|name| brief(name)).collect();
    let fits = names.iter().all(|name| columns(name) <= width);
    let names = if fits { names } else { brief.as_slice() };
    let is_apart = |all: &[String]| {
        let mut sorted = all.to_vec();
        sorted.sort();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    let from_start: Vec<String> = names.iter().map(|n| cut(n, width)).collect();
    if is_apart(&from_start) {
        return from_start;
    }
    let is_long = |name: &String| columns(name) > width;
    let long: Vec<Vec<char>> =
        names.iter().filter(|n| is_long(n)).map(|n| n.chars().collect()).collect();
    let is_same = |at: &usize| long.windows(2).all(|pair| pair[0].get(*at) == pair[1].get(*at));
    let same = (0..long.iter().map(Vec::len).min().unwrap_or(0)).take_while(is_same).count();
    let (head, from) = (width / 3, same.saturating_sub(width / 3));
    let from_difference = |name: &String| {
        let part = |skip, most| name.chars().skip(skip).take(most).collect::<String>();
        if is_long(name) {
            cut(&format!("{}…{}", part(0, head), part(from, width)), width)
        } else {
            name.clone()
        }
    };
    let apart: Vec<String> = names.iter().map(from_difference).collect();
    if is_apart(&apart) {
        return apart;
    }
    let numbered = |(i, name): (usize, &String)| {
        let number = format!(" {}", i + 1);
        if columns(name) <= width {
            name.clone()
        } else {
            cut(name, width.saturating_sub(number.len()).max(1)) + &number
        }
    };
    names.iter().enumerate().map(numbered).collect()
}

/// "ext4-nj": as filesystem developers call it.
fn brief(name: &str) -> String {
    name.replace(" without journal", "-nj")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_by_their_meaning_first() {
        let names = ["ext4 without journal", "ext4"].map(String::from);
        assert_eq!(labels(&names, 20), names);
        assert_eq!(labels(&names, 12), ["ext4-nj", "ext4"]);
    }

    #[test]
    fn long_names_stay_apart() {
        let names = ["ext4-with-a-very-long-name-a", "ext4-with-a-very-long-name-b", "xfs"];
        let names = names.map(String::from);
        assert_eq!(labels(&names, 9), ["ext…me-a", "ext…me-b", "xfs"]);
        assert_eq!(labels(&names, 40), names);
        let same_ends = ["aaaaaa1bbbb", "aaaaaa2bbbb"].map(String::from);
        assert_eq!(labels(&same_ends, 6), ["aaa… 1", "aaa… 2"]);
    }

    #[test]
    fn workloads_have_names_for_people() {
        assert_eq!(workload("randwrite"), "random writes");
        assert_eq!(workload("night\u{1b}"), "night\\x1b");
        assert!(IN_WORDS.iter().all(|w| w.2.len() <= 11));
        let missing = bakeoff_model::workloads::DEMO.iter().find(|name| workload(name) == **name);
        assert_eq!(missing, None);
    }
}
