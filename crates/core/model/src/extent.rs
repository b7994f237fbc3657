//! A number of bytes, or a share of what there is, as fio writes it: `1g`, `10%`.

use std::str::FromStr;

use bakeoff_stats::units;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Bytes(u64),
    /// A percentage of the whole, 1 to 100.
    Percent(u8),
}

impl Extent {
    pub fn in_bytes(self, whole_bytes: u64) -> u64 {
        match self {
            Extent::Bytes(bytes) => bytes,
            Extent::Percent(percent) => {
                let share = u128::from(whole_bytes) * u128::from(percent) / 100;
                u64::try_from(share).unwrap_or(u64::MAX)
            }
        }
    }
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Extent, String> {
        let Some(percent) = text.strip_suffix('%') else {
            return units::parse_size(text).map(Extent::Bytes).map_err(|error| error.to_string());
        };
        let percent = percent.parse::<u8>().ok().filter(|percent| (1..=100).contains(percent));
        percent.map(Extent::Percent).ok_or_else(|| "write 1% to 100%, or bytes".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_or_a_share() {
        assert_eq!("4k".parse(), Ok(Extent::Bytes(4096)));
        assert_eq!("10%".parse::<Extent>().map(|extent| extent.in_bytes(12_345)), Ok(1234));
        assert_eq!("100%".parse::<Extent>().map(|extent| extent.in_bytes(u64::MAX)), Ok(u64::MAX));
        for wrong in ["0%", "101%", "%", "-1%", "x"] {
            assert!(wrong.parse::<Extent>().is_err(), "{wrong}");
        }
    }
}
