//! ioping: the lines below `ioping statistics`, and its raw statistics (`-B`, `-p`).
//!
//! Versions differ in what they mean. 0.x prints the time of the whole run, waits included; 1.0 and
//! later print the time that the requests took, without the first, and the whole run in a line that
//! begins with "generated". Its rates are those of the requests alone: requests over the time they
//! took. KiB and MiB are powers of two, and the "mb" of 0.6 too; `k` of a count is 1000
//! (ioping.c, `print_suffix`, `finish_statistics`).

use crate::scan::Tool;
use crate::scan::finder::{Line, Reader};
use crate::scan::quantity::{IEC, Quantity, Span};
use crate::scan::result::{Metrics, Out, Place, short};

/// How its outputs are found.
pub static TOOL: Tool =
    Tool::new("ioping", &[" ioping statistics ---", " requests completed in "], || {
        vec![Box::new(Ioping::default())]
    });

/// What a line of generated requests that is not given may be.
const UNSOUND: &str = "a line of generated requests of ioping contradicts itself or the completed \
                       ones or is among those of another run";
const COUNTS: [(&str, u64); 5] =
    [("", 1), ("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000), ("T", 1_000_000_000_000)];
const TIMES: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("hour", 3_600_000_000_000),
];
/// How 0.6 and earlier print the rate.
const OLD_RATES: [(&str, u64); 1] = [("mb", 1 << 20)];
const NS_PER_S: f64 = 1e9;
/// Lines within which the rest of one run may stand below the beginning of another.
const MIXED_LINES: u64 = 8;

/// Reads ioping's statistics.
#[derive(Debug, Default)]
pub struct Ioping {
    /// First and last line of requests that no statistics followed yet.
    requests: Option<(u64, u64)>,
    open: Option<Open>,
    /// The last line whose run is unclear, where two runs stand between each other.
    mixed_to: u64,
}

/// Statistics of which more lines may follow.
#[derive(Debug)]
struct Open {
    place: Place,
    last_line: u64,
    target: String,
    run: Option<Run>,
    metrics: Metrics,
    has_latencies: bool,
}

/// `9 requests completed in …` or `generated 10 requests in …`
#[derive(Debug)]
struct Run {
    count: Quantity,
    time: Quantity,
    /// The first versions print none.
    bytes: Option<Quantity>,
    iops: Quantity,
    rate: Quantity,
    /// What the names of its figures begin with, and the name of its time.
    names: (&'static str, &'static str),
    is_old: bool,
}

impl Reader for Ioping {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        if is_request(text) {
            self.close(out);
            let first_line = self.requests.map_or(line.number, |(first, _)| first);
            self.requests = Some((first_line, line.number));
        } else if let Some(target) = target(text) {
            self.close(out);
            self.open = Some(self.begin(line, target, out));
        } else if text.contains(" requests completed in ") && starts_with_figure(text) {
            if let Some(open) = self.open.as_ref().filter(|open| !open.metrics.0.is_empty()) {
                // The rest of the other run may follow.
                if line.number <= open.last_line + MIXED_LINES {
                    self.mixed_to = line.number + MIXED_LINES;
                }
                self.close(out);
            }
            self.completed(line, text, out);
        } else if text.contains("generated ") && text.contains(" requests in ") {
            self.generated(line, text, out);
        } else if let Some(figures) = text.strip_prefix("min/avg/max/mdev = ") {
            self.latencies(line, figures, out);
        } else {
            return raw(line, text, out);
        }
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
        self.list_requests(out);
    }
}

impl Ioping {
    fn begin(&mut self, line: &Line<'_>, target: &str, out: &mut Out) -> Open {
        let mut place = line.place(TOOL.name);
        match self.requests.take_if(|(_, last)| line.number <= *last + 3) {
            Some((first_line, _)) => place.first_line = first_line,
            None => self.list_requests(out),
        }
        let (target, metrics) = (short(target), Metrics::default());
        Open { place, last_line: line.number, target, run: None, metrics, has_latencies: false }
    }

