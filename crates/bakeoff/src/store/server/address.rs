//! Where a server is, and with which credentials: from the address, and for secrets only from the
//! environment or a file.
//!
//! The names of the variables and the format of the file are those of libpq
//! (<https://www.postgresql.org/docs/current/libpq-envars.html>, `libpq-pgpass.html`).

use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_model::path::printable;
use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::is_address;
use super::passfile::{self, Wanted};
use crate::store::{ErrorClass, StoreError};

const SOCKETS: &str = "/var/run/postgresql";
const PORT: u16 = 5432;
const CONNECT: Duration = Duration::from_secs(10);

/// An address with everything a connection needs. It prints without secrets.
pub struct Address {
    pub(super) config: Config,
    pub(super) connect: Duration,
    pub(super) certificates: Option<PathBuf>,
    shown: String,
    typed: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Address {
    /// Reads what `--store` was given.
    ///
    /// # Errors
    /// It is not an address, has a password in it, or the file of passwords is open to others.
    pub fn read(option: &Path) -> Result<Address, StoreError> {
        Address::with(option, &|name| std::env::var_os(name))
    }

    fn with(option: &Path, env: &dyn Fn(&str) -> Option<OsString>) -> Result<Address, StoreError> {
        let wrong = |why: &str| {
            StoreError::usage(format!(
                "cannot read the address of the server: {}. Write it as \
                 postgresql://USER@HOST/DATABASE",
                printable(why.as_bytes())
            ))
        };
        let typed = option.to_str().filter(|_| is_address(option));
        let typed = typed.ok_or_else(|| wrong("it does not begin with postgresql://"))?;
        let var =
            |name: &str| env(name).and_then(|v| v.into_string().ok()).filter(|v| !v.is_empty());
        let (plain, mut own) = OwnParameters::split(typed);
        let mut config: Config = match plain.parse() {
            Ok(config) => config,
            // What was typed may have a password in it, so only the name of an option is repeated.
            Err(error) => {
                return Err(wrong(&super::cause::chain(&error)));
            }
        };
        if config.get_password().is_some() || plain.contains("passfile=") {
            return Err(StoreError::usage(
                "Refusing a password in the address of a server: every user of this machine can \
                 read it there. Put it into ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 600) \
                 or into the variable PGPASSWORD",
            ));
        }
        own.mode = own.mode.or_else(|| var("PGSSLMODE"));
        let root = own.root.or_else(|| var("PGSSLROOTCERT"));
        complete(&mut config, &var);
        let mode = ssl_mode(&config, own.mode.as_deref()).map_err(|why| wrong(&why))?;
        config.ssl_mode(mode);
        if let Some(password) = password(&config, &var)? {
            if mode == SslMode::Disable && !is_local(&config) {
                let text = format!(
                    "Refusing to send the password to {} without encryption: others on the network \
                     could read it. Remove sslmode=disable (PGSSLMODE)",
                    shown(&config)
                );
                return Err(StoreError::new(ErrorClass::Refused, text));
            }
            config.password(password);
        }
        let timeout = || var("PGCONNECT_TIMEOUT")?.parse().ok().filter(|s: &u64| *s > 0);
        let connect = config.get_connect_timeout().copied();
        let connect = connect.or_else(|| timeout().map(Duration::from_secs)).unwrap_or(CONNECT);
        config.connect_timeout(connect);
        let shown = shown(&config);
        let certificates = root.map(PathBuf::from);
        Ok(Address { config, connect, certificates, shown, typed: typed.to_string() })
    }

    pub fn typed(&self) -> String {
        printable(self.typed.as_bytes())
    }

    pub fn user(&self) -> String {
        self.config.get_user().map_or("your user name".to_string(), |u| printable(u.as_bytes()))
    }

    pub fn database(&self) -> String {
        let name = self.config.get_dbname().or(self.config.get_user()).unwrap_or("DATABASE");
        printable(name.as_bytes())
    }

    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }
}

#[derive(Default)]
struct OwnParameters {
    root: Option<String>,
    mode: Option<String>,
}

