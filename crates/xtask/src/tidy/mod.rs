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
mod tree;

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

/// Checks the whole repository and prints what is wrong; whether nothing was.
pub fn run(root: &Path) -> Result<bool> {
    let files = tree::read(root)?;
    let mut violations = Vec::new();
    for file in &files {
        violations.extend(files::check(file));
        if file.path.ends_with(".rs") {
            match rust::Source::parse(&file.text, is_test(&file.path)) {
                Ok(source) => {
                    violations.extend(layout::check(&file.path, &file.text, &source));
                    violations.extend(boundaries::check(&file.path, &source));
                    violations.extend(purity::check(&file.path, &source));
                }
                Err(error) => violations.push(Violation {
                    path: file.path.clone(),
                    line: 1,
                    rule: "rust",
                    what: format!("cannot be read as Rust: {error}"),
                }),
            }
        }
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

/// Whether a whole file is test code.
fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs") || path.starts_with("fuzz/")
}
