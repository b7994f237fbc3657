//! A password from libpq's file of passwords, `~/.pgpass`.
//!
//! Each line is `host:port:database:user:password`; `*` stands for anything, a backslash protects a
//! colon or a backslash. The first line that fits counts. As libpq does, a file that others can
//! read is not used, but here that is an error: a board would go on without a password otherwise.
//! Source: <https://www.postgresql.org/docs/current/libpq-pgpass.html>.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use bakeoff_model::path::RawPath;
use rustix::fs::OFlags;
use rustix::process::geteuid;

use crate::store::StoreError;

const MOST_BYTES: u64 = 1 << 20;
const OTHERS: u32 = 0o077;

pub struct Wanted {
    pub hosts: Vec<String>,
    pub port: u16,
    pub database: String,
    pub user: String,
}

/// The password; `None` where there is no file or no line that fits.
///
/// # Errors
/// The file cannot be read, or others can read it.
pub fn find(path: &Path, wanted: &Wanted) -> Result<Option<String>, StoreError> {
    let failed = |why: String| {
        let path = RawPath::new(path);
        StoreError::environment(format!("cannot use the passwords in {path}: {why}"))
    };
    // A pipe would be waited for.
    let flags = OFlags::NONBLOCK.bits() as i32;
    let file = match File::options().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(format!("{error}. Make it readable by your user"))),
    };
    let found = file.metadata().map_err(|error| failed(error.to_string()))?;
    if !found.is_file() {
        return Err(failed("it is not a regular file".to_string()));
    }
    if ![0, geteuid().as_raw()].contains(&found.uid()) {
        return Err(failed("it belongs to another user".to_string()));
    }
    // A list of users who may read it shows in the bits of the group: acl(5).
    if found.permissions().mode() & OTHERS != 0 {
        let shown = bakeoff_machine::prepare::steps::shell_word(&RawPath::new(path));
        return Err(failed(format!("other users can read it. Restrict it: chmod 600 {shown}")));
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).map_err(|error| failed(error.to_string()))?;
    Ok(text.lines().find_map(|line| password(line, wanted)))
}

fn password(line: &str, wanted: &Wanted) -> Option<String> {
    let [host, port, database, user, password] = fields(line)?;
    let fits = |field: &str, value: &str| field == "*" || field == value;
    let is_it = (host == "*" || wanted.hosts.contains(&host))
        && fits(&port, &wanted.port.to_string())
        && fits(&database, &wanted.database)
        && fits(&user, &wanted.user);
    is_it.then_some(password)
}

/// The five fields of a line; `None` for a comment and for a line with fewer.
fn fields(line: &str) -> Option<[String; 5]> {
    if line.starts_with('#') {
        return None;
    }
    let mut all = [const { String::new() }; 5];
    let (mut at, mut chars) = (0, line.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => all[at].extend(chars.next()),
            ':' if at < 4 => at += 1,
            c => all[at].push(c),
        }
    }
    (at == 4).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};

    fn found(text: &str, mode: u32) -> Result<Option<String>, StoreError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pass");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let wanted = Wanted {
            hosts: vec!["db".into()],
            port: 5432,
            database: "bakeoff".into(),
            user: "pi:1".into(),
        };
        find(&path, &wanted)
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let text = "# db:5432:bakeoff:pi\\:1:no\nother:*:*:*:no\ndb:*:*:pi:no\nshort\n\
                    db:5432:*:pi\\:1:a\\:b\\\\c:d\n*:*:*:*:last\n";
        assert_eq!(found(text, 0o600).unwrap().as_deref(), Some("a:b\\c:d"));
        assert_eq!(found("*:*:*:*:last\n", 0o600).unwrap().as_deref(), Some("last"));
        assert_eq!(found("db:1:*:*:no\n", 0o400).unwrap(), None);
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let error = found("*:*:*:*:hunter2\n", 0o644).unwrap_err().to_string();
        assert!(error.contains("chmod 600") && !error.contains("hunter2"), "{error}");
        let dir = tempfile::tempdir().unwrap();
        let wanted =
            Wanted { hosts: Vec::new(), port: 1, database: String::new(), user: String::new() };
        let error = find(dir.path(), &wanted).unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
    }
}
