//! What people read, as every output shows it: one description of a document, and a writer each
//! for a terminal and for Markdown. The writers make what comes from outside harmless, so that what
//! describes a document need not.

mod markdown;
mod table;
mod terminal;

pub(super) use table::Kind;
pub use table::{Column, Table, candidates, number, of_candidate, words};

use super::layout::Tone;
use super::mark;
use super::run_document::FindingView;

/// A document that is being described, from its beginning to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    parts: Vec<Part>,
}

/// A word that carries the result of what it belongs to, in its colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredWord {
    pub word: String,
    pub tone: Tone,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Headline(String),
    Heading {
        text: String,
        mark: Option<ColouredWord>,
    },
    Line(Line),
    Rows(Vec<Row>),
    Table(Table),
    /// Lines to copy: never wrapped.
    Verbatim(Vec<String>),
    /// A command to copy: wrapped so that a shell takes its lines together.
    Command(String),
    Gap,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The name; blanks before it put it below the one above.
    pub name: String,
    pub text: String,
    pub advice: Option<String>,
}

impl<N: Into<String>, T: Into<String>> From<(N, T)> for Row {
    fn from((name, text): (N, T)) -> Row {
        Row { name: name.into(), text: text.into(), advice: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    depth: usize,
    is_bullet: bool,
    mark: Option<ColouredWord>,
    /// In front of the text and never broken, so that a path can be copied.
    name: Option<String>,
    text: String,
}

impl Line {
    fn new(text: impl Into<String>) -> Line {
        let text = text.into();
        Line { depth: 0, is_bullet: false, mark: None, name: None, text }
    }

    fn is_item(&self) -> bool {
        self.depth > 0 || self.is_bullet
    }
}

impl Document {
    pub fn headline(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Headline(text.into()));
    }

    pub fn heading(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Heading { text: text.into(), mark: None });
    }

    pub fn result(&mut self, text: impl Into<String>, mark: ColouredWord) {
        self.parts.push(Part::Heading { text: text.into(), mark: Some(mark) });
    }

    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.line(0, text);
    }

    /// A line below a paragraph or heading, so many levels below it.
    pub fn line(&mut self, depth: usize, text: impl Into<String>) {
        self.parts.push(Part::Line(Line { depth, ..Line::new(text) }));
    }

    pub fn named(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.parts.push(Part::Line(Line { name: Some(name.into()), ..Line::new(text) }));
    }

    pub fn bullet(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Line(Line { is_bullet: true, ..Line::new(text) }));
    }

    pub fn marked(&mut self, mark: ColouredWord, text: impl Into<String>) {
        let line = Line { is_bullet: true, mark: Some(mark), ..Line::new(text) };
        self.parts.push(Part::Line(line));
    }

    pub fn finding(&mut self, finding: &FindingView) {
        let mark = Some(mark::severity(finding.severity, finding.severity_word));
        let line = Line { is_bullet: true, mark, ..Line::new(finding.told()) };
        self.parts.push(Part::Line(line));
    }

    pub fn rows(&mut self, rows: impl IntoIterator<Item = impl Into<Row>>) {
        self.parts.push(Part::Rows(rows.into_iter().map(Into::into).collect()));
    }

    pub fn table(&mut self, table: Table) {
        if !table.is_empty() {
            self.parts.push(Part::Table(table));
        }
    }

    pub fn verbatim(&mut self, lines: impl IntoIterator<Item = String>) {
        self.parts.push(Part::Verbatim(lines.into_iter().collect()));
    }

    pub fn command(&mut self, command: impl Into<String>) {
        self.parts.push(Part::Command(command.into()));
    }

    /// An empty line, of which there is one at most between two parts.
    pub fn gap(&mut self) {
        self.parts.push(Part::Gap);
    }

    /// For a terminal of `width` columns, with colours or without.
    pub fn text(&self, width: usize, color: bool) -> String {
        terminal::write(&self.parts, Some(width), color)
    }

    /// For a screen reader or a pipe: one fact a line, no tables, no colours.
    pub fn plain(&self) -> String {
        terminal::write(&self.parts, None, false)
    }

    pub fn markdown(&self) -> String {
        markdown::write(&self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Document {
        let mut all = Document::default();
        let bad = |word: &str| ColouredWord { word: word.to_string(), tone: Tone::Bad };
        all.headline("ext4 \u{1b}[2J wins");
        all.bullet("keep *it*");
        all.result("randread: 4k", bad("no verdict"));
        all.paragraph("Too few blocks were measured to say which of them is faster.");
        all.line(1, "against xfs: 3 %");
        all.line(2, "on pi-1 4 %");
        let row = |name: &str, n: &str| vec![name.to_string(), n.to_string()];
        all.table(Table::new([words("name"), number("n")], [row("a|b", "1"), row("c", "20")]));
        all.table(Table::new([words("name")], []));
        all.rows([("host", "pi"), ("kernel", "6.1")]);
        let advice = Some("lower it".to_string());
        all.rows([Row { advice, ..Row::from(("clock", "high")) }]);
        all.gap();
        all.gap();
        all.named("/a/path/that/is/longer/than/a/line.txt", "2 results");
        all.marked(bad("refused"), "(L10): the \u{202e}drive is shared");
        all.gap();
        all.verbatim(["mkfs.ext4 -q /dev/sda".to_string()]);
        all.command("apt-get install --yes xfsprogs btrfs-progs e2fsprogs ntfsprogs");
        all
    }

    #[test]
    fn one_description_has_a_form_for_a_terminal_and_for_markdown() {
        insta::assert_snapshot!("terminal", sample().text(60, false));
        insta::assert_snapshot!("narrow", sample().text(24, false));
        insta::assert_snapshot!("plain", sample().plain());
        insta::assert_snapshot!("markdown", sample().markdown());
    }

    #[test]
    fn a_heading_at_the_beginning_has_no_empty_line_before_it() {
        let mut all = Document::default();
        all.heading("Plans");
        assert_eq!((all.text(80, false), all.markdown()), ("Plans\n".into(), "### Plans\n".into()));
    }

    #[test]
    fn colour_adds_escapes_and_nothing_else() {
        let (plain, painted) = (sample().text(60, false), sample().text(60, true));
        assert_ne!(plain, painted);
        let mut stripped = painted;
        for code in ["\u{1b}[1;31m", "\u{1b}[1m", "\u{1b}[0m"] {
            stripped = stripped.replace(code, "");
        }
        assert_eq!(plain, stripped);
        assert!(!plain.contains(['\u{1b}', '\u{202e}']), "{plain}");
    }
}
