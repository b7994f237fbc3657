//! The text that CrystalDiskMark 3 to 8 and KDiskMark 1 to 3 save or copy.
//!
//! CrystalDiskMark's MB are 10^6 bytes. KDiskMark says so too, and divides the KiB of fio by 1000
//! (benchmark.cpp): its MB are 1,024,000 bytes. Requests per second times their size tell which of
//! the two a line has, and a line with neither is listed. From 7 on, and in KDiskMark, the
//! direction stands in a line of its own above the tests (`[Read]`); a run in which such a line may
//! be missing or in the wrong place gives nothing.

use crate::scan::Tool;
use crate::scan::finder::{Line, Reader};
use crate::scan::quantity::{Quantity, Span};
use crate::scan::result::{Metrics, Out, Place, short};

/// How its outputs are found.
pub static TOOL: Tool = Tool {
    title: "CrystalDiskMark",
    ..Tool::new("crystaldiskmark", &["iB (Q=", "Sequential Read (", "Sequential Write ("], || {
        vec![Box::new(DiskMark::default())]
    })
};

const CONTRADICTION: &str = "the rate and the requests per second of a test of CrystalDiskMark or \
                             KDiskMark contradict each other";
const MB: u64 = 1_000_000;
/// What KDiskMark calls a MB: 1000 KiB.
const KDISKMARK_MB: u64 = 1_024_000;
const DIRECTIONS: [&str; 3] = ["read", "write", "mixed"];
/// Most tests of one run: nine profiles of a few tests in three directions.
const MOST_TESTS: usize = 100;

/// Reads the texts.
#[derive(Debug, Default)]
pub struct DiskMark {
    /// The program and its version, where its first line stands above.
    program: Option<(&'static str, String)>,
    /// The sections of one run, of versions that have sections.
    run: Option<Run>,
}

#[derive(Debug, Default)]
struct Run {
    program: Option<(&'static str, String)>,
    place: Place,
    last_line: u64,
    tests: Vec<Test>,
    /// The sections by their direction, in the order in which they stand.
    sections: Vec<usize>,
    is_torn: bool,
}

/// One line.
#[derive(Debug)]
struct Test {
    name: String,
    is_random: bool,
    direction: Option<usize>,
    /// Bytes of one request, where the label says.
    size: Option<u64>,
    rate: String,
    iops: Option<Quantity>,
    latency: Option<Quantity>,
    line: u64,
    is_kdiskmark: bool,
    /// Jobs of fio behind the figure, where the label says.
    threads: u32,
}

impl Reader for DiskMark {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        if let Some((program, version)) = program(text) {
            self.close(out);
            self.program = Some((program, short(version)));
            return true;
        }
        if let Some(direction) = section(text) {
            self.begin(line, direction);
            return true;
        }
        if is_end(text) {
            let is_own = self.run.is_some();
            self.end(out);
            return is_own;
        }
        if self.program.is_some() && is_heading(text) {
            return true;
        }
        let Some((label, figures)) = split(text) else {
            if self.run.as_ref().is_some_and(|run| line.number > run.last_line + 6) {
                self.close(out);
            }
            return false;
        };
        match Test::parse(label, figures, line.number) {
            Some(test) => self.test(line, test, out),
            None => {
                let why =
                    "this looks like a test of CrystalDiskMark, but its figures are incomplete";
                out.unread(line.number, line.number, why);
            }
        }
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
    }
}

impl DiskMark {
    fn begin(&mut self, line: &Line<'_>, direction: usize) {
        let run = self.run.get_or_insert_with(|| Run::new(line, self.program.take()));
        let is_next = run.sections.last().is_none_or(|last| *last < direction);
        run.is_torn |= !is_next || (run.sections.is_empty() && !run.tests.is_empty());
        run.sections.push(direction);
        run.last_line = line.number;
    }

    fn test(&mut self, line: &Line<'_>, test: Test, out: &mut Out) {
        if test.direction.is_some() {
            self.close(out);
            let (name, version) = self.program.clone().unzip();
            return test.give(&line.place(""), name, version, out);
        }
        let run = self.run.get_or_insert_with(|| Run::new(line, self.program.take()));
        let section = run.sections.last().copied();
        let is_known = |known: &Test| known.direction == section && known.name == test.name;
        run.is_torn |= run.tests.iter().any(is_known)
            || run.tests.iter().any(|known| known.is_kdiskmark != test.is_kdiskmark)
            || run.tests.len() >= MOST_TESTS;
        run.last_line = line.number;
        if run.tests.len() < MOST_TESTS {
            run.tests.push(Test { direction: section, ..test });
        }
    }

