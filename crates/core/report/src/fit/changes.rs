//! What changed for certain since earlier checks of the same directory.

use serde_json::{Value, json as value};

use super::metrics::unit;
use crate::exposition::Exposition;
use bakeoff_judge::fit_changes::FitChange;

/// A sentence for each demand that changed.
pub(super) fn sentences(changes: &[FitChange]) -> impl Iterator<Item = String> {
    changes.iter().filter_map(|of| {
        let change = of.change?;
        let way = if of.is_worse() { "Slower" } else { "Faster" };
        Some(format!(
            "{way} than in {} earlier checks, for certain: the figure for {} of {} is {:.2} times \
             theirs (95 % CI: {:.2} to {:.2}).",
            change.earlier, of.of, of.application, change.ratio, change.low, change.high,
        ))
    })
}

/// The demands that changed, for programs.
pub(super) fn json(changes: &[FitChange]) -> Vec<Value> {
    let changed = |of: &FitChange| {
        let change = of.change?;
        Some(value!({
            "application": of.application,
            "workload": of.workload,
            "need": of.need,
            "is_worse": of.is_worse(),
            "ratio": change.ratio,
            "low": change.low,
            "high": change.high,
            "earlier": change.earlier,
        }))
    };
    changes.iter().filter_map(changed).collect()
}

/// For each demand, whether it changed.
pub(super) fn add(out: &mut Exposition, directory: &str, changes: &[FitChange]) {
    let labels = |of: &FitChange| {
        vec![
            ("application", of.application.clone()),
            ("directory", directory.to_string()),
            ("workload", of.workload.clone()),
            ("unit", unit(of.need).to_string()),
        ]
    };
    let way = |of: &FitChange| match (of.change, of.is_worse()) {
        (None, _) => 0.0,
        (Some(_), true) => 1.0,
        (Some(_), false) => -1.0,
    };
    out.family(
        "bakeoff_fit_changed",
        "Compared with earlier checks of the directory: 1 = certainly slower, -1 = certainly \
         faster, 0 = not certain.",
        changes.iter().map(|of| (labels(of), way(of))),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::fit::change::CertainChange;
    use bakeoff_model::fit::FitNeed;

    fn changed(need: FitNeed, ratio: Option<f64>) -> FitChange {
        FitChange {
            application: "etcd".to_string(),
            workload: "etcd-log".to_string(),
            of: "log writes synced".to_string(),
            need,
            change: ratio.map(|ratio| CertainChange {
                ratio,
                low: ratio * 0.9,
                high: ratio * 1.1,
                earlier: 8,
            }),
        }
    }

    #[test]
    fn less_a_second_is_slower_and_less_time_is_faster() {
        let rate = FitNeed::Operations { per_s: 100.0 };
        let time = FitNeed::NoGap { limit_ns: 1_000_000 };
        let all = [
            changed(rate, Some(0.5)),
            changed(time, Some(0.5)),
            changed(time, Some(2.0)),
            changed(time, None),
        ];
        let mut out = Exposition::default();
        add(&mut out, "/data", &all);
        let text = out.text();
        let values: Vec<&str> =
            text.lines().filter_map(|line| Some(line.rsplit_once("} ")?.1)).collect();
        assert_eq!(values, ["1", "-1", "1", "0"]);
        let said: Vec<String> = sentences(&all).collect();
        assert_eq!(said.len(), 3);
        assert_eq!(
            said[2],
            "Slower than in 8 earlier checks, for certain: the figure for log writes synced of \
             etcd is 2.00 times theirs (95 % CI: 1.80 to 2.20)."
        );
    }
}
