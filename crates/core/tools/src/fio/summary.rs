//! The lines `READ: bw=...` below all jobs; results of their own only where no job above has the
//! direction.

use super::JobReader;
use super::direction::{DirectionFigures, NAMES};
use super::scalar::{rates, size, value};
use crate::scan::finder::Line;
use crate::scan::result::{Metrics, Out};

/// A summary belongs to jobs that end within this many lines above it.
const GAP_LINES: u64 = 60;

/// Remembers whether a job was read above.
#[derive(Debug, Default)]
pub struct SummaryReader {
    covered_line: Option<u64>,
    directions: Vec<&'static str>,
    is_over: bool,
}

impl SummaryReader {
    pub fn cover(&mut self, line: u64, text: &str) {
        self.covered_line = Some(line);
        if std::mem::take(&mut self.is_over) {
            self.directions.clear();
        }
        self.directions.extend(NAMES.iter().filter(|name| text.starts_with(**name)));
    }

    pub fn line(
        &mut self,
        line: &Line<'_>,
        text: &str,
        version: Option<&str>,
        out: &mut Out,
    ) -> bool {
        if text.starts_with("Run status group") {
            return true;
        }
        let Some((label, rest)) = text.split_once(": ") else { return false };
        let is_loud = label.bytes().all(|byte| byte.is_ascii_uppercase());
        let name = NAMES.into_iter().find(|name| is_loud && name.eq_ignore_ascii_case(label));
        let Some(name) = name else { return false };
        let is_new = rest.starts_with("bw=");
        let is_old = rest.starts_with("io=") && rest.contains("b=");
        if !is_new && !is_old {
            return false;
        }
        self.is_over = true;
        let is_near = self.covered_line.is_some_and(|at| line.number <= at + GAP_LINES);
        let is_covered = is_near && self.directions.contains(&name);
        if is_covered {
            self.covered_line = Some(line.number);
            return true;
        }
        match read(name, rest, is_old, line) {
            Some(metrics) => {
                let place = line.place("fio");
                let version = version.map(str::to_string);
                let (name, last_line) = (String::new(), line.number);
                JobReader { place, last_line, version, name, error: 0, metrics }.give(out);
            }
            None => {
                let why = "a summary of fio is incomplete or contradicts itself";
                out.unread(line.number, line.number, why);
            }
        }
        true
    }
}

fn read(name: &str, rest: &str, is_old: bool, line: &Line<'_>) -> Option<Metrics> {
    let rate_raw = value(rest, if is_old { "aggrb" } else { "bw" })?;
    let bytes_raw = value(rest, "io")?;
    let runtime = if is_old {
        value(rest, "maxt")?.strip_suffix("msec")?
    } else {
        // `run=1004-1004msec`: the longest job's time.
        value(rest, "run")?.strip_suffix("msec")?.split_once('-')?.1
    };
    let parts = DirectionFigures {
        rates: rates(rate_raw, is_old),
        rate_raw: rate_raw.to_string(),
        iops: None,
        bytes: (size(bytes_raw, is_old)?, bytes_raw.to_string()),
        runtime_ms: (runtime.parse().ok()?, runtime.to_string()),
    };
    let mut metrics = Metrics::default();
    let volume = parts.agree().then(|| parts.volume(line.number))?;
    volume.give(name, rate_raw, line.number, &mut metrics);
    Some(metrics)
}
