//! A signed apt repository of the packages of a release. Source: reprepro(1).
//!
//! Debian and Raspbian each have a distribution of their own in it, since Raspbian calls ARMv6 by
//! the name that Debian gives to ARMv7.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::dist::MACHINES;
use crate::tool;

/// The distribution that a package belongs to, by the suffix of its version.
const DISTRIBUTIONS: [(&str, &str); 2] = [("debian", ""), ("raspbian", "+rpi1")];

/// Who signs.
pub struct Key<'a> {
    /// The name, address or fingerprint by which gpg finds it.
    pub name: &'a str,
    /// gpg's folder, where that is not the user's own.
    pub home: Option<PathBuf>,
}

/// Makes or extends the repository at `folder` with every package in `packages`, signed by the
/// key; its public half is put beside it.
pub fn build(folder: &Path, packages: &Path, key: &Key) -> Result<()> {
    let command = |program: &str| {
        let mut command = Command::new(program);
        if let Some(home) = &key.home {
            command.env("GNUPGHOME", home);
        }
        command
    };
    std::fs::create_dir_all(folder.join("conf"))?;
    std::fs::write(folder.join("conf/distributions"), distributions(key.name))?;
    let mut added = 0;
    for package in tool::files_of(packages, "deb")? {
        let is_raspbian = tool::name(&package).contains(DISTRIBUTIONS[1].1);
        let (distribution, _) = DISTRIBUTIONS[usize::from(is_raspbian)];
        let mut reprepro = command("reprepro");
        reprepro.args(["--silent", "--basedir"]).arg(folder);
        tool::run(reprepro.args(["includedeb", distribution]).arg(&package))
            .context("reprepro is in Debian's reprepro; it signs with gpg")?;
        added += 1;
    }
    ensure!(added > 0, "there is no package in {}: run `make release`", packages.display());
    let mut gpg = command("gpg");
    gpg.args(["--batch", "--yes", "--export", "--output"]);
    tool::run(gpg.arg(folder.join("bakeoff.gpg")).arg(key.name))
}

fn distributions(key: &str) -> String {
    let section = |(name, suffix): &(&str, &str)| {
        let mut architectures: Vec<&str> = MACHINES
            .iter()
            .filter(|machine| machine.debian_suffix == *suffix)
            .map(|machine| machine.debian)
            .collect();
        architectures.sort_unstable();
        format!(
            "Origin: bakeoff\nLabel: bakeoff\nCodename: {name}\nArchitectures: {}\nComponents: \
             main\nDescription: bakeoff for {name}\nSignWith: {key}\n",
            architectures.join(" ")
        )
    };
    DISTRIBUTIONS.iter().map(section).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn armv6_is_in_raspbian_only() {
        let text = distributions("0xKEY");
        assert!(text.contains("Codename: debian\nArchitectures: amd64 arm64 armhf\n"), "{text}");
        assert!(text.contains("Codename: raspbian\nArchitectures: armhf\n"), "{text}");
    }
}
