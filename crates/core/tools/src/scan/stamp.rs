//! What a log put in front of a line: a date and a time, with the machine and the program behind
//! them where it is the system's.

/// The line without it. One blank behind it goes, those that the line began with stay.
pub fn without(text: &str) -> &str {
    let is_begun = |c: char| c == '[' || c.is_ascii_alphanumeric();
    if text.starts_with(is_begun) { stripped(text).unwrap_or(text) } else { text }
}

fn stripped(text: &str) -> Option<&str> {
    if let Some(rest) = of_syslog(text) {
        return program(rest).and_then(end);
    }
    let bare = text.strip_prefix('[').unwrap_or(text);
    let rest = match date(bare) {
        Some(rest) => time(rest.strip_prefix(['T', ' '])?)?,
        None => time(bare)?,
    };
    let rest = if bare.len() < text.len() { rest.strip_prefix(']')? } else { rest };
    let rest = end(rest)?;
    // journalctl -o short-iso and rsyslog: only a process id says that a program's name follows.
    let of_program =
        program(rest).filter(|behind| rest[..rest.len() - behind.len()].ends_with("]:"));
    of_program.map_or(Some(rest), end)
}

fn end(text: &str) -> Option<&str> {
    if text.is_empty() { Some(text) } else { text.strip_prefix(' ') }
}

/// `2024-05-01`
fn date(text: &str) -> Option<&str> {
    let rest = digits(text, 4)?.strip_prefix('-')?;
    digits(digits(rest, 2)?.strip_prefix('-')?, 2)
}

/// `12:34:56`, `12:34:56.789`, `12:34:56,789+0200`, `12:34:56Z`
fn time(text: &str) -> Option<&str> {
    let rest = digits(text, 2)?.strip_prefix(':')?;
    let mut rest = digits(digits(rest, 2)?.strip_prefix(':')?, 2)?;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    if let Some(behind) = rest.strip_prefix('Z') {
        return Some(behind);
    }
    match rest.strip_prefix(['+', '-']).and_then(|zone| digits(zone, 2)) {
        Some(zone) => digits(zone.strip_prefix(':').unwrap_or(zone), 2),
        None => Some(rest),
    }
}

/// `Nov 22 12:34:56`, and the blank behind it.
fn of_syslog(text: &str) -> Option<&str> {
    const MONTHS: &str = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    let (month, rest) = text.split_once(' ')?;
    MONTHS.split(' ').find(|known| *known == month)?;
    let (day, rest) = rest.trim_start_matches(' ').split_once(' ')?;
    let is_day = (1..=2).contains(&day.len()) && day.bytes().all(|b| b.is_ascii_digit());
    time(rest).filter(|_| is_day)?.strip_prefix(' ')
}

/// `pi fio[1234]:`
fn program(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(' ').filter(|(host, _)| !host.is_empty())?;
    let (name, behind) = rest.split_once(':')?;
    let is_name = !name.is_empty() && !name.contains(' ');
    is_name.then_some(behind)
}

fn digits(text: &str, count: usize) -> Option<&str> {
    let (head, tail) = text.split_at_checked(count)?;
    head.bytes().all(|byte| byte.is_ascii_digit()).then_some(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_logs_go_and_the_blanks_of_the_line_stay() {
        for stamp in [
            "2024-05-01 12:34:56",
            "2024-05-01T12:34:56.789Z",
            "2024-05-01T12:34:56,789+02:00",
            "[2024-05-01 12:34:56]",
            "[12:34:56]",
            "12:34:56",
            "Nov 22 12:34:56 pi fio[1]:",
            "Nov  2 12:34:56 pi kernel:",
            "2024-05-01T12:34:56+0000 pi sysbench[77]:",
        ] {
            for line in ["    min:   0.01", "64+0 records in", "read: IOPS=3, BW=1MiB/s", ""] {
                assert_eq!(without(format!("{stamp} {line}").trim_end()), line, "{stamp}");
            }
        }
    }

    #[test]
    fn what_is_no_stamp_stays() {
        for line in [
            "64+0 records in",
            "[ 1s ] reads: 1.44 MiB/s",
            "[global]",
            "Nov 22 was cold",
            "Nov 22 12:34:56 pi",
            "12:34:56abc",
            "2024-05-01",
            "2024-05-01: dd",
            "1.97,1.97,pi,1",
            "[12:34:56 x",
            "Read       | 121.00 MB/s",
            "     | 10.00th=[   26]",
            "ssd-1970 | 3",
            "é12",
        ] {
            assert_eq!(without(line), line);
        }
    }
}
