//! The house rules that a program can check. Each violation says where, what, and what to do.
//!
//! A rule lives here because a check is obeyed and prose is forgotten; the rules themselves are
//! explained in CONTRIBUTING.md. Exceptions are in [`allow`], each with its reason.

use std::fmt;
use std::path::Path;

use anyhow::Result;

mod allow;
mod boundaries;
mod dependencies;
mod files;
mod layout;
mod purity;
mod rust;
mod sentences;
mod test_code;
pub mod tree;
mod wording;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Path from the top of the repository.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// The rule's name, for the list of exceptions.
    pub rule: &'static str,
    /// What is wrong and what to do.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {} [{}]", self.path, self.line, self.what, self.rule)
    }
}

/// Every Rust source, with its path; those that are no Rust are violations.
fn sources(files: &[tree::File]) -> (Vec<(String, rust::Source)>, Vec<Violation>) {
    let mut violations = Vec::new();
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        match rust::Source::parse(&file.text) {
            Ok(source) => sources.push((file.path.clone(), source)),
            Err(error) => violations.push(Violation {
                path: file.path.clone(),
                line: 1,
                rule: "rust",
                what: format!("cannot be read as Rust: {error}"),
            }),
        }
    }
    test_code::mark(&mut sources);
    (sources, violations)
}

/// Checks the whole repository and prints what is wrong; whether nothing was.
pub fn run(root: &Path) -> Result<bool> {
    let files = tree::read(root)?;
    let (sources, mut violations) = sources(&files);
    violations.extend(files.iter().flat_map(files::check));
    for (path, source) in &sources {
        let text = files.iter().find(|file| file.path == *path).map_or("", |file| &file.text);
        violations.extend(layout::check(path, text, source));
        violations.extend(boundaries::check(path, source));
        violations.extend(purity::check(path, source));
        violations.extend(sentences::check(path, source));
        violations.extend(wording::check(path, source));
    }
    violations.extend(dependencies::check(root, &files)?);
    let mut violations = allow::apply(violations, allow::ALLOWED);
    violations.sort();
    for violation in &violations {
        println!("{violation}");
    }
    if !violations.is_empty() {
        println!("tidy: {} to mend in {} files read", violations.len(), files.len());
    }
    Ok(violations.is_empty())
}

/// Prints every text that a user can meet, in the order of the files: to be read from top to
/// bottom.
pub fn words(root: &Path) -> Result<bool> {
    let (sources, violations) = sources(&tree::read(root)?);
    for (path, source) in sources.iter().filter(|(path, _)| wording::is_for_people(path)) {
        let texts = wording::texts(path, source);
        if !texts.is_empty() {
            println!("\n{path}");
        }
        texts.iter().for_each(|text| println!("{:5}  {}", text.line, text.text));
    }
    Ok(violations.is_empty())
}
