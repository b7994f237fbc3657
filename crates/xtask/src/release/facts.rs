//! What every file of a release has in common: version, date, folders.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use jiff::Timestamp;

use crate::dist::Machine;
use crate::tool;

/// Who answers for the packages where `DEBFULLNAME` and `DEBEMAIL` do not say who publishes them.
const MAINTAINER: [&str; 2] = ["bakeoff developers", "developers@bakeoff.example"];

/// The facts of one release.
pub struct Facts {
    /// The top of the repository.
    pub root: PathBuf,
    /// As in Cargo.toml.
    pub version: String,
    /// Seconds since 1970 of the commit: the date of everything that is made, so that it does not
    /// depend on when it is made. Source: reproducible-builds.org, `SOURCE_DATE_EPOCH`.
    pub epoch_s: i64,
    /// Where the files are put that people download.
    pub out: PathBuf,
    /// Where they are put together.
    pub work: PathBuf,
    /// Level of xz: the best for people, the quickest for tests.
    pub level: u8,
}

impl Facts {
    /// Reads them from the clone; `folder`, below `target`, is emptied.
    pub fn gather(root: &Path, folder: &str, level: u8) -> Result<Facts> {
        let epoch_s = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(seconds) => seconds.parse().context("SOURCE_DATE_EPOCH is not a number")?,
            Err(_) => {
                let mut git = Command::new("git");
                git.current_dir(root).args(["log", "-1", "--format=%ct"]);
                tool::output(&mut git)?.trim().parse().context("git printed no date")?
            }
        };
        let out = tool::target().join(folder);
        let work = tool::target().join(format!("{folder}-work"));
        for folder in [&out, &work] {
            tool::renew(folder)?;
        }
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Facts { root: root.to_owned(), version, epoch_s, out, work, level })
    }

    /// Who answers for the packages, as `NAME <ADDRESS>`.
    pub fn maintainer(&self) -> String {
        let [name, address] = [("DEBFULLNAME", MAINTAINER[0]), ("DEBEMAIL", MAINTAINER[1])]
            .map(|(variable, own)| std::env::var(variable).unwrap_or_else(|_| own.to_owned()));
        format!("{name} <{address}>")
    }

    /// The version of a machine's Debian package.
    pub fn debian_version(&self, machine: &Machine) -> String {
        format!("{}{}", self.version, machine.debian_suffix)
    }

    /// The date as in `2026-11-24`.
    pub fn day(&self) -> Result<String> {
        Ok(Timestamp::from_second(self.epoch_s)?.strftime("%Y-%m-%d").to_string())
    }

    /// The date as Debian's changelogs have it (RFC 5322).
    pub fn debian_date(&self) -> Result<String> {
        Ok(Timestamp::from_second(self.epoch_s)?
            .strftime("%a, %d %b %Y %H:%M:%S +0000")
            .to_string())
    }

    /// A command that is told the date.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SOURCE_DATE_EPOCH", self.epoch_s.to_string()).env("LC_ALL", "C");
        command
    }

    /// Packs a folder below `work` as `NAME.tar.xz`: the same bytes for the same files.
    pub fn tar_xz(&self, name: &str) -> Result<PathBuf> {
        let file = self.out.join(format!("{name}.tar.xz"));
        let mut tar = self.tar(&format!("xz -{} -T1", self.level), &file, &self.work);
        tool::run(tar.arg(name)).context("tar and xz are in Debian's tar and xz-utils")?;
        Ok(file)
    }

    /// tar, packing names in a folder into a file; which names is added.
    pub fn tar(&self, compressor: &str, file: &Path, folder: &Path) -> Command {
        let mut tar = self.command("tar");
        tar.args(["--create", "--sort=name", "--format=gnu", "--owner=0", "--group=0"])
            .args(["--numeric-owner", "--mode=go=rX,u+rwX"])
            .arg(format!("--use-compress-program={compressor}"))
            .arg(format!("--mtime=@{}", self.epoch_s))
            .arg("--file")
            .arg(file)
            .arg("--directory")
            .arg(folder);
        tar
    }
}
