//! A latency distribution as a curve: percentiles on an axis in which each nine takes the same
//! room, as HdrHistogram plots it (x = -log10(1 - q): 0.3 is the median, 2 is p99).

use bakeoff_stats::histogram::Histogram;

/// Distance of two points of a curve on the axis of nines.
pub const STEP: f64 = 0.05;

/// Fewest values beyond a percentile for it to be shown: with fewer a handful sets it.
const BEYOND_MIN: f64 = 10.0;

/// Latencies in ns at 0, [`STEP`], 2 [`STEP`], …, as far as the count of values supports; empty
/// when there are none.
pub fn curve(histogram: &Histogram) -> Vec<u64> {
    let total = histogram.total();
    let mut points = Vec::new();
    let mut buckets = histogram.buckets.iter();
    let mut at = buckets.next();
    let mut seen = at.map_or(0, |b| b.1);
    loop {
        let beyond = libm::pow(10.0, -STEP * points.len() as f64);
        let rank = libm::ceil((1.0 - beyond) * total as f64).max(1.0) as u64;
        while seen < rank
            && let Some(next) = buckets.next()
        {
            at = Some(next);
            seen += next.1;
        }
        let Some((value, _)) = at else { return points };
        let is_supported = points.is_empty() || beyond * total as f64 >= BEYOND_MIN;
        if !is_supported {
            return points;
        }
        points.push(*value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_agrees_with_the_quantiles_and_ends_where_support_ends() {
        let h = Histogram { buckets: (1..=1000).map(|v| (v * 10, 10)).collect() };
        let points = curve(&h);
        // 10,000 values support a share of 0.001 beyond: three nines, 60 steps.
        assert_eq!(points.len(), 61);
        for (i, ns) in points.iter().enumerate() {
            let q = 1.0 - libm::pow(10.0, -STEP * i as f64);
            assert_eq!(Some(*ns), h.quantile(q), "point {i}");
        }
    }

    #[test]
    fn few_values_make_a_short_curve_and_none_makes_none() {
        assert_eq!(curve(&Histogram { buckets: vec![(5, 3)] }), [5]);
        assert!(curve(&Histogram::default()).is_empty());
    }
}
