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

    /// Of two sizes the second is that of writes; a third one, of trims, does not matter.
    fn from_str(text: &str) -> Result<BlockSizes, String> {
        let size = |text: &str| match text {
            "" => Ok(DEFAULT_BYTES),
            text => units::parse_size(text).map_err(|error| error.to_string()),
        };
        let mut parts = text.split(',');
        let read = parts.next().unwrap_or_default();
        match (parts.next(), parts.next(), parts.next()) {
            (None, ..) if read.is_empty() => Err("write a size, such as 4k".to_string()),
            (None, ..) => size(read).map(|read| BlockSizes { read, write: read }),
            (Some(write), trim, None) => {
                size(trim.unwrap_or_default())?;
                Ok(BlockSizes { read: size(read)?, write: size(write)? })
            }
            _ => Err("write at most three sizes: for reads, writes and trims".to_string()),
        }
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
