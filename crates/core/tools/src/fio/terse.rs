//! fio's terse lines (`--minimal`), formats 2 to 5. Format 2 does not say that it is fio's, nor of
//! which version: its figures and their number must fit.

use super::scalar::{Rounded, is_rate};
use super::{DirectionVolume, JobReader};
use crate::scan::decimal::Decimal;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Form, Metrics, Out, short};

#[derive(Debug)]
pub struct Terse;

/// Fields of one direction: 41 in format 3 and 4, 47 in format 5, which adds samples.
const FIELDS: usize = 41;
const FIELDS_5: usize = 47;
/// Fields behind the directions: CPU, depths and latencies.
const TAIL: usize = 5 + 7 + 10 + 12;

impl Reader for Terse {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        let mut head = text.splitn(3, ';').map(str::trim);
        let format = head.next().unwrap_or("");
        let is_fio = head.next().is_some_and(|version| version.starts_with("fio-"));
        let is_known = is_fio && matches!(format, "3" | "4" | "5");
        if !is_known && !is_format_2(text) {
            return false;
        }
        match read(text, format, line) {
            Ok(job) => drop(job.give(out)),
            Err(why) => out.unread(line.number, line.number, why),
        }
        true
    }
}

/// Whether a line looks like format 2: the job's name, its group and error, and numbers all along.
fn is_format_2(text: &str) -> bool {
    let fields: Vec<&str> = text.split(';').map(str::trim).collect();
    let is_number = |at: usize| fields.get(at).is_some_and(|field| field.parse::<u64>().is_ok());
    fields[0] == "2" && fields.len() > FIELDS && (2..7).all(is_number)
}

fn read(text: &str, format: &str, line: &Line<'_>) -> Result<JobReader, String> {
    let fields: Vec<&str> = text.split(';').map(str::trim).collect();
    let width = if format == "5" { FIELDS_5 } else { FIELDS };
    // Format 2 has no field for fio's version.
    let head = if format == "2" { 4 } else { 5 };
    let has_trim = format != "3" && (format != "2" || fields.len() >= head + 3 * width + TAIL);
    let directions: &[&'static str] =
        if has_trim { &["read", "write", "trim"] } else { &["read", "write"] };
    // Each drive adds nine more, but in format 2; a description one.
    let least = head + directions.len() * width + TAIL;
    let more = fields.len().checked_sub(least);
    let is_whole = more.is_some_and(|more| more <= 1 || (format != "2" && more % 9 <= 1));
    if !is_whole {
        return Err(format!("a terse line of fio with {} fields is incomplete", fields.len()));
    }
    let mut metrics = Metrics::default();
    for (at, direction) in directions.iter().enumerate() {
        let first = head + at * width;
        give(direction, &fields[first..first + width], line.number, &mut metrics)?;
    }
    let no_error = "a terse line of fio has no error field";
    let error = fields[head - 1].parse().map_err(|_| no_error)?;
    Ok(JobReader {
        place: line.place("fio"),
        last_line: line.number,
        version: fields[1].strip_prefix("fio-").map(short).filter(|_| format != "2"),
        name: short(fields[head - 3]),
        error,
        metrics,
        form: Form::Terse,
    })
}

/// One direction: KiB, KiB/s, IOPS, ms, slat, clat, percentiles, lat, bandwidth.
fn give(
    direction: &'static str,
    fields: &[&str],
    line: u64,
    metrics: &mut Metrics,
) -> Result<(), String> {
    let whole = |at: usize| fields[at].parse::<u64>();
    let bad = |_| format!("a {direction} field of a terse line of fio is not a number");
    let (kib, rate) = (whole(0).map_err(bad)?, whole(1).map_err(bad)?);
    let (iops, ms) = (whole(2).map_err(bad)?, whole(3).map_err(bad)?);
    if kib == 0 {
        return Ok(());
    }
    let bytes = kib.saturating_mul(1024);
    // Whole KiB both, of which the fraction was cut.
    let [moved, rate] = [kib, rate].map(Rounded::of_kib);
    if !is_rate(moved, ms as f64, rate) {
        return Err("the bytes, runtime and rate of a terse line contradict each other".to_string());
    }
    let volume = DirectionVolume {
        bytes: (bytes, fields[0].to_string(), line),
        runtime_ms: Some((ms, fields[3].to_string(), line)),
        rate: None,
    };
    volume.give(direction, fields[1], line, metrics);
    metrics.whole(&format!("{direction}.iops"), iops, "1/s", (fields[2], line));
    let mut latency = |name: &str, raw: &str| {
        if let Some(ns) = Decimal::parse(raw).and_then(|us| us.times(1000)) {
            metrics.whole(&format!("{direction}.latency_{name}"), ns, "ns", (raw, line));
        }
    };
    latency("min", fields[8]);
    latency("max", fields[9]);
    latency("avg", fields[10]);
    for field in &fields[12..32] {
        let Some((rank, value)) = field.split_once("%=") else { continue };
        let rank = rank.trim_end_matches('0').trim_end_matches('.');
        if rank.parse::<f64>().is_ok_and(|rank| rank > 0.0) {
            latency(&format!("p{rank}"), value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate as tools;
    use crate::scan::result::{Imported, Value};

    const FORMAT_3: &str = include_str!("../../../../../fixtures/tools/fio/terse_v3.stdout");

    #[test]
    fn blanks_behind_the_semicolons_are_no_part_of_the_numbers() {
        let close = tools::read(FORMAT_3.as_bytes());
        let wide = tools::read(FORMAT_3.replace(';', "; ").as_bytes());
        let values = |of: &Imported| -> Vec<(String, Value)> {
            let metrics = of.results.iter().flat_map(|result| &result.metrics);
            metrics.map(|metric| (metric.name.clone(), metric.value)).collect()
        };
        assert!(!values(&close).is_empty());
        assert_eq!(values(&wide), values(&close));
    }

    #[test]
    fn format_2_was_lost_without_a_word() {
        let line = FORMAT_3.trim().replacen("3;fio-3.33;", "2;", 1);
        let [of_3, of_2] =
            [FORMAT_3, include_str!("../../../../../fixtures/tools/fio/terse_v2.stdout")]
                .map(|text| tools::read(text.as_bytes()));
        let names = |of: &Imported| -> Vec<String> {
            of.results[0].metrics.iter().map(|metric| metric.name.clone()).collect()
        };
        assert_eq!(of_2.unread, []);
        assert!(names(&of_3).iter().all(|name| names(&of_2).contains(name)));
        // Format 2 names no drive: more fields are none of its.
        let found = tools::read(line.as_bytes());
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
        assert!(tools::read(b"2;a;b;c\n2;1;2\n").unread.is_empty());
    }
}
