//! Lines of text: wrapping at a width, and the escapes that colour a word.

/// Wraps `text` at `width` columns; the first line starts with `first`, the others with `rest`.
/// A word longer than a line is broken, so that no line is ever longer than `width`.
pub fn wrap(text: &str, width: usize, first: &str, rest: &str) -> String {
    let mut out = String::new();
    let mut line = first.to_string();
    let mut is_bare = true;
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        loop {
            let used = line.chars().count() + usize::from(!is_bare);
            let room = width.saturating_sub(used);
            if word.len() <= room {
                break;
            }
            if is_bare {
                let tail = word.split_off(room.clamp(1, word.len()));
                line.extend(word);
                word = tail;
            }
            out.push_str(line.trim_end());
            out.push('\n');
            line = rest.to_string();
            is_bare = true;
        }
        if !is_bare {
            line.push(' ');
        }
        line.extend(word);
        is_bare = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}

/// Cuts `text` to `width` characters, with an ellipsis where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let mut out: String = text.chars().take(width.saturating_sub(1)).collect();
    out.push('…');
    out
}

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A heading.
    Strong,
    /// A clear answer.
    Good,
    /// An answer with a limit.
    Caution,
    /// A refusal or an error.
    Bad,
    /// Something that does not count.
    Grey,
    /// Nothing in particular.
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
        assert_eq!(cut("abcdef", 4), "abc…");
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
