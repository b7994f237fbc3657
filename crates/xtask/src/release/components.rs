//! The parts of the program that others wrote, with their licences: the list that the SBOM and the
//! notices are made of.
//!
//! Crates are those that cargo links or expands for the program, from `cargo metadata`; packages of
//! the page are those of web/package-lock.json that are not for development. What no manager of
//! packages knows is added: SQLite, the C library and Rust's own library.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::tool::{self, list, text};

/// One part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SPDX expression.
    pub licence: String,
    /// Package URL, see the specification `purl-spec`.
    pub purl: String,
    /// SHA-256 of its package, where Cargo.lock has it.
    pub sha256: Option<String>,
    /// Texts that its authors put beside it.
    pub texts: Vec<String>,
}

/// All of them, by name.
pub fn gather(root: &Path) -> Result<Vec<Component>> {
    let mut all = crates(root)?;
    all.extend(page(root)?);
    all.extend(libraries(root, &all)?);
    all.sort();
    Ok(all)
}

fn crates(root: &Path) -> Result<Vec<Component>> {
    let words = ["--locked", "--filter-platform", "x86_64-unknown-linux-musl"];
    let metadata = tool::metadata(root, &words)?;
    let linked = linked(&metadata)?;
    let lock = std::fs::read_to_string(root.join("Cargo.lock"))?;
    let checksums = checksums(&lock);
    let mut found = Vec::new();
    for package in list(&metadata["packages"]) {
        if !linked.contains(text(&package["id"])) || package["source"].is_null() {
            continue;
        }
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let manifest = Path::new(text(&package["manifest_path"]));
        let mut texts = texts(manifest.parent().context("a manifest is in a folder")?)?;
        let licence = text(&package["license"]).replace('/', " OR ");
        if texts.is_empty() && licence == "Apache-2.0" {
            texts.push(std::fs::read_to_string(root.join("LICENSE-APACHE"))?);
        }
        ensure!(!texts.is_empty(), "{name} {version} ({licence}) comes without its licence");
        found.push(Component {
            purl: format!("pkg:cargo/{name}@{version}"),
            sha256: checksums.get(&(name.to_owned(), version.to_owned())).cloned(),
            name: name.to_owned(),
            version: version.to_owned(),
            licence,
            texts,
        });
    }
    Ok(found)
}

/// What is reached from the program by dependencies that are neither for tests nor for builds.
fn linked(metadata: &Value) -> Result<BTreeSet<String>> {
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).iter().map(|node| (text(&node["id"]), node)).collect();
    let is_program = |package: &&Value| text(&package["name"]) == "bakeoff";
    let program = list(&metadata["packages"]).iter().find(is_program);
    let program = text(&program.context("cargo metadata has no package bakeoff")?["id"]);
    let mut reached = BTreeSet::from([program.to_owned()]);
    let mut waiting = vec![program];
    while let Some(id) = waiting.pop() {
        let node = nodes.get(id).with_context(|| format!("cargo metadata lacks {id}"))?;
        for dependency in list(&node["deps"]) {
            let kinds = list(&dependency["dep_kinds"]);
            let id = text(&dependency["pkg"]);
            if kinds.iter().any(|kind| kind["kind"].is_null()) && reached.insert(id.to_owned()) {
                waiting.push(id);
            }
        }
    }
    Ok(reached)
}

/// Checksums of packages by name and version, from the lines of Cargo.lock.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |entry: &str, key: &str| {
        let start = format!("{key} = \"");
        let line = entry.lines().find_map(|line| line.strip_prefix(&start))?;
        line.strip_suffix('"').map(str::to_owned)
    };
    lock.split("[[package]]")
        .filter_map(|entry| {
            Some(((value(entry, "name")?, value(entry, "version")?), value(entry, "checksum")?))
        })
        .collect()
}

