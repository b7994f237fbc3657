//! Every dependency says why it is there: docs/dependencies.md has one line each, opening with the
//! name in backquotes; a line for something that is gone is as wrong as a missing one.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Violation;
use super::tree::File;
use crate::tool::{self, list, text};

const PAGE: &str = "docs/dependencies.md";

/// Checks every Cargo.toml and package.json.
pub fn check(root: &Path, files: &[File]) -> Result<Vec<Violation>> {
    let mut names = of_cargo(root, "Cargo.toml")?;
    if files.iter().any(|file| file.path == "fuzz/Cargo.toml") {
        names.extend(of_cargo(root, "fuzz/Cargo.toml")?);
    }
    for file in files.iter().filter(|file| file.path.ends_with("package.json")) {
        names.extend(of_npm(&file.text).with_context(|| file.path.clone())?);
    }
    let page = files.iter().find(|file| file.path == PAGE).map_or("", |file| file.text.as_str());
    Ok(reasons(&names, page))
}

fn reasons(names: &BTreeSet<String>, page: &str) -> Vec<Violation> {
    let explained: Vec<(usize, &str)> = (1..)
        .zip(page.lines())
        .filter_map(|(line, text)| Some((line, text.strip_prefix("- `")?.split_once("`: ")?.0)))
        .collect();
    let violation = |line, what| Violation { path: PAGE.to_owned(), line, rule: "reasons", what };
    let mut violations = Vec::new();
    for name in names {
        if !explained.iter().any(|(_, explained)| explained == name) {
            violations.push(violation(1, format!("say in one line why: \"- `{name}`: …\"")));
        }
    }
    for (line, name) in explained {
        if !names.contains(name) {
            violations.push(violation(line, format!("`{name}` is used no more: remove the line")));
        }
    }
    violations
}

/// What the manifests of a workspace name, less our own crates.
fn of_cargo(root: &Path, manifest: &str) -> Result<BTreeSet<String>> {
    let metadata = tool::metadata(root, &["--no-deps", "--manifest-path", manifest])?;
    let packages = list(&metadata["packages"]).iter();
    let foreign = packages
        .flat_map(|package| list(&package["dependencies"]))
        .filter(|dependency| dependency["path"].is_null());
    Ok(foreign.map(|dependency| text(&dependency["name"]).to_owned()).collect())
}

fn of_npm(manifest: &str) -> Result<BTreeSet<String>> {
    let manifest: Value = serde_json::from_str(manifest)?;
    let kinds = ["dependencies", "devDependencies", "optionalDependencies"];
    let named = kinds.iter().filter_map(|kind| manifest[*kind].as_object());
    Ok(named.flat_map(|names| names.keys().cloned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dependency_has_its_line_and_every_line_its_dependency() {
        let names = ["clap", "libm"].map(str::to_owned).into();
        let found = reasons(&names, "# Why\n\n- `clap`: options\n- `tokio`: gone\n");
        let lines: Vec<_> = found.iter().map(|found| found.line).collect();
        assert_eq!(lines, [1, 4]);
    }

    #[test]
    fn npm_packages_count_whatever_their_kind() {
        let names = of_npm(r#"{"devDependencies":{"esbuild":"1"}}"#).unwrap();
        assert_eq!(names, ["esbuild".to_owned()].into());
    }
}
