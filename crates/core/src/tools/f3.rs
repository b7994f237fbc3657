//! f3: f3write, f3read and f3probe, which test whether a card has the capacity that it announces.
//!
//! Its MB are 2^20 bytes (libutils.c, `adjust_unit`) and a sector has 512. Sizes are printed
//! rounded and as a number of sectors or blocks, which is the figure; the two must agree. Lines
//! about single files are part of the output and give no figure.

mod block;

use self::block::{Block, Size};
use crate::model::finding::Severity;
use crate::scan::Tool;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Out, finding, short};

/// How its outputs are found.
pub static TOOL: Tool = Tool {
    programs: &["f3write", "f3read", "f3probe"],
    ..Tool::new(
        "f3",
        &["Average reading speed:", "Average writing speed:", "*Usable* size:", "Data LOST:"],
        || vec![Box::new(F3::default())],
    )
};

/// What a size that is not given may be.
const UNSOUND_SIZE: &str = "a size of f3 is incomplete, contradicts its sectors or blocks, or is \
                            among those of another run";
/// Lines after which the rest of a block is another one.
const FAR_LINES: u64 = 60;
/// What f3read prints below its files.
const DATA: [(&str, &str); 5] = [
    ("Data OK", "data_ok"),
    ("Data LOST", "data_lost"),
    ("Corrupted", "corrupted"),
    ("Slightly changed", "slightly_changed"),
    ("Overwritten", "overwritten"),
];
/// What f3probe prints of the device.
const GEOMETRY: [(&str, &str); 5] = [
    ("*Usable* size", "usable_size"),
    ("Announced size", "announced_size"),
    ("Module", "module"),
    ("Approximate cache size", "cache_size"),
    ("Physical block size", "block_size"),
];
const PROBE_SPEEDS: [(&str, &str); 3] = [
    ("Sequential write", "sequential_write"),
    ("Random write", "random_write"),
    ("Random read", "random_read"),
];
const SPEEDS: [(&str, &str); 4] = [
    ("Average writing speed", "write"),
    ("Average reading speed", "read"),
    ("Average sequential write speed", "write"),
    ("Average sequential read speed", "read"),
];

/// Reads what the programs of f3 print.
#[derive(Debug, Default)]
pub struct F3 {
    version: Option<String>,
    /// What f3probe says of the device, its line, and whether it is bad.
    news: Option<(u64, String, bool)>,
    block: Option<Block>,
    /// A block that began where another one had no end: the rest of that one may be in it.
    pending: Option<Pending>,
    /// First and last line about files that no figure followed yet.
    files: Option<(u64, u64)>,
}

/// A block with what stood above it.
#[derive(Debug)]
struct Pending {
    block: Block,
    version: Option<String>,
    news: Option<(u64, String, bool)>,
}

impl Reader for F3 {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        let (label, value) = text.split_once(": ").map_or((text, ""), |(l, v)| (l, v.trim()));
        let known = |table: &'static [(&str, &'static str)]| {
            // Versions before 6 write "Average Writing speed".
            let is_it = |known: &str| known.eq_ignore_ascii_case(label);
            table.iter().find(|(known, _)| is_it(known)).map(|(_, name)| *name)
        };
        if let Some(version) = version(text) {
            self.version = Some(short(version));
        } else if let Some(name) = known(&SPEEDS) {
            self.average(line, name, value, out);
        } else if let Some(name) = known(&DATA) {
            self.size(line, ("f3read", name), value, out);
        } else if let Some(name) = known(&GEOMETRY).filter(|_| value.contains('(')) {
            self.size(line, ("f3probe", name), value, out);
        } else if let Some(name) = known(&PROBE_SPEEDS).filter(|_| value.contains(" blocks /")) {
            let block = self.block_of(line, "f3probe", out);
            block.last_line = line.number;
            block.speed(name, value, out);
        } else if let Some(news) = news(text) {
            self.news = Some((line.number, short(news), text.starts_with("Bad")));
        } else if label == "Probe time" {
            return self.close(out);
        } else if text == "Writing speed not available" || text == "Reading speed not available" {
            out.unread(line.number, line.number, "f3 had too little data for a speed");
            self.files = None;
            self.close(out);
        } else if text.starts_with("WARNING: Not all ") || label == "Write failure" {
            return self.fault(text, line.number);
        } else if is_file(text) {
            let first_line = self.files.map_or(line.number, |(first, _)| first);
            self.files = Some((first_line, line.number));
        } else {
            return false;
        }
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
        self.release(out);
        if let Some((first_line, last_line)) = self.files.take() {
            let why = "f3's lines about single files lack the totals: import the last lines too";
            out.unread(first_line, last_line, why);
        }
    }
}