impl OwnParameters {
    fn split(typed: &str) -> (String, OwnParameters) {
        let mut own = OwnParameters::default();
        let Some((front, query)) = typed.split_once('?') else { return (typed.to_string(), own) };
        let mut rest = Vec::new();
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("sslrootcert", value)) => {
                    own.root = Some(percent_decode_str(value).decode_utf8_lossy().into_owned())
                }
                Some(("sslmode", value)) => own.mode = Some(value.to_string()),
                _ => rest.push(pair),
            }
        }
        match rest.is_empty() {
            true => (front.to_string(), own),
            false => (format!("{front}?{}", rest.join("&")), own),
        }
    }
}

fn complete(config: &mut Config, var: &dyn Fn(&str) -> Option<String>) {
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        config.host(var("PGHOST").unwrap_or_else(|| SOCKETS.to_string()));
    }
    if config.get_ports().is_empty()
        && let Some(port) = var("PGPORT").and_then(|port| port.parse().ok())
    {
        config.port(port);
    }
    if config.get_user().is_none()
        && let Some(user) = var("PGUSER")
    {
        config.user(user);
    }
    if config.get_dbname().is_none()
        && let Some(name) = var("PGDATABASE")
    {
        config.dbname(name);
    }
    if config.get_application_name().is_none() {
        config.application_name("bakeoff");
    }
}

/// Whether everything that is connected to is on this machine. Where there are numeric addresses,
/// they are connected to, whatever the hosts are called.
fn is_local(config: &Config) -> bool {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let is_here = |host: &Host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => match name.parse::<IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => name == "localhost" && is_loopback(name),
        },
    };
    match addresses.is_empty() {
        true => !hosts.is_empty() && hosts.iter().all(is_here),
        false => addresses.iter().all(IpAddr::is_loopback),
    }
}

/// Whether every address of a name is. Even `localhost` is what the resolver says: without a line
/// in /etc/hosts the name may go to a name server.
fn is_loopback(name: &str) -> bool {
    let found = (name, PORT).to_socket_addrs();
    found.is_ok_and(|mut addresses| addresses.all(|address| address.ip().is_loopback()))
}

/// Over a network always encrypted, with a verified certificate, unless that is switched off.
fn ssl_mode(config: &Config, mode: Option<&str>) -> Result<SslMode, String> {
    // PostgreSQL encrypts no sockets.
    let hosts = config.get_hosts();
    let is_socket = |host: &Host| matches!(host, Host::Unix(_));
    if config.get_hostaddrs().is_empty() && !hosts.is_empty() && hosts.iter().all(is_socket) {
        return Ok(SslMode::Disable);
    }
    match mode {
        Some("disable") => Ok(SslMode::Disable),
        Some("require" | "verify-ca" | "verify-full") => Ok(SslMode::Require),
        None | Some("prefer" | "allow") => {
            Ok(if is_local(config) { SslMode::Disable } else { SslMode::Require })
        }
        Some(_) => Err("sslmode must be disable, require or verify-full".to_string()),
    }
}

fn password(
    config: &Config,
    var: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<String>, StoreError> {
    if let Some(password) = var("PGPASSWORD") {
        return Ok(Some(password));
    }
    let named = var("PGPASSFILE").map(PathBuf::from);
    let Some(path) = named.or_else(|| Some(PathBuf::from(var("HOME")?).join(".pgpass"))) else {
        return Ok(None);
    };
    let user = config.get_user().map(str::to_string).or_else(|| var("USER")).unwrap_or_default();
    let wanted = Wanted {
        hosts: config.get_hosts().iter().map(host).collect(),
        port: config.get_ports().first().copied().unwrap_or(PORT),
        database: config.get_dbname().unwrap_or(&user).to_string(),
        user: user.clone(),
    };
    passfile::find(&path, &wanted)
}

fn host(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        // As libpq names it in the file.
        Host::Unix(path) if path == Path::new(SOCKETS) => "localhost".to_string(),
        Host::Unix(path) => path.to_string_lossy().into_owned(),
    }
}

