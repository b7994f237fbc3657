//! Results written for the user: whole or not at all, theirs under sudo, and never over something
//! of theirs.
//!
//! A new file appears under its name only when it is complete. An existing file is replaced when
//! bakeoff wrote it; anything else stays.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use bakeoff_report::CSV_COLUMNS;
use rustix::fs::{Gid, Mode, Stat, Uid, fchmod, fchown, fstat};

use super::user::{OtherUser, is_callers};
use super::{Entry, FileError};

/// How much of an existing file is searched for our marks. Reports of large runs are longer, but
/// have their mark near the beginning.
const SEARCH_BYTES: u64 = 4 << 20;
/// Words that only files of ours carry: schemas, the title of a picture, the HTML report's
/// generator, the last line of a Markdown block, and the first of a script.
const MARKS: [&str; 5] =
    ["\"bakeoff/", ">bakeoff</text>", "content=\"bakeoff", ". Repeat it:", "# bakeoff run "];

pub fn check(path: &Path) -> Result<(), FileError> {
    replaced(&Entry::of(path)?).map(drop)
}

/// Writes what `fill` gives to `path`; `fill` failing leaves everything as it was.
pub fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let entry = Entry::of(path)?;
    let before = replaced(&entry)?;
    // Of a file of somebody else's nothing is taken over.
    let own = before.as_ref().filter(|before| is_callers(before.st_uid));
    // As any new file, what the umask takes away is taken away; one that takes the place of another
    // is never open to more than that was.
    let mode = own.map_or(0o666, |own| own.st_mode & 0o666);
    entry.replace((mode, before.is_none()), |file| {
        let mut out = io::BufWriter::new(&mut *file);
        fill(&mut out)?;
        out.flush()?;
        drop(out);
        match (own, OtherUser::behind_sudo()) {
            (Some(own), _) => keep_access(file, own),
            (None, Some(user)) => user.give(file),
            (None, None) => Ok(()),
        }
    })
}

/// The file that a result takes the place of; `None` where there is none.
fn replaced(entry: &Entry) -> Result<Option<Stat>, FileError> {
    let Some((file, found)) = entry.open()? else {
        entry.refuse_devices()?;
        return Ok(None);
    };
    if found.st_size > 0 && !is_ours(file)? { Err(FileError::NotOurs) } else { Ok(Some(found)) }
}

/// Gives a file the owner, group and mode of the caller's own one that it replaces.
fn keep_access(file: &File, own: &Stat) -> io::Result<()> {
    let now = fstat(file)?;
    let mut mode = own.st_mode & 0o777;
    if (now.st_uid, now.st_gid) != (own.st_uid, own.st_gid) {
        let (owner, group) = (Uid::from_raw(own.st_uid), Gid::from_raw(own.st_gid));
        if fchown(file, Some(owner), Some(group)).is_err() {
            // What the group may do was meant for that group.
            mode &= 0o707;
        }
    }
    Ok(fchmod(file, Mode::from_raw_mode(mode))?)
}

/// Whether a file was written here. All that bakeoff writes is text: a store or a disk image may
/// well have our words in it.
fn is_ours(file: File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.take(SEARCH_BYTES).read_to_end(&mut start)?;
    let has = |mark: &str| start.windows(mark.len()).any(|window| window == mark.as_bytes());
    let is_ours = start.starts_with(CSV_COLUMNS.join(",").as_bytes());
    Ok(!start.contains(&0) && (is_ours || MARKS.iter().any(|mark| has(mark))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    fn write(path: &Path, content: &[u8]) -> Result<(), FileError> {
        super::write(path, |out| out.write_all(content))
    }

    fn refusal(path: &Path) -> String {
        match (check(path), write(path, b"x")) {
            (Err(checked), Err(written)) => {
                assert!(!matches!(written, FileError::Io(_)), "{written}");
                assert_eq!(checked.to_string(), written.to_string());
                written.to_string()
            }
            other => panic!("{path:?} was not refused: {other:?}"),
        }
    }

    #[test]
    fn ours_is_replaced_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("a.html");
        let page = b"<html><meta name=\"generator\" content=\"bakeoff 0.1.0\">";
        write(&path, page).expect("new");
        write(&path, page).expect("ours");
        fs::write(&path, "my notes on bakeoff").expect("can write");
        assert!(refusal(&path).contains("did not write it"));
        assert_eq!(fs::read(&path).expect("there"), b"my notes on bakeoff");
        fs::write(&path, "").expect("can write");
        write(&path, page).expect("an empty file has nothing to lose");
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
            write(&path, content).expect("new");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
            write(&path, content).expect("again");
            assert_eq!(fs::metadata(&path).expect("there").mode() & 0o7777, mode, "{mode:o}");
        }
    }

    /// Another user's file in their directory gave them whatever root wrote over it.
    #[test]
    fn nothing_is_taken_over_from_a_file_of_another_user() {
        if skip::lacks_root() {
            return;
        }
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("a.json");
        for content in ["", "{\"schema\": \"bakeoff/run/1\"}"] {
            fs::write(&path, content).expect("can write");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o4777)).expect("ours");
            chown(&path, Some(1234), Some(1235)).expect("root may");
            write(&path, b"{\"schema\": \"bakeoff/run/1\"}").expect("again");
            let now = fs::metadata(&path).expect("there");
            assert_eq!((now.uid(), now.gid(), now.mode() & 0o7022), (0, 0, 0));
        }
    }

    /// A link under a name that could be guessed led root to an empty file elsewhere.
    #[test]
    fn a_link_of_another_user_is_not_followed_anywhere_in_a_path() {
        if skip::lacks_root() {
            return;
        }
        let dir = tempfile::tempdir().expect("a temporary directory");
        let victim = dir.path().join("victim");
        fs::create_dir(&victim).expect("can make");
        fs::write(victim.join("empty"), "").expect("can write");
        let link = |name: &str, to: &Path| {
            let link = dir.path().join(name);
            symlink(to, &link).expect("can link");
            std::os::unix::fs::lchown(&link, Some(1234), None).expect("root may");
            link
        };
        let paths = [
            link("file", &victim.join("empty")),
            link("missing", &victim.join("none")),
            link("dir", &victim).join("report.html"),
        ];
        for path in paths {
            assert!(refusal(&path).contains("a symbolic link that user 1234 made"));
        }
        assert_eq!(fs::read_dir(&victim).expect("there").count(), 1);
        assert_eq!(fs::read(victim.join("empty")).expect("there"), b"");
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_beside_it() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("a.json");
        write(&path, b"{\"schema\": \"bakeoff/run/1\"}").expect("new");
        let failed = super::write(&path, |out| {
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
        write(&real, b"\"bakeoff/run/1\"").expect("new");
        std::os::unix::fs::symlink(&real, &link).expect("can link");
        write(&link, b"\"bakeoff/run/1\" again").expect("ours");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert!(fs::read_to_string(&real).expect("there").ends_with("again"));
        let error = write(dir.path(), b"x").expect_err("a directory").to_string();
        assert!(error.contains("directory"), "{error}");
        let fifo = dir.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo");
        assert!(made.success() && refusal(&fifo).contains("a FIFO"));
        assert!(refusal(Path::new("/dev/zero")).contains("a character device"));
        let typed = Path::new("/dev/bakeoff-no-such-drive");
        assert!(refusal(typed).contains("/dev is for devices"));
        assert!(!typed.exists());
    }
}
