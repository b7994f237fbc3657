//! `/proc/PID/stat`: who a process is. A pid is used again; a pid with its start time is not,
//! within one boot.

/// Name, parent, times and start of a process or thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStat<'a> {
    /// `comm`, at most 15 bytes of anything; of a kernel worker with the queue that it serves.
    pub name: &'a [u8],
    pub parent: u32,
    /// Fields 14 to 17: clock ticks that it ran, in user and kernel, and those of children that have
    /// ended and were waited for.
    pub cpu_ticks: u64,
    /// Field 22: clock ticks after boot at which it started.
    pub start_ticks: u64,
}

/// Reads `/proc/PID/stat`. The name stands in parentheses and may itself hold any of them, so the
/// fields are counted from the last one.
pub fn parse(text: &[u8]) -> Option<ProcessStat<'_>> {
    let open = text.iter().position(|b| *b == b'(')?;
    let close = text.iter().rposition(|b| *b == b')')?;
    let name = text.get(open + 1..close)?;
    let rest = std::str::from_utf8(text.get(close + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    // `parent` is field 4 of proc(5), so 9 lie between it and field 14, and 4 between field 17 and
    // field 22. The ticks of children are signed in the kernel and never negative.
    let mut fields = fields.skip(9);
    let ticks = fields.by_ref().take(4).map(|field| field.parse::<u64>().ok());
    let cpu_ticks = ticks.collect::<Option<Vec<u64>>>()?.into_iter().fold(0, u64::saturating_add);
    let start_ticks = fields.nth(4)?.parse().ok()?;
    Some(ProcessStat { name, parent, cpu_ticks, start_ticks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_shifts_nothing() {
        let text =
            b"42 (a) R 1 (b) S 7 0 0 0 -1 4194560 37875 554033 0 625 104 405 1547 1106 20 0 13 0 \
            25 48783360 4217\n";
        let stat = parse(text).expect("a whole line");
        assert_eq!(stat.name, b"a) R 1 (b");
        assert_eq!((stat.parent, stat.start_ticks), (7, 25));
        assert_eq!(stat.cpu_ticks, 104 + 405 + 1547 + 1106);
        assert_eq!(parse(b"42 (short) S 7"), None);
        assert_eq!(parse(b")("), None);
    }
}
