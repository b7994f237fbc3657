//! Whether a processor's clock was lowered while a cell ran, where no firmware says so.
//!
//! A clock that idles low is a governor's doing. One that falls while it is hot, or together with
//! the rate of what runs on it, was lowered (Documentation/admin-guide/pm/cpufreq.rst on what
//! governors do; Documentation/driver-api/thermal/cpu-cooling-api.rst on what heat does).

use super::pattern;
use bakeoff_model::host::Host;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::telemetry::{Gauge, Telemetry};
use bakeoff_model::throttled;

/// A clock below this share of its highest counts as lowered.
pub const FULL: f64 = 0.95;
const CLEAR_STEP: f64 = 0.5;

pub fn is_hot(host: &Host, t: &Telemetry) -> bool {
    let limit_mc = throttled::limit_mc(host.model.as_deref());
    t.hottest_mc().is_some_and(|mc| mc >= limit_mc)
}

pub fn falls_with_rate(t: &Telemetry, clock: &Gauge, m: &Measurement) -> bool {
    let step = pattern::step(m).filter(|s| s.explains >= CLEAR_STEP && s.ratio < 0.9);
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
