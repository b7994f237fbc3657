//! Which crate may use which, and that every dependency says why it is there.
//!
//! docs/dependencies.md has one line each, opening with the name in backquotes; a line for
//! something that is gone is as wrong as a missing one.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Violation;
use super::tree::File;
use crate::tool::{self, list, text};

const PAGE: &str = "docs/dependencies.md";

/// The arrows: what each of our crates may use of ours.
const ARROWS: &[(&str, &[&str])] = &[
    ("bakeoff-core", &[]),
    ("bakeoff-engine", &["bakeoff-core"]),
    ("bakeoff", &["bakeoff-core", "bakeoff-engine"]),
    // It gives the engine tasks to count, in the words of core.
    ("xtask", &["bakeoff-core"]),
];

/// A dependency as a manifest names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    manifest: String,
    from: String,
    to: String,
    is_ours: bool,
}

/// Checks every Cargo.toml and package.json.
pub fn check(root: &Path, files: &[File]) -> Result<Vec<Violation>> {
    let mut edges = cargo_edges(root, "Cargo.toml")?;
    if files.iter().any(|file| file.path == "fuzz/Cargo.toml") {
        edges.extend(cargo_edges(root, "fuzz/Cargo.toml")?);
    }
    for file in files.iter().filter(|file| file.path.ends_with("package.json")) {
        edges.extend(npm_edges(&file.path, &file.text)?);
    }
    let page = files.iter().find(|file| file.path == PAGE).map_or("", |file| file.text.as_str());
    let mut violations = arrows(&edges);
    violations.extend(reasons(&edges, page));
    Ok(violations)
}

fn arrows(edges: &[Edge]) -> Vec<Violation> {
    let allows = |edge: &Edge| match ARROWS.iter().find(|(from, _)| *from == edge.from) {
        Some((_, to)) => to.contains(&edge.to.as_str()),
        // The fuzz crate is outside the product and may look into everything.
        None => edge.manifest.starts_with("fuzz/"),
    };
    edges
        .iter()
        .filter(|edge| edge.is_ours && !allows(edge))
        .map(|edge| Violation {
            path: edge.manifest.clone(),
            line: 1,
            rule: "arrows",
            what: format!(
                "{} must not use {}: bakeoff -> core, engine; engine -> core; core -> nothing",
                edge.from, edge.to
            ),
        })
        .collect()
}

fn reasons(edges: &[Edge], page: &str) -> Vec<Violation> {
    let foreign: BTreeSet<&str> =
        edges.iter().filter(|edge| !edge.is_ours).map(|edge| edge.to.as_str()).collect();
    let explained: Vec<(usize, &str)> = (1..)
        .zip(page.lines())
        .filter_map(|(line, text)| Some((line, text.strip_prefix("- `")?.split_once("`: ")?.0)))
        .collect();
    let violation = |line, what| Violation { path: PAGE.to_owned(), line, rule: "reasons", what };
    let mut violations = Vec::new();
    for name in &foreign {
        if !explained.iter().any(|(_, explained)| explained == name) {
            violations.push(violation(1, format!("say in one line why: \"- `{name}`: …\"")));
        }
    }
    for (line, name) in explained {
        if !foreign.contains(name) {
            violations.push(violation(line, format!("`{name}` is used no more: remove the line")));
        }
    }
    violations
}

fn cargo_edges(root: &Path, manifest: &str) -> Result<Vec<Edge>> {
    let metadata = tool::metadata(root, &["--no-deps", "--manifest-path", manifest])?;
    let mut edges = Vec::new();
    for package in list(&metadata["packages"]) {
        let path = Path::new(text(&package["manifest_path"]));
        let manifest = path.strip_prefix(root).unwrap_or(path).display().to_string();
        for dependency in list(&package["dependencies"]) {
            edges.push(Edge {
                manifest: manifest.clone(),
                from: text(&package["name"]).to_owned(),
                to: text(&dependency["name"]).to_owned(),
                is_ours: !dependency["path"].is_null(),
            });
        }
    }
    Ok(edges)
}

fn npm_edges(path: &str, manifest: &str) -> Result<Vec<Edge>> {
    let manifest: Value = serde_json::from_str(manifest).with_context(|| path.to_owned())?;
    let mut edges = Vec::new();
    for kind in ["dependencies", "devDependencies", "optionalDependencies"] {
        for name in manifest[kind].as_object().into_iter().flat_map(|names| names.keys()) {
            edges.push(Edge {
                manifest: path.to_owned(),
                from: path.to_owned(),
                to: name.clone(),
                is_ours: false,
            });
        }
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: &str, to: &str, is_ours: bool) -> Edge {
        Edge { manifest: "Cargo.toml".into(), from: from.into(), to: to.into(), is_ours }
    }

    #[test]
    fn arrows_point_inwards() {
        assert_eq!(arrows(&[edge("bakeoff", "bakeoff-core", true)]), []);
        assert_eq!(arrows(&[edge("bakeoff-core", "bakeoff-engine", true)]).len(), 1);
        assert_eq!(arrows(&[edge("a-new-crate", "bakeoff-core", true)]).len(), 1);
    }

    #[test]
    fn every_dependency_has_its_line_and_every_line_its_dependency() {
        let edges = [edge("bakeoff", "clap", false), edge("bakeoff", "libm", false)];
        let found = reasons(&edges, "# Why\n\n- `clap`: options\n- `tokio`: gone\n");
        let lines: Vec<_> = found.iter().map(|found| found.line).collect();
        assert_eq!(lines, [1, 4]);
    }

    #[test]
    fn npm_packages_count_whatever_their_kind() {
        let edges = npm_edges("web/package.json", r#"{"devDependencies":{"esbuild":"1"}}"#);
        assert_eq!(edges.unwrap()[0].to, "esbuild");
    }
}
