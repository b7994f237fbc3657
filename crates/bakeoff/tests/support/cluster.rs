//! A real PostgreSQL server for tests: made and started by the test itself, on a socket of its own
//! in a temporary directory, and gone with it. The server refuses to run as root, so it runs as
//! the user that Debian's package made, or as nobody.

// Each test uses its part of this.
#![allow(dead_code, clippy::unwrap_used)]

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::skip::skip;

/// Number of the user `nobody`.
const NOBODY: u32 = 65_534;
/// Password of every role that a test makes.
pub const PASSWORD: &str = "sesame-7f3a";

/// The directory of the server's programs; without one the test is noted as skipped.
pub fn programs() -> Option<PathBuf> {
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = debian.map(|entry| entry.path().join("bin")).collect();
    found.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    found.extend(std::env::split_paths(&path));
    let is_whole =
        |dir: &PathBuf| ["initdb", "postgres", "psql"].iter().all(|p| dir.join(p).exists());
    let found = found.into_iter().rev().find(is_whole);
    if found.is_none() {
        skip("pg_ctlcluster", "there is no PostgreSQL server here");
    }
    found
}

/// A running server.
pub struct Cluster {
    dir: TempDir,
    programs: PathBuf,
    /// Runs as somebody else than root.
    user: Option<u32>,
    child: Option<Child>,
    port: u16,
}

impl Cluster {
    /// A new one.
    pub fn start(programs: PathBuf) -> Cluster {
        let dir = tempfile::tempdir().unwrap();
        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let user = rustix::process::geteuid().is_root().then(server_user);
        for name in ["data", "socket"] {
            let path = dir.path().join(name);
            std::fs::create_dir(&path).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
            if user.is_some() {
                chown(&path, user, user).unwrap();
            }
        }
        // A port that is free now; on the socket it is only a part of the name.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut cluster = Cluster { dir, programs, user, child: None, port };
        let made = cluster
            .program("initdb")
            .args(["--no-sync", "--encoding=UTF8", "--locale=C", "--username=admin", "-A", "trust"])
            .arg("-D")
            .arg(cluster.data())
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let rules = "local all admin trust\nlocal all all scram-sha-256\n";
        std::fs::write(cluster.data().join("pg_hba.conf"), rules).unwrap();
        let text = "fsync = off\nshared_buffers = 16MB\nautovacuum = off\n";
        std::fs::write(cluster.data().join("postgresql.auto.conf"), text).unwrap();
        cluster.run();
        cluster
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Starts it, and waits until it answers.
    fn run(&mut self) {
        let mut server = self.program("postgres");
        server.arg("-D").arg(self.data()).arg("-k").arg(self.socket());
        server.args(["-p", &self.port.to_string()]);
        server.stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(server.spawn().unwrap());
        let end = Instant::now() + Duration::from_secs(60);
        while !self.psql("SELECT 1").0 {
            assert!(Instant::now() < end, "the server does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("socket")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(self.dir.path()).env_clear().env("LC_ALL", "C");
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    /// Whether SQL runs as the administrator, and what it prints.
    pub fn psql(&self, sql: &str) -> (bool, String) {
        self.psql_as("admin", sql)
    }

    /// The same as another role.
    pub fn psql_as(&self, role: &str, sql: &str) -> (bool, String) {
        let mut psql = self.program("psql");
        psql.env("PGPASSWORD", PASSWORD).args(["-XAtq", "-v", "ON_ERROR_STOP=1"]);
        psql.arg("-h").arg(self.socket()).args(["-p", &self.port.to_string(), "-U", role]);
        psql.args(["-d", "postgres", "-f", "-"]).stdin(Stdio::piped());
        psql.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = psql.spawn().unwrap();
        use std::io::Write;
        // One that cannot connect reads nothing, and says why when it ends.
        let _ = child.stdin.take().unwrap().write_all(sql.as_bytes());
        let done = child.wait_with_output().unwrap();
        let text = [done.stdout, done.stderr].concat();
        (done.status.success(), String::from_utf8(text).unwrap().trim().to_string())
    }

    /// The address of its database on the socket.
    pub fn address(&self, role: &str) -> String {
        let socket = self.socket().to_str().unwrap().replace('/', "%2F");
        format!("postgresql://{role}@{socket}:{}/postgres", self.port)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let pid = rustix::process::Pid::from_child(&child);
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::QUIT);
            child.wait().unwrap();
        }
    }
}

fn server_user() -> u32 {
    let all = std::fs::read_to_string("/etc/passwd").unwrap();
    let number = |line: &str| line.strip_prefix("postgres:")?.split(':').nth(1)?.parse().ok();
    all.lines().find_map(number).unwrap_or(NOBODY)
}
