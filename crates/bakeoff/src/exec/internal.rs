//! What bakeoff starts itself as: the engine's child process, and the guard around foreign tools.
//!
//! Not part of the command line: the first argument begins with two underscores, and a person who
//! types it gets what the parent process would get.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use super::find_program;
use crate::sqlite_workload;
use crate::ui::say;

pub const ENGINE: &str = "__engine";
pub const SLICES: &str = "__slices";
pub const COMPANION: &str = "__companion";
pub const TOOL: &str = "__tool";

/// First argument of a command that leaves its terminal's session before it does anything.
pub const SESSION: &str = "__session";

/// The arguments as a person typed them: without the word that only a parent of ours says.
pub fn typed_args() -> Vec<OsString> {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    if args.get(1).is_some_and(|word| word == SESSION) {
        args.remove(1);
    }
    args
}

pub fn dispatch() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    match args.next()?.to_str()? {
        ENGINE => Some(ExitCode::from(
            u8::try_from(bakeoff_engine::serve(sqlite_workload::open)).unwrap_or(70),
        )),
        SLICES => {
            let ended = bakeoff_engine::serve_slices(std::io::stdin(), std::io::stdout());
            Some(ExitCode::from(u8::try_from(ended).unwrap_or(70)))
        }
        COMPANION => {
            let (input, output) = (std::io::stdin(), std::io::stdout());
            let open = sqlite_workload::open;
            let ended = bakeoff_engine::serve_companion(input, output, open);
            Some(ExitCode::from(u8::try_from(ended).unwrap_or(70)))
        }
        TOOL => Some(become_tool(args)),
        SESSION => {
            // Fails only for the leader of a group, who then has no terminal to lose either.
            let _ = rustix::process::setsid();
            None
        }
        _ => None,
    }
}

fn dies_with(parent: i32) -> std::io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid().map(|pid| pid.as_raw_nonzero().get()) == Some(parent) {
        Ok(())
    } else {
        Err(std::io::Error::other("the parent has ended"))
    }
}

/// Arranges to die with the parent, then becomes the program named by the arguments. Exit 127
/// when it cannot be started, as a shell would.
///
/// The request to die survives execve(2), so mkfs or mount cannot outlive a killed bakeoff and go
/// on changing a drive that recovery is putting back.
fn become_tool(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(parent) = args.next().and_then(|pid| pid.to_str()?.parse::<i32>().ok()) else {
        return ExitCode::from(127);
    };
    let Some(program) = args.next() else { return ExitCode::from(127) };
    if let Err(error) = dies_with(parent) {
        say::line(format_args!("cannot set the parent-death signal: {error}"));
        return ExitCode::from(127);
    }
    let error = Command::new(&program).args(args).env("LC_ALL", "C").exec();
    say::line(format_args!("cannot start {}: {error}", program.display()));
    ExitCode::from(127)
}

/// Words of util-linux before a program that make it the first of a namespace, which dies with who
/// waits for it (unshare(1)).
const WORDS: [&str; 4] = ["--pid", "--fork", "--kill-child", "--"];

/// What comes before a tool so that it ends with whatever it starts; nothing where that cannot be
/// had.
///
/// fio's jobs are processes with sessions of their own. Killing the group of the one that was
/// started leaves them at work on a filesystem that is to be unmounted, and so does our own death.
/// The first process of a PID namespace takes all others of it along (pid_namespaces(7)), which
/// takes root; without, and where the kernel or a container forbids it, the group has to do.
pub fn whole_family() -> &'static [OsString] {
    static BEFORE: OnceLock<Vec<OsString>> = OnceLock::new();
    BEFORE.get_or_init(|| {
        let Some(unshare) = find_program(OsStr::new("unshare")) else { return Vec::new() };
        let mut tried = Command::new(&unshare);
        tried.args(WORDS).arg("true").stdin(Stdio::null());
        let ended = tried.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if ended.is_ok_and(|status| status.success()) {
            [unshare.into()].into_iter().chain(WORDS.map(OsString::from)).collect()
        } else {
            Vec::new()
        }
    })
}
