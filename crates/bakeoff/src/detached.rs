//! A run in the background, which outlives whoever starts it: a unit of systemd's, or a process in
//! a session of its own.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use bakeoff_model::path::RawPath;

use crate::exec::{Spec, find_program, unlimited};
use crate::fault::{Fault, Outcome};
use crate::files::{Entry, FileError, OtherUser};
use crate::host;
use crate::signals::Cancel;
use crate::store::place;

const TICK: Duration = Duration::from_millis(500);
const WATCH: Duration = Duration::from_secs(3);
const UNIT_LIMIT: Duration = Duration::from_secs(30);

pub enum Begun {
    Unit { name: String, log: PathBuf },
    Session { child: Child, log: PathBuf },
}

/// Starts a command of ours where it survives the end of this session.
pub fn begin(store: &Path, args: &[OsString]) -> Result<Begun, Fault> {
    let (log, file) = log_file(store)?;
    match as_unit(args, &log)? {
        Some(name) => Ok(Begun::Unit { name, log }),
        None => {
            let child = unlimited::session(args, &file, &file).map_err(Fault::environment)?;
            Ok(Begun::Session { child, log })
        }
    }
}

impl Begun {
    /// Watches it for some seconds; `None` when it goes on. One that ended ends us as it did, with
    /// what it said. Of a unit nothing is seen.
    pub fn early_end(&mut self) -> Result<Option<Outcome>, Fault> {
        match self {
            Begun::Unit { .. } => Ok(None),
            Begun::Session { child, log } => early_end(child, log, WATCH),
        }
    }
}

/// Watches a detached run for as long as `watched`; `None` when it goes on. One that ended ends us
/// as it did, with what it said.
fn early_end(child: &mut Child, log: &Path, watched: Duration) -> Result<Option<Outcome>, Fault> {
    let since = Instant::now();
    while since.elapsed() < watched {
        if let Some(ended) = child.try_wait().map_err(Fault::environment)? {
            let said = std::fs::read_to_string(log).unwrap_or_default();
            let said = format!("the background run ended immediately:\n{}", said.trim_end());
            return if ended.success() {
                Ok(Some(Outcome::Done))
            } else {
                Err(Fault::passed_on(ended.code(), said))
            };
        }
        std::thread::sleep(TICK);
    }
    Ok(None)
}

fn log_file(store: &Path) -> Result<(PathBuf, File), Fault> {
    let name = format!("{}-{}.log", host::unix_ns(), std::process::id());
    let owner = OtherUser::behind_sudo();
    let made = || {
        let logs = Entry::making(store, (0o700, owner.as_ref()))?.beside(".logs");
        let log = logs.make_directory((0o700, owner.as_ref()))?.entry(name);
        Ok((log.path(), log.create(0o666, owner.as_ref())?))
    };
    made().map_err(|e: FileError| {
        let logs = RawPath::new(place::beside(store, ".logs"));
        Fault::environment(format!("cannot create a log in {logs}: {e}"))
    })
}

/// Starts it as a transient unit of systemd's; `None` where systemd does not run the machine.
fn as_unit(args: &[OsString], log: &Path) -> Result<Option<String>, Fault> {
    if !host::systemd_runs() || find_program(OsStr::new("systemd-run")).is_none() {
        return Ok(None);
    }
    let unit = format!("bakeoff-{}.service", std::process::id());
    let binary = std::env::current_exe().map_err(Fault::environment)?;
    let here = std::env::current_dir().map_err(Fault::environment)?;
    let kept = KEPT.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut argv = unit_words(&unit, &here, log, kept);
    argv.extend(std::iter::once(binary.as_os_str()).chain(args.iter().map(|a| &**a)).map(literal));
    let spec = Spec::tool(&argv, UNIT_LIMIT).map_err(Fault::environment)?;
    let ended = spec.run(&Cancel::default()).map_err(Fault::environment)?;
    if ended.status.success() {
        Ok(Some(unit))
    } else {
        // In a container /run/systemd may be there without anybody to answer.
        Ok(None)
    }
}

