//! Lines of bonnie++'s tables that a terminal or a mail broke, put together again.
//!
//! The first two lines of titles are always the same, so what one of them lacks says that the
//! table was wrapped. One that is broken inside a word tells the width at which all lines were
//! broken: they are put together to the character. Else all breaks are at blanks, and only rows
//! with nothing left out can be read, because the blanks of the columns are gone.

use super::cells;
use super::row;
use crate::scan::finder::Line;
use crate::scan::parts::{Parts, squeezed};

/// The titles of the two blocks: the line of the version and the line of the groups.
const TITLES: [[&str; 2]; 2] = [
    [
        "------Sequential Output------ --Sequential Input- --Random-",
        "-Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--",
    ],
    [
        "------Sequential Create------ --------Random Create--------",
        "-Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--",
    ],
];
/// Fewest characters of the titles that are enough to know them.
const KNOWN: usize = 8;
const PARTS: usize = 4;

/// A line of the table, with the number of its first part.
pub type Whole = (u64, String);

#[derive(Debug, PartialEq)]
pub enum Next {
    Whole(Vec<Whole>),
    Over,
    Broken,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Stage {
    #[default]
    Version,
    Groups,
    Units,
    Data,
    Latency,
}

#[derive(Debug, Default)]
pub struct WrappedBonnie {
    pub first_line: u64,
    pub last_line: u64,
    stage: Stage,
    parts: Parts,
    titles: Vec<Parts>,
    is_create: bool,
    width: Option<usize>,
}

impl WrappedBonnie {
    /// The block that a line begins, when the line was broken. Only the second block of a run has
    /// no version in some versions.
    pub fn begin(line: &Line<'_>, is_second: bool) -> Option<WrappedBonnie> {
        let text = squeezed(line.text);
        let titles = version_titles(&text).filter(|_| is_second || !text.starts_with('-'))?;
        let is_part = |whole: &[&str; 2]| {
            let whole = squeezed(whole[0]);
            whole.starts_with(&titles) && whole.len() > titles.len()
        };
        let is_begun = titles.len() >= KNOWN && TITLES.iter().any(is_part);
        let number = line.number;
        is_begun.then(|| WrappedBonnie {
            first_line: number,
            last_line: number,
            parts: Parts::begin(number, line.text),
            ..WrappedBonnie::default()
        })
    }

    pub fn line(&mut self, line: &Line<'_>) -> Next {
        if line.text.trim().is_empty() {
            return Next::Whole(Vec::new());
        }
        let is_new = self.parts.lines().is_empty();
        if is_new && self.stage == Stage::Latency && !line.text.trim().starts_with("Latency") {
            return Next::Over;
        }
        self.last_line = line.number;
        self.parts.add(line.number, line.text);
        match self.is_whole() {
            true => Next::Whole(self.close()),
            false if self.parts.lines().len() >= PARTS => Next::Broken,
            false => Next::Whole(Vec::new()),
        }
    }

    pub fn has_row(&self) -> bool {
        self.stage == Stage::Latency
    }

    pub fn is_over(&self) -> bool {
        self.stage == Stage::Latency && self.parts.lines().is_empty() && self.titles.len() > 3
    }

    fn is_whole(&mut self) -> bool {
        let text = squeezed(&self.parts.glued());
        let of_titles = self.titles.get(2).map_or(0, |parts| parts.lines().len());
        match self.stage {
            Stage::Version => {
                let titles = version_titles(&text);
                let is = |whole: &[&str; 2]| titles.as_deref() == Some(&squeezed(whole[0]));
                let found = TITLES.iter().position(is);
                self.is_create = found == Some(1);
                found.is_some()
            }
            Stage::Groups => text.ends_with(&squeezed(TITLES[usize::from(self.is_create)][1])),
            Stage::Units => text.matches("%CP").count() == 6,
            Stage::Data if self.width.is_some() => self.parts.lines().len() == of_titles,
            Stage::Data => row::whole(&self.joined(&self.parts)).is_some(),
            Stage::Latency => {
                let text = self.joined(&self.parts);
                let mut words = text.split_whitespace().skip(1);
                let is_all = words.clone().count() == 6;
                let is_last = self.width.is_some() && self.parts.lines().len() == of_titles;
                is_last || (is_all && words.all(|word| cells::latency(word, 0).is_some()))
            }
        }
    }

    /// The lines that are whole now. Titles are kept until the last of them tells the width.
    fn close(&mut self) -> Vec<Whole> {
        let parts = std::mem::take(&mut self.parts);
        self.stage = match self.stage {
            Stage::Version => Stage::Groups,
            Stage::Groups => Stage::Units,
            Stage::Units => {
                self.titles.push(parts);
                self.width = self.width();
                self.stage = Stage::Data;
                return self.titles.iter().map(|parts| self.whole(parts)).collect();
            }
            Stage::Data | Stage::Latency => Stage::Latency,
        };
        if self.titles.len() < 3 {
            self.titles.push(parts);
            return Vec::new();
        }
        let whole = self.whole(&parts);
        // Kept as well, to know that the latencies were there.
        if whole.1.trim().starts_with("Latency") {
            self.titles.push(parts);
        }
        vec![whole]
    }