    /// What stands below the tests: the run is over, with its sections.
    fn end(&mut self, out: &mut Out) {
        if let Some(run) = &mut self.run {
            run.is_torn |= !run.has_same_tests();
        }
        self.close(out);
        self.program = None;
    }

    fn close(&mut self, out: &mut Out) {
        let Some(run) = self.run.take() else { return };
        if run.is_torn || !run.begins_alike() {
            let why = "the lines with the direction ([Read], [Write]) of tests of CrystalDiskMark \
                       or KDiskMark are missing or in another place";
            return out.unread(run.place.first_line, run.last_line, why);
        }
        let (name, version) = run.program.unzip();
        let mut seen: Vec<(Option<usize>, bool, String)> = Vec::new();
        for test in run.tests {
            let figures = (test.direction, test.is_random, test.figures());
            if seen.contains(&figures) {
                let why = "two tests have the same three figures: KDiskMark before 1.4.3 prints \
                           the first random test twice";
                out.unread(test.line, test.line, why);
                continue;
            }
            seen.push(figures);
            let place = Place { first_line: test.line, ..run.place.clone() };
            test.give(&place, name, version.clone(), out);
        }
    }
}

impl Run {
    fn new(line: &Line<'_>, program: Option<(&'static str, String)>) -> Run {
        Run { program, place: line.place(""), last_line: line.number, ..Run::default() }
    }

    fn names(&self, direction: usize) -> Vec<&str> {
        let of = |test: &&Test| test.direction == Some(direction);
        self.tests.iter().filter(of).map(|test| test.name.as_str()).collect()
    }

    /// Whether a section has the tests of the first one, as far as it goes.
    fn begins_alike(&self) -> bool {
        let Some(first) = self.sections.first() else { return false };
        let first = self.names(*first);
        let mut all = self.sections.iter().map(|section| self.names(*section));
        !first.is_empty() && all.all(|names| first.starts_with(&names))
    }

    /// Whether all sections of a whole text have the same tests, read and written.
    fn has_same_tests(&self) -> bool {
        let mut all = self.sections.iter().map(|section| self.names(*section));
        let Some(first) = all.next() else { return false };
        self.sections.starts_with(&[0, 1]) && all.all(|names| names == first)
    }
}