impl F3 {
    fn average(&mut self, line: &Line<'_>, name: &'static str, value: &str, out: &mut Out) {
        self.files = None;
        let is_near = |block: &mut Block| {
            name == "read" && block.test == "f3read" && line.number <= block.last_line + 4
        };
        let mut block = match self.block.take_if(is_near) {
            Some(block) => block,
            None => self.fresh(line, if name == "read" { "f3read" } else { "f3write" }, out),
        };
        block.last_line = line.number;
        block.speed(name, value, out);
        self.block = Some(block);
        self.close(out);
    }

    fn size(
        &mut self,
        line: &Line<'_>,
        what: (&'static str, &'static str),
        value: &str,
        out: &mut Out,
    ) {
        self.files = None;
        let (test, name) = what;
        let size = Size::parse(name, value, line.number);
        let is_first = matches!(name, "data_ok" | "usable_size");
        let is_known = |block: &Block| block.sizes.iter().any(|size| size.name == name);
        let is_torn =
            self.block.as_ref().is_some_and(|b| b.test == test && (is_first || is_known(b)));
        if is_torn {
            self.close(out);
        }
        if is_first {
            self.release(out);
        }
        let block = self.block_of(line, test, out);
        block.is_suspect |= is_torn;
        block.last_line = line.number;
        match size.filter(|size| size.is_whole() && (is_first || !block.is_mixed)) {
            Some(size) => block.sizes.push(size),
            None => {
                out.unread(line.number, line.number, UNSOUND_SIZE);
            }
        }
    }

    fn block_of(&mut self, line: &Line<'_>, test: &'static str, out: &mut Out) -> &mut Block {
        let is_its = |block: &mut Block| block.test == test && line.number <= block.last_line + 4;
        let block = match self.block.take_if(is_its) {
            Some(block) => block,
            None => self.fresh(line, test, out),
        };
        self.block.insert(block)
    }

    /// A new block. Where it is the rest of another one, the pending block may have lines of that
    /// one, and the new block of the pending one: neither is read but for the first line.
    fn fresh(&mut self, line: &Line<'_>, test: &'static str, out: &mut Out) -> Block {
        self.close(out);
        let mut block = Block::new(line, test);
        let is_near = |pending: &mut Pending| {
            pending.block.test == test && line.number <= pending.block.last_line + FAR_LINES
        };
        if let Some(mut pending) = self.pending.take_if(is_near) {
            pending.block.keep_first(out);
            pending.give(out);
            block.is_mixed = true;
        }
        block
    }

    /// Gives the pending block: the rest of another one did not follow.
    fn release(&mut self, out: &mut Out) {
        if let Some(pending) = self.pending.take() {
            pending.give(out);
        }
    }

    /// A line that says that not everything was written or read.
    fn fault(&mut self, text: &str, number: u64) -> bool {
        let Some(block) = self.block.as_mut() else { return false };
        block.last_line = number;
        let advice = "the results cover only part of the card: repeat the test";
        block.findings.push(finding("tool-error", Severity::Error, short(text), advice));
        true
    }

    /// Gives the open block; true when there was one.
    fn close(&mut self, out: &mut Out) -> bool {
        let Some(block) = self.block.take() else { return false };
        let news = self.news.take().filter(|_| block.test == "f3probe");
        let news = news.filter(|(at, ..)| *at < block.place.first_line);
        let pending = Pending { block, version: self.version.take(), news };
        if pending.block.is_suspect {
            self.release(out);
            self.pending = Some(pending);
        } else {
            pending.give(out);
        }
        true
    }
}

impl Pending {
    fn give(self, out: &mut Out) {
        self.block.give(self.version, self.news, out);
    }
}

/// `8.0` of `F3 read 8.0`.
fn version(text: &str) -> Option<&str> {
    let (program, version) = text.strip_prefix("F3 ")?.split_once(' ')?;
    let is_program = ["read", "write", "probe"].contains(&program);
    let is_version = version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (is_program && is_version).then_some(version)
}

/// The device of ``Bad news: The device `/dev/sdb' is a counterfeit of type limbo``.
fn news(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("Good news: ").or_else(|| text.strip_prefix("Bad news: "))?;
    let (device, _) = rest.strip_prefix("The device `")?.split_once("' is ")?;
    Some(device)
}

fn is_file(text: &str) -> bool {
    let is_of = |before: &str| text.starts_with(before) && text.contains(".h2w ...");
    is_of("Creating file ") || is_of("Validating file ")
}

