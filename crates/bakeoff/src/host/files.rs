//! Who uses a file: loop devices it backs and processes that have it open.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_core::model::path::{RawPath, bytes_path};

use super::root::{Root, pids};

/// Kernel names of the loop devices that a file backs, by whichever of its names.
pub fn loops_of_file(file: &Metadata) -> Vec<String> {
    let root = Root::system();
    let names = root.names("sys/block");
    let is_it = |name: &String| {
        let Ok(mut bytes) = root.read(format!("sys/block/{name}/loop/backing_file")) else {
            return false;
        };
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        let backing = std::fs::metadata(bytes_path(bytes).as_path());
        backing.is_ok_and(|backing| is_same(&backing, file))
    };
    names.into_iter().filter(|name| name.starts_with("loop")).filter(is_it).collect()
}

/// Other processes that have the file open, each with its name, as far as permitted.
pub fn users_of_file(file: &Metadata) -> Vec<(u32, RawPath)> {
    let root = Root::system();
    let has_it = |pid: &u32| {
        let fds = std::fs::read_dir(root.path(format!("proc/{pid}/fd")));
        fds.into_iter()
            .flatten()
            .flatten()
            .any(|entry| std::fs::metadata(entry.path()).is_ok_and(|opened| is_same(&opened, file)))
    };
    let others = pids(&root).into_iter().filter(|pid| *pid != std::process::id());
    let name = |pid: u32| {
        let comm = root.read(format!("proc/{pid}/comm")).unwrap_or_default();
        (pid, bytes_path(comm.trim_ascii_end().to_vec()))
    };
    others.filter(has_it).map(name).collect()
}

/// Whether two looks were at the same file.
pub fn is_same(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Whether two paths lead to the same file; a path that leads nowhere leads to no file.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let looked = std::fs::metadata(a).and_then(|a| Ok((a, std::fs::metadata(b)?)));
    looked.is_ok_and(|(a, b)| is_same(&a, &b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_has_a_file_open_is_found() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let metadata = file.as_file().metadata().unwrap();
        assert_eq!(users_of_file(&metadata), []);
        assert_eq!(loops_of_file(&metadata), [""; 0]);
        let opened = std::fs::File::open(file.path()).unwrap();
        let mut child =
            std::process::Command::new("sleep").arg("60").stdin(opened).spawn().unwrap();
        let users = users_of_file(&metadata);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(users.iter().any(|(pid, _)| *pid == child.id()), "{users:?}");
    }
}
