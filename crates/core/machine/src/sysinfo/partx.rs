//! `partx --raw --noheadings --output NR,START,SECTORS FILE`: partitions of a table that the kernel
//! has not read, as in an image. Sectors are of 512 bytes.
//!
//! Source: util-linux, disk-utils/partx.c.

pub const LIST: [&str; 4] = ["--raw", "--noheadings", "--output", "NR,START,SECTORS"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub number: u32,
    pub start_bytes: u64,
    pub size_bytes: u64,
}

/// Reads the list. Lines that lack a number are left out.
pub fn parse(bytes: &[u8]) -> Vec<Part> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().filter_map(part).collect()
}

fn part(line: &str) -> Option<Part> {
    let mut words = line.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let mut sectors = || words.next()?.parse::<u64>().ok()?.checked_mul(512);
    Some(Part { number, start_bytes: sectors()?, size_bytes: sectors()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_starts_and_sizes() {
        let found = parse(b"1 2048 40960\n2 43008 40960\nnone\n3 18446744073709551615 1\n");
        assert_eq!(found.len(), 2);
        let first = Part { number: 1, start_bytes: 1 << 20, size_bytes: 20 << 20 };
        assert_eq!(found[0], first);
    }
}
