//! Whether the program compiles in every shape that people build: without any optional part, with
//! each alone, with all, and for a processor of 32 bits.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::tool;

/// Checks each crate that has optional parts without them and with each alone. All of them together
/// are the default, which everything else compiles.
pub fn check(root: &Path) -> Result<bool> {
    let metadata = tool::metadata(root, &["--no-deps"])?;
    let mut checked = 0;
    for package in tool::list(&metadata["packages"]) {
        let Some(features) = package["features"].as_object() else { continue };
        let Some(default) = features.get("default") else { continue };
        let name = tool::text(&package["name"]);
        let own: Vec<&str> =
            features.keys().map(String::as_str).filter(|f| *f != "default").collect();
        ensure!(tool::list(default).len() == own.len(), "not every feature of {name} is default");
        for chosen in std::iter::once("").chain(own) {
            let mut cargo = tool::cargo();
            cargo.current_dir(root).args(["clippy", "--quiet", "--package", name]);
            cargo.args(["--no-default-features", "--features", chosen, "--", "-D", "warnings"]);
            tool::show(&mut cargo).with_context(|| format!("{name} with only '{chosen}'"))?;
            checked += 1;
        }
    }
    ensure!(checked > 0, "no crate has optional parts");
    println!("{checked} sets of features compile");
    Ok(true)
}