fn shown(config: &Config) -> String {
    let port = config.get_ports().first().copied().unwrap_or(PORT);
    let one = |host: &Host| match host {
        Host::Tcp(name) => format!("{name}:{port}"),
        Host::Unix(path) => format!("{}/.s.PGSQL.{port}", path.display()),
    };
    let addresses: Vec<String> =
        config.get_hostaddrs().iter().map(|address| format!("{address}:{port}")).collect();
    let mut names: Vec<String> = config.get_hosts().iter().map(one).collect();
    if names.is_empty() {
        names = addresses;
    } else if !addresses.is_empty() {
        names = names.iter().zip(&addresses).map(|(name, at)| format!("{name} at {at}")).collect();
    }
    printable(names.join(", ").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(typed: &str, env: &[(&str, &str)]) -> Result<Address, StoreError> {
        let get = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into());
        Address::with(Path::new(typed), &get)
    }

    #[test]
    fn a_password_is_never_taken_from_the_address_nor_repeated() {
        for typed in [
            "postgresql://pi:hunter2@db/bakeoff",
            "postgres://db/bakeoff?user=pi&password=hunter2",
            "postgresql://pi:hunter2@db:port/bakeoff",
            "postgresql://pi:hunter2@db/bakeoff?nonsense=hunter2",
            "postgresql://db/bakeoff?passfile=/tmp/hunter2",
        ] {
            let error = read(typed, &[]).err().expect(typed).to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
        let error = read("postgresql://pi:x@db/bakeoff", &[]).err().expect("refused").to_string();
        assert!(error.contains("PGPASSWORD") && error.contains(".pgpass"), "{error}");
        let address = read("postgresql://pi@db/b", &[("PGPASSWORD", "hunter2")]).unwrap();
        assert!(address.has_password());
        assert_eq!((address.to_string().as_str(), address.user().as_str()), ("db:5432", "pi"));
    }

    #[test]
    fn a_network_means_encryption_unless_it_is_switched_off() {
        let mode = |typed: &str| read(typed, &[]).unwrap().config.get_ssl_mode();
        assert_eq!(mode("postgresql://db/b"), SslMode::Require);
        assert_eq!(mode("postgresql://db/b?sslmode=prefer"), SslMode::Require);
        assert_eq!(mode("postgresql://db,localhost/b"), SslMode::Require);
        assert_eq!(mode("postgresql://db/b?sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("postgresql://localhost/b"), SslMode::Disable);
        assert_eq!(mode("postgresql://127.0.0.1/b?sslmode=verify-full"), SslMode::Require);
        assert_eq!(mode("postgresql:///b"), SslMode::Disable);
        // `localhost?hostaddr=10.9.9.9` sent the password in clear text to another machine.
        assert_eq!(mode("postgresql://localhost/b?hostaddr=10.9.9.9"), SslMode::Require);
        assert_eq!(mode("postgresql:///b?host=/run/x&hostaddr=10.9.9.9"), SslMode::Require);
        assert_eq!(mode("postgresql://db/b?hostaddr=127.0.0.1"), SslMode::Disable);
        assert_eq!(mode("postgresql://localhost,db/b?hostaddr=::1,10.9.9.9"), SslMode::Require);
        assert!(read("postgresql://db/b?sslmode=sometimes", &[]).is_err());
        let with = read("postgresql://db:77/b?sslrootcert=%2Ftmp%2Fa%20b.crt", &[]).unwrap();
        assert_eq!(with.certificates, Some(PathBuf::from("/tmp/a b.crt")));
        assert_eq!(with.to_string(), "db:77");
    }

    #[test]
    fn a_password_never_crosses_a_network_unencrypted() {
        let env = [("PGPASSWORD", "hunter2")];
        for typed in [
            "postgresql://db/b?sslmode=disable",
            "postgresql://localhost/b?sslmode=disable&hostaddr=10.9.9.9",
            "postgresql:///b?host=/run/x&hostaddr=10.9.9.9&sslmode=disable",
        ] {
            let error = read(typed, &env).err().expect(typed);
            assert!(error.to_string().contains("without encryption"), "{error}");
            assert!(read(typed, &[]).is_ok(), "{typed}");
        }
        assert!(read("postgresql://127.0.0.1/b?sslmode=disable", &env).is_ok());
        assert!(read("postgresql://db/b", &env).is_ok());
    }

    #[test]
    fn what_the_address_leaves_open_comes_from_the_environment() {
        let env = [("PGHOST", "/run/x"), ("PGPORT", "77"), ("PGUSER", "pi"), ("PGDATABASE", "b")];
        let address = read("postgresql://", &env).unwrap();
        assert_eq!(address.to_string(), "/run/x/.s.PGSQL.77");
        assert_eq!((address.user(), address.database()), ("pi".to_string(), "b".to_string()));
        assert_eq!(
            read("postgresql:///b", &[]).unwrap().to_string(),
            format!("{SOCKETS}/.s.PGSQL.5432")
        );
    }
}
