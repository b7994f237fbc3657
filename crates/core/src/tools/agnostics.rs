//! agnostics, the test of SD cards of Raspberry Pi OS: fields of fio's terse lines and verdicts.
//!
//! Its script (sdtest.sh) cuts five fields out of each terse line of fio: job, KiB/s and requests
//! per second of reads, and of writes. Below a run it repeats three of them with their targets; its
//! "KB/sec" are fio's KiB. A verdict is a result of its own only where its job is not above it.

use crate::scan::Tool;
use crate::scan::finder::{Line, Reader};
use crate::scan::quantity::{Quantity, Span};
use crate::scan::result::{Metrics, Out};

/// How its outputs are found.
pub static TOOL: Tool =
    Tool::new("agnostics", &["seq-write;0;0;", "rand-4k-write;0;0;", "write speed - "], || {
        vec![Box::new(Agnostics::default())]
    });

const KIB: u64 = 1 << 10;
/// The jobs of sd_bench.fio and the bytes of a request, which grew in 2024.
const JOBS: [(&str, &[u64]); 5] = [
    ("prepare-file", &[512 << 10]),
    ("seq-write", &[512 << 10, 4 << 20]),
    ("seq-read", &[4 << 20]),
    ("rand-4k-write", &[4 << 10]),
    ("rand-4k-read", &[4 << 10]),
];
/// What a verdict begins with, its job, and its unit.
const VERDICTS: [(&str, &str, &str); 3] = [
    ("Sequential write speed ", "seq-write", "KB/sec"),
    ("Random write speed ", "rand-4k-write", "IOPS"),
    ("Random read speed ", "rand-4k-read", "IOPS"),
];
/// Lines between a job and its verdict.
const FAR_LINES: u64 = 12;

/// Reads agnostics' lines.
#[derive(Debug, Default)]
pub struct Agnostics {
    /// The jobs of one run: name, the figure that its verdict repeats, line.
    jobs: Vec<(&'static str, String, u64)>,
    /// `Run 2`, and its line.
    run: Option<(String, u64)>,
}

impl Reader for Agnostics {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        // People make a list of the verdicts.
        let text = line.text.trim().trim_start_matches(['-', '*']).trim_start();
        if text.strip_prefix("Run ").is_some_and(|run| ["1", "2", "3"].contains(&run)) {
            self.run = Some((text.to_string(), line.number));
            self.jobs.clear();
            return false;
        }
        let fields: Vec<&str> = text.split(';').collect();
        if let Some((name, sizes)) = JOBS.iter().find(|(name, _)| fields[0] == *name)
            && fields.len() > 1
        {
            self.job(line, (name, sizes), &fields[1..], out);
            return true;
        }
        let verdict = VERDICTS.iter().find(|(before, ..)| text.starts_with(before));
        let Some((before, job, unit)) = verdict.filter(|_| text.contains("(target ")) else {
            return false;
        };
        self.verdict(line, (job, unit), &text[before.len()..], out);
        true
    }
}

