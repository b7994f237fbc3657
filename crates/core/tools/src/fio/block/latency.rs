//! The latencies of a block: least, largest and mean, and rows of percentiles.

use super::{CUT, OpenBlock};
use crate::fio::scalar::{count, unit_ns, value};
use crate::scan::finder::Line;

/// How far a percentile may be beyond the exact ends: fio's buckets are a 64th of their value wide.
const BUCKET: f64 = 0.02;

impl OpenBlock {
    /// `min=4016, max=34079, avg=12225.77, stdev=5386.52`
    pub(super) fn latency(&mut self, what: &str, unit: &str, rest: &str, line: &Line<'_>) {
        let wanted = if what == "sync" { "sync" } else { "clat" };
        let (Some(ns), Some(direction)) = (unit_ns(unit), self.directions.last_mut()) else {
            return;
        };
        // The deviation stands last: without it the line was cut, perhaps inside a number.
        let is_whole = value(rest, "stdev").is_some();
        if what != wanted || (what == "sync") != (direction.name == "sync") {
            return;
        }
        if !is_whole {
            self.doubt(line, CUT);
            return;
        }
        let figure = |key| count(value(rest, key)?);
        let (Some(min), Some(max), Some(avg)) = (figure("min"), figure("max"), figure("avg"))
        else {
            self.no_latencies(line, "its latencies are not numbers");
            return;
        };
        if min.value > avg.value + avg.slack || avg.value > max.value + max.slack {
            self.no_latencies(line, "its mean latency is not between the minimum and the maximum");
            return;
        }
        for (key, figure) in [("min", min), ("max", max), ("avg", avg)] {
            let name = format!("{}.latency_{key}", direction.name);
            let raw = value(rest, key).unwrap_or_default();
            self.is_twice |= direction.latencies.get(&name).is_some();
            let value = libm::round(figure.value * ns) as u64;
            direction.latencies.whole(&name, value, "ns", (raw, line.number));
        }
    }

    /// `|  1.00th=[  212],  5.00th=[  326],`
    pub(super) fn percentile_line(&mut self, rest: &str, line: &Line<'_>) -> bool {
        if !rest.contains("th=[") {
            return false;
        }
        if !rest.trim_end_matches([' ', ',']).ends_with(']') {
            self.doubt(line, CUT);
        }
        let mut has_no_number = false;
        let (Some((ns, true)), Some(direction)) = (self.percentiles, self.directions.last_mut())
        else {
            return true;
        };
        for part in rest.split("],").flat_map(|part| part.split(']')) {
            let Some((rank, raw)) = part.split_once("th=[") else { continue };
            // The bracket behind it says that the number is whole.
            let is_closed = rest.contains(&format!("[{raw}]"));
            let rank = rank.trim_matches([' ', ',']).trim_end_matches('0').trim_end_matches('.');
            let figure = count(raw.trim_start_matches('>'));
            let Some(figure) = figure.filter(|_| is_closed) else {
                has_no_number |= is_closed;
                continue;
            };
            let name = format!("{}.latency_p{rank}", direction.name);
            let (last_rank, last_value) = self.last_percentile;
            let place = rank.parse::<f64>().unwrap_or(f64::NAN);
            // Also where the rank is no number.
            let rises = place > last_rank && place <= 100.0 && figure.value >= last_value;
            if !rises {
                self.no_latencies(line, "the percentiles decrease");
                return true;
            }
            let ns_of =
                |what| direction.latencies.get(&format!("{}.latency_{what}", direction.name));
            let least = ns_of("min").unwrap_or(0.0) * (1.0 - BUCKET) - ns;
            let most = ns_of("max").unwrap_or(f64::INFINITY) * (1.0 + BUCKET) + ns;
            if !(least..=most).contains(&(figure.value * ns)) {
                self.no_latencies(line, "a percentile is not between the minimum and the maximum");
                return true;
            }
            self.last_percentile = (place, figure.value);
            self.is_twice |= direction.latencies.get(&name).is_some();
            let value = libm::round(figure.value * ns) as u64;
            direction.latencies.whole(&name, value, "ns", (raw, line.number));
        }
        if has_no_number {
            self.doubt(line, "a percentile is not a number");
        }
        true
    }

    /// Latencies contradict each other: digits are missing, or lines of two directions changed
    /// places; none of the block's is given.
    fn no_latencies(&mut self, line: &Line<'_>, why: &str) {
        self.doubt(line, why);
        self.percentiles = self.percentiles.map(|(ns, _)| (ns, false));
        self.has_wrong_latencies = true;
    }
}
