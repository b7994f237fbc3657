//! Takes programs with their libraries, and kernel modules with theirs, out of unpacked packages.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::archive::Archive;
use crate::tool;

/// Where programs are.
const PROGRAM_FOLDERS: [&str; 7] =
    ["usr/sbin", "usr/bin", "sbin", "bin", "usr/lib/systemd", "lib/systemd", "usr/lib"];

/// Unpacked packages.
pub struct Tree {
    root: PathBuf,
    /// Folder and name of each library.
    libraries: BTreeMap<String, String>,
}

impl Tree {
    /// Looks what is in them.
    pub fn open(root: &Path) -> Result<Tree> {
        let mut libraries = BTreeMap::new();
        for folder in ["lib", "usr/lib", "lib64"] {
            collect_libraries(root, folder, 0, &mut libraries)?;
        }
        Ok(Tree { root: root.to_path_buf(), libraries })
    }

    /// Adds a program, found by its name, and the libraries it asks for.
    pub fn add_program<W: Write>(&self, archive: &mut Archive<W>, name: &str) -> Result<()> {
        let folder = PROGRAM_FOLDERS
            .iter()
            .find(|folder| self.root.join(folder).join(name).symlink_metadata().is_ok())
            .with_context(|| format!("no program {name} in the unpacked packages"))?;
        self.add(archive, &format!("{folder}/{name}"))
    }

    /// Adds a file, what it links to, and the libraries it asks for.
    pub fn add<W: Write>(&self, archive: &mut Archive<W>, path: &str) -> Result<()> {
        if archive.has(path) {
            return Ok(());
        }
        let real = self.root.join(path);
        let about = real.symlink_metadata().with_context(|| format!("no {}", real.display()))?;
        if about.is_symlink() {
            let to = std::fs::read_link(&real)?;
            archive.link(path, &to.to_string_lossy())?;
            return self.add(archive, &resolve(path, &to));
        }
        let content = std::fs::read(&real)?;
        archive.file(path, about.permissions().mode() & 0o7777, &content)?;
        if content.starts_with(b"\x7fELF") && !path.contains("/modules/") {
            self.add_needed(archive, &real)?;
        }
        Ok(())
    }

    /// Adds the loader and the libraries that a program, of these packages or not, asks for.
    pub fn add_needed<W: Write>(&self, archive: &mut Archive<W>, program: &Path) -> Result<()> {
        let mut readelf = Command::new("readelf");
        readelf.args(["--wide", "--dynamic", "--program-headers"]).arg(program);
        let text = tool::output(&mut readelf).context("readelf is in Debian's binutils")?;
        for line in text.lines() {
            let Some((before, name)) = line.split_once('[') else { continue };
            if before.contains("(NEEDED)") {
                let name = name.trim_end_matches(']');
                let found = self.libraries.get(name);
                let missing = || format!("{} needs {name}", program.display());
                self.add(archive, found.with_context(missing)?)?;
            } else if let Some((_, loader)) = name.split_once("interpreter: /") {
                self.add(archive, loader.trim_end_matches(']'))?;
            }
        }
        Ok(())
    }

    /// Adds every file below a folder.
    pub fn add_folder<W: Write>(&self, archive: &mut Archive<W>, folder: &str) -> Result<()> {
        let mut names: Vec<_> = std::fs::read_dir(self.root.join(folder))
            .with_context(|| format!("no {folder} in the unpacked packages"))?
            .collect::<Result<_, _>>()?;
        names.sort_by_key(std::fs::DirEntry::file_name);
        for entry in names {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.add_folder(archive, &path)?;
            } else {
                self.add(archive, &path)?;
            }
        }
        Ok(())
    }

    /// Adds kernel modules by name, those they depend on, and the index `modprobe` reads.
    pub fn add_modules<W: Write>(
        &self,
        archive: &mut Archive<W>,
        version: &str,
        names: &[&str],
    ) -> Result<()> {
        let folder = format!("lib/modules/{version}");
        let index = self.root.join(&folder).join("modules.dep");
        if !index.exists() {
            let mut depmod = Command::new("depmod");
            depmod.arg("-b").arg(&self.root).arg(version).env("PATH", path_with_sbin());
            tool::run(&mut depmod).context("depmod is in Debian's kmod")?;
        }
        let text = std::fs::read_to_string(&index)?;
        let modules: BTreeMap<String, Vec<&str>> = text.lines().filter_map(module).collect();
        let mut wanted: BTreeSet<&str> = BTreeSet::new();
        for name in names {
            // Some are built into one kernel and a module of another.
            wanted.extend(modules.get(*name).into_iter().flatten());
        }
        for path in wanted {
            self.add(archive, &format!("{folder}/{path}"))?;
        }
        for entry in std::fs::read_dir(self.root.join(&folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with("modules.") {
                self.add(archive, &format!("{folder}/{name}"))?;
            }
        }
        Ok(())
    }

    /// The kernel: its version and where its image is.
    pub fn kernel(&self) -> Result<(String, PathBuf)> {
        for entry in std::fs::read_dir(self.root.join("boot"))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(version) = name.strip_prefix("vmlinuz-") {
                return Ok((version.to_owned(), entry.path()));
            }
        }
        anyhow::bail!("no kernel in {}", self.root.join("boot").display())
    }

    /// A file of the packages.
    pub fn path(&self, path: &str) -> Result<PathBuf> {
        let path = self.root.join(path);
        ensure!(path.exists(), "no {}", path.display());
        Ok(path)
    }
}

/// A line of modules.dep: the module's name, and the paths of it and of what it depends on.
fn module(line: &str) -> Option<(String, Vec<&str>)> {
    let (path, depends) = line.split_once(':')?;
    let (name, _) = path.rsplit('/').next()?.split_once(".ko")?;
    let paths = std::iter::once(path).chain(depends.split_whitespace()).collect();
    Some((name.replace('-', "_"), paths))
}

/// Finds libraries in a folder and those below it.
fn collect_libraries(
    root: &Path,
    folder: &str,
    depth: u8,
    found: &mut BTreeMap<String, String>,
) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if entry.file_type()?.is_dir() {
            // A triple's folder, or that of one package in it.
            if depth < 2 && name != "modules" {
                collect_libraries(root, &path, depth + 1, found)?;
            }
        } else if name.contains(".so") {
            found.entry(name).or_insert(path);
        }
    }
    Ok(())
}

/// The path a link at `path` leads to, without dots.
fn resolve(path: &str, to: &Path) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts = Vec::new();
    for part in Path::new(folder).join(to).components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => drop(parts.pop()),
            _ => {}
        }
    }
    parts.join("/")
}

/// Programs for administrators are not on everybody's PATH.
fn path_with_sbin() -> std::ffi::OsString {
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(":/usr/sbin:/sbin");
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_within_the_tree() {
        assert_eq!(resolve("lib64/ld.so.2", Path::new("/lib/x/ld.so")), "lib/x/ld.so");
        assert_eq!(resolve("sbin/pvcreate", Path::new("lvm")), "sbin/lvm");
        assert_eq!(resolve("lib/systemd/udevd", Path::new("../../bin/udevadm")), "bin/udevadm");
    }

    #[test]
    fn modules_have_one_spelling() {
        let (name, paths) = module("kernel/drivers/md/dm-mod.ko: kernel/a.ko kernel/b.ko").unwrap();
        assert_eq!(name, "dm_mod");
        assert_eq!(paths, ["kernel/drivers/md/dm-mod.ko", "kernel/a.ko", "kernel/b.ko"]);
    }
}