impl Agnostics {
    fn job(
        &mut self,
        line: &Line<'_>,
        (name, sizes): (&'static str, &[u64]),
        fields: &[&str],
        out: &mut Out,
    ) {
        let is_read = name.ends_with("read");
        let (rate, iops) = match fields {
            [rate, iops, "0", "0"] if is_read => (*rate, *iops),
            ["0", "0", rate, iops] if !is_read && line.is_ended => (*rate, *iops),
            _ => return unread(line, "a job of agnostics is incomplete", out),
        };
        let count = |text: &str, unit| {
            let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
            Quantity::with_unit(text, unit).filter(|of| is_whole && of.value() > 0.0)
        };
        let (Some(kib), Some(requests)) = (count(rate, KIB), count(iops, 1)) else {
            let why = "a job of agnostics has no speed";
            return unread(line, why, out);
        };
        let is_of =
            |size: &u64| kib.span().meets(requests.span().times(Span::exactly(*size as f64)));
        if !sizes.iter().any(is_of) {
            let why =
                "the rate and the requests per second of a job of agnostics contradict each other";
            return unread(line, why, out);
        }
        self.jobs.retain(|(known, ..)| *known != name);
        let repeated = if name == "seq-write" { rate } else { iops };
        self.jobs.push((name, repeated.to_string(), line.number));
        let direction = if is_read { "read" } else { "write" };
        let mut metrics = Metrics::default();
        let [rate_name, iops_name] = ["throughput", "iops"].map(|w| format!("{direction}.{w}"));
        kib.give_real(&rate_name, "bytes/s", line.number, &mut metrics);
        requests.give_real(&iops_name, "1/s", line.number, &mut metrics);
        self.give(line, name, metrics, out);
    }

    /// `21990 KB/sec (target 10000) - PASS`; the first version left the unit out.
    fn verdict(
        &mut self,
        line: &Line<'_>,
        (job, unit): (&'static str, &str),
        text: &str,
        out: &mut Out,
    ) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (value, is_whole) = match words.as_slice() {
            [value, "(target", _, "-", end] => (*value, is_end(end)),
            [value, known, "(target", _, "-", end] => (*value, *known == unit && is_end(end)),
            _ => ("", false),
        };
        let known =
            self.jobs.iter().find(|(name, _, at)| *name == job && line.number <= at + FAR_LINES);
        let of = |unit| Quantity::with_unit(value, unit).filter(|of| is_whole && of.value() > 0.0);
        let speed = if unit == "IOPS" { of(1) } else { of(KIB) };
        match (speed, known) {
            // Another verdict below it is of another run.
            (Some(_), Some((_, repeated, _))) if *repeated == value => {
                self.jobs.retain(|(name, ..)| *name != job);
            }
            (Some(speed), None) => {
                let direction = if job.ends_with("read") { "read" } else { "write" };
                let (what, unit) = match unit {
                    "IOPS" => ("iops", "1/s"),
                    _ => ("throughput", "bytes/s"),
                };
                let mut metrics = Metrics::default();
                speed.give_real(&format!("{direction}.{what}"), unit, line.number, &mut metrics);
                self.give(line, job, metrics, out);
            }
            _ => {
                let why = "a verdict of agnostics is incomplete or contradicts its job above";
                unread(line, why, out);
            }
        }
    }
}

impl Agnostics {
    fn give(&self, line: &Line<'_>, job: &str, metrics: Metrics, out: &mut Out) {
        let result = line.place(TOOL.name).result(TOOL.name, None, line.number, metrics);
        let mut result = result.of_test(job);
        if let Some((run, at)) = &self.run
            && line.number <= at + FAR_LINES
        {
            result.context = Some(run.clone());
        }
        out.result(result);
    }
}

fn is_end(word: &str) -> bool {
    ["PASS", "FAIL"].contains(&word)
}

fn unread(line: &Line<'_>, why: &str, out: &mut Out) {
    out.unread(line.number, line.number, why);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/agnostics/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("agnostics").all_of(text.as_bytes())
    }

    #[test]
    fn verdicts_that_somebody_made_a_list_of_are_read() {
        let found = read(
            "- Sequential write speed 14294 KB/sec (target 10000) - PASS\n\
             * Random write speed 675 IOPS (target 500) - PASS\n",
        );
        assert_eq!((found.results.len(), found.unread.len()), (2, 0), "{found:?}");
    }

    #[test]
    fn every_job_is_a_result_and_its_verdict_none() {
        let found = read(fixture!("v2024_pass"));
        let tests: Vec<_> = found.results.iter().filter_map(|r| r.test.as_deref()).collect();
        assert_eq!(tests, JOBS.map(|(name, _)| name));
        assert_eq!(found.results[1].figure(&["write.throughput"]), Some(3_855_058.0 * 1024.0));
        assert_eq!(found.results[4].figure(&["read.iops"]), Some(132_129.0));
        assert_eq!(found.unread, []);
        let found = read(fixture!("v2020_fail"));
        assert_eq!((found.results.len(), found.unread.len()), (12, 0));
        assert_eq!(found.results[11].context.as_deref(), Some("Run 3"));
    }

    #[test]
    fn verdicts_alone_and_quoted_are_read() {
        let found = read(
            "> Sequential write speed 21990 KB/sec (target 10000) - PASS\n\
             > Random read speed 1976 IOPS (target 1500) - PASS\n",
        );
        assert_eq!((found.results.len(), found.unread.len()), (2, 0));
        assert_eq!(found.results[0].figure(&["write.throughput"]), Some(21_990.0 * 1024.0));
        assert_eq!(found.results[1].test.as_deref(), Some("rand-4k-read"));
    }

    #[test]
    fn contradictions_are_listed_and_the_others_stay() {
        let text = fixture!("v2020_pass");
        let found = read(&text.replace("write;0;0;182551;", "write;0;0;282551;"));
        assert_eq!((found.results.len(), found.unread.len()), (4, 1), "{found:#?}");
        let found = read(&text.replace("speed 45637 IOPS", "speed 45638 IOPS"));
        assert_eq!((found.results.len(), found.unread.len()), (4, 1));
        let found = read("seq-write;0;0;21990");
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
    }
}
