//! Where the store is when nobody says: the user's data directory.
//!
//! Source: XDG Base Directory Specification 0.8.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::StoreError;
use crate::files::OtherUser;

const SERVERS: [&str; 2] = ["postgresql://", "postgres://"];

pub fn is_address(option: &Path) -> bool {
    option.to_str().is_some_and(|text| SERVERS.iter().any(|start| text.starts_with(start)))
}

/// The file named with `--store`, or `$XDG_DATA_HOME/bakeoff/bakeoff.db`.
pub fn path(option: Option<&Path>) -> Result<PathBuf, StoreError> {
    match option {
        Some(path) if is_address(path) => Err(StoreError::not_a_file()),
        Some(path) => {
            std::path::absolute(path).map_err(|error| StoreError::io(path, &error.to_string()))
        }
        None => default(&|name| std::env::var_os(name), OtherUser::behind_sudo().as_ref()),
    }
}

/// A file or directory beside the store, whose name begins with the store's own.
pub fn beside(store: &Path, end: &str) -> PathBuf {
    let mut name = store.as_os_str().to_os_string();
    name.push(end);
    name.into()
}

fn default(
    env: &dyn Fn(&str) -> Option<OsString>,
    behind_sudo: Option<&OtherUser>,
) -> Result<PathBuf, StoreError> {
    // "All paths set in these environment variables must be absolute", others are ignored.
    let absolute = |name| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let own_home = || absolute("HOME").map(|home| home.join(".local/share"));
    let home = match behind_sudo {
        Some(user) => user.home().map(|home| home.join(".local/share")),
        None => own_home(),
    };
    let data = absolute("XDG_DATA_HOME").or(home).ok_or_else(|| {
        let why = "cannot locate the store: HOME is not set. Specify the store with --store PATH";
        StoreError::environment(why)
    })?;
    Ok(data.join("bakeoff/bakeoff.db"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(env: &[(&str, &str)]) -> Option<PathBuf> {
        let get = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into());
        default(&get, None).ok()
    }

    #[test]
    fn the_xdg_specification_is_followed() {
        let home = ("HOME", "/home/ada");
        let standard = Some("/home/ada/.local/share/bakeoff/bakeoff.db".into());
        assert_eq!(at(&[home]), standard);
        assert_eq!(at(&[home, ("XDG_DATA_HOME", "")]), standard);
        assert_eq!(at(&[home, ("XDG_DATA_HOME", "relative")]), standard);
        assert_eq!(at(&[home, ("XDG_DATA_HOME", "/d")]), Some("/d/bakeoff/bakeoff.db".into()));
        assert_eq!(at(&[]), None);
    }

    #[test]
    fn the_address_of_a_server_is_no_file_and_is_not_repeated() {
        let error = path(Some(Path::new("postgresql://pi:hunter2@db/b"))).unwrap_err().to_string();
        assert!(error.contains("Omit --store") && !error.contains("hunter2"), "{error}");
        assert!(path(Some(Path::new("./postgresql://x"))).is_ok());
    }
}
