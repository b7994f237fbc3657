//! One line of dd's statistics, taken apart from its end, where every language is alike.

use crate::scan::decimal::Decimal;

#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    pub bytes: u64,
    pub elapsed_ns: u64,
    /// A progress line prints whole seconds; so does nearly no last line.
    pub is_progress: bool,
    pub bytes_raw: String,
    pub elapsed_raw: String,
    pub rate_raw: String,
    pub contradiction: Option<String>,
}

/// Prefixes of units in the order of their powers.
const PREFIXES: &str = "kMGTPEZYRQ";

/// Seconds, and bytes in each: older Russian catalogues have a letter of either alphabet.
const SECONDS: [&str; 5] = ["seconds", "second", "s", "c", "с"];
const RATES: [&str; 3] = ["B/s", "B/c", "B/с"];

/// Full-width punctuation of Chinese catalogues as everybody else's.
fn ascii_punctuation(text: &str) -> String {
    text.replace('，', ", ").replace('（', " (").replace('）', ") ").replace('\u{a0}', " ")
}

/// The counts of a line like `64+0 records in`, words before or after it in any language.
pub fn records(text: &str) -> Option<[u64; 2]> {
    let plus = text.find('+')?;
    let head = text[..plus].trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let tail = text[plus + 1..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let tail = text.len() - tail;
    let (full, partial) = (&text[head..plus], &text[plus + 1..tail]);
    let around = [&text[..head], &text[tail..]];
    let is_alone = around.iter().all(|part| !part.contains(|c: char| c.is_ascii_digit()));
    // Words stand around it, no arithmetic: "a 1+1 drive", "C++11" and "sum = 3+4" are others.
    let has_words = around.iter().any(|part| part.chars().any(char::is_alphabetic));
    let is_plain = around.iter().all(|part| !part.contains(['=', '+', ',', ';', '(', '<']));
    if !is_alone || !has_words || !is_plain || text.chars().count() > 80 {
        return None;
    }
    Some([full.parse().ok()?, partial.parse().ok()?])
}

/// Whether a line looks like statistics: a count, sizes in parentheses, a rate at its end.
pub fn is_like(text: &str) -> bool {
    let text = text.trim();
    let has_rate = ["/s", "/c", "/с"].iter().any(|rate| text.ends_with(rate));
    let count = text.split('(').next().unwrap_or("");
    let digits = count.bytes().filter(u8::is_ascii_digit).count();
    // Two rates on one line are a display that was printed over itself.
    let is_one = text.matches("/s").count() < 2;
    has_rate && is_one && digits > 3 && text.contains(')') && text.chars().count() < 160
}

/// Takes a line apart; `None` when it is no line of statistics.
pub fn stats(text: &str) -> Option<Stats> {
    if !RATES.iter().any(|rate| text.contains(rate)) && !text.contains("/sec") {
        return None;
    }
    if let Some(stats) = bsd(text) {
        return Some(stats);
    }
    let text = ascii_punctuation(text);
    // From the end: the rate, the time before it, the sizes, the bytes.
    let (end, per_second) =
        RATES.iter().filter_map(|rate| Some((text.rfind(rate)?, *rate))).max()?;
    let head = &text[..end];
    let rate_at = head.rfind(", ").map(|at| at + 2)?;
    let rate = printed_rate(&head[rate_at..])?;
    let rate_raw = format!("{}{per_second}", &head[rate_at..]);
    let before = head[..rate_at - 2].trim_end();
    let time = SECONDS.iter().find_map(|unit| before.strip_suffix(unit))?;
    let time_at = time.trim_end().rfind(' ').map(|at| at + 1)?;
    let elapsed_raw = before[time_at..].to_string();
    let seconds = Decimal::parse(time[time_at..].trim())?;
    let counted = time[..time_at].trim_end().strip_suffix(',')?;
    // What people write before it may have brackets too: "Pi 4 (4GB): 104857600 bytes (105 MB".
    let close = counted.rfind(')');
    let open = close.and_then(|close| counted[..close].rfind(" ("));
    let (sizes, words) = match (open, close) {
        (Some(open), Some(close)) => (sizes(&counted[open + 2..close])?, &counted[..open]),
        _ => (Vec::new(), counted),
    };
    let elapsed_ns = seconds.times(1_000_000_000)?;
    let check = |bytes: u64| contradiction(bytes, seconds, &sizes, rate);
    let mut candidates = byte_counts(words);
    if candidates.is_empty() {
        return None;
    }
    let good = candidates.iter().position(|(bytes, _)| check(*bytes).is_none());
    let (bytes, bytes_raw) = candidates.swap_remove(good.unwrap_or(0));
    Some(Stats {
        bytes,
        elapsed_ns,
        is_progress: seconds.is_whole(),
        bytes_raw,
        elapsed_raw,
        rate_raw,
        contradiction: check(bytes),
    })
}

/// The byte counts a text may end with: digits as they stand, and with groups of three joined.
fn byte_counts(words: &str) -> Vec<(u64, String)> {
    let words = words.trim_end_matches(|c: char| !c.is_ascii_digit());
    let start = words.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let mut found = Vec::new();
    let mut digits = words[start..].to_string();
    let mut at = start;
    loop {
        if let Ok(bytes) = digits.parse() {
            found.push((bytes, words[at..].to_string()));
        }
        // A group before it: one separator, and three digits behind it.
        let group = digits.len() - (digits.len() / 3) * 3;
        let separator = words[..at].chars().next_back();
        let is_separator = separator.is_some_and(|c| " .,'\u{202f}".contains(c));
        if group != 0 || digits.is_empty() || !is_separator || digits.len() > 18 {
            break;
        }
        let head = &words[..at - separator.map_or(0, char::len_utf8)];
        let next = head.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        if next == head.len() || head.len() - next > 3 {
            break;
        }
        digits = format!("{}{digits}", &head[next..]);
        at = next;
    }
    // The longest first: the checks decide between them.
    found.reverse();
    found
}

/// The number and the power of a rate; none when no time passed.
type PrintedRate = Option<(Decimal, i32)>;

fn printed_rate(text: &str) -> Option<PrintedRate> {
    if text.trim() == "Infinity" { Some(None) } else { split_unit(text).map(Some) }
}

/// A number and the power of its prefix: `1.2 G` is 3.
fn split_unit(text: &str) -> Option<(Decimal, i32)> {
    let text = text.trim().trim_end_matches('i');
    let (number, power) = match text.chars().next_back()? {
        last if last.is_ascii_digit() => (text, 0),
        'K' => (&text[..text.len() - 1], 1),
        last => (text.strip_suffix(last)?, PREFIXES.find(last)? as i32 + 1),
    };
    Some((Decimal::parse(number.trim())?, power))
}

/// The sizes in parentheses: each with whether it was printed with an `i`.
fn sizes(text: &str) -> Option<Vec<(Decimal, i32, bool)>> {
    // The decimal mark may be a comma, so sizes are split where a blank follows one.
    text.split(", ")
        .map(|size| {
            let size = size.trim().strip_suffix('B')?;
            let (number, power) = split_unit(size)?;
            Some((number, power, size.ends_with('i')))
        })
        .collect()
}

fn power(base: f64, exponent: i32) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// Whether the byte count, the time, the sizes and the rate of a line can all be true.
fn contradiction(
    bytes: u64,
    seconds: Decimal,
    sizes: &[(Decimal, i32, bool)],
    rate: PrintedRate,
) -> Option<String> {
    let exact = bytes as f64;
    for (size, exponent, is_binary) in sizes {
        // Busybox counts in 1024 and writes MB.
        let bases: &[f64] = if *is_binary { &[1024.0] } else { &[1000.0, 1024.0] };
        if !bases.iter().any(|base| size.can_be(exact, power(*base, *exponent))) {
            return Some(format!(
                "dd's {bytes} bytes and the size next to it contradict each other"
            ));
        }
    }
    let (printed, exponent) = rate?;
    let (low, high) =
        (seconds.value() - seconds.last_digit(), seconds.value() + seconds.last_digit());
    let agrees = [1000.0, 1024.0].iter().any(|base| {
        let unit = power(*base, exponent);
        let most = (printed.value() + printed.last_digit() * 1.01) * unit * high;
        let least = (printed.value() - printed.last_digit() * 1.01) * unit * low.max(0.0);
        // Progress lines print the rate of a time they then round to whole seconds.
        exact <= most && exact >= least
    });
    (!agrees).then(|| format!("dd's {bytes} bytes, its time and its rate contradict each other"))
}

/// `N bytes transferred in T secs (R bytes/sec)`, as the BSDs and macOS print it, and coreutils
/// before 5.3 with `seconds`.
fn bsd(text: &str) -> Option<Stats> {
    let (head, tail) = text.split_once(" bytes transferred in ")?;
    let (time, tail) = tail.split_once(" secs (").or_else(|| tail.split_once(" seconds ("))?;
    let (rate, _) = tail.split_once(" bytes/sec)")?;
    let seconds = Decimal::parse(time.trim())?;
    let start = head.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let bytes: u64 = head[start..].parse().ok()?;
    let printed = Decimal::parse(rate.trim())?;
    Some(Stats {
        bytes,
        elapsed_ns: seconds.times(1_000_000_000)?,
        is_progress: false,
        bytes_raw: head[start..].to_string(),
        elapsed_raw: format!("{time} secs"),
        rate_raw: format!("{} bytes/sec", printed.value()),
        contradiction: contradiction(bytes, seconds, &[], Some((printed, 0))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (u64, u64) {
        let stats = stats(text).unwrap_or_else(|| panic!("not read: {text}"));
        assert_eq!(stats.contradiction, None, "{text}");
        (stats.bytes, stats.elapsed_ns)
    }

    #[test]
    fn every_version_and_word_order_is_read_from_its_raw_counts() {
        for (text, bytes, ns) in [
            ("21 bytes copied, 2.3427e-05 s, 896 kB/s", 21, 23_427),
            ("1000 bytes (1.0 kB) copied, 0.000121 s, 8.3 MB/s", 1000, 121_000),
            ("1073741824 Bytes (1,1 GB) kopiert, 234,011 s, 4,6 MB/s", 1 << 30, 234_011_000_000),
            ("4194304字节（4.2 MB，4.0 MiB）已复制，0.000365013 s，11.5 GB/s", 4 << 20, 365_013),
            ("đã chép 4194304 byte (4,2 MB, 4,0 MiB), 0,000338037 s, 12,4 GB/s", 4 << 20, 338_037),
            ("524288000 bytes (524 MB) copied, 1 second, 524 MB/s", 524_288_000, 1_000_000_000),
            (
                "4 194 304 bajtů (4,2 MB, 4,0 MiB) zkopírováno, 1,5 s, 2,8 MB/s",
                4 << 20,
                1_500_000_000,
            ),
            (
                "Nov 20 194 pi dd: 4194304 bytes (4.2 MB, 4.0 MiB) copied, 1.5 s, 2.8 MB/s",
                4 << 20,
                1_500_000_000,
            ),
            ("1048576 bytes (1.0MB) copied, 0.5 seconds, 2.0MB/s", 1 << 20, 500_000_000),
            (
                "1048576 bytes transferred in 0.500000 secs (2097152 bytes/sec)",
                1 << 20,
                500_000_000,
            ),
            (
                "1048576 bytes transferred in 0.500000 seconds (2097152 bytes/sec)",
                1 << 20,
                500_000_000,
            ),
            (
                "Pi 4 (4GB): 104857600 bytes (105 MB, 100 MiB) copied, 2.5 s, 41.9 MB/s",
                104_857_600,
                2_500_000_000,
            ),
            ("(cold) 104857600 bytes copied, 2.5 s, 41.9 MB/s", 104_857_600, 2_500_000_000),
            ("0 bytes copied, 2.0713e-05 s, 0.0 kB/s", 0, 20_713),
            ("1073741824 байта (1,1 GB) скопировано, 12,5 c, 85,9 MB/c", 1 << 30, 12_500_000_000),
            ("1073741824 байта (1,1 GB) скопировано, 12,5 с, 85,9 MB/с", 1 << 30, 12_500_000_000),
        ] {
            assert_eq!(read(text), (bytes, ns), "{text}");
        }
    }

    #[test]
    fn a_line_that_contradicts_itself_says_so() {
        for text in [
            "4194394304 bytes (4.2 MB, 4.0 MiB) copied, 0.00349442 s, 1.2 GB/s",
            "4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.349442 s, 1.2 GB/s",
            "4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.00349442 s, 1.9 GB/s",
        ] {
            assert!(stats(text).unwrap().contradiction.is_some(), "{text}");
        }
    }

    #[test]
    fn records_are_told_from_arithmetic() {
        assert_eq!(records("记录了64+0 的读入"), Some([64, 0]));
        assert_eq!(records("đọc vào 64+0"), Some([64, 0]));
        assert_eq!(records("8+1 records in"), Some([8, 1]));
        for text in ["64+0", "C++11", "a 1+1 of 3 b", "x = 3+4 y"] {
            assert_eq!(records(text), None, "{text}");
        }
    }
}
