//! `hdparm -t` and `-T`: one line for each timing, below a line with the device.
//!
//! It prints `N MB in T seconds = R MB/sec`. Its MB are 2^20 bytes: it reads in buffers of 2 MiB
//! and counts them (hdparm.c, `TIMING_BUF_MB`). R was divided before rounding, so it is the rate; N
//! and T only show that the line is whole. -t reads for three seconds from the start of the device
//! or from `--offset`, -T reads the same 2 MiB again and again.

use crate::evidence::cell::warm_cache;
use crate::evidence::of_result;
use crate::scan::Tool;
use crate::scan::decimal::Decimal;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Metrics, Out};

/// How its outputs are found.
pub static TOOL: Tool = Tool::new("hdparm", &[], || vec![Box::new(Hdparm::default())]);

const MIB: u64 = 1 << 20;

/// Reads hdparm's timings.
#[derive(Debug, Default)]
pub struct Hdparm {
    /// The line that names a device, and its number.
    device: Option<(u64, String)>,
}

impl Reader for Hdparm {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        if let Some(device) = device(line.text) {
            self.device = Some((line.number, device.to_string()));
            return false;
        }
        let Some((test, figures)) = timing(line.text) else { return false };
        let Some(figures) = Figures::parse(figures) else {
            let why = "this looks like a timing of hdparm, but its figures are incomplete";
            out.unread(line.number, line.number, why);
            return true;
        };
        if !figures.is_whole() {
            let why = "the size, the time and the rate of this hdparm timing contradict each other";
            out.unread(line.number, line.number, why);
            return true;
        }
        self.give(line, test, &figures, out);
        true
    }
}

impl Hdparm {
    fn give(&self, line: &Line<'_>, test: &str, figures: &Figures<'_>, out: &mut Out) {
        let mut metrics = Metrics::default();
        let at = line.number;
        if let Some(bytes) = figures.size.times(MIB) {
            metrics.whole("bytes", bytes, "bytes", (figures.raw, at));
        }
        if let Some(ns) = figures.elapsed.times(1_000_000_000) {
            metrics.whole("elapsed", ns, "ns", (figures.raw, at));
        }
        metrics.real("throughput", figures.bytes_per_s(), "bytes/s", (figures.raw, at));
        let mut place = line.place(TOOL.name);
        if let Some((first_line, device)) = &self.device {
            (place.first_line, place.context) = (*first_line, device.clone());
        }
        let mut result = place.result(TOOL.name, None, at, metrics).of_test(test);
        if test.ends_with("cached reads") || test == "buffer-cache reads" {
            let evidence = "the same 2 MiB are read repeatedly: this is the speed of memory and \
                            CPU, not of the drive";
            let advice = "compare drives by the disk reads: hdparm -t --direct";
            result.findings.push(of_result(&warm_cache::RULE, evidence.to_string(), advice));
        }
        out.result(result);
    }
}

/// `/dev/sda` of `/dev/sda:`.
fn device(text: &str) -> Option<&str> {
    let device = text.trim().strip_suffix(':')?;
    let is_one = device.starts_with("/dev/") && !device.contains(char::is_whitespace);
    is_one.then_some(device)
}

/// What was timed and its figures: `Timing buffered disk reads: 310 MB in …`.
fn timing(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = text.split_once("Timing ")?;
    let (test, figures) = rest.split_once(": ")?;
    let name = test.split(" (offset").next().unwrap_or(test);
    // Versions before 4 name the cache of the kernel that -T reads from.
    let names = [
        "buffer-cache reads",
        "cached reads",
        "buffered disk reads",
        "O_DIRECT cached reads",
        "O_DIRECT disk reads",
    ];
    names.contains(&name).then_some((test, figures.trim()))
}

/// `310 MB in  3.01 seconds = 102.88 MB/sec`.
struct Figures<'a> {
    raw: &'a str,
    size: Decimal,
    elapsed: Decimal,
    rate: Decimal,
    /// Bytes of the unit of the rate.
    unit_bytes: u64,
}

impl Figures<'_> {
    fn parse(raw: &str) -> Option<Figures<'_>> {
        // Version 3 puts no blank behind it.
        let spaced = raw.replace('=', " = ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let [size, "MB", "in", elapsed, "seconds", "=", rate, unit, ..] = words.as_slice() else {
            return None;
        };
        let unit_bytes = match *unit {
            "MB/sec" => MIB,
            "kB/sec" => 1 << 10,
            _ => return None,
        };
        let [size, elapsed, rate] = [size, elapsed, rate].map(|word| Decimal::parse(word));
        let figures = Figures { raw, size: size?, elapsed: elapsed?, rate: rate?, unit_bytes };
        (figures.elapsed.value() > 0.0).then_some(figures)
    }

    fn bytes_per_s(&self) -> f64 {
        self.rate.value() * self.unit_bytes as f64
    }

    /// Whether size over time gives the rate, within what rounding the time may change.
    fn is_whole(&self) -> bool {
        let size = self.size.value() * MIB as f64;
        let time = |by: f64| (self.elapsed.value() + by * self.elapsed.last_digit()).max(1e-9);
        let slack = self.rate.last_digit() * self.unit_bytes as f64;
        let rate = self.bytes_per_s();
        rate >= size / time(0.51) - slack && rate <= size / time(-0.51) + slack
    }
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    fn read(text: &str) -> Imported {
        Finder::for_tool("hdparm").all_of(text.as_bytes())
    }

    #[test]
    fn both_timings_are_read_with_the_device_above_them() {
        let found = read(include_str!("../../../../fixtures/tools/hdparm/both.stdout"));
        let tests: Vec<_> = found.results.iter().filter_map(|r| r.test.as_deref()).collect();
        assert_eq!(tests, ["cached reads", "buffered disk reads"]);
        let [cached, disk] = found.results.as_slice() else { panic!("{found:?}") };
        assert_eq!(disk.context.as_deref(), Some("/dev/loop0"));
        assert_eq!(cached.findings[0].id, "L16");
        assert!(disk.findings.iter().all(|f| f.id != "L16"));
        assert_eq!(found.unread, []);
    }

    #[test]
    fn units_are_powers_of_two() {
        let found = read(" Timing buffered disk reads:  64 MB in  3.05 seconds =  20.98 MB/sec\n");
        let metric = |name: &str| {
            found.results[0].metrics.iter().find(|m| m.name == name).unwrap().value.as_f64()
        };
        assert_eq!(metric("bytes"), 67_108_864.0);
        assert_eq!(metric("throughput"), 20.98 * 1_048_576.0);
    }

    /// Half of an old page's timings were lost without a word.
    #[test]
    fn the_first_versions_name_the_cache_otherwise_and_lack_a_blank() {
        let found = read(" Timing buffer-cache reads:   32 MB in  3.02 seconds =10.60 MB/sec\n");
        assert_eq!(found.results[0].findings[0].id, "L16");
        assert_eq!(found.results[0].metrics[2].value.as_f64(), 10.6 * 1_048_576.0);
    }

    #[test]
    fn figures_that_contradict_each_other_are_listed() {
        let found = read(" Timing buffered disk reads:  64 MB in  3.05 seconds =  209.8 MB/sec\n");
        assert!(found.results.is_empty());
        assert_eq!(found.unread.len(), 1);
    }
}
