//! The lines that one line was broken into by a terminal or a mail, put together again.
//!
//! What makes a line whole only its tool knows: a word that stands last in it, titles that are
//! always the same, a number of values. Here is how parts follow each other and are joined.

#[derive(Clone, Debug, Default)]
pub struct Parts {
    lines: Vec<(u64, String)>,
}

impl Parts {
    pub fn begin(number: u64, text: &str) -> Parts {
        Parts { lines: vec![(number, text.to_string())] }
    }

    pub fn add(&mut self, number: u64, text: &str) {
        self.lines.push((number, text.to_string()));
    }

    pub fn lines(&self) -> &[(u64, String)] {
        &self.lines
    }

    /// Whether that line stands right below the last part.
    pub fn is_next(&self, number: u64) -> bool {
        self.lines.last().is_some_and(|(last, _)| last + 1 == number)
    }

    /// The line of the first part; 0 without one.
    pub fn first_line(&self) -> u64 {
        self.lines.first().map_or(0, |(number, _)| *number)
    }

    /// The line of the last part; 0 without one.
    pub fn last_line(&self) -> u64 {
        self.lines.last().map_or(0, |(number, _)| *number)
    }

    /// As they are: a terminal breaks anywhere.
    pub fn glued(&self) -> String {
        self.texts().collect()
    }

    /// With one blank wherever there are some: a mail breaks at blanks.
    pub fn spaced(&self) -> String {
        self.texts().flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }

    pub fn filled(&self, width: usize) -> String {
        let full: String = self.texts().map(|part| format!("{part:<width$}")).collect();
        full.trim_end().to_string()
    }

    pub fn width(&self) -> usize {
        self.texts().map(|part| part.chars().count()).max().unwrap_or(0)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|(_, text)| text.as_str())
    }
}

pub fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
