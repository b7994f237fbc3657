//! The rates of an open loop, as fio writes them: `100`, or `100,50` of reads and writes.

use std::str::FromStr;

use super::block_sizes::per_direction;
use super::job::Rw;

/// Operations a second of each job; 0 where a direction has no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    pub read: u64,
    pub write: u64,
}

impl Rates {
    /// Operations a second of a pattern, and of a mix those that are reads.
    ///
    /// # Errors
    /// For a mix of which one direction has no limit.
    pub fn for_pattern(self, rw: Rw) -> Result<(Option<u64>, Option<u64>), String> {
        let Rates { read, write } = self;
        let limit = |rate: u64| Some(rate).filter(|rate| *rate > 0);
        match (rw.reads(), rw.writes()) {
            (true, true) => match (limit(read), limit(write)) {
                (None, None) => Ok((None, None)),
                (Some(_), Some(_)) => Ok((Some(read.saturating_add(write)), Some(read))),
                _ => Err(format!(
                    "--rate_iops limits only one direction of --rw={}. Give both: \
                     --rate_iops=READ,WRITE",
                    rw.name()
                )),
            },
            (true, false) => Ok((limit(read), None)),
            (false, _) => Ok((limit(write), None)),
        }
    }
}

impl FromStr for Rates {
    type Err = String;

    fn from_str(text: &str) -> Result<Rates, String> {
        let rate = |text: &str| match text {
            "" => Ok(0),
            text => bakeoff_stats::units::parse_size(text)
                .map_err(|_| format!("'{text}' is not a number of operations per second")),
        };
        let (read, write) = per_direction(text, rate, ["a number, such as 100", "rates"])?;
        Ok(Rates { read, write })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of the rate went to each direction of a mix.
    #[test]
    fn a_rate_is_that_of_each_direction() {
        let of = |text: &str, rw| text.parse::<Rates>().and_then(|rates| rates.for_pattern(rw));
        assert_eq!(of("100", Rw::RandRw), Ok((Some(200), Some(100))));
        assert_eq!(of("100,50", Rw::ReadWrite), Ok((Some(150), Some(100))));
        assert_eq!(of("1k,50,", Rw::Read), Ok((Some(1024), None)));
        assert_eq!(of("100,50", Rw::RandWrite), Ok((Some(50), None)));
        assert_eq!(of("100,", Rw::Write), Ok((None, None)));
        assert_eq!(of("0", Rw::RandRw), Ok((None, None)));
        assert!(of("100,", Rw::RandRw).unwrap_err().contains("READ,WRITE"));
        assert!(of("1,2,3,4", Rw::Read).is_err() && of("x", Rw::Read).is_err());
    }
}
