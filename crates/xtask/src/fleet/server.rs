//! A PostgreSQL server that hosts push their runs to, at the controller's address.
//!
//! It encrypts with a certificate of its own, as one in a home network would. It does not run as
//! root, which it refuses.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::host::CONTROLLER;
use crate::tool;

/// How long it may take to start.
const START_LIMIT: Duration = Duration::from_secs(60);
/// Only hosts, encrypted and with a password; the administrator by the socket.
const ACCESS: &str = "local all admin trust\nhostssl all all 192.0.2.0/24 scram-sha-256\n";

/// A running server with the tables of bakeoff.
pub struct Server {
    folder: TempDir,
    programs: PathBuf,
    child: Child,
}

impl Server {
    /// Makes it, starts it, and runs the script of `bakeoff fleet schema`.
    pub fn start(schema: &str) -> Result<Server> {
        let folder = tempfile::Builder::new().prefix("bakeoff-server-").tempdir()?;
        let programs = programs()?;
        let at = |name: &str| folder.path().join(name);
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        openssl.args(["-nodes", "-days", "2", "-subj", "/CN=boards", "-addext"]);
        openssl.arg(format!("subjectAltName=IP:{CONTROLLER}"));
        openssl.arg("-keyout").arg(at("key.pem")).arg("-out").arg(at("certificate.pem"));
        tool::run(&mut openssl).context("openssl is in Debian's openssl")?;
        std::fs::set_permissions(at("key.pem"), PermissionsExt::from_mode(0o600))?;
        tool::run(Command::new("chown").args(["-R", "postgres:postgres"]).arg(folder.path()))?;
        let mut initdb = as_postgres(&programs.join("initdb"));
        initdb.args(["--no-sync", "--encoding=UTF8", "--locale=C", "--username=admin", "-D"]);
        tool::run(initdb.arg(at("data")))?;
        std::fs::write(at("data/pg_hba.conf"), ACCESS)?;
        let mut postgres = as_postgres(&programs.join("postgres"));
        postgres.arg("-D").arg(at("data")).arg("-k").arg(folder.path());
        for setting in [
            format!("listen_addresses={CONTROLLER}"),
            "fsync=off".to_owned(),
            "ssl=on".to_owned(),
            format!("ssl_cert_file={}", at("certificate.pem").display()),
            format!("ssl_key_file={}", at("key.pem").display()),
        ] {
            postgres.args(["-c", &setting]);
        }
        let log = std::fs::File::create(at("log"))?;
        postgres.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let child = postgres.spawn().context("cannot run postgres")?;
        let server = Server { folder, programs, child };
        server.await_start()?;
        server.sql("postgres", "CREATE DATABASE bakeoff")?;
        server.sql("bakeoff", schema)?;
        Ok(server)
    }

    fn await_start(&self) -> Result<()> {
        tool::retry(START_LIMIT, || self.sql("postgres", "SELECT 1").map(drop)).with_context(|| {
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            format!("the server does not start: {log}")
        })
    }

    /// Runs SQL as the administrator, and returns what it printed.
    pub fn sql(&self, database: &str, sql: &str) -> Result<String> {
        let script = self.folder.path().join("script.sql");
        std::fs::write(&script, sql)?;
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "admin", "-d", database, "-h"]);
        tool::output(psql.arg(self.folder.path()).arg("-f").arg(&script))
    }

    /// The file with its certificate.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("certificate.pem")
    }

    /// Its address for a role.
    pub fn address(&self, role: &str) -> String {
        format!("postgresql://{role}@{CONTROLLER}/bakeoff")
    }
}

/// A program that runs as the user whom Debian's package made.
fn as_postgres(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]);
    command.args(["--pdeathsig", "QUIT"]).arg(program).current_dir("/");
    command
}

/// The folder of the server's programs, which Debian keeps apart by version.
fn programs() -> Result<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql");
    let found = versions.into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
    let found = found.filter(|folder| folder.join("initdb").exists()).max();
    let found = found.context("no PostgreSQL server: scripts/install.sh fleet")?;
    ensure!(found.join("psql").exists(), "no psql in {}", found.display());
    Ok(found)
}

impl Drop for Server {
    fn drop(&mut self) {
        // At once; nothing of it is kept.
        let pid = self.child.id().to_string();
        let _ = tool::run(Command::new("kill").args(["-QUIT", &pid]));
        let _ = self.child.wait();
    }
}
