//! A process that is talked to: it lives for a while, takes lines and answers each with a line.
//!
//! It has its own process group and is killed, with all it started, when the value goes. It dies
//! with the thread that started it, which therefore has to outlive it (prctl(2),
//! `PR_SET_PDEATHSIG`).

use std::io::{self, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::ioctl_fionbio;

use super::pipes::{read_on, timespec};
use super::{BLIND, ENGINE_OUTPUT_BYTES, ExecError, Spec, TOOL_OUTPUT_BYTES, UNWATCHED};
use crate::signals::Cancel;

const STEP_BYTES: usize = 16 << 10;

pub struct Talk {
    child: Child,
    name: String,
    input: Option<ChildStdin>,
    output: ChildStdout,
    unread: Vec<u8>,
    errors: Option<ChildStderr>,
    said: Vec<u8>,
}

impl Drop for Talk {
    fn drop(&mut self) {
        super::kill_group(&mut self.child);
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    Line(Vec<u8>),
    Ended(String),
}

/// Starts the engine's child process for a cell in slices.
#[cfg(not(test))]
pub fn engine() -> Result<Talk, ExecError> {
    start(Spec::ourselves(vec![super::internal::SLICES.into()]))
}

/// The same where this program is the one with the tests: one of them is the child process. What
/// the test runner prints goes nowhere, so that the answers are alone in the pipe.
#[cfg(test)]
pub fn engine() -> Result<Talk, ExecError> {
    let child = "load::sliced::tests::answers_as_the_child_process --exact --ignored --nocapture";
    let script = format!("exec \"$0\" {child} 3>&1 >/dev/null");
    let ourselves = std::env::current_exe().unwrap_or_default();
    let args = vec!["-c".into(), script.into(), ourselves.into()];
    start(Spec { program: "sh".into(), ..Spec::ourselves(args) })
}

/// Starts the engine's child process that works beside a measured workload.
pub fn companion() -> Result<Talk, ExecError> {
    start(Spec::ourselves(vec![super::internal::COMPANION.into()]))
}

fn start(spec: Spec<'_>) -> Result<Talk, ExecError> {
    // An input, which makes it a pipe.
    let mut child = spec.input(vec![b'\n']).start()?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(input), Some(output), Some(errors)) = pipes else {
        return Err(not_started(child, io::ErrorKind::BrokenPipe.into()));
    };
    // Read in passing, so that a child that says much is not held up.
    if let Err(error) = ioctl_fionbio(&errors, true) {
        return Err(not_started(child, error.into()));
    }
    let (name, unread) = (NAME.to_string(), Vec::with_capacity(STEP_BYTES));
    let (input, errors, said) = (Some(input), Some(errors), Vec::new());
    Ok(Talk { child, name, input, output, unread, errors, said })
}

fn not_started(mut child: Child, source: io::Error) -> ExecError {
    super::kill_group(&mut child);
    ExecError::Start { program: NAME.to_string(), source }
}

const NAME: &str = "the measuring process";

impl Talk {
    /// Sends `line`, which has no end. A process that does not read any more answers with its end.
    pub fn say(&mut self, line: &[u8]) {
        let Some(input) = &mut self.input else { return };
        let mut whole = Vec::with_capacity(line.len() + 1);
        whole.extend_from_slice(line);
        whole.push(b'\n');
        if input.write_all(&whole).is_err() {
            self.input = None;
        }
    }

    /// Waits for the next line.
    ///
    /// # Errors
    /// [`ExecError::TimedOut`] after `limit` and [`ExecError::Interrupted`]; the process is of no
    /// use then.
    pub fn hear(&mut self, limit: Duration, cancel: &Cancel) -> Result<Heard, ExecError> {
        let since = Instant::now();
        let mut looked = 0;
        loop {
            if let Some(end) = self.unread[looked..].iter().position(|byte| *byte == b'\n') {
                let rest = self.unread.split_off(looked + end + 1);
                let mut line = std::mem::replace(&mut self.unread, rest);
                line.pop();
                return Ok(Heard::Line(line));
            }
            looked = self.unread.len();
            if looked > ENGINE_OUTPUT_BYTES {
                return Ok(Heard::Ended("its reply is too long".to_string()));
            }
            if !self.wait(since, limit, cancel)? {
                continue;
            }
            let mut step = [0; STEP_BYTES];
            match self.output.read(&mut step) {
                Ok(0) => return Ok(Heard::Ended(self.end())),
                Ok(n) => self.unread.extend_from_slice(&step[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Ok(Heard::Ended(error.to_string())),
            }
        }
    }

    /// Kills the process, as somebody else might.
    #[cfg(test)]
    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    fn wait(
        &mut self,
        since: Instant,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<bool, ExecError> {
        if cancel.is_set() {
            return Err(ExecError::Interrupted);
        }
        let left = limit.saturating_sub(since.elapsed());
        if left.is_zero() {
            return Err(ExecError::TimedOut { program: self.name.clone(), limit });
        }
        let mut watched = vec![PollFd::new(&self.output, PollFlags::IN)];
        watched.extend(self.errors.iter().map(|errors| PollFd::new(errors, PollFlags::IN)));
        // A signal ends the wait, unless it came just before.
        let found = poll(&mut watched, Some(&timespec(left.min(UNWATCHED))));
        let has_output = found.is_ok() && !watched[0].revents().is_empty();
        read_on(&mut self.errors, &mut self.said, TOOL_OUTPUT_BYTES);
        Ok(has_output)
    }

    fn end(&mut self) -> String {
        self.input = None;
        let status = loop {
            let ended = self.child.try_wait();
            read_on(&mut self.errors, &mut self.said, TOOL_OUTPUT_BYTES);
            match ended {
                Ok(None) => std::thread::sleep(BLIND),
                Ok(Some(status)) => break Ok(status),
                Err(error) => break Err(error),
            }
        };
        let how = match status {
            Ok(status) => {
                let (stdout, stderr) = (Vec::new(), Vec::new());
                super::Finished { status, stdout, stderr }.how()
            }
            Err(error) => error.to_string(),
        };
        match bakeoff_model::path::printable(self.said.trim_ascii()) {
            said if said.is_empty() => how,
            said => format!("{how}: {said}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn shell(script: &str) -> Talk {
        let args = ["-c", script].map(OsString::from).into();
        start(Spec { program: "sh".into(), ..Spec::ourselves(args) }).unwrap()
    }

    fn line(text: &str) -> Heard {
        Heard::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn each_line_is_answered() {
        let mut talk = shell("while read -r line; do echo \"<$line>\"; done; echo a; echo b >&2");
        let cancel = Cancel::default();
        for word in ["one", "two"] {
            talk.say(word.as_bytes());
            assert_eq!(talk.hear(LONG, &cancel).unwrap(), line(&format!("<{word}>")));
        }
        talk.input = None;
        assert_eq!(talk.hear(LONG, &cancel).unwrap(), line("a"));
        let ended = Heard::Ended("exit status 0: b".to_string());
        assert_eq!(talk.hear(LONG, &cancel).unwrap(), ended);
    }

    #[test]
    fn lines_that_arrive_together_are_told_apart() {
        let mut talk = shell("printf 'a\\n\\nlonger\\n'; kill -15 $$");
        let cancel = Cancel::default();
        for text in ["a", "", "longer"] {
            assert_eq!(talk.hear(LONG, &cancel).unwrap(), line(text));
        }
        talk.say(b"nobody reads this");
        let ended = Heard::Ended("killed by signal 15".to_string());
        assert_eq!(talk.hear(LONG, &cancel).unwrap(), ended);
    }

    #[test]
    fn a_silent_process_is_given_up_and_killed_with_all_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pid");
        let mut talk = shell(&format!("sleep 600 & echo $! >{}; echo up; wait", file.display()));
        let cancel = Cancel::default();
        assert_eq!(talk.hear(LONG, &cancel).unwrap(), line("up"));
        let error = talk.hear(Duration::from_millis(10), &cancel).unwrap_err();
        assert!(matches!(error, ExecError::TimedOut { .. }), "{error}");
        drop(talk);
        let pid = std::fs::read_to_string(&file).unwrap();
        let lives = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
            stat.is_ok_and(|text| !text.contains(") Z "))
        };
        let since = Instant::now();
        while lives() {
            assert!(since.elapsed() < LONG, "it is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
