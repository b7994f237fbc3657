//! Lines of fio's text that a terminal or a mail broke, put together again.
//!
//! Every kind of line with figures has a word that stands last in it, or nearly (`stdev=`, `msec`,
//! `short=`); without it the line goes on below. A terminal breaks anywhere, so parts are put
//! together as they are; a mail breaks at blanks, and where one of those matters the reader of the
//! line puts it back. What goes on nowhere is given as it is and is not whole.

use crate::scan::finder::Line;
use crate::scan::parts::Parts;

const PARTS: usize = 4;

/// The words of lines with figures, what stands first behind them, and what stands last.
const ENDS: [(&str, &str, &str); 7] = [
    ("read write trim mixed", "IOPS=", "msec)"),
    ("read write trim mixed", "io=", "msec"),
    ("READ WRITE TRIM MIXED", "bw=", "msec"),
    ("READ WRITE TRIM MIXED", "io=", "msec"),
    ("clat slat lat sync", "min=", "stdev="),
    ("cpu", "usr=", "ctx="),
    ("issued", "total=", "short="),
];
const WITHOUT_END: &str = "clat slat lat sync bw iops cpu issued IO submit complete latency \
    fsync/fdatasync/sync_file_range";

/// A line, or several that are one.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    pub first_line: u64,
    pub last_line: u64,
    pub text: String,
    pub is_whole: bool,
}

impl Joined {
    /// A job and its first direction, where nothing ends the line of the job: fio 2.2 to 2.14 for
    /// Windows.
    pub fn of_windows(&self) -> Option<[Joined; 2]> {
        let at = ["  read :", "  write:"].iter().find_map(|begin| self.text.find(begin))?;
        let (head, direction) = self.text.split_at(at);
        let part = |text: &str| Joined { text: text.trim().to_string(), ..self.clone() };
        head.contains(": (groupid=").then(|| [part(head), part(direction)])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// None of fio's, as the rest of a broken line is.
    Other,
    /// One of fio's; all of it, or one whose end does not matter.
    Whole,
    Broken,
}

#[derive(Debug, Default)]
pub struct Joiner {
    held: Parts,
}

impl Joined {
    fn from_parts(parts: &Parts, is_whole: bool) -> Joined {
        let (first_line, last_line) = (parts.first_line(), parts.last_line());
        Joined { first_line, last_line, text: parts.glued(), is_whole }
    }
}

impl Joiner {
    /// Takes a line; gives what is complete by it, none, one or two lines.
    pub fn take(&mut self, line: &Line<'_>, is_among_percentiles: bool) -> Vec<Joined> {
        let text = line.text.trim();
        let kind = kind(text, is_among_percentiles);
        let is_next = self.held.is_next(line.number) && self.held.lines().len() < PARTS;
        if is_next && kind == Kind::Other && !text.is_empty() {
            self.held.add(line.number, text);
            let is_whole = self::kind(&self.held.glued(), is_among_percentiles) == Kind::Whole;
            return if is_whole { self.give(true).into_iter().collect() } else { Vec::new() };
        }
        let broken = self.finish();
        self.held = Parts::begin(line.number, text);
        let own = if kind == Kind::Broken { None } else { self.give(true) };
        broken.into_iter().chain(own).collect()
    }

    pub fn finish(&mut self) -> Option<Joined> {
        self.give(false)
    }

