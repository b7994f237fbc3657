//! L49 throttled: the board was throttled, or its voltage or clock fell, during the cell.

use crate::evidence::clock;
use crate::evidence::observation::{MeasuredCell, Observation};
use crate::evidence::rule::Hit;
use bakeoff_model::throttled;

pub const ID: &str = "L49";

const COOLER: &str = "use a stronger power supply or better cooling, then measure again";

/// The governor that leaves the clock at its highest.
const PINNED: &str = "performance";

pub fn told_by_firmware(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let bits = cell.telemetry.as_ref()?.throttled_bits();
    (bits != 0).then(|| {
        let words = throttled::labels(bits).join(", ");
        let evidence = format!("the firmware reports: {words} (bits {bits:#x})");
        Hit::new(evidence, COOLER)
    })
}

/// L49 where no firmware speaks: the clock fell from its highest and stayed low, and so did the
/// rate, or it was hot and nothing but heat or power lowers a clock that is pinned.
pub fn lowered_clock(of: &Observation) -> Option<Hit> {
    let MeasuredCell { design, cell, .. } = of.measured?;
    let t = cell.telemetry.as_ref().filter(|t| t.throttled_bits() == 0)?;
    let stack = cell.candidate.get(design.candidates)?.stack();
    let own = stack.and_then(|stack| stack.knobs.governor.as_deref());
    let all = &design.host.governors;
    let is_pinned = own == Some(PINNED)
        || own.is_none() && !all.is_empty() && all.iter().all(|governor| governor == PINNED);
    let is_hot = clock::is_hot(design.host, t);
    t.frequency_khz.iter().find_map(|gauge| {
        let (low, most) = clock::fell_for_good(gauge, of.limits.clock_fall)?;
        let with_rate = clock::falls_with_rate(t, gauge, &cell.measurement);
        if !(with_rate || is_hot && is_pinned) {
            return None;
        }
        let heat = t.hottest_mc().map_or(String::new(), |mc| format!(" at {} °C", mc / 1000));
        let rate = if with_rate { ", and the rate fell as well" } else { "" };
        let evidence =
            format!("the clock fell from {} to {} MHz{heat}{rate}", most / 1000, low / 1000);
        Some(Hit::new(evidence, COOLER))
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::{fires, seen, watched};
    use bakeoff_model::event::{Cell, Header};
    use bakeoff_model::telemetry::Gauge;

    #[test]
    fn l49_throttled_now_and_only_since_boot() {
        assert!(fires("L49", |_, c| c.telemetry = watched(|t| t.throttled = vec![0, 0x4])));
        assert!(!fires("L49", |_, c| c.telemetry = watched(|t| t.throttled = vec![0x40000])));
    }

    /// A clock of 1.5 GHz at most over four looks, a rate that falls in the middle of the cell or
    /// not, and a temperature.
    fn clock(khz: [u64; 4], with_rate: bool, celsius: u64) -> impl FnOnce(&mut Header, &mut Cell) {
        move |h, c| {
            h.host.governors = vec!["performance".to_string()];
            let windows = &mut c.measurement.windows;
            assert!(windows.len() >= 20, "{}", windows.len());
            let half = windows.len() / 2;
            windows[half..].iter_mut().filter(|_| with_rate).for_each(|w| w.ios /= 2);
            let length_ns = c.measurement.elapsed_ns / 4;
            c.telemetry = watched(|t| {
                t.slow_ns = (1..=4).map(|n| n * length_ns).collect();
                let gauge = |name: &str, most, values: &[u64]| Gauge {
                    name: name.to_string(),
                    most,
                    values: values.to_vec(),
                };
                t.frequency_khz = vec![gauge("policy0", Some(1_500_000), &khz)];
                t.temperature_mc = vec![gauge("cpu", None, &[celsius * 1000; 4])];
            });
        }
    }

    #[test]
    fn l49_a_clock_that_falls_and_one_that_a_governor_moves() {
        const FALLS: [u64; 4] = [1_500_000, 1_500_000, 1_000_000, 1_000_000];
        assert!(fires("L49", clock(FALLS, true, 50)));
        assert!(fires("L49", clock(FALLS, false, 82)));
        let evidence = seen(clock(FALLS, true, 82))[0].evidence.clone();
        assert_eq!(
            evidence,
            "the clock fell from 1500 to 1000 MHz at 82 °C, and the rate fell as well"
        );
        // Neither hot nor felt; hot, and it came back; hot, and less than a tenth.
        assert!(!fires("L49", clock(FALLS, false, 50)));
        assert!(!fires("L49", clock([1_500_000, 1_000_000, 1_000_000, 1_500_000], false, 82)));
        assert!(!fires("L49", clock([1_500_000, 1_500_000, 1_400_000, 1_400_000], false, 82)));
        // Hot, under a governor that lets the clock fall when there is little to do.
        assert!(!fires("L49", |h, c| {
            clock(FALLS, false, 82)(h, c);
            h.host.governors = vec!["ondemand".to_string()];
        }));
        // A low clock from the start was never at its highest.
        assert!(!fires("L49", clock([1_000_000; 4], false, 82)));
    }
}
