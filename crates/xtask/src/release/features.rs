//! Whether every combination of the program's optional parts compiles, without a warning. A release
//! begins with it; `make test` compiles only all of them together.

use std::path::Path;

use anyhow::{Context, Result};

use crate::tool;

/// The optional parts, as crates/bakeoff/Cargo.toml has them.
const FEATURES: [&str; 4] = ["card", "dashboard", "postgres", "tui"];

/// Checks each combination but the default.
pub fn check(root: &Path) -> Result<bool> {
    let mut checked = 0;
    for bits in 0..(1_u32 << FEATURES.len()) - 1 {
        let chosen = FEATURES.iter().enumerate().filter(|(i, _)| bits & (1 << i) != 0);
        let chosen: Vec<&str> = chosen.map(|(_, name)| *name).collect();
        let mut cargo = tool::cargo();
        cargo.current_dir(root).args(["clippy", "--quiet", "--package", "bakeoff"]);
        cargo.args(["--no-default-features", "--features", &chosen.join(",")]);
        tool::show(cargo.args(["--", "-D", "warnings"]))
            .with_context(|| format!("with the features {chosen:?}"))?;
        checked += 1;
    }
    println!("{checked} combinations of features compile");
    Ok(true)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_parts_are_those_of_the_manifest() {
        let manifest = include_str!("../../../bakeoff/Cargo.toml");
        let quoted: Vec<String> = super::FEATURES.iter().map(|f| format!("\"{f}\"")).collect();
        assert!(manifest.contains(&format!("\ndefault = [{}]\n", quoted.join(", "))));
    }
}
