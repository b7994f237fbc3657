//! The cells of a line that may be a row of a table.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// By `|`; an empty cell counts.
    Bars,
    /// By tabs or at least two blanks; an empty cell cannot be seen.
    Blanks,
}

/// The cells of a line, without the marks that Markdown puts around a word.
pub fn cells(text: &str) -> (Gap, Vec<String>) {
    let trimmed = text.trim();
    let clean = |cell: &str| cell.trim().trim_matches(['*', '`']).trim().to_string();
    if trimmed.contains('|') {
        let inner = trimmed.strip_prefix('|').unwrap_or(trimmed);
        let inner = inner.strip_suffix('|').unwrap_or(inner);
        return (Gap::Bars, inner.split('|').map(clean).collect());
    }
    let parts = trimmed.split('\t').flat_map(|part| part.split("  ")).map(clean);
    (Gap::Blanks, parts.filter(|cell| !cell.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_bars_tabs_and_wide_gaps() {
        let words = |text| cells(text).1;
        assert_eq!(words("| ext4 || **9 MB/s** |"), ["ext4", "", "9 MB/s"]);
        assert_eq!(words("ext4\t9 MB/s    `x`"), ["ext4", "9 MB/s", "x"]);
        assert_eq!(cells("a | b").0, Gap::Bars);
        assert_eq!(cells("a b"), (Gap::Blanks, vec!["a b".to_string()]));
    }
}
