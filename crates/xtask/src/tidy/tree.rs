//! The files of the repository that git tracks. A new file is read once it is added: what else is
//! in a clone, such as the report of a demo, is not the project's.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// One file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Path from the top of the repository.
    pub path: String,
    /// Its text; empty when it is not UTF-8.
    pub text: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Whether it is text at all.
    pub is_text: bool,
    /// Whether anybody may execute it.
    pub is_executable: bool,
}

/// Reads every file; symlinks and files deleted but not yet committed are left out.
pub fn read(root: &Path) -> Result<Vec<File>> {
    let listing = Command::new("git")
        .args(["ls-files", "-z", "--cached"])
        .current_dir(root)
        .output()
        .context("cannot run git, which lists the files to check: install git")?;
    ensure!(listing.status.success(), "git ls-files failed: is {} a git clone?", root.display());
    let mut paths: Vec<&str> = listing
        .stdout
        .split(|&byte| byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| std::str::from_utf8(path).context("a file name is not UTF-8"))
        .collect::<Result<_>>()?;
    paths.sort_unstable();
    paths.dedup();
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let Ok(metadata) = root.join(path).symlink_metadata() else { continue };
        if metadata.is_file() {
            let bytes =
                std::fs::read(root.join(path)).with_context(|| format!("reading {path}"))?;
            files.push(file(path, bytes, metadata.permissions().mode()));
        }
    }
    Ok(files)
}

fn file(path: &str, bytes: Vec<u8>, mode: u32) -> File {
    let size_bytes = bytes.len() as u64;
    let text = if bytes.contains(&0) { None } else { String::from_utf8(bytes).ok() };
    File {
        path: path.to_owned(),
        is_text: text.is_some(),
        text: text.unwrap_or_default(),
        size_bytes,
        is_executable: mode & 0o111 != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `make demo` left its report in the clone, and `make test` checked its lines against the
    /// house rules.
    #[test]
    fn untracked_report_does_not_disturb_the_house_rules() {
        let clone = tempfile::tempdir().unwrap();
        std::fs::write(clone.path().join("tracked.md"), "short\n").unwrap();
        std::fs::write(clone.path().join("bakeoff-1f.html"), "x".repeat(4096)).unwrap();
        for args in [&["init", "--quiet"][..], &["add", "tracked.md"]] {
            let git = Command::new("git").args(args).current_dir(clone.path()).status().unwrap();
            assert!(git.success(), "{args:?}");
        }
        let paths: Vec<String> =
            read(clone.path()).unwrap().into_iter().map(|file| file.path).collect();
        assert_eq!(paths, ["tracked.md"]);
    }
}
