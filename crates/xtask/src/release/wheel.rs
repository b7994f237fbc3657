//! The wheel, for `pipx install` and `pip install`: the same binary as in the other packages, as a
//! script of the wheel, with the man pages.
//!
//! Source: PyPA specifications "Binary distribution format" and "Core metadata". PyPA's program
//! `wheel pack` writes the record and packs the same bytes for the same files.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::facts::Facts;
use crate::dist::Machine;
use crate::tool;

/// From PyPI, as tested.
const PACKER: &str = "wheel==0.45.1";

const METADATA: &str = include_str!("../../../../packaging/wheel/METADATA");

/// Packs it and returns where it is.
pub fn build(facts: &Facts, machine: &Machine, binary: &Path, notices: &str) -> Result<PathBuf> {
    let packer = tool::target().join("toolchain/wheel");
    tool::fetch_from_pypi(&packer, &[PACKER], 120)?;
    let folder = facts.work.join(format!("wheel-{}", machine.name));
    tool::renew(&folder)?;
    let start = format!("bakeoff-{}", facts.version);
    let info = folder.join(format!("{start}.dist-info"));
    let data = folder.join(format!("{start}.data"));
    let readme = std::fs::read_to_string(facts.root.join("README.md"))?;
    let metadata = METADATA.replace("@VERSION@", &facts.version);
    write(&info.join("METADATA"), format!("{metadata}\n{readme}"), 0o644)?;
    let mut tags = format!(
        "Wheel-Version: 1.0\nGenerator: bakeoff {}\nRoot-Is-Purelib: false\n",
        facts.version
    );
    for tag in machine.wheel {
        tags += &format!("Tag: py3-none-{tag}\n");
    }
    write(&info.join("WHEEL"), &tags, 0o644)?;
    write(&info.join("licenses/THIRD-PARTY.txt"), notices, 0o644)?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let text = std::fs::read_to_string(facts.root.join(name))?;
        write(&info.join("licenses").join(name), &text, 0o644)?;
    }
    write(&data.join("scripts/bakeoff"), std::fs::read(binary)?, 0o755)?;
    for page in std::fs::read_dir(tool::target().join("manual/man1"))? {
        let page = page?;
        let to = data.join("data/share/man/man1").join(page.file_name());
        write(&to, std::fs::read(page.path())?, 0o644)?;
    }
    pack(facts, &packer, &folder)?;
    let file = format!("{start}-py3-none-{}.whl", machine.wheel.join("."));
    let file = facts.out.join(file);
    anyhow::ensure!(file.exists(), "`wheel pack` made no {}", file.display());
    Ok(file)
}

fn pack(facts: &Facts, packer: &Path, folder: &Path) -> Result<()> {
    let mut python = facts.command("python3");
    python.env("PYTHONPATH", packer).args(["-m", "wheel", "pack", "--dest-dir"]);
    tool::run(python.arg(&facts.out).arg(folder))
}

fn write(path: &Path, bytes: impl AsRef<[u8]>, mode: u32) -> Result<()> {
    tool::write(path, bytes)?;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?)
}
