//! The only place that starts a process.
//!
//! Every child has its own process group, a time limit, bounded output and no terminal; it dies
//! when bakeoff dies, and on Ctrl-C its whole group is killed. Foreign tools run with LC_ALL=C.

pub mod internal;
mod pipes;
pub mod talk;
pub mod unlimited;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid,
};
use thiserror::Error;

use pipes::Pipes;

use crate::fault;
use crate::signals::Cancel;

/// Most bytes kept of each output stream of a foreign tool.
pub const TOOL_OUTPUT_BYTES: usize = 64 << 10;
/// Most bytes an engine's reply may have.
pub const ENGINE_OUTPUT_BYTES: usize = 16 << 20;
/// How long a killed process is waited for. Errors of a lost drive come back after the kernel's own
/// time limit of 30 s, several times for a controller that is tried again.
const UNKILLABLE: Duration = Duration::from_secs(180);
const OURSELVES: &str = "/proc/self/exe";
/// How often a waiting parent draws progress and looks for Ctrl-C.
const TICK: Duration = Duration::from_millis(200);
/// How often one looks that draws nothing: a signal wakes it in any case.
const UNWATCHED: Duration = Duration::from_secs(1);
const BLIND: Duration = Duration::from_millis(20);

/// Why a process gave no result.
#[derive(Debug, Error)]
pub enum ExecError {
    #[error("{program} is not installed")]
    Missing { program: String },
    #[error("cannot start {program}: {source}{}", fault::limit_advice(source))]
    Start { program: String, source: io::Error },
    #[error("{program} did not finish within {} and was killed", shown(*limit))]
    TimedOut { program: String, limit: Duration },
    /// Ctrl-C or a signal to bakeoff; the process was killed.
    #[error("interrupted")]
    Interrupted,
}

pub struct Spec<'a> {
    program: OsString,
    args: Vec<OsString>,
    name: String,
    stdin: Vec<u8>,
    limit: Duration,
    keep_bytes: usize,
    tick: Option<&'a mut dyn FnMut()>,
    directory: Option<PathBuf>,
    is_whole: bool,
}

#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    /// Standard output, cut to the limit.
    pub stdout: Vec<u8>,
    /// Standard error, cut to the limit.
    pub stderr: Vec<u8>,
}

impl Finished {
    /// "exit status 1", or "killed by signal 25" with what that means.
    pub fn how(&self) -> String {
        match (self.status.code(), self.status.signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => match meaning(signal) {
                "" => format!("killed by signal {signal}"),
                why => format!("killed by signal {signal}: {why}"),
            },
            (None, None) => "an unknown exit status".to_string(),
        }
    }
}

/// What a signal says that the kernel sends for a limit or a fault: signal(7), setrlimit(2).
fn meaning(signal: i32) -> &'static str {
    match Signal::from_named_raw(signal) {
        Some(Signal::XFSZ) => {
            "a file reached the limit of the shell. Raise it: ulimit -f unlimited"
        }
        Some(Signal::XCPU) => {
            "it used the processor time that the shell allows. Raise it: ulimit -t unlimited"
        }
        Some(Signal::KILL) => "by a person, or by the kernel because memory ran out (see: dmesg)",
        Some(Signal::BUS) => "a file that it had mapped was cut, or the drive could not be read",
        Some(Signal::SYS) => "a sandbox forbids one of its system calls",
        _ => "",
    }
}