    fn give(&mut self, is_whole: bool) -> Option<Joined> {
        let parts = std::mem::take(&mut self.held);
        (!parts.lines().is_empty()).then(|| Joined::from_parts(&parts, is_whole))
    }
}

fn kind(text: &str, is_among_percentiles: bool) -> Kind {
    let ends_with = |is_whole: bool| if is_whole { Kind::Whole } else { Kind::Broken };
    if text.contains(": (groupid=") {
        return ends_with(text.contains("pid="));
    }
    if text.contains(": (g=") {
        return ends_with(text.contains("ioengine="));
    }
    if let Some(row) = text.strip_prefix('|').filter(|_| is_among_percentiles) {
        let row = row.trim_end();
        return ends_with(row.ends_with(']') || row.ends_with("],"));
    }
    let Some((label, rest)) = text.split_once(':') else { return Kind::Other };
    let (word, rest) = (label.split([' ', '(']).next().unwrap_or(""), rest.trim_start());
    let is_one_of = |words: &str| words.split(' ').any(|known| known == word);
    let known = ENDS.iter().find(|(words, first, _)| is_one_of(words) && rest.starts_with(first));
    match known {
        Some((_, _, last)) => {
            let behind = rest.split_once(last).map(|(_, behind)| behind);
            ends_with(behind.is_some_and(|value| !last.ends_with('=') || !value.is_empty()))
        }
        None if is_one_of(WITHOUT_END) => Kind::Whole,
        None => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use crate::scan::Finder;

    const SAMPLES: [&str; 3] = [
        include_str!("../../../../../fixtures/tools/fio/text_rndrw_fsync_timed.stdout"),
        include_str!("../../../../../fixtures/tools/fio/text_group_reporting_two_jobs.stdout"),
        include_str!("../../../../../fixtures/tools/fio/text_seqwrite_direct_libaio.stdout"),
    ];

    fn by_columns(text: &str, columns: usize) -> String {
        let broken = text.lines().flat_map(|line| {
            let letters: Vec<char> = line.chars().collect();
            let parts: Vec<String> =
                letters.chunks(columns).map(|part| part.iter().collect()).collect();
            if parts.is_empty() { vec![String::new()] } else { parts }
        });
        broken.map(|part| part + "\n").collect()
    }

    fn by_words(text: &str, columns: usize) -> String {
        let mut out = String::new();
        for line in text.lines() {
            let mut rest = line;
            while rest.len() > columns {
                let Some(at) = rest[..columns].rfind(' ').filter(|at| rest[..*at].trim() != "")
                else {
                    break;
                };
                out.push_str(&format!("{}\n", &rest[..at]));
                rest = rest[at..].trim_start();
            }
            out.push_str(&format!("{rest}\n"));
        }
        out
    }

    fn figures(text: &str) -> Vec<String> {
        let found = Finder::for_tool("fio").all_of(text.as_bytes());
        let metrics = found.results.iter().flat_map(|result| &result.metrics);
        let mut all: Vec<String> =
            metrics.map(|metric| format!("{} {:?}", metric.name, metric.value)).collect();
        all.sort();
        all
    }

    #[test]
    fn a_text_that_was_wrapped_says_what_it_said() {
        for text in SAMPLES {
            let whole = figures(text);
            assert!(whole.len() > 10);
            for columns in 56..120 {
                let wrapped = by_columns(text, columns);
                assert_eq!(figures(&wrapped).join("\n"), whole.join("\n"), "{columns}\n{wrapped}");
                let wrapped = by_words(text, columns);
                assert_eq!(figures(&wrapped).join("\n"), whole.join("\n"), "{columns}\n{wrapped}");
            }
        }
    }

    /// It lost the 95th percentile and more without a word.
    #[test]
    fn what_goes_on_nowhere_is_listed() {
        for (from, to) in [
            ("70.00th=[  112], 80.00th=[  143], 90.00th=[  420], 95.00th=[ 3032],", "70.00th=["),
            (", avg=409.23, stdev=964.73", ", avg=40"),
            (", ctx=545, majf=0, minf=15", ""),
            (",150,0,38 short=0,0,0,0 dropped=0,0,0,0", ",15"),
        ] {
            let text = SAMPLES[0].replacen(from, to, 1);
            assert_ne!(text, SAMPLES[0]);
            let found = Finder::for_tool("fio").all_of(text.as_bytes());
            let is_listed = |why| found.unread.iter().any(|unread| unread.why == why);
            let row = "a row of fio's percentiles is incomplete";
            assert!(
                is_listed(
                    "a line of fio is incomplete: it was cut, or was wrapped and continues \
                     elsewhere"
                ) || is_listed(row),
                "{to}: {found:?}"
            );
            let whole = figures(SAMPLES[0]);
            assert!(figures(&text).iter().all(|figure| whole.contains(figure)), "{to}");
        }
    }
}