#[cfg(test)]
mod tests {
    use super::block::elapsed;
    use crate::scan::{Finder, Imported};

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../../fixtures/tools/f3/", $name, ".stdout"))
        };
    }

    fn read(text: &str) -> Imported {
        Finder::for_tool("f3").all_of(text.as_bytes())
    }

    fn figure(found: &Imported, name: &str) -> Option<f64> {
        found.results[0].figure(&[name])
    }

    #[test]
    fn the_first_versions_write_speed_otherwise() {
        let found = read("Average Writing speed: 4.90 MB/s\nAverage Reading speed: 9.54 MB/s\n");
        assert_eq!((found.results.len(), found.unread.len()), (2, 0), "{found:?}");
    }

    #[test]
    fn sectors_are_taken_and_lost_ones_are_a_finding() {
        for text in [fixture!("v60_read_lost"), fixture!("v100_read_lost")] {
            let found = read(text);
            assert_eq!((found.results.len(), found.unread.len()), (1, 0), "{found:#?}");
            assert_eq!(figure(&found, "data_lost"), Some(21.0 * 512.0));
            assert_eq!(figure(&found, "overwritten"), Some(8192.0));
            assert!(figure(&found, "read.throughput").is_some_and(|rate| rate > 1e9));
            assert_eq!(found.results[0].findings[0].id, "L11");
        }
        let found = read(fixture!("v80_read"));
        assert_eq!(found.results[0].version.as_deref(), Some("8.0"));
        assert_eq!(figure(&found, "data_ok"), Some(79_872.0 * 512.0));
        assert_eq!(figure(&found, "read.throughput"), Some(999.98 * 1_048_576.0));
        assert_eq!(found.results[0].findings, []);
    }

    #[test]
    fn a_written_card_gives_its_speed() {
        assert_eq!(
            figure(&read(fixture!("v80_write")), "write.throughput"),
            Some(492.3 * 1048576.0)
        );
        let found = read(fixture!("v100_write"));
        assert_eq!(figure(&found, "write.bytes"), Some(77_824.0 * 512.0));
        assert_eq!(figure(&found, "write.elapsed"), Some(90_400_000.0));
        let found = read(fixture!("v60_write"));
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
    }

    #[test]
    fn times_of_a_minute_and_more_are_whole_seconds() {
        for (text, seconds) in [("3.07s", 3.07), ("2'05\"", 125.0), ("1:02:05", 3725.0)] {
            assert_eq!(elapsed(text).map(|time| time.value() / 1e9), Some(seconds), "{text}");
        }
        assert!(elapsed("1 day 2:00:01").is_none() && elapsed("2'61\"").is_none());
    }

    #[test]
    fn a_counterfeit_is_a_finding() {
        let found = read(fixture!("v80_probe_limbo"));
        let result = &found.results[0];
        assert_eq!(result.context.as_deref(), Some("/dev/sdb"));
        assert_eq!(figure(&found, "usable_size"), Some(16_777_216.0));
        assert_eq!(figure(&found, "announced_size"), Some(67_108_864.0));
        assert_eq!(result.findings[0].id, "L11");
        let found = read(fixture!("v100_probe_real"));
        assert_eq!(found.results[0].findings, []);
        assert!(figure(&found, "random_read.throughput").is_some());
    }

    #[test]
    fn a_trimmed_and_quoted_paste_is_read() {
        let found =
            read("> Data OK: 1.00 GB (2097152 sectors)\n> Average reading speed: 9.85 MB/s\n");
        assert_eq!(figure(&found, "data_ok"), Some(1_073_741_824.0));
        assert_eq!(found.unread, []);
    }

    #[test]
    fn a_trimmed_run_does_not_hide_the_next_one() {
        let head = "*Usable* size: 119.38 GB (250347520 blocks)\n\
                    Announced size: 119.38 GB (250347520 blocks)\n";
        let found = read(&[head, fixture!("v80_probe_limbo")].concat());
        assert_eq!((found.results.len(), found.unread.len()), (2, 0), "{found:#?}");
        // The rest of the first below it may be its own.
        let rest = "Module: 128.00 GB (2^37 Bytes)\n";
        let found = read(&[head, fixture!("v80_probe_limbo"), rest].concat());
        assert_eq!((found.results.len(), found.unread.len()), (2, 2), "{found:#?}");
    }

    #[test]
    fn a_contradictory_size_is_listed_and_the_others_stay() {
        let found = read(&fixture!("v80_read").replace("39.00 MB (79872", "39.00 MB (89872"));
        assert_eq!((found.results.len(), found.unread.len()), (1, 1));
        assert_eq!(figure(&found, "data_ok"), None);
        assert_eq!(figure(&found, "data_lost"), Some(0.0));
        let found = read(&fixture!("v100_write").replace("420.34", "220.34"));
        assert_eq!((found.results.len(), found.unread.len()), (0, 1));
    }
}
