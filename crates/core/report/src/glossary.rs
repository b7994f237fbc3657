//! The words a user meets, one meaning each: docs/glossary.md, and the end of the HTML report.

const PAGE: &str = include_str!("../../../../docs/glossary.md");

/// Each word with its meaning, in the order of the alphabet.
pub fn terms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = PAGE.lines().skip_while(|line| !line.starts_with("|--")).skip(1);
    rows.filter_map(|row| row.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_alphabetical_order_and_explained_in_sentences() {
        let words: Vec<String> = terms().map(|(word, _)| word.to_lowercase()).collect();
        assert!(words.len() > 30 && words.is_sorted());
        assert!(terms().all(|(_, meaning)| meaning.ends_with('.')));
        let rows = PAGE.lines().filter(|line| line.starts_with('|')).count();
        assert_eq!(words.len() + 2, rows, "each row of the table is read");
    }
}
