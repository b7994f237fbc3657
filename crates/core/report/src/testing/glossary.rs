//! docs/glossary.md: the words a user meets.

use crate::glossary::{TERMS, Term};

/// All of them as a page: docs/glossary.md is this text, and a test holds it to it.
pub fn glossary_markdown() -> String {
    let row = |term: &Term| format!("| {} | {} |\n", term.word, term.meaning);
    let rows: String = TERMS.iter().map(row).collect();
    format!(
        "# Glossary\n\nThe terms in bakeoff's output and reports.\n\n| word | meaning \
         |\n|---|---|\n{rows}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_glossary_md_is_this_list() {
        let page = include_str!("../../../../../docs/glossary.md");
        assert_eq!(
            glossary_markdown(),
            page,
            "write it again: cargo run -p bakeoff --example docs"
        );
    }
}
