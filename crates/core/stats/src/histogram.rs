//! A latency histogram as it is stored: mergeable, independent of any library.
//!
//! Counts of nanosecond values, each bucket told by one value that is within 0.4 % of all it
//! counts. How buckets are cut is the recorder's business: merging counts of different cuts is
//! right too.

use serde::{Deserialize, Serialize};

/// Non-empty buckets, ascending: `[value in ns that stands for the bucket, count]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Histogram {
    /// `(value_ns, count)` pairs in ascending order of value, counts above 0.
    pub buckets: Vec<(u64, u64)>,
}

impl Histogram {
    pub fn total(&self) -> u64 {
        self.buckets.iter().map(|b| b.1).sum()
    }

    /// The smallest bucket value that at least `q` (0 to 1) of all values do not exceed; `None`
    /// when nothing was recorded.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let total = self.total();
        let rank = libm::ceil(q * total as f64).max(1.0) as u64;
        let mut seen = 0;
        for &(value, count) in &self.buckets {
            seen += count;
            if seen >= rank {
                return Some(value);
            }
        }
        None
    }

    /// Like [`Histogram::quantile`], but `None` with fewer than `10 / (1 - q)` values: fewer than
    /// ten values would lie beyond it, and a handful of operations would set it.
    pub fn supported_quantile(&self, q: f64) -> Option<u64> {
        // A hair's breadth keeps 10 / (1 - 0.9) = 100.00000000000001 from asking for 101.
        let needed = libm::ceil(10.0 / (1.0 - q) - 1e-6);
        if (self.total() as f64) < needed { None } else { self.quantile(q) }
    }

    pub fn merge(&mut self, other: &Histogram) {
        for &(value, count) in &other.buckets {
            match self.buckets.binary_search_by_key(&value, |b| b.0) {
                Ok(at) => self.buckets[at].1 += count,
                Err(at) => self.buckets.insert(at, (value, count)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_small_histogram() {
        let h = Histogram { buckets: vec![(10, 5), (20, 4), (1000, 1)] };
        assert_eq!(h.quantile(0.5), Some(10));
        assert_eq!(h.quantile(0.51), Some(20));
        assert_eq!(h.quantile(0.9), Some(20));
        assert_eq!(h.quantile(0.99), Some(1000));
        assert_eq!(Histogram::default().quantile(0.5), None);
    }

    #[test]
    fn a_quantile_needs_ten_values_beyond_it() {
        let with = |n| Histogram { buckets: vec![(7, n)] };
        for (q, needed) in [(0.5, 20), (0.9, 100), (0.95, 200), (0.99, 1_000), (0.9999, 100_000)] {
            assert_eq!(with(needed).supported_quantile(q), Some(7), "{q}");
            assert_eq!(with(needed - 1).supported_quantile(q), None, "{q}");
        }
    }

    #[test]
    fn merging_adds_counts_and_keeps_order() {
        let mut a = Histogram { buckets: vec![(10, 1), (30, 1)] };
        a.merge(&Histogram { buckets: vec![(10, 2), (20, 7)] });
        assert_eq!(a.buckets, vec![(10, 3), (20, 7), (30, 1)]);
    }
}
