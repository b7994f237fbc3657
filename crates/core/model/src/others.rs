//! How the published figures of other drives are distributed, and where a figure stands in them.
//!
//! A drive counts once. Tools, files and filesystems differ from one figure to the next, so what is
//! within a tenth of the median is usual whatever its rank.

use serde::{Deserialize, Serialize};

use super::normal::Medium;

/// Steps from the lowest to the highest: every tenth percentile.
const TENTHS: usize = 10;
const SAME_AS_MEDIAN: f64 = 0.1;
/// An interval over this share of the others tells nothing, unless its ends are as close as figures
/// of two tools.
const TOO_WIDE: f64 = 0.5;
const NARROW_TIMES: f64 = 1.25;
/// Below this share of the lowest tenth a drive is slow. Of the 141 published drives themselves,
/// each against the others of its groups, one is.
const SLOW_SHARE: f64 = 0.25;
/// Above so many times the fastest, a figure is likely to be no drive's.
const FAST_TIMES: f64 = 1.5;

/// The others of a kind of drive, in the unit of the figure's [`super::normal::Test`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Others {
    pub medium: Medium,
    /// Their link by its key, `sd-ddr50`; `usb3` is of either transport. `None` = any.
    pub link: Option<String>,
    pub n: u32,
    /// The lowest, every tenth percentile, the highest.
    pub tenths: [f64; TENTHS + 1],
    /// Where their figures are published.
    pub sources: Vec<String>,
}

/// A figure among those of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AmongOthers {
    #[serde(flatten)]
    pub others: Others,
    /// The 95 % interval of the figure.
    pub low: f64,
    pub high: f64,
    pub among: Among,
}

impl AmongOthers {
    /// A figure with its interval.
    pub fn new(others: Others, rate: f64, (low, high): (f64, f64)) -> AmongOthers {
        AmongOthers { among: others.place(rate, (low, high)), others, low, high }
    }

    pub fn is_slow(&self) -> bool {
        self.high < self.others.slow_below()
    }
}

/// Where a figure stands among those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Among {
    SlowerThanAll,
    /// Slower than nine in ten.
    SlowerThanMost,
    /// It is below the lowest tenth, and not by enough to say so.
    LowEnd,
    Usual,
    HighEnd,
    FasterThanMost,
    FasterThanAll,
    /// Its interval spans half of the others.
    TooWide,
}

impl Among {
    pub fn is_slower(self) -> bool {
        matches!(self, Among::SlowerThanAll | Among::SlowerThanMost)
    }
}

impl Others {
    pub fn median(&self) -> f64 {
        self.tenths[TENTHS / 2]
    }

    /// From where to where eight in ten are.
    pub fn middle(&self) -> (f64, f64) {
        (self.tenths[1], self.tenths[TENTHS - 1])
    }

    /// A drive below this is slow.
    pub fn slow_below(&self) -> f64 {
        SLOW_SHARE * self.tenths[1]
    }

    /// A figure above this is likely to be a cache's.
    pub fn fast_above(&self) -> f64 {
        FAST_TIMES * self.tenths[TENTHS]
    }

    /// The share of the others that are slower, 0 to 1.
    pub fn share_below(&self, value: f64) -> f64 {
        let Some(above) = self.tenths.iter().position(|tenth| value < *tenth) else { return 1.0 };
        let Some(below) = above.checked_sub(1) else { return 0.0 };
        let (low, high) = (self.tenths[below], self.tenths[above]);
        (below as f64 + (value - low) / (high - low)) / TENTHS as f64
    }

    /// Where a figure with this interval stands.
    pub fn place(&self, rate: f64, (low, high): (f64, f64)) -> Among {
        let median = self.median();
        let (least, most) = ((1.0 - SAME_AS_MEDIAN) * median, (1.0 + SAME_AS_MEDIAN) * median);
        let (tenth, ninetieth) = self.middle();
        let spans = self.share_below(high) - self.share_below(low);
        match () {
            () if !(low <= rate && rate <= high) => Among::TooWide,
            () if spans >= TOO_WIDE && high > NARROW_TIMES * low => Among::TooWide,
            () if high < self.tenths[0] && high < least => Among::SlowerThanAll,
            () if high < tenth && high < least => Among::SlowerThanMost,
            () if low > self.tenths[TENTHS] && low > most => Among::FasterThanAll,
            () if low > ninetieth && low > most => Among::FasterThanMost,
            () if rate < tenth => Among::LowEnd,
            () if rate > ninetieth => Among::HighEnd,
            () => Among::Usual,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn others(tenths: [f64; 11]) -> Others {
        Others { medium: Medium::Sd, link: None, n: 20, tenths, sources: vec!["a site".into()] }
    }

    fn cards() -> Others {
        let of = [395, 1654, 1765, 1822, 1875, 1965, 2174, 2379, 2474, 2630, 2700];
        others(of.map(f64::from))
    }

    #[test]
    fn a_figure_stands_where_its_whole_interval_stands() {
        let of = cards();
        let place = |low: f64, high: f64| of.place((low + high) / 2.0, (low, high));
        assert_eq!(place(1180.0, 1240.0), Among::SlowerThanMost);
        assert_eq!(place(300.0, 390.0), Among::SlowerThanAll);
        assert_eq!(place(1590.0, 1700.0), Among::LowEnd);
        assert_eq!(place(1900.0, 2000.0), Among::Usual);
        assert_eq!(place(2590.0, 2690.0), Among::HighEnd);
        assert_eq!(place(2640.0, 2650.0), Among::FasterThanMost);
        assert_eq!(place(3000.0, 3100.0), Among::FasterThanAll);
        assert_eq!(place(1000.0, 2500.0), Among::TooWide);
        assert_eq!(place(0.0, f64::INFINITY), Among::TooWide);
        assert_eq!(place(f64::NAN, 2000.0), Among::TooWide);
        assert_eq!(of.slow_below(), 0.25 * 1654.0);
    }

    /// Where a link makes all alike, a rank is nothing but the difference of two tools.
    #[test]
    fn near_the_median_a_rank_tells_nothing() {
        let of = others([22.3, 42.3, 43.3, 43.9, 45.3, 45.6, 45.7, 45.8, 46.0, 46.1, 46.6]);
        assert_eq!(of.place(43.9, (40.0, 48.0)), Among::Usual, "it spans nearly all");
        assert_eq!(of.place(41.9, (41.8, 42.0)), Among::LowEnd);
        assert_eq!(of.place(35.5, (35.0, 36.0)), Among::SlowerThanMost);
    }

    #[test]
    fn equal_tenths_divide_nothing_by_zero() {
        let of = others([5.0; 11]);
        assert_eq!((of.share_below(4.9), of.share_below(5.0)), (0.0, 1.0));
        assert_eq!(of.place(5.0, (5.0, 5.0)), Among::Usual);
    }

    proptest! {
        #[test]
        fn shares_rise_from_nothing_to_all(a in 0.0..4000.0_f64, b in 0.0..4000.0_f64) {
            let of = cards();
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!((0.0..=1.0).contains(&of.share_below(low)));
            prop_assert!(of.share_below(low) <= of.share_below(high));
            let place = of.place(low, (low, high));
            prop_assert!(!place.is_slower() || high < of.middle().0);
        }
    }
}
