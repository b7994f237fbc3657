//! The five published studies that come with the program; data/studies/README.md says what they
//! are. build.rs compresses their tables.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Most bytes of a table.
const TABLE_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Study {
    /// Its name, as in `study:NAME`.
    pub name: &'static str,
    packed: &'static [u8],
    /// What it states beside that ([`super::study::facts`]).
    pub facts: &'static str,
}

macro_rules! study {
    ($name:literal) => {
        Study {
            name: $name,
            packed: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".csv")),
            facts: include_str!(concat!("../../data/studies/", $name, ".toml")),
        }
    };
}

impl Study {
    pub fn table(&self) -> String {
        let bytes = decompress_to_vec_with_limit(self.packed, TABLE_BYTES).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }
}

pub static STUDIES: [Study; 5] = [
    study!("block-size-sweep"),
    study!("journal-scheduler"),
    study!("luks-btrfs"),
    study!("mountpoints"),
    study!("usb-stick"),
];

pub fn find(name: &str) -> Option<&'static Study> {
    STUDIES.iter().find(|study| study.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Finder;

    #[test]
    fn every_row_is_read_or_says_why_it_has_no_value() {
        // Rows and rows without a value, counted in the tables.
        for (name, rows, empty) in [
            ("block-size-sweep", 463, 0),
            ("journal-scheduler", 111, 6),
            ("luks-btrfs", 126, 0),
            ("mountpoints", 106, 0),
            ("usb-stick", 204, 12),
        ] {
            let imported = Finder::all(find(name).unwrap().table().as_bytes());
            let metrics: usize = imported.results.iter().map(|r| r.metrics.len()).sum();
            assert_eq!((metrics, imported.unread.len()), (rows - empty, empty), "{name}");
        }
    }

    #[test]
    fn the_rows_say_what_the_pages_printed() {
        let imported = Finder::all(find("usb-stick").unwrap().table().as_bytes());
        let is_write = |r: &&crate::import::ToolResult| {
            r.test.as_deref() == Some("sequential write")
                && r.setup.get("filesystem").map(String::as_str) == Some("ext4")
        };
        let write = imported.results.iter().find(is_write).unwrap();
        let of = |name| write.metrics.iter().find(|m| m.name == name).unwrap();
        assert_eq!(of("elapsed").unit, "ns");
        assert_eq!(of("elapsed").value.as_f64(), 234.0e9 + 11e6);
        assert_eq!(of("bytes").value.as_f64(), 1_073_741_824.0);
    }
}
