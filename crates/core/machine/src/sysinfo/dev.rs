//! A device number, the kernel's own name for a block device: `8:1`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `major:minor`. Major 0 is an anonymous device: a filesystem with no single device below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dev {
    pub major: u32,
    pub minor: u32,
}

impl Dev {
    /// `major:minor`.
    pub fn new(major: u32, minor: u32) -> Dev {
        Dev { major, minor }
    }

    /// Whether no block device has this number (tmpfs, btrfs, overlay, network, most of FUSE).
    pub fn is_anonymous(self) -> bool {
        self.major == 0
    }
}

impl fmt::Display for Dev {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// The text is no `major:minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a device number (major:minor, such as 8:1)")]
pub struct NoDev;

impl FromStr for Dev {
    type Err = NoDev;

    fn from_str(text: &str) -> Result<Dev, NoDev> {
        let (major, minor) = text.trim().split_once(':').ok_or(NoDev)?;
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| digits.parse().ok()).flatten().ok_or(NoDev)
        };
        Ok(Dev::new(number(major)?, number(minor)?))
    }
}

impl Serialize for Dev {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Dev {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        assert_eq!("254:1\n".parse(), Ok(Dev::new(254, 1)));
        assert_eq!(Dev::new(254, 1).to_string(), "254:1");
        for text in ["", "8", "8:", ":1", "8:-1", "+8:1", "8:1:2", "4294967296:0"] {
            assert_eq!(text.parse::<Dev>(), Err(NoDev), "{text}");
        }
        assert!(Dev::new(0, 33).is_anonymous());
    }
}
