//! `/proc/PID/maps`: the mappings of a process that have a file behind them.
//!
//! Source: proc(5). The file's own link is `/proc/PID/map_files/RANGE`.

use super::dev::Dev;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Its addresses, as `map_files` names it: without leading zeros.
    pub range: String,
    /// Whether what is written to the memory is written to the file. A mapping that is read-only
    /// now counts too: mprotect(2) changes it.
    pub is_shared: bool,
    pub dev: Dev,
    pub inode: u64,
}

/// Reads the list; anonymous memory is left out.
pub fn parse(bytes: &[u8]) -> Vec<Map> {
    bytes.split(|b| *b == b'\n').filter_map(map).collect()
}

fn map(line: &[u8]) -> Option<Map> {
    let mut words = line.split(|b| *b == b' ').filter(|word| !word.is_empty());
    let mut word = || std::str::from_utf8(words.next()?).ok();
    let (range, access, _, dev) = (word()?, word()?, word()?, word()?);
    let inode: u64 = word()?.parse().ok()?;
    let (major, minor) = dev.split_once(':')?;
    let number = |hex: &str| u32::from_str_radix(hex, 16).ok();
    let (start, end) = range.split_once('-')?;
    let plain = |hex: &str| u64::from_str_radix(hex, 16).ok();
    (inode != 0).then_some(())?;
    Some(Map {
        range: format!("{:x}-{:x}", plain(start)?, plain(end)?),
        is_shared: access.as_bytes().get(3) == Some(&b's'),
        dev: Dev::new(number(major)?, number(minor)?),
        inode,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_no_anonymous_memory() {
        let text = b"00400000-0040b000 r-xp 00000000 fe:00 1966085  /usr/bin/a b\n\
            7f0000000000-7f0000001000 rw-s 00001000 00:06 9 /tmp/node (deleted)\n\
            7ffd0000-7ffe0000 rw-p 00000000 00:00 0 [stack]\nnonsense\n";
        let found = parse(text);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].range.as_str(), found[0].is_shared), ("400000-40b000", false));
        assert_eq!((found[0].dev, found[0].inode), (Dev::new(254, 0), 1_966_085));
        assert_eq!(
            (found[1].range.as_str(), found[1].is_shared),
            ("7f0000000000-7f0000001000", true)
        );
        assert_eq!((found[1].dev, found[1].inode), (Dev::new(0, 6), 9));
    }
}