impl Test {
    fn parse(label: &str, figures: &str, line: u64) -> Option<Test> {
        let is_kdiskmark = label.contains(" MiB") || label.contains(" KiB");
        let label = label.replace('(', " (").replace(" MiB", "MiB").replace(" KiB", "KiB");
        let (head, queue) = label.split_once('(').unwrap_or((&label, ""));
        let words: Vec<&str> = head.split_whitespace().collect();
        let is_random = match words.first()? {
            &"Sequential" | &"SEQ" => false,
            &"Random" | &"RND" => true,
            _ => return None,
        };
        let (mut direction, mut size) = (None, None);
        for word in &words[1..] {
            let known = ["Read", "Write", "Mix"].iter().position(|known| known == word);
            match known {
                Some(_) if direction.is_some() => return None,
                Some(_) => direction = known,
                None if size.is_none() => size = Some((*word, bytes(word)?)),
                None => return None,
            }
        }
        let queue: String = queue.strip_suffix(')').unwrap_or(queue).split(' ').collect();
        let threads = queue.rsplit_once("T=").and_then(|(_, count)| count.parse().ok());
        let threads = threads.unwrap_or(1);
        let name: Vec<String> = [
            Some(if is_random { "random" } else { "sequential" }.to_string()),
            size.map(|(word, _)| word.to_string()),
            Some(queue).filter(|queue| !queue.is_empty()),
        ]
        .into_iter()
        .flatten()
        .collect();
        let (rate, rest) = figures.split_once(" MB/s")?;
        let rest = rest.trim();
        let (iops, rest) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (iops, rest) = rest.split_once("IOPS]")?;
                (Some(Quantity::with_unit(iops.trim(), 1)?), rest.trim())
            }
            None => (None, rest),
        };
        let latency = match rest.strip_prefix('<') {
            Some(rest) => Some(Quantity::with_unit(rest.strip_suffix("us>")?.trim(), 1000)?),
            None if rest.is_empty() => None,
            None => return None,
        };
        // Versions with sections have all three.
        let is_whole = direction.is_some() || (iops.is_some() && latency.is_some());
        Quantity::with_unit(rate.trim(), MB).filter(|_| is_whole)?;
        let (name, size) = (name.join(" "), size.map(|(_, bytes)| bytes));
        let rate = rate.trim().to_string();
        Some(Test {
            name,
            is_random,
            direction,
            size,
            rate,
            iops,
            latency,
            line,
            is_kdiskmark,
            threads,
        })
    }

    fn figures(&self) -> String {
        let raw = |of: &Option<Quantity>| of.as_ref().map_or(String::new(), |of| of.raw.clone());
        format!("{} {} {}", self.rate, raw(&self.iops), raw(&self.latency))
    }

    /// The rate in the MB that requests per second times their size give. KDiskMark adds up the
    /// whole KiB per second of each of fio's jobs, so its sum is up to one KiB a job too low.
    fn rate(&self) -> Option<Quantity> {
        let units = if self.is_kdiskmark { [KDISKMARK_MB, MB] } else { [MB, KDISKMARK_MB] };
        let of = |unit: u64| Quantity::with_unit(&self.rate, unit);
        let (Some(iops), Some(size)) = (&self.iops, self.size) else { return of(MB) };
        let product = iops.span().times(Span::exactly(size as f64));
        let cut = if self.is_kdiskmark { f64::from(self.threads) * 1024.0 } else { 0.0 };
        let cut = Span::between(0.0, cut);
        units.into_iter().filter_map(of).find(|rate| rate.span().plus(cut).meets(product))
    }

    fn give(self, place: &Place, name: Option<&str>, version: Option<String>, out: &mut Out) {
        let direction = DIRECTIONS[self.direction.unwrap_or(0)];
        let Some(rate) = self.rate() else {
            return out.unread(self.line, self.line, CONTRADICTION);
        };
        if rate.value() == 0.0 {
            let why = "a test of CrystalDiskMark or KDiskMark was not run: its rate is zero";
            return out.unread(self.line, self.line, why);
        }
        let mut metrics = Metrics::default();
        rate.give_real(&format!("{direction}.throughput"), "bytes/s", self.line, &mut metrics);
        if let Some(iops) = &self.iops {
            iops.give_real(&format!("{direction}.iops"), "1/s", self.line, &mut metrics);
        }
        if let Some(latency) = self.latency.as_ref().filter(|latency| latency.value() > 0.0) {
            let name = format!("{direction}.latency_avg");
            latency.give_whole(&name, "ns", self.line, &mut metrics);
        }
        let family = if self.is_kdiskmark { "KDiskMark" } else { "CrystalDiskMark" };
        let name = name.filter(|name| *name == family);
        let version = version.filter(|_| name.is_some());
        let mut result = place.result(family, version, self.line, metrics);
        result.first_line = self.line;
        result.test = Some(self.name);
        out.result(result);
    }
}

/// `KDiskMark (3.3.0): https://…` and `CrystalDiskMark 8.0.4 x64 (C) …`.
fn program(text: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = text.strip_prefix("KDiskMark (") {
        return Some(("KDiskMark", rest.split_once("): ")?.0));
    }
    let rest = text.strip_prefix("CrystalDiskMark ")?;
    let (version, _) = rest.split_once(" (C)")?;
    let version = version.split(' ').next().unwrap_or(version);
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(("CrystalDiskMark", version))
}

/// `[Read]`, `[Write]`, `[Mix] Read 70%/Write 30%`.
fn section(text: &str) -> Option<usize> {
    match text {
        "[Read]" => Some(0),
        "[Write]" => Some(1),
        _ => text.starts_with("[Mix]").then_some(2),
    }
}

/// The lines below the first one, up to the tests; no label of the person who posted them.
fn is_heading(text: &str) -> bool {
    ["Flexible I/O Tester (", "Crystal Dew World", "* MB/s = ", "* KB = "]
        .iter()
        .any(|start| text.starts_with(start))
        || text.len() > 20 && text.bytes().all(|byte| byte == b'-')
}

/// What stands below the tests.
fn is_end(text: &str) -> bool {
    let is_label = |name: &str| {
        text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(": "))
    };
    is_label("Profile") || is_label("Test") || is_label("Date") || is_label("OS")
}

/// The label of a test and its figures.
fn split(text: &str) -> Option<(&str, &str)> {
    let is_test = ["Sequential ", "Random ", "SEQ ", "RND "].iter().any(|k| text.starts_with(k));
    let (label, figures) = text.split_once(':')?;
    let is_short = label.len() <= 48 && figures.contains("B/s");
    (is_test && is_short).then_some((label.trim(), figures.trim()))
}

