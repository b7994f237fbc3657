//! Text for terminals that have ASCII only: `LC_ALL=C`, serial consoles, rescue systems.
//!
//! Signs have a usual spelling in ASCII; letters of names are escaped byte by byte, as control
//! characters are everywhere. Output for programs is UTF-8 in every locale (RFC 8259, 8.1) and does
//! not come through here.

use std::borrow::Cow;

/// Whether a locale's name asks for UTF-8: `de_DE.UTF-8`, `C.utf8`.
pub fn is_utf8(locale: &str) -> bool {
    let name = locale.to_ascii_lowercase();
    let codeset = name.split('.').nth(1).and_then(|rest| rest.split('@').next());
    matches!(codeset, Some("utf-8" | "utf8"))
}

pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let text = text.replace("°C", "C");
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match spelling(c) {
            _ if c.is_ascii() => out.push(c),
            Some(spelling) => out.push_str(spelling),
            None => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    out.push_str(&format!("\\x{byte:02x}"));
                }
            }
        }
    }
    Cow::Owned(out)
}

fn spelling(c: char) -> Option<&'static str> {
    Some(match c {
        'µ' | 'μ' => "u",
        '±' => "+-",
        '×' => "x",
        '…' => "...",
        '‐' | '‑' | '–' | '—' | '−' | '─' | '━' | '·' => "-",
        '•' => "*",
        '≤' => "<=",
        '≥' => ">=",
        '≈' => "~",
        '≠' => "!=",
        '→' => "->",
        '←' => "<-",
        '“' | '”' | '„' => "\"",
        '‘' | '’' => "'",
        '°' => " degrees",
        'σ' => "sigma",
        'τ' => "tau",
        '∞' => "infinite",
        '²' => "^2",
        '³' => "^3",
        '\u{a0}' | '\u{2009}' | '\u{202f}' => " ",
        '│' | '┃' | '┆' | '╎' => "|",
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => "+",
        // A row of heights keeps its shape.
        '▁' => ".",
        '▂' => ":",
        '▃' => "-",
        '▄' => "=",
        '▅' => "+",
        '▆' => "*",
        '▇' => "%",
        '█' | '▉' | '▊' | '▋' | '▌' | '▐' | '▀' | '▓' | '■' => "#",
        '▍' | '▎' | '▏' | '░' | '▒' => ".",
        '●' | '◆' => "o",
        '✓' => "ok",
        '✗' => "x",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_spelled_and_letters_escaped() {
        let text = "12.3 µs ± 2 × 4 … “a” 41 °C ███▍ /mnt/ü";
        assert_eq!(ascii(text), "12.3 us +- 2 x 4 ... \"a\" 41 C ###. /mnt/\\xc3\\xbc");
        assert!(matches!(ascii("plain\n"), Cow::Borrowed("plain\n")));
    }

    #[test]
    fn only_a_codeset_makes_a_locale_utf8() {
        for (locale, is) in [
            ("C", false),
            ("POSIX", false),
            ("en_US", false),
            ("de_DE.ISO-8859-15@euro", false),
            ("C.UTF-8", true),
            ("de_DE.utf8@euro", true),
            ("utf8", false),
        ] {
            assert_eq!(is_utf8(locale), is, "{locale}");
        }
    }

    #[test]
    fn every_sign_of_our_own_has_a_spelling() {
        for source in [
            include_str!("answer/matrix.rs"),
            include_str!("answer/screen.rs"),
            include_str!("answer/table.rs"),
            include_str!("../../stats/src/units.rs"),
            include_str!("watch/text.rs"),
        ] {
            let ours = source.split("#[cfg(test)]").next().unwrap_or_default();
            for c in ours.chars().filter(|c| !c.is_ascii()) {
                assert!(spelling(c).is_some(), "{c}");
            }
        }
    }
}
