//! The cases: which file of a release is installed on which system, by whom.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::system::{self, Base, System};
use crate::vm;

const ENTER: &str = include_str!("enter.sh");
const COMMON: &str = include_str!("cases/common.sh");

/// A case takes this long at most, also in QEMU on a busy machine.
const LIMIT_S: u64 = 1800;

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
    /// By root, with this machine's Rust in /rust.
    WithRust,
    /// In a container of podman with its usual limits, which forbid io_uring.
    Container,
}

/// Where everything is.
pub struct Places {
    /// The top of the repository.
    pub root: PathBuf,
    /// Where the systems are.
    pub folder: PathBuf,
    /// The files of the release.
    pub files: PathBuf,
    /// Rust's programs and libraries, for the case that builds the sources.
    pub rust: PathBuf,
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
    /// Runs it on a copy of its system, or on the emulated board, with the files of a release.
    pub fn run(&self, places: &Places) -> Result<Outcome> {
        if let Base::Board(board) = self.system.made_of {
            return self.run_on(board, places);
        }
        let Places { folder, files, .. } = places;
        let root = system::copy(self.system, folder, &format!("case-{}", self.name))?;
        let started = Instant::now();
        let mut command = match self.how {
            How::Container => container(&root, files),
            _ => self.entering(places, &root)?,
        };
        command.arg(self.whole_script()).arg(self.name).args(self.arguments);
        let output = command.output().context("cannot run the case")?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let printed = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "{}\n{printed}{said}", output.status);
        let took_s = started.elapsed().as_secs();
        system::remove(&root)?;
        outcome(&printed, said, took_s)
    }

    /// The same on a board of `test-vm`; the time includes its start.
    fn run_on(&self, board: &str, places: &Places) -> Result<Outcome> {
        let started = Instant::now();
        let machine = self.arguments[0];
        let name = format!("bakeoff-{}-linux-{machine}.tar.xz", env!("CARGO_PKG_VERSION"));
        let (archive, there) = (places.files.join(&name), format!("files/{name}"));
        let script = format!("set -- {machine}\nexport HOME=/mnt/home\n");
        let script = script + &self.whole_script();
        let limit = Duration::from_secs(LIMIT_S);
        let output = vm::run_on_pi(&places.root, board, (&there, &archive), &script, limit)?;
        let (said, printed) = (output.error(), output.text());
        ensure!(output.code == 0, "{}\n{printed}{said}", output.code);
        outcome(&printed, said, started.elapsed().as_secs())
    }

    fn whole_script(&self) -> String {
        format!("{COMMON}\n{}", self.script)
    }

    fn entering(&self, places: &Places, root: &Path) -> Result<Command> {
        let Places { folder, files, rust, .. } = places;
        let script = folder.join("enter.sh");
        std::fs::write(&script, ENTER)?;
        let (user, home) = match self.how {
            How::User => ("1000:1000", "/home/user"),
            _ => ("0:0", "/root"),
        };
        let mut command = system::command(folder, self.system.is_emulated, "timeout")?;
        command.arg("--kill-after=10").arg(LIMIT_S.to_string());
        command.args(["unshare", "--mount", "--pid", "--fork"]);
        command.args(["--kill-child", "sh"]).arg(script).arg(root).arg(files);
        command.args(["env", "-i", "LC_ALL=C.UTF-8", &format!("HOME={home}")]);
        command.arg("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        command.args(["sh", "-c"]);
        command.env("USER_SPEC", user);
        command.env("PROC_OPTIONS", if self.how == How::User { "hidepid=2" } else { "rw" });
        command.env("RUST", if self.how == How::WithRust { rust.as_os_str() } else { "".as_ref() });
        command.env("READ_ONLY", if self.how == How::ReadOnlyHome { "/root" } else { "" });
        Ok(command)
    }
}

/// The line of a case's script that says how it went.
fn outcome(printed: &str, said: String, took_s: u64) -> Result<Outcome> {
    let result = printed.lines().find_map(|line| line.strip_prefix("RESULT\t"));
    let (size, ran) = result.and_then(|line| line.split_once('\t')).context("no result")?;
    Ok(Outcome { size_kb: size.parse()?, ran: ran.to_owned(), took_s, said })
}

fn container(root: &Path, files: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.arg("--kill-after=10").arg(LIMIT_S.to_string()).args(["podman", "--runtime=runc"]);
    command.args(["--cgroup-manager=cgroupfs", "run", "--rm", "--network=none"]);
    // Those of this machine may be more than a container is allowed.
    command.args(["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"]);
    command.args(["--tmpfs=/tmp:rw,exec,size=512m", "--env=HOME=/root", "--volume"]);
    command.arg(format!("{}:/files:ro", files.display()));
    command.arg("--rootfs").arg(root).args(["sh", "-c"]);
    command
}
