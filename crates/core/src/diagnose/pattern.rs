//! Shapes of a rate over time: stalls, one step down, a slope over the file.

use crate::model::measurement::{Measurement, Window};

/// A window this far below the median is a stall.
const STALL: f64 = 0.2;
/// Windows below which no shape is looked for.
const FEWEST: usize = 10;

/// Stretches in which next to nothing was done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stalls {
    /// How many, neighbours counted as one.
    pub count: u32,
    /// Their share of the time.
    pub share: f64,
    /// The longest.
    pub longest_ns: u64,
}

/// Rate of each window in operations a second, with its length.
fn rates(windows: &[Window]) -> Vec<(f64, f64)> {
    let rate = |w: &Window| (w.ios as f64 / w.len_ns.max(1) as f64 * 1e9, w.len_ns as f64);
    windows.iter().map(rate).collect()
}

/// The rate below and above which half of the operations were done. Of operations, not of time:
/// a card that stands still most of the time still has the pace of its bursts.
fn median_by_work(windows: &[Window]) -> f64 {
    let mut rates: Vec<(f64, u64)> =
        rates(windows).into_iter().zip(windows).map(|((r, _), w)| (r, w.ios)).collect();
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: u64 = rates.iter().map(|(_, ios)| ios).sum();
    let mut so_far = 0;
    let half = |(_, ios): &&(f64, u64)| {
        so_far += ios;
        so_far * 2 >= total
    };
    rates.iter().find(half).map_or(0.0, |(rate, _)| *rate)
}

/// Stalls of a cell; `None` when it is too short to have a usual pace.
pub fn stalls(m: &Measurement) -> Option<Stalls> {
    let median = median_by_work(&m.windows);
    let total: f64 = m.windows.iter().map(|w| w.len_ns as f64).sum();
    if m.windows.len() < FEWEST || median <= 0.0 {
        return None;
    }
    let mut found = Stalls::default();
    let mut current_ns = 0;
    for (window, (rate, len)) in m.windows.iter().zip(rates(&m.windows)) {
        if rate >= median * STALL {
            current_ns = 0;
            continue;
        }
        found.count += u32::from(current_ns == 0);
        current_ns += window.len_ns;
        found.longest_ns = found.longest_ns.max(current_ns);
        found.share += len / total;
    }
    Some(found)
}

/// One step in the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// When, from the start of the cell.
    pub at_ns: u64,
    /// Rate after it as a share of that before it.
    pub ratio: f64,
    /// Share of the variance of the logarithms it explains.
    pub explains: f64,
    /// Bytes written before it.
    pub after_bytes: u64,
}

/// The step that explains most, with a fifth of the time at least on either side. Least squares on
/// logarithms: the classical estimate of one change in mean (Hinkley, Biometrika 57, 1970).
pub fn step(m: &Measurement) -> Option<Step> {
    let points: Vec<(f64, &Window)> = rates(&m.windows)
        .into_iter()
        .zip(&m.windows)
        .filter(|((rate, _), _)| *rate > 0.0)
        .map(|((rate, _), window)| (libm::log(rate), window))
        .collect();
    if points.len() < FEWEST {
        return None;
    }
    let values: Vec<f64> = points.iter().map(|p| p.0).collect();
    let all = spread(&values);
    let least = points.len() / 5;
    let cut = |at: usize| (at, spread(&values[..at]).1 + spread(&values[at..]).1);
    let (at, left) =
        (least.max(2)..points.len() - least.max(2)).map(cut).min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (before, after) = (spread(&values[..at]).0, spread(&values[at..]).0);
    Some(Step {
        at_ns: points[at].1.start_ns,
        ratio: libm::exp(after - before),
        explains: if all.1 > 0.0 { 1.0 - left / all.1 } else { 0.0 },
        after_bytes: points[..at].iter().map(|p| p.1.write_bytes).sum(),
    })
}

/// Mean and sum of squares around it.
fn spread(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    (mean, values.iter().map(|v| (v - mean) * (v - mean)).sum())
}

/// How the rate falls or rises along the file in a sequential cell: (difference of the logarithms
/// from its start to its end, share of the variance explained).
pub fn slope(m: &Measurement) -> Option<(f64, f64)> {
    let size = m.job.size.max(1) as f64;
    let mut done = 0.0;
    let mut points: Vec<(f64, f64)> = Vec::new();
    for window in &m.windows {
        let bytes = (window.read_bytes + window.write_bytes) as f64;
        let rate = bytes / window.len_ns.max(1) as f64;
        // The middle of what it moved, modulo the file: passes lie on top of each other. A window
        // that wraps around belongs to neither end.
        let place = (done + bytes / 2.0) / size;
        let wraps = ((done + bytes) / size) as u64 != (done / size) as u64;
        done += bytes;
        if rate > 0.0 && !wraps {
            points.push((place - libm::floor(place), libm::log(rate)));
        }
    }
    if points.len() < FEWEST {
        return None;
    }
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let sums = points.iter().fold((0.0, 0.0, 0.0), |(xx, xy, yy), p| {
        let (dx, dy) = (p.0 - mx, p.1 - my);
        (xx + dx * dx, xy + dx * dy, yy + dy * dy)
    });
    let (xx, xy, yy) = sums;
    // A twelfth is the variance of places spread over the whole file; a hundredth covers a third.
    (xx / n > 0.01 && yy > 0.0).then(|| (xy / xx, xy * xy / (xx * yy)))
}