    /// The statistics that a line belongs to: those of the line just above it.
    fn open_at(&mut self, line: &Line<'_>, out: &mut Out) -> &mut Open {
        let is_next = |open: &mut Open| line.number <= open.last_line + 2;
        let open = match self.open.take_if(is_next) {
            Some(open) => open,
            None => {
                self.close(out);
                self.begin(line, "", out)
            }
        };
        self.open.insert(Open { last_line: line.number, ..open })
    }

    fn completed(&mut self, line: &Line<'_>, text: &str, out: &mut Out) {
        let run = Run::completed(text);
        let open = self.open_at(line, out);
        let why = match run {
            None => "this looks like statistics of ioping, but its figures are incomplete",
            Some(run) if run.count.value() == 0.0 => {
                "ioping completed no request that it counts: it does not count the first one"
            }
            Some(run) if !run.is_whole() => {
                "the requests, the time and the rates of ioping contradict each other"
            }
            Some(run) => {
                run.give(line.number, &mut open.metrics);
                open.run = Some(run);
                return;
            }
        };
        out.unread(line.number, line.number, why);
    }

    fn generated(&mut self, line: &Line<'_>, text: &str, out: &mut Out) {
        let generated = Run::generated(text).filter(|_| line.number > self.mixed_to);
        let open = self.open_at(line, out);
        let is_empty = open.run.is_none();
        let is_first = open.metrics.get("generated.requests").is_none();
        match generated {
            // Listed with the line above it.
            Some(of) if is_empty && of.is_whole_of_time() => {}
            Some(of) if is_first && of.is_whole_of_time() && of.fits(open.run.as_ref()) => {
                of.give(line.number, &mut open.metrics);
            }
            _ => {
                out.unread(line.number, line.number, UNSOUND);
            }
        }
    }

    fn latencies(&mut self, line: &Line<'_>, figures: &str, out: &mut Out) {
        let latencies = Latencies::parse(figures).filter(|_| line.number > self.mixed_to);
        let open = self.open_at(line, out);
        let fits = |latencies: &Latencies| latencies.fit(open.run.as_ref());
        match latencies {
            Some(latencies) if latencies.is_nothing() => {}
            Some(latencies) if !open.has_latencies && fits(&latencies) => {
                open.has_latencies = true;
                latencies.give(figures, line.number, &mut open.metrics);
            }
            _ => {
                let why = "a line of latencies of ioping is incomplete or contradicts itself or \
                           the lines above";
                out.unread(line.number, line.number, why);
            }
        }
        self.close(out);
    }

    fn close(&mut self, out: &mut Out) {
        let Some(open) = self.open.take().filter(|open| !open.metrics.0.is_empty()) else {
            return;
        };
        let mut result = open.place.result(TOOL.name, None, open.last_line, open.metrics);
        if !open.target.is_empty() {
            result.context = Some(open.target);
        }
        out.result(result);
    }

    fn list_requests(&mut self, out: &mut Out) {
        if let Some((first_line, last_line)) = self.requests.take() {
            let why = "requests of ioping lack its statistics: import the last lines too";
            out.unread(first_line, last_line, why);
        }
    }
}

/// `4 KiB <<< . (ext4 /dev/sda1): request=1 time=37.4 us`
fn is_request(text: &str) -> bool {
    let is_from = text.contains(" from ") || text.contains(" <<< ") || text.contains(" >>> ");
    is_from && text.contains("request=") && text.contains(" time=") && starts_with_figure(text)
}

