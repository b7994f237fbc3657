//! `pveperf`, which Proxmox VE comes with: a title and a figure a line, below the device.
//!
//! Each test takes three seconds: sequential reads of 2 MiB and random reads of 512 bytes of the
//! device, through the page cache, and files of 4001 bytes that are synced one after the other. Its
//! MB are 2^20 bytes (bin/pveperf of pve-manager, 2011 to 2026). The tests of the processor and of
//! names say nothing about a drive and are passed over.

use crate::model::finding::Severity;
use crate::scan::Tool;
use crate::scan::decimal::Decimal;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Metrics, Out, finding};

/// How its outputs are found.
pub static TOOL: Tool =
    Tool::new("pveperf", &["BUFFERED READS:", "AVERAGE SEEK TIME:", "FSYNCS/SECOND:"], || {
        vec![Box::new(Pveperf::default())]
    });

const MIB: u64 = 1 << 20;
/// Lines about something else, as they begin.
const OTHERS: [&str; 4] = ["CPU BOGOMIPS:", "REGEX/SECOND:", "DNS EXT:", "DNS INT:"];
/// Lines of one output at most, which has eight.
const LINES: u64 = 8;

/// Reads pveperf's figures.
#[derive(Debug, Default)]
pub struct Pveperf {
    /// The line that names the device, and its number.
    device: Option<(u64, String)>,
}

/// A line with a figure: how it begins and ends, what is tested, and what it is in which unit.
struct Figure {
    title: &'static str,
    unit: &'static str,
    test: &'static str,
    metric: (&'static str, &'static str),
    factor: u64,
}

const FIGURES: [Figure; 3] = [
    Figure {
        title: "BUFFERED READS:",
        unit: "MB/sec",
        test: "buffered reads",
        metric: ("throughput", "bytes/s"),
        factor: MIB,
    },
    Figure {
        title: "AVERAGE SEEK TIME:",
        unit: "ms",
        test: "seeks",
        metric: ("latency_avg", "ns"),
        factor: 1_000_000,
    },
    Figure {
        title: "FSYNCS/SECOND:",
        unit: "",
        test: "fsyncs",
        metric: ("fsyncs_per_second", "1/s"),
        factor: 1,
    },
];

impl Reader for Pveperf {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        if let Some(device) = device(text) {
            self.device = Some((line.number, device.to_string()));
            return true;
        }
        if OTHERS.iter().any(|title| text.starts_with(title)) {
            // It begins with the first of them, so what stood above was another output.
            self.device.take_if(|_| text.starts_with(OTHERS[0]));
            return true;
        }
        let found = FIGURES.iter().find_map(|of| Some((of, text.strip_prefix(of.title)?.trim())));
        let Some((of, printed)) = found else { return false };
        match of.value(printed) {
            Some(value) => self.give(line, of, (value, printed), out),
            None => {
                let why = "a figure of pveperf is incomplete";
                out.unread(line.number, line.number, why);
            }
        }
        true
    }
}

impl Pveperf {
    fn give(&self, line: &Line<'_>, of: &Figure, (value, printed): (Decimal, &str), out: &mut Out) {
        let ((name, unit), mut metrics) = (of.metric, Metrics::default());
        match value.times(of.factor) {
            Some(whole) if unit == "ns" => metrics.whole(name, whole, unit, (printed, line.number)),
            _ => metrics.real(name, value.value() * of.factor as f64, unit, (printed, line.number)),
        }
        let mut place = line.place(TOOL.name);
        let is_near = |(at, _): &&(u64, String)| line.number <= *at + LINES;
        if let Some((first_line, device)) = self.device.as_ref().filter(is_near) {
            (place.first_line, place.context) = (*first_line, device.clone());
        }
        let mut result = place.result(TOOL.name, None, line.number, metrics).of_test(of.test);
        if of.test == "fsyncs" {
            let evidence = "pveperf syncs each file while its 4001 bytes are still in a buffer of \
                            Perl: the files are empty when they are synced";
            let advice = "Compare by synced writes: fio --rw=randwrite --bs=4k --fsync=1";
            let found = finding("empty-sync", Severity::Refuse, evidence.to_string(), advice);
            result.findings.push(found);
        }
        out.result(result);
    }
}

impl Figure {
    /// The number, which has two digits behind its point, where its unit follows.
    fn value(&self, printed: &str) -> Option<Decimal> {
        let number = printed.strip_suffix(self.unit)?.trim_end();
        let is_whole = number.split_once('.').is_some_and(|(_, digits)| digits.len() == 2);
        Decimal::parse(number).filter(|_| is_whole)
    }
}

/// `/dev/sda1` of `HD SIZE:           93.99 GB (/dev/sda1)`, or the name of a pool of ZFS.
fn device(text: &str) -> Option<&str> {
    let (_, name) = text.strip_prefix("HD SIZE:")?.split_once(" GB (")?;
    name.strip_suffix(')')
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    fn read(text: &str) -> Imported {
        Finder::for_tool("pveperf").all_of(text.as_bytes())
    }

    #[test]
    fn three_figures_are_read_with_the_device_above_them() {
        let found = read(include_str!("../../../../fixtures/tools/pveperf/v2017.stdout"));
        let tests: Vec<_> = found.results.iter().filter_map(|r| r.test.as_deref()).collect();
        assert_eq!(tests, ["buffered reads", "seeks", "fsyncs"]);
        assert!(found.results.iter().all(|r| r.context.as_deref() == Some("/dev/sda1")));
        assert_eq!(found.results[2].findings[0].id, "empty-sync");
        assert_eq!(found.unread, []);
    }

    #[test]
    fn its_megabytes_are_powers_of_two_and_a_seek_is_milliseconds() {
        let found = read("BUFFERED READS:    2.00 MB/sec\nAVERAGE SEEK TIME: 8.06 ms\n");
        let values = found.results.iter().map(|r| r.metrics[0].value.as_f64());
        assert_eq!(values.collect::<Vec<_>>(), [2_097_152.0, 8_060_000.0]);
    }

    #[test]
    fn a_figure_that_was_cut_is_listed() {
        for cut in ["FSYNCS/SECOND:     324.2", "BUFFERED READS:    580.72 MB/s", "FSYNCS/SECOND:"]
        {
            let found = read(cut);
            assert_eq!((found.results.len(), found.unread.len()), (0, 1), "{cut}");
        }
    }

    #[test]
    fn the_device_of_another_output_is_not_taken_over() {
        let found = read(
            "HD SIZE:           1.90 GB (/dev/sda1)\nFSYNCS/SECOND:     324.28\n\
             CPU BOGOMIPS:      9200.00\nFSYNCS/SECOND:     96.60\n",
        );
        let contexts: Vec<_> = found.results.iter().map(|r| r.context.as_deref()).collect();
        assert_eq!(contexts, [Some("/dev/sda1"), None]);
    }
}
