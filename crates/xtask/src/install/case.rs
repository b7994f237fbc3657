//! The cases: which file of a release is installed on which system, by whom.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::system::{self, System};

const ENTER: &str = include_str!("enter.sh");
const COMMON: &str = include_str!("cases/common.sh");

/// A case takes this long at most, also in QEMU on a busy machine.
const LIMIT: &str = "900";

/// One case.
#[derive(Debug)]
pub struct Case {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What is installed, for people.
    pub artefact: &'static str,
    /// On what.
    pub system: &'static System,
    /// What is particular, for people.
    pub note: &'static str,
    /// What is run there, after what the cases share.
    pub script: &'static str,
    /// Its arguments.
    pub arguments: &'static [&'static str],
    /// How it is run.
    pub how: How,
}

/// How a case is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By root.
    Root,
    /// By a user who sees no process of others.
    User,
    /// By root, whose home is on a read-only filesystem.
    ReadOnlyHome,
    /// In a container of podman with its usual limits, which forbid io_uring.
    Container,
}

/// What became of a case.
pub struct Outcome {
    /// Kilobytes installed.
    pub size_kb: u64,
    /// What was run, for people.
    pub ran: String,
    /// How long everything took.
    pub took_s: u64,
    /// What it printed beside that.
    pub said: String,
}

impl Case {
    /// Runs it on a copy of its system, below `folder`, with the files of a release.
    pub fn run(&self, folder: &Path, files: &Path) -> Result<Outcome> {
        let root = system::copy(self.system, folder, &format!("case-{}", self.name))?;
        let started = Instant::now();
        let mut command = match self.how {
            How::Container => container(&root, files),
            _ => self.entering(folder, &root, files)?,
        };
        command.arg(format!("{COMMON}\n{}", self.script)).arg(self.name).args(self.arguments);
        let output = command.output().context("cannot run the case")?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let printed = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "{}\n{printed}{said}", output.status);
        let result = printed.lines().find_map(|line| line.strip_prefix("RESULT\t"));
        let (size, ran) = result.and_then(|line| line.split_once('\t')).context("no result")?;
        let took_s = started.elapsed().as_secs();
        system::remove(&root)?;
        Ok(Outcome { size_kb: size.parse()?, ran: ran.to_owned(), took_s, said })
    }

    fn entering(&self, folder: &Path, root: &Path, files: &Path) -> Result<Command> {
        let script = folder.join("enter.sh");
        std::fs::write(&script, ENTER)?;
        let (user, home) = match self.how {
            How::User => ("1000:1000", "/home/user"),
            _ => ("0:0", "/root"),
        };
        let mut command = system::command(folder, self.system.is_emulated, "timeout")?;
        command.args(["--kill-after=10", LIMIT, "unshare", "--mount", "--pid", "--fork"]);
        command.args(["--kill-child", "sh"]).arg(script).arg(root).arg(files);
        command.args(["env", "-i", "LC_ALL=C.UTF-8", &format!("HOME={home}")]);
        command.arg("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        command.args(["sh", "-c"]);
        command.env("USER_SPEC", user);
        command.env("PROC_OPTIONS", if self.how == How::User { "hidepid=2" } else { "rw" });
        command.env("READ_ONLY", if self.how == How::ReadOnlyHome { "/root" } else { "" });
        Ok(command)
    }
}

fn container(root: &Path, files: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", LIMIT, "podman", "--runtime=runc"]);
    command.args(["--cgroup-manager=cgroupfs", "run", "--rm", "--network=none"]);
    // Those of this machine may be more than a container is allowed.
    command.args(["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"]);
    command.args(["--tmpfs=/tmp:rw,exec,size=512m", "--env=HOME=/root", "--volume"]);
    command.arg(format!("{}:/files:ro", files.display()));
    command.arg("--rootfs").arg(root).args(["sh", "-c"]);
    command
}
