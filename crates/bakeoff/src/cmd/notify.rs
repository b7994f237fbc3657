//! `--notify`: the result of a run to a web hook or a command, as `show --format json` prints it.
//!
//! The command is the user's own, from the command line. An address is handed to curl, which knows
//! proxies, certificates and redirects; on its standard input, because every user of the machine
//! can read command lines and the address of a hook is a secret.

use std::time::Duration;

use bakeoff_model::path::{printable, unsteered};
use bakeoff_model::run::Run;
use bakeoff_model::secrets;
use bakeoff_model::verdict::Analysis;
use bakeoff_report as report;

use crate::exec::{ExecError, Spec};
use crate::signals::Cancel;
use crate::ui::say;

const LIMIT: Duration = Duration::from_secs(60);

/// Sends it.
///
/// # Errors
/// Why nobody was told, in words.
pub fn send(to: &str, run: &Run, analysis: &Analysis) -> Result<(), String> {
    let shown = printable(secrets::hook(to).as_bytes());
    let failed = |why: String| format!("cannot notify {shown}: {why}");
    let json = unsteered(&report::json(run, analysis).to_string()).into_owned();
    let said = report::runs::notification(run, analysis);
    let (command, input) = if is_address(to) {
        (CURL.map(str::to_string).to_vec(), request(to, &json).into_bytes())
    } else {
        (["sh", "-c", to, "sh", &said].map(str::to_string).to_vec(), json.into_bytes())
    };
    let spec = Spec::tool(&command, LIMIT);
    let spec = spec.map_err(|error| {
        if matches!(error, ExecError::Missing { .. }) {
            failed(format!("{error}. Install it: {}", say::typed("sudo apt-get install curl")))
        } else {
            failed(error.to_string())
        }
    })?;
    let finished = spec.input(input).run(&Cancel::default()).map_err(|e| failed(e.to_string()))?;
    if finished.status.success() {
        Ok(())
    } else {
        let stderr = printable(finished.stderr.trim_ascii()).replace(to, &shown);
        Err(failed(format!("{} {stderr}", finished.how()).trim_end().to_string()))
    }
}

fn is_address(to: &str) -> bool {
    let lower = to.to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

const CURL: [&str; 8] =
    ["curl", "--fail", "--silent", "--show-error", "--max-time", "30", "--config", "-"];

/// What curl is told, in the words of its configuration file (curl(1), `--config`).
fn request(to: &str, json: &str) -> String {
    let header = "Content-Type: application/json";
    [("url", to), ("header", header), ("data-raw", json)]
        .map(|(option, value)| format!("{option} = \"{}\"\n", quoted(value)))
        .concat()
}

fn quoted(value: &str) -> String {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    escaped.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An address with a line end and a quote could have been an option of curl.
    #[test]
    fn an_address_gives_curl_no_option() {
        let text = request("https://a/\"\noutput = \"/etc/x\\", "{\"a\":\"\\n\"}");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(lines[0], r#"url = "https://a/\"\noutput = \"/etc/x\\""#);
        assert_eq!(lines[2], r#"data-raw = "{\"a\":\"\\n\"}""#);
    }
}