/// Bytes of `4KiB`, `1MiB`, or of the `512KB` of 3, which are KiB.
fn bytes(word: &str) -> Option<u64> {
    let units = [("KiB", 1u64 << 10), ("MiB", 1 << 20), ("KB", 1 << 10)];
    Quantity::suffixed(word, &units)?.whole()
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/crystaldiskmark/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("crystaldiskmark").all_of(text.as_bytes())
    }

    #[test]
    fn every_test_of_crystaldiskmark_is_a_result() {
        let found = read(fixture!("cdm8_mix"));
        assert_eq!((found.results.len(), found.unread.len()), (12, 0), "{found:#?}");
        let names: Vec<_> = found.results.iter().filter_map(|r| r.test.as_deref()).collect();
        assert_eq!(names[0], "sequential 1MiB Q=8,T=1");
        assert_eq!(found.results[0].version.as_deref(), Some("8.0.4"));
        assert!(found.results[4].figure(&["write.throughput"]).is_some());
        assert!(found.results[8].figure(&["mixed.latency_avg"]).is_some());
        for text in [fixture!("cdm3"), fixture!("cdm5")] {
            let found = read(text);
            assert_eq!((found.results.len(), found.unread.len()), (8, 0), "{found:#?}");
        }
    }

    #[test]
    fn a_megabyte_of_kdiskmark_is_a_thousand_kib() {
        let line = "Sequential 1 MiB (Q=  8, T= 1):  3124.300 MB/s [   3051.1 IOPS] <  2597.10 us>";
        let found = read(&format!("[Read]\n{line}\n"));
        let result = &found.results[0];
        assert_eq!(result.figure(&["read.throughput"]), Some(3124.3 * 1_024_000.0));
        assert_eq!(result.figure(&["read.latency_avg"]), Some(2_597_100.0));
        let found = read(fixture!("kdm330_mix"));
        assert_eq!((found.results.len(), found.unread.len()), (12, 0), "{found:#?}");
    }

    #[test]
    fn sixteen_jobs_of_kdiskmark_are_cut_to_whole_kib_each() {
        let found = read(fixture!("kdm160"));
        assert_eq!((found.results.len(), found.unread.len()), (8, 0), "{found:#?}");
        let wrong = fixture!("kdm160").replace("271.553", "271.453");
        assert_eq!(read(&wrong).unread.len(), 1, "100 KiB are not lost by 16 jobs");
    }

    #[test]
    fn posts_of_both_programs_are_read_whole() {
        let posts = [
            fixture!("cdm301_posted"),
            fixture!("cdm303_posted"),
            fixture!("cdm600_posted"),
            fixture!("cdm804_posted"),
            fixture!("kdm300_posted"),
            fixture!("kdm320_posted"),
        ];
        for post in posts {
            let found = read(post);
            assert_eq!((found.results.len(), found.unread.len()), (8, 0), "{found:#?}");
        }
    }

    #[test]
    fn a_line_that_contradicts_itself_is_listed_and_the_others_stay() {
        let line = "  RND    4KiB (Q=  1, T= 1):    50.000 MB/s [  10000.0 IOPS] <    99.00 us>\n";
        let found = read(&format!(
            "[Read]\n{}{line}",
            line.replace("50.000", "40.960").replace("Q=  1", "Q= 32")
        ));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1), "{found:#?}");
        let twice = line.replace("50.000", "40.960");
        let found = read(&format!("[Read]\n{twice}{}", twice.replace("Q=  1", "Q= 32")));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1));
    }

    #[test]
    fn tests_without_their_direction_are_listed() {
        let text = fixture!("cdm8_mix");
        for gone in ["[Read]", "[Write]", "[Mix] Read 70%/Write 30%"] {
            let found = read(&text.replace(gone, ""));
            assert_eq!((found.results.len(), found.unread.len()), (0, 1), "{gone}");
        }
    }

    #[test]
    fn a_trimmed_and_quoted_paste_is_read() {
        let line = "Sequential Read (Q= 32,T= 1) :   561.201 MB/s";
        let found = read(&format!("> {line}\n"));
        assert_eq!(found.results[0].figure(&["read.throughput"]), Some(561.201e6));
        assert_eq!(found.results[0].test.as_deref(), Some("sequential Q=32,T=1"));
    }
}