/// What a unit is told of our environment. No password: every user can read it there.
const KEPT: [&str; 11] = [
    "PATH",
    "HOME",
    "XDG_DATA_HOME",
    "SUDO_UID",
    "SUDO_GID",
    "SUDO_USER",
    "TZ",
    "PGPASSFILE",
    "PGSSLROOTCERT",
    "PGSSLMODE",
    "PGCONNECT_TIMEOUT",
];

/// The command that starts a transient unit, up to the words of its own command (systemd-run(1)).
fn unit_words(
    unit: &str,
    here: &Path,
    log: &Path,
    kept: impl Iterator<Item = (&'static str, OsString)>,
) -> Vec<OsString> {
    let option = |name: &str, value: &OsStr| {
        let mut word = OsString::from(name);
        word.push(value);
        word
    };
    let mut argv: Vec<OsString> =
        ["systemd-run", "--quiet", "--collect", "--no-ask-password"].map(OsString::from).into();
    argv.push(format!("--unit={unit}").into());
    argv.push(option("--working-directory=", here.as_os_str()));
    argv.push(option("--property=StandardOutput=append:", log.as_os_str()));
    argv.push(option("--property=StandardError=append:", log.as_os_str()));
    // Ctrl-C for a service: time to unmount before it is killed.
    argv.push("--property=TimeoutStopSec=30min".into());
    argv.extend(kept.map(|(name, value)| option(&format!("--setenv={name}="), &value)));
    argv.push("--".into());
    argv
}

/// A word of a unit's command in which nothing is taken for a variable (systemd.service(5)).
fn literal(word: &OsStr) -> OsString {
    let doubled: Vec<u8> = word
        .as_bytes()
        .iter()
        .flat_map(|byte| std::iter::repeat_n(*byte, if *byte == b'$' { 2 } else { 1 }))
        .collect();
    OsString::from_vec(doubled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detached_run_that_ends_at_once_ends_us_as_it_did() {
        // A busy machine may take longer than WATCH to start it.
        const LONG: Duration = Duration::from_secs(600);
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        std::fs::write(&log, "bakeoff: the drive is in use\n").unwrap();
        let ended = |script: &str, watched: Duration| {
            let mut child = std::process::Command::new("sh").args(["-c", script]).spawn().unwrap();
            let ended = early_end(&mut child, &log, watched);
            // The one that goes on; for the others it is too late.
            let _ = child.kill();
            child.wait().unwrap();
            ended
        };
        assert!(matches!(ended("exit 0", LONG), Ok(Some(Outcome::Done))));
        assert!(matches!(ended("exec sleep 600", WATCH), Ok(None)));
        let fault = ended("exit 3", LONG).unwrap_err();
        assert!(fault.to_string().contains("in use"), "{fault}");
        let code = |fault| format!("{:?}", crate::fault::exit(Err(fault)));
        assert_eq!(code(fault), format!("{:?}", std::process::ExitCode::from(3)));
    }

    #[test]
    fn a_unit_is_told_where_it_is_and_how_long_its_end_may_take() {
        let kept = [("HOME", OsString::from("/root")), ("TZ", "UTC".into())];
        let (here, log) = (Path::new("/home/me"), Path::new("/root/bakeoff.db.logs/1-2.log"));
        let words = unit_words("bakeoff-2.service", here, log, kept.into_iter());
        let expected = [
            "systemd-run",
            "--quiet",
            "--collect",
            "--no-ask-password",
            "--unit=bakeoff-2.service",
            "--working-directory=/home/me",
            "--property=StandardOutput=append:/root/bakeoff.db.logs/1-2.log",
            "--property=StandardError=append:/root/bakeoff.db.logs/1-2.log",
            "--property=TimeoutStopSec=30min",
            "--setenv=HOME=/root",
            "--setenv=TZ=UTC",
            "--",
        ];
        assert_eq!(words, expected);
        assert_eq!(literal(OsStr::new("a $plan ${x}.toml")), "a $$plan $${x}.toml");
    }
}
