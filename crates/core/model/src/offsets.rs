//! How the offsets of a job follow each other: the pattern's name, not its numbers.
//!
//! Words are those of the command line and of plans. fio calls them `random_distribution`
//! (`random`, `zipf:1.2`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::rw::Rw;

/// Largest exponent of a Zipf distribution: beyond it nearly everything hits one block.
const THETA_MILLI_MAX: u32 = 10_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offsets {
    /// Random: uniform, with repeats. Sequential: forward.
    #[default]
    Uniform,
    /// Random: every block once before any comes again.
    Once,
    /// Random: the block of rank r is drawn as often as r^-theta, theta in thousandths. Ranks are
    /// scattered over the span.
    Zipf {
        /// 1 to 10000.
        theta_milli: u32,
    },
}

/// What [`Offsets::from_str`] reads, for help.
pub const OFFSETS_WORDS: &str = "uniform, once, zipf:1.2";

impl Offsets {
    pub fn fits(self, rw: Rw) -> bool {
        match self {
            // A sequence has every block once by itself.
            Offsets::Uniform | Offsets::Once => true,
            Offsets::Zipf { .. } => rw.is_random(),
        }
    }
}

impl fmt::Display for Offsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Offsets::Uniform => f.write_str("uniform"),
            Offsets::Once => f.write_str("once"),
            Offsets::Zipf { theta_milli } => {
                let text = format!("{}.{:03}", theta_milli / 1000, theta_milli % 1000);
                write!(f, "zipf:{}", text.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }
}

impl FromStr for Offsets {
    type Err = String;

    fn from_str(text: &str) -> Result<Offsets, String> {
        let (word, value) = text.split_once(':').unwrap_or((text, ""));
        match (word, value) {
            ("uniform" | "random", "") => Ok(Offsets::Uniform),
            ("once", "") => Ok(Offsets::Once),
            ("zipf", theta) => zipf(theta),
            _ => Err(format!("possible values: {OFFSETS_WORDS}")),
        }
    }
}

fn zipf(theta: &str) -> Result<Offsets, String> {
    let is_plain = theta.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let milli = theta.parse::<f64>().ok().filter(|_| is_plain).map(|theta| theta * 1000.0);
    let whole = milli.filter(|milli| (milli - libm::round(*milli)).abs() < 1e-6);
    let whole = whole.map(|milli| libm::round(milli) as u32);
    match whole.filter(|milli| (1..=THETA_MILLI_MAX).contains(milli)) {
        Some(theta_milli) => Ok(Offsets::Zipf { theta_milli }),
        None => Err("zipf takes an exponent from 0.001 to 10, as in zipf:1.2".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were_read() {
        for word in ["uniform", "once", "zipf:1.2", "zipf:0.95", "zipf:1"] {
            assert_eq!(word.parse::<Offsets>().unwrap().to_string(), word);
        }
        assert_eq!("random".parse(), Ok(Offsets::Uniform), "fio's word");
        assert_eq!("zipf:1.234".parse(), Ok(Offsets::Zipf { theta_milli: 1234 }));
    }

    #[test]
    fn nonsense_is_refused_with_an_example() {
        let cases =
            ["", "zipf", "zipf:", "zipf:0", "zipf:11", "zipf:1.2345", "zipf:-1", "pareto:0.9"];
        for text in cases {
            let error = text.parse::<Offsets>().unwrap_err();
            assert!(error.contains(':') || error.contains("uniform"), "{text}: {error}");
        }
    }

    #[test]
    fn each_fits_its_kind_of_pattern() {
        let zipf = Offsets::Zipf { theta_milli: 1200 };
        assert!(zipf.fits(Rw::RandRw) && !zipf.fits(Rw::Read));
        assert!(Offsets::Uniform.fits(Rw::SmallFiles) && Offsets::Uniform.fits(Rw::Read));
    }
}