impl<'a> Spec<'a> {
    /// A foreign tool, looked up on PATH and in the system's sbin directories.
    pub fn tool(argv: &[impl AsRef<OsStr>], limit: Duration) -> Result<Spec<'a>, ExecError> {
        Spec::tool_behind(&[], argv, limit)
    }

    fn tool_behind(
        before: &[OsString],
        argv: &[impl AsRef<OsStr>],
        limit: Duration,
    ) -> Result<Spec<'a>, ExecError> {
        let name = argv.first().map(|a| a.as_ref().to_os_string()).unwrap_or_default();
        let path = installed(&name)?;
        let mut args: Vec<OsString> =
            vec![internal::TOOL.into(), std::process::id().to_string().into()];
        args.extend_from_slice(before);
        args.push(path.into());
        args.extend(argv.iter().skip(1).map(|a| a.as_ref().to_os_string()));
        Ok(Spec { name: name.to_string_lossy().into_owned(), limit, ..Spec::ourselves(args) })
    }

    /// The engine's child process, which reads its task on stdin.
    pub fn engine(task: Vec<u8>, limit: Duration) -> Spec<'a> {
        Spec {
            stdin: task,
            limit,
            keep_bytes: ENGINE_OUTPUT_BYTES,
            ..Spec::ourselves(vec![internal::ENGINE.into()])
        }
    }

    fn ourselves(args: Vec<OsString>) -> Spec<'a> {
        Spec {
            program: ourselves(),
            args,
            name: "the measuring process".to_string(),
            stdin: Vec::new(),
            limit: Duration::MAX,
            keep_bytes: TOOL_OUTPUT_BYTES,
            tick: None,
            directory: None,
            is_whole: false,
        }
    }

    /// Makes `directory` the process's current one.
    pub fn in_directory(mut self, directory: &std::path::Path) -> Spec<'a> {
        self.directory = Some(directory.to_path_buf());
        self
    }

    /// The same with all that it starts, which ends when it does or when we do; not for mounts,
    /// whose helpers stay.
    pub fn whole_tool(argv: &[impl AsRef<OsStr>], limit: Duration) -> Result<Spec<'a>, ExecError> {
        let spec = Spec::tool_behind(internal::whole_family(), argv, limit)?;
        Ok(Spec { is_whole: true, ..spec })
    }

    pub fn keep(mut self, bytes: usize) -> Spec<'a> {
        self.keep_bytes = bytes;
        self
    }

    pub fn input(mut self, bytes: Vec<u8>) -> Spec<'a> {
        self.stdin = bytes;
        self
    }

    /// Calls `tick` a few times a second while waiting.
    pub fn on_tick(mut self, tick: &'a mut dyn FnMut()) -> Spec<'a> {
        self.tick = Some(tick);
        self
    }

    pub fn run(mut self, cancel: &Cancel) -> Result<Finished, ExecError> {
        let started = Instant::now();
        let mut child = self.start()?;
        let input = std::mem::take(&mut self.stdin);
        let pipes = Pipes::of(&mut child, input, self.keep_bytes);
        let ended = pipes.map_err(|source| self.failed(source)).and_then(|mut pipes| {
            let status = self.wait(&mut child, &mut pipes, started, cancel)?;
            Ok(Finished { status, stdout: pipes.stdout, stderr: pipes.stderr })
        });
        if ended.is_err() {
            kill_group(&mut child);
        }
        ended
    }

    fn failed(&self, source: io::Error) -> ExecError {
        ExecError::Start { program: self.name.clone(), source }
    }

    fn start(&self) -> Result<Child, ExecError> {
        let mut command = Command::new(&self.program);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
            .args(&self.args)
            .process_group(0)
            .stdin(if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| self.failed(source))
    }

    fn wait(
        &mut self,
        child: &mut Child,
        pipes: &mut Pipes,
        started: Instant,
        cancel: &Cancel,
    ) -> Result<ExitStatus, ExecError> {
        // Kernels before 5.3 have none; there short waits have to do.
        let pidfd = Pid::from_raw(child.id() as i32)
            .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        let mut ended = None;
        loop {
            if ended.is_none() && (!self.is_whole || kill_left_behind(child)) {
                ended = child.try_wait().map_err(|source| self.failed(source))?;
            }
            let is_late = started.elapsed() > self.limit;
            match ended {
                Some(status) if pipes.are_over() || is_late || cancel.is_set() => {
                    return Ok(status);
                }
                None if cancel.is_set() => return Err(ExecError::Interrupted),
                None if is_late => {
                    let (program, limit) = (self.name.clone(), self.limit);
                    return Err(ExecError::TimedOut { program, limit });
                }
                Some(_) | None => {}
            }
            let mut longest = UNWATCHED.min(self.limit.saturating_sub(started.elapsed()));
            if let Some(tick) = self.tick.as_mut() {
                tick();
                longest = longest.min(TICK);
            }
            if pidfd.is_none() {
                longest = longest.min(BLIND);
            }
            let pidfd = pidfd.as_ref().map(AsFd::as_fd).filter(|_| ended.is_none());
            pipes.wait(pidfd, longest);
        }
    }
}

