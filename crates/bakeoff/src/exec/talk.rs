//! A process that is talked to: it lives for a while, takes lines and answers each with a line.
//!
//! It has its own process group and is killed, with all it started, when the value goes. It dies
//! with the thread that started it, which therefore has to outlive it (prctl(2),
//! `PR_SET_PDEATHSIG`).

use std::io;
use std::time::{Duration, Instant};

use super::pipes::Pipes;
use super::unlimited::Background;
use super::{BLIND, ENGINE_OUTPUT_BYTES, ExecError, Spec, UNWATCHED};
use crate::signals::Cancel;

pub struct Talk {
    process: Background,
    name: String,
    pipes: Pipes,
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
    let spec = Spec::ourselves(vec![super::internal::COMPANION.into()]);
    start(Spec { name: "the companion's process".to_string(), ..spec })
}

fn start(spec: Spec<'_>) -> Result<Talk, ExecError> {
    // An input, which makes it a pipe.
    let spec = spec.input(vec![b'\n']);
    let mut process = Background(spec.start()?);
    let name = spec.name.clone();
    let failed = |source: io::Error| ExecError::Start { program: name.clone(), source };
    let pipes = Pipes::of(&mut process.0, Vec::new(), ENGINE_OUTPUT_BYTES).map_err(failed)?;
    Ok(Talk { process, name, pipes })
}

impl Talk {
    /// What it is called in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends `line`, which has no end.
    pub fn say(&mut self, line: &[u8]) {
        self.pipes.send(&[line, b"\n"].concat());
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
            let unread = &mut self.pipes.stdout;
            if let Some(end) = unread[looked..].iter().position(|byte| *byte == b'\n') {
                let rest = unread.split_off(looked + end + 1);
                let mut line = std::mem::replace(unread, rest);
                line.pop();
                return Ok(Heard::Line(line));
            }
            looked = unread.len();
            if looked >= ENGINE_OUTPUT_BYTES {
                return Ok(Heard::Ended("its reply is too long".to_string()));
            }
            if !self.pipes.has_output() {
                return Ok(Heard::Ended(self.end()));
            }
            if cancel.is_set() {
                return Err(ExecError::Interrupted);
            }
            let left = limit.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(ExecError::TimedOut { program: self.name.clone(), limit });
            }
            // A signal ends the wait, unless it came just before.
            self.pipes.wait(None, left.min(UNWATCHED));
        }
    }

    /// Kills the process, as somebody else might.
    #[cfg(test)]
    pub fn kill(&mut self) {
        let _ = self.process.0.kill();
    }

    fn end(&mut self) -> String {
        self.pipes.close_input();
        let status = loop {
            match self.process.0.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => self.pipes.wait(None, BLIND),
                Err(error) => return error.to_string(),
            }
        };
        self.pipes.wait(None, Duration::ZERO);
        let how = super::Finished { status, stdout: Vec::new(), stderr: Vec::new() }.how();
        match bakeoff_model::path::printable(self.pipes.stderr.trim_ascii()) {
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
        talk.pipes.close_input();
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
