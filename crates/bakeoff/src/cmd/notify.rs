//! `--notify`: the result of a run to a web hook or a command, as `bakeoff/now/1`.
//!
//! The command is the user's own, from the command line. An address is handed to curl, which knows
//! proxies, certificates and redirects.

use std::time::Duration;

use bakeoff_core::model::path::printable;
use bakeoff_core::model::run::Run;
use bakeoff_core::model::secrets;
use bakeoff_core::model::verdict::Analysis;
use bakeoff_core::report::now::{self, Now};
use bakeoff_core::report::runs::State;

use crate::exec::{ExecError, Spec};
use crate::signals::Cancel;
use crate::ui::say;

/// Longest that it may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Sends it.
///
/// # Errors
/// Why nobody was told, in words.
pub fn send(to: &str, run: &Run, analysis: &Analysis) -> Result<(), String> {
    let now = Now::new(run, analysis, State::Stopped);
    let json = serde_json::to_vec(&now).map_err(|error| error.to_string())?;
    let shown = printable(secrets::hook(to).as_bytes());
    let failed = |why: String| format!("cannot notify {shown}: {why}");
    let said = now::notification(&now);
    let spec = match is_address(to) {
        true => Spec::tool(&curl(to), LIMIT),
        false => Spec::tool(&["sh", "-c", to, "sh", &said], LIMIT),
    };
    let spec = spec.map_err(|error| match matches!(error, ExecError::Missing { .. }) {
        true => failed(format!("{error}. Install it: {}", say::typed("sudo apt-get install curl"))),
        false => failed(error.to_string()),
    })?;
    let finished = spec.input(json).run(&Cancel::default()).map_err(|e| failed(e.to_string()))?;
    match finished.status.success() {
        true => Ok(()),
        false => {
            let stderr = printable(finished.stderr.trim_ascii()).replace(to, &shown);
            Err(failed(format!("{} {stderr}", finished.how()).trim_end().to_string()))
        }
    }
}

fn is_address(to: &str) -> bool {
    let lower = to.to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

fn curl(to: &str) -> Vec<String> {
    let words = [
        "curl",
        "--fail",
        "--silent",
        "--show-error",
        "--max-time",
        "30",
        "--header",
        "Content-Type: application/json",
        "--data-binary",
        "@-",
        "--url",
        to,
    ];
    words.map(str::to_string).into()
}
