//! bakeoff with a real PostgreSQL server ([`cluster`](crate::cluster)): databases with its tables,
//! and commands that push to them and read from them.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

pub use crate::cluster::{Cluster, PASSWORD, programs};
use crate::stored::{Home, answer};

/// A database of one test.
pub struct Database {
    pub cluster: Arc<Cluster>,
    pub name: String,
}

impl Cluster {
    /// A new database with the tables of bakeoff in it.
    pub fn database(self: &Arc<Cluster>, name: &str) -> Database {
        self.create_database(name);
        let database = Database { cluster: Arc::clone(self), name: name.to_string() };
        database.update();
        database
    }
}

impl Database {
    /// Runs the script that `bakeoff fleet schema` prints.
    pub fn update(&self) {
        let (code, script, err) = Home::new().run(&["fleet", "schema"]);
        assert_eq!(code, 0, "{err}");
        let (ok, said) = self.cluster.psql(&self.name, &script);
        assert!(ok && said.contains("bakeoff: layout 2"), "{said}");
    }

    /// A role of this database's test that may log in: its whole name.
    pub fn role(&self, name: &str, group: &str) -> String {
        let role = format!("{}_{name}", self.name);
        let group = if group.is_empty() { String::new() } else { format!("IN ROLE {group}") };
        self.sql(&format!("CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}' {group}"));
        role
    }

    /// SQL as the administrator, which must work.
    pub fn sql(&self, sql: &str) -> String {
        let (ok, said) = self.cluster.psql(&self.name, sql);
        assert!(ok, "{sql}: {said}");
        said
    }

    /// Its address for a role.
    pub fn address(&self, role: &str) -> String {
        self.cluster.address(role, &self.name)
    }
}

/// bakeoff with a server as its store, and the password of the tests.
pub fn bakeoff(home: &Home, store: &str, args: &[&str]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("bakeoff").unwrap();
    command.current_dir(home.dir.path()).args(["--store", store]).args(args);
    for name in ["SUDO_UID", "SUDO_GID", "PGPASSFILE", "PGUSER", "PGHOST", "PGSSLMODE"] {
        command.env_remove(name);
    }
    command.env("HOME", home.dir.path()).env("XDG_DATA_HOME", home.dir.path().join("data"));
    command.env("PGPASSWORD", PASSWORD);
    command
}

/// Reads from a server.
pub fn read(home: &Home, store: &str, args: &[&str]) -> (i32, String, String) {
    answer(&mut bakeoff(home, store, args))
}

/// Pushes from the store of `home`: the named runs, or all.
pub fn push(home: &Home, store: &str, args: &[&str]) -> (i32, String, String) {
    answer(&mut push_command(home, store, args))
}

/// The same, to be started by the caller.
pub fn push_command(home: &Home, store: &str, args: &[&str]) -> assert_cmd::Command {
    let mut command = bakeoff(home, store, &["fleet", "push", "--from"]);
    command.arg(home.store()).args(args);
    if args.iter().all(|word| word.starts_with('-')) {
        command.arg("--all");
    }
    command
}

/// Runs of the store as if they had been measured here: those are pushed without being named.
pub fn measured_here(home: &Home) {
    let store = rusqlite::Connection::open(home.store()).unwrap();
    store.execute("UPDATE runs SET is_imported = 0", []).unwrap();
}

/// Whether a file or directory has a text in any file.
pub fn has_text(at: &Path, text: &str) -> bool {
    match at.is_dir() {
        true => std::fs::read_dir(at).unwrap().any(|entry| has_text(&entry.unwrap().path(), text)),
        false => {
            let bytes = std::fs::read(at).unwrap();
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        }
    }
}
