//! `/proc/swaps`: swap partitions and files in use.

use super::escape::octal;
use bakeoff_model::path::{RawPath, bytes_path};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    pub path: RawPath,
    pub is_file: bool,
}

pub fn parse(text: &[u8]) -> Vec<Swap> {
    text.split(|b| *b == b'\n').filter_map(swap).collect()
}

fn swap(line: &[u8]) -> Option<Swap> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|f| !f.is_empty());
    let path = fields.next()?;
    let is_file = match fields.next()? {
        b"file" => true,
        b"partition" => false,
        _ => return None,
    };
    Some(Swap { path: bytes_path(octal(path)), is_file })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_and_files() {
        let text = b"Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n\
            /dev/sda3                               partition\t2097148\t0\t-2\n\
            /swap\\040file                          file\t\t102396\t512\t-3\n";
        let swaps = parse(text);
        assert_eq!(swaps.len(), 2);
        assert_eq!(swaps[0], Swap { path: RawPath::new("/dev/sda3"), is_file: false });
        assert_eq!(swaps[1], Swap { path: RawPath::new("/swap file"), is_file: true });
    }
}
