//! Whose files these are: under sudo the user's who typed it, not root's.
//!
//! sudo(8) tells who that is in SUDO_UID and SUDO_GID. Every file and directory made here for the
//! user is handed to them through its descriptor, never by name, so nobody can slip another file
//! in between.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, Uid, fchown};

/// Someone else than the user this process runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherUser {
    uid: u32,
    gid: u32,
    home: Option<PathBuf>,
}

impl OtherUser {
    /// The user who typed `sudo bakeoff`; `None` outside of sudo.
    pub fn behind_sudo() -> Option<OtherUser> {
        let passwd = || fs::read_to_string("/etc/passwd").unwrap_or_default();
        OtherUser::from(
            rustix::process::geteuid().is_root(),
            &|name| std::env::var_os(name),
            &passwd,
        )
    }

    fn from(
        is_root: bool,
        env: &dyn Fn(&str) -> Option<OsString>,
        passwd: &dyn Fn() -> String,
    ) -> Option<OtherUser> {
        let number = |name| env(name)?.to_str()?.parse::<u32>().ok().filter(|n| *n != u32::MAX);
        let (uid, gid) = (number("SUDO_UID")?, number("SUDO_GID")?);
        if !is_root || uid == 0 {
            return None;
        }
        // Users of a directory service are not in /etc/passwd; sudo 1.9.15 and later name the home.
        let home = env("SUDO_HOME").map(PathBuf::from).or_else(|| home_of(uid, &passwd()));
        Some(OtherUser { uid, gid, home: home.filter(|path| path.is_absolute()) })
    }

    pub fn uid(&self) -> u32 {
        self.uid
    }

    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub fn give(&self, file: impl AsFd) -> io::Result<()> {
        fchown(file, Some(Uid::from_raw(self.uid)), Some(Gid::from_raw(self.gid)))?;
        Ok(())
    }
}

/// Field 6 of passwd(5).
fn home_of(uid: u32, passwd: &str) -> Option<PathBuf> {
    let uid = uid.to_string();
    let mut lines = passwd.lines().map(|line| line.split(':').collect::<Vec<_>>());
    lines.find(|f| f.len() >= 7 && f[2] == uid).map(|f| PathBuf::from(f[5]))
}

/// Whether a user is the caller: who runs this process, or typed `sudo`.
pub fn is_callers(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw()
        || OtherUser::behind_sudo().is_some_and(|user| user.uid == uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/bash\npi:x:1000:1000:,,,:/home/pi:/bin/bash\n";

    fn user(is_root: bool, env: &[(&str, &str)]) -> Option<OtherUser> {
        let get = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into());
        OtherUser::from(is_root, &get, &|| PASSWD.to_string())
    }

    #[test]
    fn only_root_under_sudo_is_someone_else() {
        let sudo = [("SUDO_UID", "1000"), ("SUDO_GID", "1000")];
        let pi = user(true, &sudo).expect("under sudo");
        assert_eq!(pi.home(), Some(Path::new("/home/pi")));
        assert_eq!(user(false, &sudo), None);
        assert_eq!(user(true, &[]), None);
        assert_eq!(user(true, &[("SUDO_UID", "0"), ("SUDO_GID", "0")]), None);
        assert_eq!(user(true, &[("SUDO_UID", "4294967295"), ("SUDO_GID", "1")]), None);
    }

    #[test]
    fn users_of_a_directory_service_have_the_home_sudo_names() {
        let env = [("SUDO_UID", "77777"), ("SUDO_GID", "5")];
        assert_eq!(user(true, &env).expect("under sudo").home(), None);
        let with = [env[0], env[1], ("SUDO_HOME", "/net/home/ada")];
        assert_eq!(user(true, &with).expect("sudo").home(), Some(Path::new("/net/home/ada")));
    }
}
