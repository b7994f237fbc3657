//! Files written for the user: whole or not at all, theirs under sudo, and never over something
//! of theirs.
//!
//! A new file appears under its name only when it is complete (written beside it, synced, then
//! renamed). An existing file is replaced when bakeoff wrote it; anything else stays.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use bakeoff_core::model::path::RawPath;
use bakeoff_core::report::CSV_COLUMNS;

use super::user::User;

/// How much of an existing file is searched for our marks. Reports of large runs are longer, but
/// have their mark near the beginning.
const SEARCH_BYTES: u64 = 4 << 20;
/// Words that only files of ours carry: schemas, the HTML report's generator, the last line of a
/// Markdown block.
const MARKS: [&str; 4] =
    ["\"bakeoff/", "\"fio version\": \"bakeoff-", "content=\"bakeoff", "; repeat with `bakeoff "];

/// Writes `content` to `path`.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    write_with(path, |out| out.write_all(content))
}

/// Writes what `fill` gives to `path`; `fill` failing leaves everything as it was.
pub fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut before = None;
    let target = match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if found.file_type().is_block_device() => {
            let path = RawPath::new(path);
            let said = format!("Refusing to write a result to {path}: it is a block device");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, said));
        }
        // A terminal, /dev/null or a pipe has no content to save.
        Ok(found) if !found.is_file() => return fill(&mut File::options().write(true).open(path)?),
        Ok(found) if found.len() > 0 && !is_ours(path)? => {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!(
                    "Refusing to overwrite {}: bakeoff did not write it. Specify another file with \
                     -o, or remove it first",
                    RawPath::new(path)
                ),
            ));
        }
        // What a link points to is replaced, not the link.
        Ok(found) => {
            before = Some(found);
            fs::canonicalize(path)?
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        Err(error) => return Err(error),
    };
    let dir = match target.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    // As any new file, what the umask takes away is taken away; one that takes the place of another
    // is never open to more than that was.
    let mode = before.as_ref().map_or(0o666, |before| before.mode() & 0o666);
    builder.prefix(".bakeoff-").permissions(fs::Permissions::from_mode(mode));
    let mut temporary = builder.tempfile_in(&dir)?;
    let mut out = io::BufWriter::new(temporary.as_file_mut());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    match (&before, User::behind_sudo()) {
        (Some(before), _) => keep_access(temporary.as_file(), before)?,
        (None, Some(user)) => user.give(temporary.as_file())?,
        (None, None) => {}
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&target).map_err(|failed| failed.error)?;
    Ok(())
}

/// Gives a file the owner and the mode of the one it replaces. The owner only as far as permitted.
fn keep_access(file: &File, before: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    let mut mode = before.mode() & 0o7777;
    if (now.uid(), now.gid()) != (before.uid(), before.gid())
        && fchown(file, Some(before.uid()), Some(before.gid())).is_err()
    {
        // Set-id bits were meant for that owner.
        mode &= 0o777;
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

fn is_ours(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(SEARCH_BYTES).read_to_end(&mut start)?;
    let has = |mark: &str| start.windows(mark.len()).any(|window| window == mark.as_bytes());
    Ok(start.starts_with(CSV_COLUMNS.join(",").as_bytes()) || MARKS.iter().any(|mark| has(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_is_replaced_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("a.html");
        let page = b"<html><meta name=\"generator\" content=\"bakeoff 0.1.0\">";
        write_atomically(&path, page).expect("new");
        write_atomically(&path, page).expect("ours");
        fs::write(&path, "my notes on bakeoff").expect("can write");
        let error = write_atomically(&path, page).expect_err("not ours");
        assert!(error.to_string().contains("did not write it"), "{error}");
        assert_eq!(fs::read(&path).expect("there"), b"my notes on bakeoff");
        fs::write(&path, "").expect("can write");
        write_atomically(&path, page).expect("an empty file has nothing to lose");
        assert_eq!(fs::read_dir(dir.path()).expect("there").count(), 1, "nothing beside it");
    }

    /// A private report was open to everybody after it was written again.
    #[test]
    fn a_file_that_is_written_again_keeps_its_mode_and_owner() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("a.json");
        let content = b"{\"schema\": \"bakeoff/run/1\"}";
        for mode in [0o600, 0o640, 0o444, 0o666] {
            let _ = fs::remove_file(&path);
            write_atomically(&path, content).expect("new");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
            let is_root = rustix::process::geteuid().is_root();
            if is_root {
                std::os::unix::fs::chown(&path, Some(1234), Some(1235)).expect("root may");
            }
            write_atomically(&path, content).expect("again");
            let now = fs::metadata(&path).expect("there");
            assert_eq!(now.mode() & 0o7777, mode, "{mode:o}");
            assert!(!is_root || (now.uid(), now.gid()) == (1234, 1235));
        }
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_beside_it() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("a.json");
        write_atomically(&path, b"{\"schema\": \"bakeoff/run/1\"}").expect("new");
        let failed = write_with(&path, |out| {
            out.write_all(b"half of it")?;
            Err(io::Error::other("the drive is on fire"))
        });
        assert!(failed.is_err());
        assert!(fs::read_to_string(&path).expect("there").contains("bakeoff/run/1"));
        assert_eq!(fs::read_dir(dir.path()).expect("there").count(), 1);
    }

    #[test]
    fn links_devices_and_directories() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        write_atomically(&real, b"\"bakeoff/run/1\"").expect("new");
        std::os::unix::fs::symlink(&real, &link).expect("can link");
        write_atomically(&link, b"\"bakeoff/run/1\" again").expect("ours");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert!(fs::read_to_string(&real).expect("there").ends_with("again"));
        write_atomically(Path::new("/dev/null"), b"x").expect("a device is written to");
        let error = write_atomically(dir.path(), b"x").expect_err("a directory");
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }
}