    /// The width at which lines were broken, where one was broken inside a word.
    fn width(&self) -> Option<usize> {
        let words = TITLES[usize::from(self.is_create)];
        let is_torn = |(parts, whole): (&Parts, &str)| !parts.spaced().ends_with(whole);
        let is_torn = self.titles.iter().zip(words).any(is_torn)
            || self.titles[2].spaced().matches("%CP").count() != 6;
        self.titles.iter().map(Parts::width).max().filter(|_| is_torn)
    }

    fn joined(&self, parts: &Parts) -> String {
        self.width.map_or_else(|| parts.spaced(), |width| parts.filled(width))
    }

    fn whole(&self, parts: &Parts) -> Whole {
        (parts.first_line(), self.joined(parts))
    }
}

fn version_titles(squeezed: &str) -> Option<String> {
    let (version, titles) = squeezed.split_at(squeezed.find("---")?);
    let number = version.strip_prefix("Version");
    let is_version = number.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    (version.is_empty() || is_version).then(|| titles.to_string())
}

#[cfg(test)]
mod tests {
    use crate as tools;
    use crate::scan::Imported;

    const RUN: &str = "\
Version  1.97       ------Sequential Output------ --Sequential Input- --Random-
Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
pi               1G    84  94  3757   9  3014   6   642  97 23912  19 961.5 118
Latency               123ms    4142ms    3671ms   51203us   84012us     310ms
Version  1.97       ------Sequential Create------ --------Random Create--------
pi                  -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
                 16   577  11 +++++ +++  1004  13   573  11  4100  19   810  10
Latency               410ms    3021us     213ms     402ms     121us     219ms
";

    fn read(text: &str) -> Imported {
        tools::read(text.as_bytes())
    }

    fn figures(imported: &Imported) -> Vec<(String, f64, String)> {
        let metrics = imported.results.iter().flat_map(|result| &result.metrics);
        metrics.map(|m| (m.name.clone(), m.value.as_f64(), m.raw.clone())).collect()
    }

    fn broken(width: usize, each: fn(&str, usize) -> Vec<String>) -> String {
        let lines = RUN.lines().flat_map(|line| each(line, width));
        lines.map(|line| line.trim_end().to_string() + "\n").collect()
    }

    fn at_width(line: &str, width: usize) -> Vec<String> {
        let all: Vec<char> = line.chars().collect();
        all.chunks(width).map(|part| part.iter().collect()).collect()
    }

    fn at_blanks(line: &str, width: usize) -> Vec<String> {
        let mut parts = vec![String::new()];
        for word in line.split_whitespace() {
            if let Some(last) = parts.last_mut() {
                if last.len() + 1 + word.len() > width {
                    parts.push(word.to_string());
                } else {
                    *last += &format!(" {word}");
                }
            }
        }
        parts
    }

    /// A table whose titles were broken too was listed as unread.
    #[test]
    fn a_wrapped_table_with_its_titles_wrapped_is_the_same_table() {
        let whole = read(RUN);
        assert!(whole.unread.is_empty() && whole.results.len() == 1, "{:?}", whole.unread);
        let whole = figures(&whole);
        assert_eq!(whole.len(), 37);
        for width in 40..79 {
            for each in [at_width, at_blanks] {
                let text = broken(width, each);
                let found = read(&text);
                assert_eq!((figures(&found), found.unread.len()), (whole.clone(), 0), "{text}");
                assert_eq!(found.results[0].last_line, text.lines().count() as u64, "{text}");
            }
        }
    }

    /// Its second block has no version, and its CSV line none either.
    #[test]
    fn a_table_of_1_03_that_a_mail_wrapped_is_read_with_its_csv_line() {
        let csv = "store.example.com,1G,3700,99,11000,22,4900,7,3600,92,17600,10,104.9,0,1\n\
                   6,484,98,+++++,+++,15714,86,518,98,+++++,+++,1985,92\n";
        let table = "\
Version  1.03       ------Sequential Output------ --Sequential Input-
--Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block--
--Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP
/sec %CP
store.example.co 1G  3700  99 11000  22  4900   7  3600  92 17600  10
104.9   0
                    ------Sequential Create------ --------Random
Create--------
                    -Create-- --Read--- -Delete-- -Create-- --Read---
-Delete--
              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
/sec %CP
                 16   484  98 +++++ +++ 15714  86   518  98 +++++ +++
1985  92
";
        for text in [table.to_string() + csv, table.to_string(), csv.to_string()] {
            let found = read(&text);
            let [result] = found.results.as_slice() else { panic!("{text}{found:#?}") };
            let figure = |name: &str| result.figure(&[name]);
            assert_eq!(figure("random_seeks.rate"), Some(104.9));
            assert_eq!(figure("sequential_create.rate"), Some(484.0));
            assert_eq!(figure("random_delete.rate"), Some(1985.0));
            assert_eq!((found.unread.len(), result.last_line), (0, text.lines().count() as u64));
        }
    }

    #[test]
    fn a_wrapped_table_that_ends_early_or_loses_a_part_gives_no_figure() {
        let whole = figures(&read(RUN));
        for each in [at_width, at_blanks] {
            let text = broken(60, each);
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            for at in 0..lines.len() {
                let gone = [&lines[..at], &lines[at + 1..]].concat().concat();
                for text in [lines[..at].concat(), gone] {
                    let found = figures(&read(&text));
                    assert!(found.iter().all(|figure| whole.contains(figure)), "{text}{found:?}");
                }
            }
        }
    }
}
