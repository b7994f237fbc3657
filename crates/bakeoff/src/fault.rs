//! How a command ends: what it says on stderr and the exit code it says it with.
//!
//! Every failure a command can meet is one of a few kinds, because the exit code is a promise to
//! scripts. The message says what happened, why, and what to type next.

use std::fmt;
use std::process::ExitCode;

use crate::ui::say;

/// A command's good end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything asked for is answered: exit 0.
    Done,
    /// Some verdict is open or prevented, or every cell was invalid: exit 1.
    Open,
    /// A gate or `fit` says no, for certain: exit 5.
    CertainNo,
}

/// A command's bad end.
#[derive(Debug)]
pub struct Fault {
    exit: u8,
    message: String,
}

impl Fault {
    /// It ran and what came out cannot stand: exit 1.
    pub fn failed(message: impl fmt::Display) -> Fault {
        Fault { exit: 1, message: message.to_string() }
    }

    /// The command was called in a way that cannot work: exit 2.
    pub fn usage(message: impl fmt::Display) -> Fault {
        Fault { exit: 2, message: message.to_string() }
    }

    /// Doing it could lose data: exit 3.
    pub fn refused(message: impl fmt::Display) -> Fault {
        Fault { exit: 3, message: message.to_string() }
    }

    /// Nothing could run here; names what mends it: exit 4.
    pub fn environment(message: impl fmt::Display) -> Fault {
        Fault { exit: 4, message: message.to_string() }
    }

    /// Ours: exit 70.
    pub fn bug(message: impl fmt::Display) -> Fault {
        Fault {
            exit: 70,
            message: format!(
                "{message}\nThis is a bug in bakeoff; please report it with the output of \
                 `bakeoff --version --verbose` and the file of `bakeoff show -o run.bundle`."
            ),
        }
    }

    /// As another bakeoff ended that does this one's work, by its exit code; without one, killed by
    /// a signal, as exit 4.
    pub fn passed_on(code: Option<i32>, message: impl fmt::Display) -> Fault {
        let exit = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(4);
        Fault { exit, message: message.to_string() }
    }

    /// Ctrl-C or a signal, after cleaning up: exit 130. The message may be empty.
    pub fn interrupted(message: impl fmt::Display) -> Fault {
        Fault { exit: 130, message: message.to_string() }
    }
}

impl Fault {
    pub fn code(&self) -> u8 {
        self.exit
    }

    pub fn is_interrupted(&self) -> bool {
        self.exit == 130
    }

    /// Whether there is nothing to say: stdout's reader went away.
    pub fn is_silent(&self) -> bool {
        self.message.is_empty()
    }

    /// Whether stdout's reader went away, which takes nothing from what the command found out.
    fn is_unheard(&self) -> bool {
        self.is_silent() && self.exit == 0
    }

    pub fn and(mut self, also: impl fmt::Display) -> Fault {
        self.message = match self.message.as_str() {
            "" => also.to_string(),
            said => format!("{said}\nbakeoff: {also}"),
        };
        self
    }
}

impl Fault {
    /// Both ends in one: the worse exit code, and what each says.
    pub fn with(self, also: Fault) -> Fault {
        let exit = self.exit.max(also.exit);
        Fault { exit, ..self.and(also) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Writing results to stdout: a reader that went away is no fault of the command's.
impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Fault {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Fault { exit: 0, message: String::new() };
        }
        Fault::environment(format!("cannot write the result: {error}"))
    }
}

/// What to type where the kernel refuses a process, thread, descriptor or memory because a limit is
/// reached; nothing for other errors.
pub fn limit_advice(error: &std::io::Error) -> &'static str {
    use rustix::io::Errno;
    match Errno::from_io_error(error) {
        Some(Errno::AGAIN) => {
            ". The limit of processes is reached. End other programs, or raise it (ulimit -u, or \
             pids.max of the cgroup)"
        }
        Some(Errno::MFILE) => ". The limit of open files is reached. Raise it: ulimit -n 1024",
        Some(Errno::NFILE) => ". The system has too many open files. End other programs",
        Some(Errno::NOMEM) => {
            ". There is not enough memory. End other programs, or raise the limit (ulimit -v, or \
             memory.max of the cgroup)"
        }
        Some(Errno::FBIG) => {
            ". The limit of a file's size is reached. Raise it: ulimit -f unlimited"
        }
        _ => "",
    }
}

/// What to do where the kernel does not let us look at a device or directory; empty for other
/// errors.
pub fn denied_advice(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied if rustix::process::geteuid().is_root() => {
            ". Root is not allowed to here, as in a container: run it on the host"
        }
        std::io::ErrorKind::PermissionDenied => ". Run the command again with sudo",
        _ => "",
    }
}

pub fn is_missing(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

/// The end of a command that printed its verdict: as the verdict wants it, also where nobody read
/// on, unless the result could not be written.
pub fn after_printing(
    printed: Result<(), impl Into<Fault>>,
    ended: Result<Outcome, Fault>,
) -> Result<Outcome, Fault> {
    match printed.map_err(Into::into) {
        Err(fault) if !fault.is_unheard() => match ended {
            // How it ended counts before what became of the words about it.
            Err(ended) => Err(ended.and(fault)),
            Ok(_) => Err(fault),
        },
        _ => ended,
    }
}

pub fn exit(result: Result<Outcome, Fault>) -> ExitCode {
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Open) => ExitCode::from(1),
        Ok(Outcome::CertainNo) => ExitCode::from(5),
        Err(fault) => {
            if !fault.message.is_empty() {
                say::line(format_args!("bakeoff: {}", fault.message));
            }
            ExitCode::from(fault.exit)
        }
    }
}
