//! Lines of text: wrapping at a width, and the escapes that colour a word.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

pub const TABLE: usize = 72;
const DEEP: usize = 6;

/// Wraps `text` at `width` columns; the first line starts with `first`, the others with `rest`.
/// A word longer than a line is broken, so that no line is ever longer than `width`. Where there is
/// no space for a table, an indent that belongs to one becomes a small one, so that words stay
/// whole.
pub fn wrap(text: &str, width: usize, first: &str, rest: &str) -> String {
    let is_deep = width < TABLE && rest.trim().is_empty() && rest.len() > DEEP;
    let rest = if is_deep { &rest[..DEEP] } else { rest };
    let words: Vec<&str> = text.split_whitespace().collect();
    filled(&words.join(" "), at_words(width).initial_indent(first).subsequent_indent(rest))
}

/// Fits text that was laid out for a wider terminal: a line that is too long continues below, two
/// columns further in than it began. Words stay whole, so that paths can be copied. Escapes that
/// colour a word take no room.
pub fn fit(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if columns(line.trim_end()) <= width {
            out.push_str(line);
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let [first, rest] = [indent.min(width / 4), (indent + 2).min(width / 3)];
        let [first, rest] = [first, rest].map(|columns| " ".repeat(columns));
        let options = at_words(width).initial_indent(&first).subsequent_indent(&rest);
        let words: Vec<&str> = line.split_whitespace().collect();
        let fitted = filled(&words.join(" "), options.break_words(false));
        out.push_str(if line.ends_with('\n') { &fitted } else { fitted.trim_end() });
    }
    out
}

fn at_words<'a>(width: usize) -> Options<'a> {
    Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
}

fn filled(text: &str, options: Options<'_>) -> String {
    let lines = textwrap::wrap(text, options);
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Columns that `text` takes in a terminal: letters of some scripts take two, escapes of ECMA-48
/// none.
pub fn columns(text: &str) -> usize {
    textwrap::core::display_width(text)
}

/// `text` with blanks up to `width` columns.
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Pieces beside each other in as few lines as hold them; a piece is never broken.
pub fn packed(
    pieces: impl IntoIterator<Item = String>,
    width: usize,
    between: &str,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if columns(line) + columns(between) + columns(&piece) <= width => {
                line.push_str(&format!("{between}{piece}"));
            }
            _ => lines.push(piece),
        }
    }
    lines
}

/// Wraps a command for a shell at `width` columns, so that all its lines can be pasted at once.
pub fn wrap_command(command: &str, width: usize, first: &str, rest: &str) -> String {
    let wrapped = wrap(command, width.saturating_sub(2), first, rest);
    wrapped.trim_end().replace('\n', " \\\n") + "\n"
}

/// Cuts `text` to `width` columns, with an ellipsis where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_string();
    }
    let mut out = String::new();
    for letter in text.chars() {
        out.push(letter);
        if columns(&out) >= width {
            out.pop();
            break;
        }
    }
    out.push('…');
    out
}

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Strong,
    Good,
    Caution,
    Bad,
    Grey,
    Plain,
}

/// `text` with the escapes of `tone` (ECMA-48 SGR) when `color` is set.
pub fn paint(text: &str, tone: Tone, color: bool) -> String {
    let code = match tone {
        Tone::Strong => "1",
        Tone::Good => "1;32",
        Tone::Caution => "1;33",
        Tone::Bad => "1;31",
        Tone::Grey => "90",
        Tone::Plain => return text.to_string(),
    };
    if color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wraps_at_words_and_indents() {
        assert_eq!(wrap("aaa bbb ccc", 9, "- ", "  "), "- aaa bbb\n  ccc\n");
        assert_eq!(wrap("", 9, "- ", "  "), "-\n");
        let deep = " ".repeat(30);
        assert_eq!(
            wrap("serial-number-1", 40, &deep, &deep),
            format!("{}\n      serial-number-1\n", "")
        );
        assert_eq!((cut("abcdef", 4), cut("abcd", 4)), ("abc…".into(), "abcd".into()));
        // Letters that take two columns moved what stands beside them.
        assert_eq!((cut("硬盘一号", 6), padded("盘", 4)), ("硬盘…".into(), "盘  ".into()));
    }

    #[test]
    fn long_lines_continue_below_and_short_ones_stay_as_they_are() {
        let text = "  a    b\n    \u{1b}[1mcccc\u{1b}[0m dddd eeee ffff gggg\nend";
        let wanted = "  a    b\n    \u{1b}[1mcccc\u{1b}[0m dddd eeee ffff\n      gggg\nend";
        assert_eq!(fit(text, 24), wanted);
        assert_eq!(fit("aaaaaaaaaaaaaaaaaaaa b\n", 10), "aaaaaaaaaaaaaaaaaaaa\n  b\n");
        let path = format!("  tail /{}", "x".repeat(60));
        assert!(fit(&path, 40).contains(path.trim_start_matches("  tail ")), "can be copied");
        assert_eq!(fit(text, 80), text);
    }

    proptest! {
        #[test]
        fn no_line_is_too_long_and_no_letter_is_lost(text in "[a-zµ ]{0,200}", width in 4usize..40) {
            let wrapped = wrap(&text, width, "> ", "  ");
            let letters = |s: &str| s.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            prop_assert_eq!(letters(&wrapped), letters(&text));
            prop_assert!(wrapped.lines().all(|l| l.chars().count() <= width));
        }
    }
}
