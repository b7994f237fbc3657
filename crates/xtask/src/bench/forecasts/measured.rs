//! One run of a plan: what it forecast, and what came of it.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use super::drive::Drive;
use crate::tool;

/// A forecast and its outcome, in seconds and bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forecast {
    /// Complete blocks.
    pub blocks: u64,
    /// Time by the last complete block: forecast before the first block, and taken.
    pub time_s: (f64, f64),
    /// The same, forecast after the first block.
    pub later_s: f64,
    /// Bytes written by then.
    pub bytes: (f64, f64),
    /// Start to end of the command, and its limit.
    pub wall_s: (f64, f64),
    /// Why it stopped.
    pub reason: String,
}

impl Forecast {
    /// How far off the time was: forecast over taken, less 1.
    pub fn time_error(&self) -> f64 {
        self.time_s.0 / self.time_s.1 - 1.0
    }

    /// The same of bytes.
    pub fn bytes_error(&self) -> f64 {
        self.bytes.0 / self.bytes.1 - 1.0
    }

    /// In a line.
    pub fn line(&self) -> String {
        format!(
            "{} blocks; time {:.1} s of {:.1} ({:+.0} %), after a block {:.1}; {:.0} MB of {:.0} \
             ({:+.0} %); {:.1} s of {:.0}, {}",
            self.blocks,
            self.time_s.0,
            self.time_s.1,
            self.time_error() * 100.0,
            self.later_s,
            self.bytes.0 / 1e6,
            self.bytes.1 / 1e6,
            self.bytes_error() * 100.0,
            self.wall_s.0,
            self.wall_s.1,
            self.reason
        )
    }
}

/// Runs a plan on a drive.
pub fn run(bakeoff: &Path, plan: &str, mode: &str, time_s: u64, drive: &Drive) -> Result<Forecast> {
    let device = drive.device().to_string_lossy().into_owned();
    let in_folder = |args: &[&str]| {
        let mut command = Command::new(bakeoff);
        tool::answer(command.args(args).args(["--store", "bench.db"]).current_dir(drive.folder()))
    };
    let on = ["--target", &device, "--max-write", "100g", "--quiet"];
    let planned = in_folder(&[&["plan", plan, "--format", "json"], &on[..]].concat())?;
    let view: Value = serde_json::from_str(&planned)?;
    let token = view["targets"][0]["erase_token"].as_str().context("no token")?;
    let time = format!("{time_s}s");
    let before = drive.written_bytes()?;
    let started = Instant::now();
    let words = ["run", plan, "--erase", token, "--mode", mode, "--time", &time];
    in_folder(&[&words, &on[..]].concat())?;
    let wall = started.elapsed().as_secs_f64();
    let written = (drive.written_bytes()? - before) as f64;
    let events = in_folder(&["export", "last", "--format", "jsonl", "--no-redact"])?;
    outcome(&events, written, (wall, time_s as f64))
}

/// What the events of a run tell.
fn outcome(events: &str, written: f64, wall_s: (f64, f64)) -> Result<Forecast> {
    let events: Vec<Value> = events.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let seconds = |event: &Value| event["elapsed_ns"].as_f64().unwrap_or(0.0) / 1e9;
    let of = |name: &'static str| events.iter().filter(move |e| e["what"].get(name).is_some());
    let rehearsed = of("rehearsed").next().context("the run did not get to its first block")?;
    let said = &rehearsed["what"]["rehearsed"];
    let number = |key: &str| said[key].as_f64().unwrap_or(0.0);
    let ends: Vec<f64> = of("block_done").map(seconds).collect();
    let started: Vec<f64> = of("block_started").map(seconds).collect();
    let (blocks, n) = (ends.len() as u64, ends.len() as f64);
    let stopped = of("stopped").next_back().context("the run did not stop")?;
    let reason = stopped["what"]["stopped"]["reason"].as_str().unwrap_or_default().to_owned();
    let (Some(last), Some(first)) = (ends.last(), ends.first()) else {
        anyhow::bail!("no complete block: {}", stopped["what"]["stopped"]["note"])
    };
    let first_look = said["protocol"]["looks"][0].as_f64().unwrap_or(3.0);
    let block_bytes = number("block_write_bytes");
    let setup_bytes = number("expected_write_bytes") - first_look * block_bytes;
    // What the block that was cut off wrote is on the drive's counter, and its share of time is
    // known.
    let cut = started.last().filter(|at| **at >= *last);
    let share = cut.map_or(0.0, |at| (seconds(stopped) - at) / ((last - started[0]) / n));
    let block_s = first - started[0];
    Ok(Forecast {
        blocks,
        time_s: (
            seconds(rehearsed) + (n * number("block_ns") + number("calibration_ns")) / 1e9,
            *last,
        ),
        later_s: first + (n - 1.0) * block_s,
        bytes: (setup_bytes + (n + share) * block_bytes, written),
        wall_s,
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_is_compared_at_the_last_complete_block() {
        let event = |s: u64, what: &str| {
            format!("{{\"elapsed_ns\":{},\"what\":{what}}}", s * 1_000_000_000)
        };
        let events = [
            event(
                10,
                "{\"rehearsed\":{\"block_ns\":20000000000,\"calibration_ns\":5000000000,\"block_write_bytes\":100,\
                 \"expected_write_bytes\":350,\"protocol\":{\"looks\":[3,5]}}}",
            ),
            event(10, "{\"block_started\":{}}"),
            event(35, "{\"block_done\":{}}"),
            event(35, "{\"block_started\":{}}"),
            event(60, "{\"block_done\":{}}"),
            event(61, "{\"stopped\":{\"reason\":\"time_up\",\"note\":\"\"}}"),
        ];
        let found = outcome(&events.join("\n"), 260.0, (62.0, 60.0)).unwrap();
        assert_eq!((found.blocks, found.time_s, found.later_s), (2, (55.0, 60.0), 60.0));
        assert_eq!((found.bytes, found.reason.as_str()), ((250.0, 260.0), "time_up"));
        assert!(outcome(&events[0], 1.0, (1.0, 1.0)).is_err());
    }
}
