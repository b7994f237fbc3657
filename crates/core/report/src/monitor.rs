//! A run for monitoring systems of Nagios' kind: one line and a state.

use bakeoff_model::normal::{Normal, Normality, PlaceFigure};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict, WorkloadVerdict};

use super::answer::place_answer;
use super::said;
use super::service::{Datum, Service, State};

/// Below this share of the rate from which on a drive is not slow, it is critical.
const CRITICAL_SHARE: f64 = 0.5;

/// One line about a run: slow figures of one directory warn, and are critical far below; a
/// comparison warns while it has no answer.
pub fn service(run: &Run, analysis: &Analysis) -> Service {
    match &analysis.normal {
        Some(normal) => of_place(run, normal),
        None => of_comparison(run, analysis),
    }
}

fn of_place(run: &Run, normal: &Normal) -> Service {
    let states = normal.figures.iter().map(state);
    let is_known = |state: &State| *state != State::Unknown;
    // What could not be judged hides nothing that was.
    let worst = states.filter(is_known).max().unwrap_or(State::Unknown);
    Service {
        state: worst,
        said: place_answer(run, normal).said,
        data: normal.figures.iter().flat_map(data).collect(),
    }
}

fn state(of: &PlaceFigure) -> State {
    match of.normality {
        Normality::Normal { .. } | Normality::Fast { is_from_cache: false } => State::Ok,
        Normality::Slow { .. } => match limits(of) {
            Some((_, critical)) if of.rate() < critical => State::Critical,
            _ => State::Warning,
        },
        Normality::Fast { is_from_cache: true }
        | Normality::Disturbed { .. }
        | Normality::Cached { .. }
        | Normality::Unknown => State::Unknown,
    }
}

fn limits(of: &PlaceFigure) -> Option<(f64, f64)> {
    let low = of.others.as_ref()?.others.slow_below();
    Some((low, low * CRITICAL_SHARE))
}

fn data(of: &PlaceFigure) -> Vec<Datum> {
    let name = of.test.workload();
    let unit = if of.test.is_in_bytes() { "bytes_per_s" } else { "iops" };
    let rate = Datum { label: format!("{name}_{unit}"), value: of.rate(), below: limits(of) };
    let tail = of.tail.map(|tail| Datum {
        label: format!("{name}_p{}_ms", tail.percent),
        value: tail.ns as f64 / 1e6,
        below: None,
    });
    std::iter::once(rate).chain(tail).collect()
}

fn of_comparison(run: &Run, analysis: &Analysis) -> Service {
    let state = |v: &WorkloadVerdict| {
        let is_missing = v.verdict == Verdict::Refused || v.verdict.is_open();
        if is_missing { State::Warning } else { State::Ok }
    };
    let measured = analysis.verdicts.iter().filter(|v| !v.standings.is_empty());
    let worst = measured.clone().map(state).max().unwrap_or(State::Unknown);
    let said: Vec<String> = measured.clone().map(|v| said::sentence(run, v)).collect();
    let datum = |v: &WorkloadVerdict| {
        let first = v.standings.first()?;
        let label = format!("{}_{}", sanitize(&v.workload), v.metric);
        Some(Datum { label, value: first.mean, below: None })
    };
    let said = if said.is_empty() { "nothing was measured".to_string() } else { said.join(" ") };
    Service { state: worst, said, data: measured.filter_map(datum).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_judge::testing::ddr50::place;

    #[test]
    fn states_follow_the_figures() {
        let state = |rates| {
            let run = place(rates);
            service(&run, &analyse(&run)).state
        };
        assert_eq!(state([43e6, 2000.0]), State::Ok);
        assert_eq!(state([43e6, 400.0]), State::Warning);
        assert_eq!(state([43e6, 200.0]), State::Critical);
        let empty = RunBuilder::directories(&["/a"]).build();
        assert_eq!(service(&empty, &analyse(&empty)).state, State::Unknown);
        let unlike = RunBuilder::directories(&["/a", "/b"]);
        let run = unlike.play(9, |b, c, _| 1000.0 * f64::from(c + 1) + f64::from(b % 3)).build();
        assert_eq!(service(&run, &analyse(&run)).state, State::Ok);
        assert!(service(&run, &analyse(&run)).line().starts_with("BAKEOFF OK - /b"));
    }
}