fn starts_with_figure(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// `. (ext4 /dev/sda1)` of the line above the statistics.
fn target(text: &str) -> Option<&str> {
    text.strip_prefix("--- ")?.strip_suffix(" ioping statistics ---")
}

impl Run {
    /// `9 requests completed in 1.01 ms, 36 KiB read, 8.88 k iops, 34.7 MiB/s`; the first versions
    /// leave the bytes out.
    fn completed(text: &str) -> Option<Run> {
        let (count, rest) = text.split_once(" requests completed in ")?;
        let fields: Vec<&str> = rest.split(", ").collect();
        let (bytes, prefix) = match fields.get(1).filter(|_| fields.len() == 4) {
            Some(text) => [(" read", "read."), (" written", "write.")]
                .iter()
                .find_map(|(word, prefix)| Some((text.strip_suffix(word)?, *prefix)))
                .map_or((Some(*text), ""), |(size, prefix)| (Some(size), prefix)),
            None => (None, ""),
        };
        let time = if bytes.is_some() { "request_time" } else { "elapsed" };
        Run::from_fields(count, &fields, bytes, (prefix, time))
    }

    /// `generated 10 requests in 900.4 ms, 40 KiB, 11 iops, 44.4 KiB/s`
    fn generated(text: &str) -> Option<Run> {
        let (_, text) = text.split_once("generated ")?;
        let (count, rest) = text.split_once(" requests in ")?;
        let fields: Vec<&str> = rest.split(", ").collect();
        let bytes = fields.get(1).filter(|_| fields.len() == 4)?;
        Run::from_fields(count, &fields, Some(bytes), ("generated.", "elapsed"))
            .filter(|run| !run.is_old)
    }

    /// From the time, the bytes where they are printed, the requests per second and the rate.
    fn from_fields(
        count: &str,
        fields: &[&str],
        bytes: Option<&str>,
        names: (&'static str, &'static str),
    ) -> Option<Run> {
        let (time, iops, rate) = match (fields, bytes) {
            ([time, iops, rate], None) | ([time, _, iops, rate], Some(_)) => (time, iops, rate),
            _ => return None,
        };
        let rate = rate.strip_suffix("/s")?;
        let is_old = rate.ends_with(" mb");
        let units: &[_] = if is_old { &OLD_RATES } else { &IEC };
        Some(Run {
            count: Quantity::parse(count, &COUNTS)?,
            time: Quantity::parse(time, &TIMES)?,
            bytes: bytes.map_or(Some(None), |bytes| Quantity::parse(bytes, &IEC).map(Some))?,
            iops: Quantity::parse(iops.strip_suffix(" iops")?, &COUNTS)?,
            rate: Quantity::parse(rate, units)?,
            names,
            is_old,
        })
    }

    /// Whether the requests per second are those of the time, where it is that of the requests.
    fn has_iops_of_time(&self) -> bool {
        let count = self.count.count_span().times(Span::exactly(NS_PER_S));
        self.iops.span().times(self.time.span()).meets(count)
    }

    /// Whether the rates of completed requests are those of the requests.
    fn is_whole(&self) -> bool {
        let Some(bytes) = &self.bytes else { return true };
        let moved = self.count.count_span().times(self.rate.span());
        self.has_iops_of_time() && moved.meets(self.iops.span().times(bytes.count_span()))
    }

    /// Whether the rates of generated requests are those of the time.
    fn is_whole_of_time(&self) -> bool {
        let Some(bytes) = &self.bytes else { return false };
        let moved = bytes.count_span().times(Span::exactly(NS_PER_S));
        self.has_iops_of_time() && self.rate.span().times(self.time.span()).meets(moved)
    }

    /// Whether these generated requests have the size of the completed ones, which are no more.
    fn fits(&self, run: Option<&Run>) -> bool {
        let Some(run) = run else { return true };
        let (Some(own), Some(bytes)) = (&self.bytes, &run.bytes) else { return false };
        let is_size = self.count.count_span().times(bytes.count_span());
        run.count.count_span().is_at_most(self.count.count_span())
            && run.time.span().is_at_most(self.time.span())
            && is_size.meets(run.count.count_span().times(own.count_span()))
    }

    fn give(&self, line: u64, metrics: &mut Metrics) {
        let (prefix, time) = self.names;
        let name = |name: &str| format!("{prefix}{name}");
        self.count.give_whole(&name("requests"), "count", line, metrics);
        self.time.give_whole(&name(time), "ns", line, metrics);
        if let Some(bytes) = &self.bytes {
            bytes.give_whole(&name("bytes"), "bytes", line, metrics);
        }
        self.iops.give_real(&name("iops"), "1/s", line, metrics);
        self.rate.give_real(&name("throughput"), "bytes/s", line, metrics);
    }
}

/// `min/avg/max/mdev = 72.2 us / 112.7 us / 146.1 us / 20.6 us`, or all in ms.
struct Latencies {
    values: Vec<Quantity>,
    is_old: bool,
}

impl Latencies {
    fn parse(figures: &str) -> Option<Latencies> {
        let is_old = !figures.contains(" / ");
        let values: Option<Vec<_>> = match figures.strip_suffix(" ms").filter(|_| is_old) {
            Some(all) => all.split('/').map(|one| Quantity::with_unit(one, 1_000_000)).collect(),
            None => figures.split(" / ").map(|one| Quantity::parse(one, &TIMES)).collect(),
        };
        let values = values.filter(|values| values.len() == 4)?;
        let [min, avg, max] = [0, 1, 2].map(|at: usize| values[at].span());
        let is_sorted = min.is_at_most(avg) && avg.is_at_most(max);
        is_sorted.then_some(Latencies { values, is_old })
    }

    fn is_nothing(&self) -> bool {
        !self.is_old && self.values.iter().all(|value| value.value() == 0.0)
    }

    /// Whether the mean is that of the rate.
    fn fit(&self, run: Option<&Run>) -> bool {
        let Some(run) = run else { return true };
        let product = self.values[1].span().times(run.iops.span());
        let is_style = match self.is_old {
            // 0.7 has the new unit of the rate already, and no unit of requests per second yet.
            true => run.bytes.is_none() && run.iops.is_plain(),
            false => !run.is_old,
        };
        is_style && product.meets(Span::exactly(NS_PER_S))
    }

    fn give(&self, figures: &str, line: u64, metrics: &mut Metrics) {
        for (name, value) in ["min", "avg", "max", "mdev"].iter().zip(&self.values) {
            // 0.6 prints whole tenths of a millisecond: a zero says nothing.
            if let Some(ns) = value.whole().filter(|ns| !self.is_old || *ns > 0) {
                let raw = if self.is_old { figures } else { &value.raw };
                metrics.whole(&format!("latency_{name}"), ns, "ns", (raw, line));
            }
        }
    }
}

/// Raw statistics: ten whole numbers, which are recognised by what they say twice.
fn raw(line: &Line<'_>, text: &str, out: &mut Out) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || c == ' ';
    if !line.is_ended || !starts_with_figure(text) || !text.chars().all(is_number) {
        return false;
    }
    let words: Vec<&str> = text.split(' ').collect();
    let values: Option<Vec<u64>> = words.iter().map(|word| word.parse().ok()).collect();
    let Some(values) = values.filter(|values| values.len() == 10 && values[0] > 0) else {
        return false;
    };
    let [count, time, iops, rate, min, avg, max, _, generated, elapsed] = values[..] else {
        return false;
    };
    let near = |a: f64, b: f64| (a - b).abs() <= 1.0 + a.abs() * 1e-6;
    let is_raw = near(time as f64 / count as f64, avg as f64)
        && near(NS_PER_S * count as f64 / time as f64, iops as f64)
        && (min <= avg && avg <= max && count <= generated && time <= elapsed)
        && (time > 1000 && rate >= iops);
    if !is_raw {
        return false;
    }
    let mut metrics = Metrics::default();
    let names = [
        ("requests", "count"),
        ("request_time", "ns"),
        ("iops", "1/s"),
        ("throughput", "bytes/s"),
        ("latency_min", "ns"),
        ("latency_avg", "ns"),
        ("latency_max", "ns"),
        ("latency_mdev", "ns"),
        ("generated.requests", "count"),
        ("generated.elapsed", "ns"),
    ];
    for (((name, unit), value), word) in names.iter().zip(&values).zip(&words) {
        metrics.whole(name, *value, unit, (word, line.number));
    }
    out.result(line.place(TOOL.name).result(TOOL.name, None, line.number, metrics));
    true
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/ioping/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("ioping").all_of(text.as_bytes())
    }

    fn figure(found: &Imported, at: usize, name: &str) -> Option<f64> {
        found.results[at].figure(&[name])
    }

    #[test]
    fn a_run_is_read_with_its_directory_and_all_three_lines() {
        let found = read(fixture!("v13_read"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
        let result = &found.results[0];
        assert_eq!((result.first_line, result.last_line), (1, 15));
        assert_eq!(result.context.as_deref(), Some(". (ext4 /dev/sda1 573.7 MiB)"));
        assert_eq!(figure(&found, 0, "read.requests"), Some(9.0));
        assert_eq!(figure(&found, 0, "read.request_time"), Some(1_010_000.0));
        assert_eq!(figure(&found, 0, "read.bytes"), Some(36_864.0));
        assert_eq!(figure(&found, 0, "read.iops"), Some(8880.0));
        assert_eq!(figure(&found, 0, "generated.elapsed"), Some(900_400_000.0));
        assert_eq!(figure(&found, 0, "latency_avg"), Some(112_700.0));
    }

    #[test]
    fn older_versions_give_the_time_of_the_whole_run() {
        for text in [fixture!("v06_read"), fixture!("v08_read"), fixture!("v09_read")] {
            let found = read(text);
            assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
            assert!(figure(&found, 0, "elapsed").is_some_and(|ns| ns > 4e8));
            assert!(figure(&found, 0, "latency_max").is_some());
        }
    }

    #[test]
    fn the_form_between_0_6_and_0_8_is_read() {
        let found = read(
            "--- /dev/sda (device 465.8 GiB) ioping statistics ---\n\
             186 requests completed in 3004.6 ms, 62 iops, 0.2 MiB/s\n\
             min/avg/max/mdev = 6.4/16.0/26.8/4.7 ms\n",
        );
        assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
        assert_eq!(figure(&found, 0, "latency_avg"), Some(16_000_000.0));
    }

    #[test]
    fn raw_statistics_are_known_by_what_they_say_twice() {
        let found = read(fixture!("v13_raw_period"));
        assert_eq!((found.results.len(), found.unread.len()), (3, 0));
        assert_eq!(figure(&found, 0, "iops"), Some(21_887.0));
        let found = read("1 2 3 4 5 6 7 8 9 10\n5 228442 21888 89650765 39451 4 4 4 6 50145055\n");
        assert_eq!((found.results.len(), found.unread.len()), (0, 0));
    }

    #[test]
    fn the_last_line_alone_is_read_and_that_of_ping_is_not() {
        let found = read("min/avg/max/mdev = 188.8 us / 256.5 us / 318.6 us / 41.3 us\n");
        assert_eq!(figure(&found, 0, "latency_avg"), Some(256_500.0));
        let found = read("rtt min/avg/max/mdev = 0.030/0.041/0.052/0.011 ms\n");
        assert_eq!((found.results.len(), found.unread.len()), (0, 0));
    }

    #[test]
    fn a_contradictory_line_is_listed_and_the_others_stay() {
        let text = fixture!("v13_read");
        let found = read(&text.replace("8.88 k iops", "8.08 k iops"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1), "{found:#?}");
        assert_eq!(figure(&found, 0, "read.iops"), None);
        assert_eq!(figure(&found, 0, "latency_avg"), Some(112_700.0));
        let found = read(&text.replace("/ 112.7 us", "/ 122.7 us"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1));
        assert_eq!(figure(&found, 0, "latency_avg"), None);
        assert_eq!(figure(&found, 0, "read.iops"), Some(8880.0));
    }

    #[test]
    fn requests_without_statistics_and_runs_without_requests_are_listed() {
        let requests: String = fixture!("v13_read")
            .lines()
            .take(10)
            .fold(String::new(), |text, line| text + "> " + line + "\n");
        let found = read(&requests);
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
        assert_eq!((found.unread[0].first_line, found.unread[0].last_line), (1, 10));
        let found = read(fixture!("v13_too_slow"));
        assert_eq!((found.results.len(), found.unread.len()), (0, 1), "{found:#?}");
    }
}
