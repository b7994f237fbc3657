//! No folder of a crate imports one that imports it, over however many others.
//!
//! What stands at the top of a crate, a folder or a file, counts as one; test code may look at
//! everything. A ring is told once for every file that has an arrow of it.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::rust::Source;

/// The crates whose folders are looked at.
const CRATES: [&str; 3] = ["crates/core/src/", "crates/bakeoff/src/", "crates/engine/src/"];
/// For tests of other crates, so it is test code that cfg(test) does not mark.
const TESTING: &str = "testing";

/// An arrow from one folder to another, and where it is.
struct Arrow {
    from: String,
    to: String,
    path: String,
    line: usize,
}

/// Checks all files together.
pub fn check(sources: &[(String, Source)]) -> Vec<Violation> {
    CRATES.iter().flat_map(|of| rings(&arrows(of, sources))).collect()
}

/// Every arrow between two folders of a crate.
fn arrows(of: &str, sources: &[(String, Source)]) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    for (path, source) in sources {
        let Some(from) = path.strip_prefix(of).map(folder).filter(|from| *from != TESTING) else {
            continue;
        };
        for used in source.paths().into_iter().filter(|used| !used.is_test) {
            let Some(rest) = used.text.strip_prefix("crate::") else { continue };
            let to = rest.split("::").next().unwrap_or(rest);
            // Macros and what main.rs or lib.rs define themselves are no folder.
            let is_folder = sources.iter().any(|(path, _)| {
                path.strip_prefix(of).is_some_and(|path| folder(path) == to && to != from)
            });
            if is_folder && to != TESTING {
                let (from, to) = (from.to_owned(), to.to_owned());
                arrows.push(Arrow { from, to, path: path.clone(), line: used.line });
            }
        }
    }
    arrows
}

/// `decide` of `decide/lead.rs` and of `decide.rs`.
fn folder(path: &str) -> &str {
    let top = path.split('/').next().unwrap_or(path);
    top.strip_suffix(".rs").unwrap_or(top)
}

/// The arrows that lead back to where they come from.
fn rings(arrows: &[Arrow]) -> Vec<Violation> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for arrow in arrows {
        next.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    let leads_back = |arrow: &&Arrow| reached(&next, &arrow.to).contains(arrow.from.as_str());
    arrows
        .iter()
        .filter(leads_back)
        .map(|arrow| Violation {
            path: arrow.path.clone(),
            line: arrow.line,
            rule: "arrows",
            what: format!(
                "{} imports {}, which leads back to it: move what both need below them",
                arrow.from, arrow.to
            ),
        })
        .collect()
}

/// Every folder that can be come to from one.
fn reached<'a>(next: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(folder) = open.pop() {
        let more = next.get(folder).into_iter().flatten();
        open.extend(more.filter(|more| reached.insert(**more)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let source = |text: &&str| Source::parse(text).unwrap();
        let of = |(path, text): &(&str, &str)| (format!("crates/core/src/{path}"), source(text));
        let sources: Vec<(String, Source)> = files.iter().map(of).collect();
        check(&sources).into_iter().map(|found| found.path).collect()
    }

    #[test]
    fn a_ring_over_three_folders_is_told_at_each_of_its_arrows() {
        let files = [
            ("decide/mod.rs", "use crate::evidence::cell;"),
            ("evidence.rs", "use crate::model;"),
            ("model/run.rs", "use crate::{decide::Lead, units};"),
            ("units.rs", ""),
        ];
        let all = files.map(|(path, _)| format!("crates/core/src/{path}"));
        assert_eq!(found(&files), all[..3]);
        assert_eq!(found(&files[..2]), [""; 0]);
    }

    #[test]
    fn tests_may_look_at_everything() {
        let test = "#[cfg(test)] mod tests { use crate::decide; }";
        assert_eq!(found(&[("decide.rs", "use crate::model;"), ("model.rs", test)]), [""; 0]);
    }
}
