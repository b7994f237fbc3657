//! Shapes of a rate over time: stalls, one step down, a slope over the file.

use bakeoff_model::measurement::{Measurement, Window};

const STALL: f64 = 0.2;
const FEWEST: usize = 10;

/// Stretches in which next to nothing was done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StallPattern {
    pub spans: Vec<(u64, u64)>,
    pub share: f64,
}

impl StallPattern {
    pub fn longest_ns(&self) -> u64 {
        self.spans.iter().map(|(_, len_ns)| *len_ns).max().unwrap_or(0)
    }
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
pub fn stalls(m: &Measurement) -> Option<StallPattern> {
    let median = median_by_work(&m.windows);
    let total: f64 = m.windows.iter().map(|w| w.len_ns as f64).sum();
    if m.windows.len() < FEWEST || median <= 0.0 {
        return None;
    }
    let mut found = StallPattern::default();
    let mut is_standing = false;
    for (window, (rate, len)) in m.windows.iter().zip(rates(&m.windows)) {
        let stood = std::mem::replace(&mut is_standing, rate < median * STALL);
        if !is_standing {
            continue;
        }
        found.share += len / total;
        match found.spans.last_mut().filter(|_| stood) {
            Some((_, len_ns)) => *len_ns += window.len_ns,
            None => found.spans.push((window.start_ns, window.len_ns)),
        }
    }
    Some(found)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub at_ns: u64,
    pub ratio: f64,
    pub explains: f64,
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
    let sums = Sums::from_values(points.iter().map(|p| p.0));
    let (all, least) = (sums.spread(0, points.len()), (points.len() / 5).max(2));
    let cut = |at: usize| (at, sums.spread(0, at) + sums.spread(at, points.len()));
    let (at, left) = (least..points.len() - least).map(cut).min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (before, after) = (sums.mean(0, at), sums.mean(at, points.len()));
    Some(Step {
        at_ns: points[at].1.start_ns,
        ratio: libm::exp(after - before),
        explains: if all > 0.0 { 1.0 - left / all } else { 0.0 },
        after_bytes: points[..at].iter().map(|p| p.1.write_bytes).sum(),
    })
}

/// Running sums of values and of their squares, around the first one so that no digits are lost.
struct Sums(Vec<(f64, f64)>);

impl Sums {
    fn from_values(values: impl Iterator<Item = f64>) -> Sums {
        let (mut first, mut sums) = (None, vec![(0.0, 0.0)]);
        for value in values {
            let v = value - *first.get_or_insert(value);
            let (sum, squares) = sums[sums.len() - 1];
            sums.push((sum + v, squares + v * v));
        }
        Sums(sums)
    }

    fn mean(&self, from: usize, to: usize) -> f64 {
        (self.0[to].0 - self.0[from].0) / (to - from).max(1) as f64
    }

    fn spread(&self, from: usize, to: usize) -> f64 {
        let mean = self.mean(from, to);
        let squares = self.0[to].1 - self.0[from].1;
        (squares - mean * mean * (to - from) as f64).max(0.0)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RunBuilder, measurement};

    const LEN_NS: u64 = 100_000_000;

    /// A cell with a window of 100 ms for each of these numbers of operations of 4 KiB.
    fn cell(ios: &[u64]) -> Measurement {
        let header = RunBuilder::stacks(&["ext4"]).build().header;
        let mut m = measurement(&header.workloads[0], 1000.0);
        let window = |(at, ios): (u64, &u64)| Window {
            start_ns: at * LEN_NS,
            len_ns: LEN_NS,
            write_bytes: ios * 4096,
            ios: *ios,
            ..Window::default()
        };
        m.windows = (0..).zip(ios).map(window).collect();
        m
    }

    #[test]
    fn stalls_have_their_places_and_their_share_of_the_time() {
        let mut ios = [100; 20];
        (ios[3], ios[4], ios[9]) = (10, 0, 19);
        let found = stalls(&cell(&ios)).unwrap();
        assert_eq!(found.spans, [(3 * LEN_NS, 2 * LEN_NS), (9 * LEN_NS, LEN_NS)]);
        assert!((found.share - 0.15).abs() < 1e-12, "{found:?}");
        assert_eq!(found.longest_ns(), 2 * LEN_NS);
        // A fifth of the usual pace is no stall, and nine windows tell nothing.
        assert_eq!(
            stalls(&cell(&[100, 20, 100, 100, 100, 100, 100, 100, 100, 100])).unwrap().spans,
            []
        );
        assert_eq!(stalls(&cell(&[100; 9])), None);
    }

    #[test]
    fn a_step_has_its_time_its_ratio_and_what_was_written_before() {
        let ios: Vec<u64> = [[400; 12], [100; 12]].concat();
        let found = step(&cell(&ios)).unwrap();
        assert_eq!((found.at_ns, found.after_bytes), (12 * LEN_NS, 12 * 400 * 4096));
        assert!((found.ratio - 0.25).abs() < 1e-9 && found.explains > 0.999_999, "{found:?}");
        let uneven: Vec<u64> =
            (0..24).map(|at| if at < 12 { 390 + at % 3 * 10 } else { 100 }).collect();
        let noisy = step(&cell(&uneven)).unwrap();
        assert!(noisy.at_ns == 12 * LEN_NS && noisy.explains > 0.99 && noisy.explains < 1.0);
    }

    #[test]
    fn a_slope_is_the_change_of_the_logarithm_from_start_to_end() {
        // The rate falls by e^-0.5 over the file, in windows of equal bytes.
        const PARTS: u64 = 50;
        let mut m = cell(&[1; PARTS as usize]);
        m.job.size = PARTS << 20;
        for (at, window) in (0..).zip(&mut m.windows) {
            let place = (at as f64 + 0.5) / PARTS as f64;
            window.len_ns = (libm::exp(0.5 * place) * 1e9) as u64;
            (window.write_bytes, window.read_bytes) = (1 << 19, 1 << 19);
        }
        // The last one ends where the file does, and belongs to neither end.
        let (slope, explains) = slope(&m).unwrap();
        assert!((slope + 0.5).abs() < 1e-6 && (explains - 1.0).abs() < 1e-6, "{slope} {explains}");
        assert!(super::slope(&cell(&[1; 5])).is_none());
    }
}
