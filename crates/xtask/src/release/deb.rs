//! The Debian package: an installed tree, control files, and `dpkg-deb`, which packs the same bytes
//! for the same files. Source: Debian Policy 4.6, deb-control(5), dpkg-deb(1).

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::facts::Facts;
use super::papers;
use crate::dist::Machine;
use crate::tool;

const CONTROL: &str = include_str!("../../../../packaging/debian/control");
const COPYRIGHT: &str = include_str!("../../../../packaging/debian/copyright");
const DOC_BASE: &str = include_str!("../../../../packaging/debian/doc-base");
const OVERRIDES: &str = include_str!("../../../../packaging/debian/lintian-overrides");
const PREINST: &str = include_str!("../../../../packaging/debian/preinst");

/// Builds it and returns where it is.
pub fn build(facts: &Facts, machine: &Machine, binary: &Path, notices: &str) -> Result<PathBuf> {
    let version = facts.debian_version(machine);
    let tree = facts.work.join(format!("deb-{}", machine.name));
    tool::renew(&tree)?;
    installed(facts, &tree, binary)?;
    let doc = tree.join("usr/share/doc/bakeoff");
    documents(facts, &doc, &version, notices)?;
    tool::write(&tree.join("usr/share/doc-base/bakeoff.manual"), DOC_BASE)?;
    tool::write(&tree.join("usr/share/lintian/overrides/bakeoff"), OVERRIDES)?;
    control(facts, machine, &tree, &version)?;
    permit(&tree)?;
    let file = facts.out.join(format!("bakeoff_{version}_{}.deb", machine.debian));
    let mut pack = facts.command("dpkg-deb");
    pack.args(["--build", "--root-owner-group", "-Zxz"]);
    pack.arg(format!("-z{}", facts.level)).arg(&tree).arg(&file);
    tool::run(&mut pack).context("dpkg-deb is in Debian's dpkg")?;
    Ok(file)
}

/// What `make install` installs, below `usr`.
pub fn installed(facts: &Facts, tree: &Path, binary: &Path) -> Result<()> {
    let mut make = Command::new("make");
    make.current_dir(&facts.root).args(["--no-print-directory", "install", "PREFIX=/usr"]);
    make.arg(format!("DESTDIR={}", tree.display())).arg(format!("BAKEOFF={}", binary.display()));
    tool::run(&mut make)?;
    let pages = tree.join("usr/share/man/man1");
    for page in std::fs::read_dir(&pages)? {
        tool::run(Command::new("gzip").args(["-9n", "--"]).arg(page?.path()))?;
    }
    let zsh = tree.join("usr/share/zsh/vendor-completions");
    // Debian's zsh looks for what packages bring in a folder of its own.
    std::fs::rename(tree.join("usr/share/zsh/site-functions"), zsh)?;
    Ok(())
}

fn documents(facts: &Facts, doc: &Path, version: &str, notices: &str) -> Result<()> {
    tool::write(&doc.join("copyright"), COPYRIGHT)?;
    let gz = |name: &str, text: &str| -> Result<()> {
        tool::write(&doc.join(name), text)?;
        tool::run(Command::new("gzip").args(["-9n", "--"]).arg(doc.join(name)))
    };
    gz("changelog", &papers::debian_changelog(facts, version)?)?;
    gz("CHANGELOG.md", &std::fs::read_to_string(facts.root.join("CHANGELOG.md"))?)?;
    gz("THIRD-PARTY.txt", notices)?;
    for page in tool::files_of(&facts.root.join("docs"), "md")? {
        tool::copy(&page, &doc.join("docs").join(tool::name(&page)))?;
    }
    tool::write(&doc.join("README.md"), &std::fs::read_to_string(facts.root.join("README.md"))?)
}

/// DEBIAN/control, md5sums, and for ARMv7 what refuses ARMv6, whose `armhf` is another.
fn control(facts: &Facts, machine: &Machine, tree: &Path, version: &str) -> Result<()> {
    let size =
        tool::output(Command::new("du").args(["--summarize", "--apparent-size", "-k"]).arg(tree))?;
    let size = size.split_whitespace().next().context("du printed nothing")?.to_owned();
    let text = CONTROL
        .replace("@VERSION@", version)
        .replace("@ARCHITECTURE@", machine.debian)
        .replace("@MAINTAINER@", &facts.maintainer())
        .replace("@SIZE@", &size);
    let folder = tree.join("DEBIAN");
    tool::write(&folder.join("md5sums"), &md5sums(tree)?)?;
    tool::write(&folder.join("control"), &text)?;
    if machine.name == "armv7" {
        tool::write(&folder.join("preinst"), PREINST)?;
        let script = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.join("preinst"), script)?;
    }
    Ok(())
}

fn md5sums(tree: &Path) -> Result<String> {
    let mut find = Command::new("find");
    find.current_dir(tree).args(["usr", "-type", "f", "-printf", "%p\\n"]);
    let listing = tool::output(&mut find)?;
    let mut names: Vec<&str> = listing.lines().collect();
    names.sort_unstable();
    let sums = tool::output(Command::new("md5sum").current_dir(tree).arg("--").args(names))?;
    let mut text = String::new();
    sums.lines().try_for_each(|line| writeln!(text, "{line}"))?;
    Ok(text)
}

/// Folders and files with the modes that a package has, whatever the umask was.
fn permit(tree: &Path) -> Result<()> {
    tool::run(Command::new("chmod").args(["--recursive", "u=rwX,go=rX"]).arg(tree))
}
