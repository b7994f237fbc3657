//! The Ansible collection, in the file that `ansible-galaxy collection install` takes.
//!
//! ansible-galaxy builds it, with the time of day and in the order of the filesystem. Packed again
//! in order and with the date of the commit, it is the same bytes each time.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::facts::Facts;
use crate::tool;

/// Where it is in the repository.
const SOURCE: &str = "packaging/ansible";

/// ansible-galaxy with none of this machine's settings.
fn galaxy(facts: &Facts) -> Result<Command> {
    // It reads no file without an ending, and so not /dev/null.
    let none = facts.work.join("ansible.cfg");
    std::fs::write(&none, "")?;
    let packages = tool::target().join("fleet/packages");
    let mut galaxy = Command::new(packages.join("bin/ansible-galaxy"));
    galaxy.env("PYTHONPATH", &packages).env("HOME", &facts.work);
    galaxy.env("ANSIBLE_CONFIG", none).env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8");
    Ok(galaxy)
}

/// Builds it, installs it once to see that it can be, and returns where it is.
pub fn build(facts: &Facts) -> Result<PathBuf> {
    tool::run(&mut Command::new(facts.root.join("scripts/ansible.sh")))?;
    let (built, files) = (facts.work.join("collection"), facts.work.join("collection-files"));
    tool::renew(&built)?;
    tool::renew(&files)?;
    let mut galaxy = galaxy(facts)?;
    galaxy.args(["collection", "build", "--output-path"]).arg(&built);
    tool::run(galaxy.arg(facts.root.join(SOURCE)))?;
    let made = std::fs::read_dir(&built)?.next().context("nothing was built")??;
    let file = facts.out.join(made.file_name());
    tool::run(Command::new("tar").arg("-xzf").arg(made.path()).arg("-C").arg(&files))?;
    sort(&files)?;
    let entries = std::fs::read_dir(&files)?.map(|entry| Ok(entry?.file_name()));
    let mut tar = facts.tar(&format!("gzip -{}n", facts.level.max(1)), &file, &files);
    tool::run(tar.args(entries.collect::<Result<Vec<_>>>()?))?;
    installs(facts, &file, &facts.work.join("collection-installed"))?;
    Ok(file)
}

/// Sorts the list of files in it, whose checksum the manifest has.
fn sort(files: &Path) -> Result<()> {
    let read = |name: &str| -> Result<Value> {
        Ok(serde_json::from_slice(&std::fs::read(files.join(name))?)?)
    };
    let (mut list, mut manifest) = (read("FILES.json")?, read("MANIFEST.json")?);
    let entries = list["files"].as_array_mut().context("FILES.json has no list")?;
    entries.sort_by_key(|entry| entry["name"].to_string());
    std::fs::write(files.join("FILES.json"), serde_json::to_string_pretty(&list)?)?;
    let sum = tool::output(Command::new("sha256sum").arg(files.join("FILES.json")))?;
    let sum = sum.split_whitespace().next().context("sha256sum printed nothing")?;
    manifest["file_manifest_file"]["chksum_sha256"] = sum.into();
    std::fs::write(files.join("MANIFEST.json"), serde_json::to_string_pretty(&manifest)?)?;
    Ok(())
}

/// ansible-galaxy compares every file with the checksums that the collection has inside.
fn installs(facts: &Facts, file: &Path, folder: &Path) -> Result<()> {
    tool::renew(folder)?;
    let mut galaxy = galaxy(facts)?;
    galaxy.args(["collection", "install", "--offline", "--collections-path"]);
    tool::run(galaxy.arg(folder).arg(file))?;
    let module = folder.join("ansible_collections/bakeoff/bakeoff/plugins/modules/run.py");
    ensure!(module.exists(), "{} has no module", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_files_is_in_order_and_has_its_checksum() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("FILES.json"), r#"{"files": [{"name": "b"}, {"name": "a"}]}"#).unwrap();
        std::fs::write(at("MANIFEST.json"), r#"{"file_manifest_file": {"format": 1}}"#).unwrap();
        sort(folder.path()).unwrap();
        let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
        assert!(read("FILES.json").find("\"a\"") < read("FILES.json").find("\"b\""));
        let sum = tool::output(Command::new("sha256sum").arg(at("FILES.json"))).unwrap();
        let manifest: Value = serde_json::from_str(&read("MANIFEST.json")).unwrap();
        let noted = manifest["file_manifest_file"]["chksum_sha256"].as_str().unwrap();
        assert!(sum.starts_with(noted) && noted.len() == 64, "{manifest} {sum}");
    }
}
