//! ansible-core and ansible-lint, which others keep: fetched from PyPI into a folder of ours.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::tool;

/// Ansible.
pub const CORE: &str = "ansible-core==2.19.14";
/// What the tests of the collection take.
pub const ALL: [&str; 2] = [CORE, "ansible-lint==26.10.1"];

/// Settings of Ansible: none, in place of those of this machine.
const SETTINGS: &str = "ansible.cfg";

/// Where Ansible is, and what it is told wherever it is started.
pub struct Tools {
    /// The folder of everything here, in `target`.
    pub folder: PathBuf,
}

impl Tools {
    /// The tools below a folder.
    pub fn new(folder: &Path) -> Tools {
        Tools { folder: folder.to_owned() }
    }

    /// Fetches them, unless they are there.
    pub fn fetch(&self, wanted: &[&str]) -> Result<()> {
        let packages = self.folder.join("packages");
        std::fs::create_dir_all(&packages)?;
        std::fs::write(self.folder.join(SETTINGS), "")?;
        tool::fetch_from_pypi(&packages, wanted, 120)
    }

    /// A program of Ansible with a home folder of its own, and none of this machine's settings.
    pub fn command(&self, program: &str) -> Command {
        let packages = self.folder.join("packages");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(packages.join("bin").join(program));
        command
            .env("PYTHONPATH", &packages)
            .env("PATH", format!("{}:{path}", packages.join("bin").display()))
            .env("HOME", self.folder.join("home"))
            .env("ANSIBLE_COLLECTIONS_PATH", self.folder.join("collections"))
            .env("ANSIBLE_CONFIG", self.folder.join(SETTINGS))
            .env("ANSIBLE_HOST_KEY_CHECKING", "False")
            .env("ANSIBLE_NOCOLOR", "1")
            .env("NO_COLOR", "1")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("XDG_DATA_HOME");
        command
    }
}