/// This binary, for a child of its own. Under valgrind that link leads to valgrind itself, which
/// only the link's text hides; who sets this variable for us can make us run anything already.
fn ourselves() -> OsString {
    let preloaded = std::env::var_os("LD_PRELOAD").unwrap_or_default();
    let is_in_valgrind = preloaded.to_string_lossy().contains("/vgpreload_");
    let named = is_in_valgrind.then(std::env::current_exe).and_then(Result::ok);
    named.map_or_else(|| OURSELVES.into(), PathBuf::into_os_string)
}

fn shown(limit: Duration) -> String {
    bakeoff_stats::units::duration(u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX))
}

/// Kills the child with everything it started and waits for it. A process that waits for a device
/// which will never answer cannot be killed; after a while it is left to the kernel.
fn kill_group(child: &mut Child) {
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        // It may have ended meanwhile; then there is nothing left to kill.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let since = Instant::now();
    while let Ok(None) = child.try_wait() {
        if since.elapsed() > UNKILLABLE {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Kills what a child that has ended left in its process group; whether it has ended. The child is
/// looked at without taking its status: until then nobody else can have got the group's number.
fn kill_left_behind(child: &Child) -> bool {
    let Some(pid) = Pid::from_raw(child.id() as i32) else { return true };
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(pid), look) {
        Ok(None) => false,
        Ok(Some(_)) => {
            // Usually it left nobody.
            let _ = kill_process_group(pid, Signal::KILL);
            true
        }
        // Taking its status reports the reason.
        Err(_) => true,
    }
}

/// Where a program is: on PATH, or in the directories of system tools that a user's PATH lacks.
pub fn find_program(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from))
        .map(|dir| dir.join(name))
        .find(|candidate| is_executable(candidate))
}

fn installed(name: &OsStr) -> Result<PathBuf, ExecError> {
    let missing = || ExecError::Missing { program: name.to_string_lossy().into_owned() };
    find_program(name).ok_or_else(missing)
}

fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_and_missing_ones_named() {
        assert!(find_program(OsStr::new("sh")).is_some());
        let error = Spec::tool(&["no-such-program-here"], TICK).err().map(|e| e.to_string());
        assert_eq!(error.as_deref(), Some("no-such-program-here is not installed"));
    }

    /// A measuring process below `ulimit -f` was reported as "EOF while parsing a value".
    #[test]
    fn a_signal_is_reported_by_its_meaning() {
        for (word, meaning) in [("XFSZ", "ulimit -f"), ("XCPU", "ulimit -t"), ("KILL", "memory")] {
            let kill = ["-c".to_string(), format!("kill -{word} $$")].map(OsString::from);
            let spec = Spec { program: "sh".into(), ..Spec::ourselves(kill.into()) };
            let how = spec.run(&Cancel::default()).unwrap().how();
            assert!(how.starts_with("killed by signal") && how.contains(meaning), "{how}");
        }
    }

    #[test]
    fn a_child_that_hangs_is_killed_with_all_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let hang = |limit| Spec {
            program: "sh".into(),
            name: "mkfs.slow".to_string(),
            limit,
            directory: Some(dir.path().to_path_buf()),
            ..Spec::ourselves(["-c", "sleep 600 & echo $! >pid; wait"].map(OsString::from).into())
        };
        // On a busy machine the shell may not have come to its second word within two seconds.
        let pid = [2, 20, 200].into_iter().find_map(|seconds| {
            let hung = hang(Duration::from_secs(seconds)).run(&Cancel::default());
            let limit = shown(Duration::from_secs(seconds));
            let said = format!("mkfs.slow did not finish within {limit} and was killed");
            assert_eq!(hung.unwrap_err().to_string(), said);
            std::fs::read_to_string(dir.path().join("pid")).ok().filter(|pid| pid.ends_with('\n'))
        });
        let pid = pid.unwrap();
        // Gone, or dead until whoever inherited it looks; on a busy machine not at once.
        let lives = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
            stat.is_ok_and(|text| !text.contains(") Z "))
        };
        let since = Instant::now();
        while lives() {
            assert!(since.elapsed() < Duration::from_secs(600), "it is still there");
            thread::sleep(Duration::from_millis(10));
        }
    }
}