fn page(root: &Path) -> Result<Vec<Component>> {
    let lock = std::fs::read_to_string(root.join("web/package-lock.json"))?;
    let lock: Value = serde_json::from_str(&lock)?;
    let mut found = Vec::new();
    for (path, package) in lock["packages"].as_object().context("web/package-lock.json is empty")? {
        let Some(name) = path.strip_prefix("node_modules/") else { continue };
        if package["dev"] == true {
            continue;
        }
        let texts = texts(&root.join("web").join(path))?;
        ensure!(!texts.is_empty(), "{name} comes without its licence");
        let version = text(&package["version"]).to_owned();
        found.push(Component {
            purl: format!("pkg:npm/{name}@{version}"),
            name: name.to_owned(),
            version,
            licence: text(&package["license"]).to_owned(),
            sha256: None,
            texts,
        });
    }
    Ok(found)
}

/// What is linked beside the crates.
fn libraries(root: &Path, crates: &[Component]) -> Result<Vec<Component>> {
    let sqlite = crates.iter().find(|part| part.name == "libsqlite3-sys");
    let sqlite = &sqlite.context("the store is no SQLite")?.version;
    let rustc = tool::output(Command::new("rustc").arg("--version"))?;
    let rust = rustc.split(' ').nth(1).context("rustc printed no version")?;
    let part = |name: &str, version: &str, licence: &str, text: String| Component {
        name: name.to_owned(),
        version: version.to_owned(),
        licence: licence.to_owned(),
        purl: format!("pkg:generic/{name}@{version}"),
        sha256: None,
        texts: vec![text],
    };
    let musl = std::fs::read_to_string(root.join("packaging/licences/musl"))?;
    let standard = format!(
        "The Rust standard library is copyright of The Rust Project contributors.\n\n{}",
        std::fs::read_to_string(root.join("LICENSE-APACHE"))?
    );
    let blessing = "The authors of SQLite disclaim copyright to its source code. May you do good \
                    and not evil. May you find forgiveness for yourself and forgive others. May \
                    you share freely, never taking more than you give.\n";
    let bundled = format!("bundled with libsqlite3-sys {sqlite}");
    Ok(vec![
        part("sqlite", &bundled, "blessing", blessing.to_owned()),
        part("musl", "bundled with Zig", "MIT", musl),
        part("rust-std", rust, "MIT OR Apache-2.0", standard),
    ])
}

/// The licences and notices in a folder, in order of their names.
fn texts(folder: &Path) -> Result<Vec<String>> {
    const NAMES: [&str; 5] = ["licen", "copying", "notice", "unlicense", "copyright"];
    let mut paths = tool::files(folder)?;
    paths.retain(|path| {
        let name = tool::name(path).to_lowercase();
        NAMES.iter().any(|start| name.starts_with(start))
    });
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).with_context(|| format!("{}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim().to_owned() + "\n")
    };
    paths.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tests_and_builds_are_no_part_of_the_program() {
        let edge = |to: &str, kind: Value| json!({"pkg": to, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [{"name": "bakeoff", "id": "bakeoff"}],
            "resolve": {"nodes": [
                {"id": "bakeoff", "deps": [
                    edge("clap", Value::Null), edge("insta", json!("dev")), edge("cc", json!("build")),
                ]},
                {"id": "clap", "deps": [edge("strsim", Value::Null)]},
                {"id": "strsim", "deps": []},
            ]},
        });
        let found: Vec<String> = linked(&metadata).unwrap().into_iter().collect();
        assert_eq!(found, ["bakeoff", "clap", "strsim"]);
    }

    #[test]
    fn checksums_are_those_of_the_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0\"\nchecksum = \"0f\"\n\
                    \n[[package]]\nname = \"ours\"\nversion = \"0.1\"\n";
        let found = checksums(lock);
        assert_eq!(found.len(), 1);
        assert_eq!(found[&("a".to_owned(), "1.0".to_owned())], "0f");
    }
}
