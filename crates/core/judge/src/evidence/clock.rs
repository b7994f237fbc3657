//! Whether a processor's clock was lowered while a cell ran, where no firmware says so.
//!
//! A clock that idles low is a governor's doing. One that falls while it is hot, or together with
//! the rate of what runs on it, was lowered (Documentation/admin-guide/pm/cpufreq.rst on what
//! governors do; Documentation/driver-api/thermal/cpu-cooling-api.rst on what heat does).

use bakeoff_model::host::Host;
use bakeoff_model::measurement::{Measurement, Window};
use bakeoff_model::telemetry::{Gauge, Telemetry};
use bakeoff_model::throttled;

/// A clock below this share of its highest counts as lowered.
pub const FULL: f64 = 0.95;
const CLEAR_STEP: f64 = 0.5;
/// Fewest windows in which a step is looked for.
const FEWEST: usize = 10;

pub fn is_hot(host: &Host, t: &Telemetry) -> bool {
    let limit_mc = throttled::limit_mc(host.model.as_deref());
    t.hottest_mc().is_some_and(|mc| mc >= limit_mc)
}

pub fn falls_with_rate(t: &Telemetry, clock: &Gauge, m: &Measurement) -> bool {
    let step = step(m).filter(|s| s.explains >= CLEAR_STEP && s.ratio < 0.9);
    step.is_some_and(|step| {
        let later = t.slow_ns.iter().position(|end| *end >= step.at_ns).unwrap_or(0);
        let (before, after) = clock.values.split_at(later.min(clock.values.len()));
        !before.is_empty() && mean(after) < mean(before) * FULL
    })
}

/// What a clock that had been at its highest was at the end, when that is less by `fall` or more,
/// with its highest: kHz. One that comes back was a governor's.
pub fn fell_for_good(clock: &Gauge, fall: f64) -> Option<(u64, u64)> {
    let most = clock.most?;
    let of_most = |khz: u64| khz as f64 / most as f64;
    let top = clock.values.iter().position(|khz| of_most(*khz) >= FULL)?;
    let last = *clock.values[top..].last()?;
    (of_most(last) <= 1.0 - fall).then_some((last, most))
}

fn mean(values: &[u64]) -> f64 {
    values.iter().map(|v| *v as f64).sum::<f64>() / values.len().max(1) as f64
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    at_ns: u64,
    ratio: f64,
    explains: f64,
}

/// The step that explains most, with a fifth of the time at least on either side. Least squares on
/// logarithms: the classical estimate of one change in mean (Hinkley, Biometrika 57, 1970).
fn step(m: &Measurement) -> Option<Step> {
    let rate = |w: &Window| w.ios as f64 / w.len_ns.max(1) as f64 * 1e9;
    let moving = m.windows.iter().map(|window| (rate(window), window)).filter(|w| w.0 > 0.0);
    let points: Vec<(f64, &Window)> =
        moving.map(|(rate, window)| (libm::log(rate), window)).collect();
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
