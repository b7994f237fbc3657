//! Processes beside a run: one that lives as long as the run does, and a run of its own session
//! that outlives the terminal it was started from.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use super::internal;
use super::{ExecError, OURSELVES, installed, kill_group};

/// A process that is killed, with all it started, when the value goes. It dies with us too.
#[derive(Debug)]
pub struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        kill_group(&mut self.0);
    }
}

pub fn start(argv: &[&str]) -> Result<Background, ExecError> {
    let name = argv.first().copied().unwrap_or_default();
    let path = installed(OsStr::new(name))?;
    let args = [internal::TOOL.into(), std::process::id().to_string().into(), path.into()];
    let child = Command::new(OURSELVES)
        .args::<[OsString; 3], OsString>(args)
        .args(&argv[1..])
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| ExecError::Start { program: name.to_string(), source })?;
    Ok(Background(child))
}

/// Starts bakeoff again in a session of its own, which survives the end of this one, and which
/// Ctrl-C reaches only through us; its streams go into `out` and `err`.
pub fn session(args: &[OsString], out: &File, err: &File) -> Result<Child, ExecError> {
    let failed = |source| ExecError::Start { program: "bakeoff".to_string(), source };
    let (out, err) = (out.try_clone().map_err(failed)?, err.try_clone().map_err(failed)?);
    let mut command = Command::new(OURSELVES);
    command.arg(internal::SESSION).args(args);
    command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let error = start(&["no-such-program-here"]).unwrap_err().to_string();
        assert_eq!(error, "no-such-program-here is not installed");
    }
}
