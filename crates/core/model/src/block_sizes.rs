//! The block size of reads and that of writes, as fio writes them: `4k`, `4k,64k`, `,8k`.

use std::str::FromStr;

use super::job::Rw;
use bakeoff_stats::units;

/// fio's size where none is given.
const DEFAULT_BYTES: u64 = 4096;

/// Both sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSizes {
    pub read: u64,
    pub write: u64,
}

impl BlockSizes {
    /// The size for a pattern.
    ///
    /// # Errors
    /// For a mix whose sizes differ.
    pub fn for_pattern(self, rw: Rw) -> Result<u64, String> {
        match (rw.reads(), rw.writes()) {
            (true, true) if self.read != self.write => Err(format!(
                "--rw={} reads and writes blocks of one size. Give one --bs, or run a read and a \
                 write job",
                rw.name()
            )),
            (true, _) => Ok(self.read),
            (false, _) => Ok(self.write),
        }
    }
}

impl FromStr for BlockSizes {
    type Err = String;

    fn from_str(text: &str) -> Result<BlockSizes, String> {
        let size = |text: &str| match text {
            "" => Ok(DEFAULT_BYTES),
            text => units::parse_size(text).map_err(|error| error.to_string()),
        };
        let (read, write) = per_direction(text, size, ["a size, such as 4k", "sizes"])?;
        Ok(BlockSizes { read, write })
    }
}

/// The numbers for reads and for writes, of which a single one is both; a third one, of trims, does
/// not matter. `example` and `plural` say what they are.
pub(super) fn per_direction(
    text: &str,
    one: impl Fn(&str) -> Result<u64, String>,
    [example, plural]: [&str; 2],
) -> Result<(u64, u64), String> {
    if text.is_empty() {
        return Err(format!("write {example}"));
    }
    let mut parts = text.split(',');
    let read = one(parts.next().unwrap_or_default())?;
    let write = parts.next().map_or(Ok(read), &one)?;
    parts.next().map_or(Ok(0), &one)?;
    match parts.next() {
        None => Ok((read, write)),
        Some(_) => Err(format!("write at most three {plural}: for reads, writes and trims")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, rw: Rw) -> Result<u64, String> {
        text.parse::<BlockSizes>()?.for_pattern(rw)
    }

    #[test]
    fn one_size_or_one_each() {
        assert_eq!(of("4k", Rw::RandRw), Ok(4096));
        assert_eq!((of("4k,64k", Rw::Read), of("4k,64k", Rw::Write)), (Ok(4096), Ok(65536)));
        assert_eq!((of(",8k", Rw::Read), of(",8k", Rw::RandWrite)), (Ok(4096), Ok(8192)));
        assert_eq!(of("16k,,", Rw::Write), Ok(4096), "an empty size is the default");
        assert!(of("4k,64k", Rw::ReadWrite).unwrap_err().contains("one size"));
        for wrong in ["", "4x", "4k,x", "4k,4k,4k,4k", "1,2,x"] {
            assert!(of(wrong, Rw::Read).is_err(), "{wrong}");
        }
    }
}
