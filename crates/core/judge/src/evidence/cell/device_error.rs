//! device-error: the kernel reported a device or link error.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let telemetry = cell.telemetry.as_ref()?;
    let first = telemetry.device_errors().next()?;
    let count = telemetry.device_errors().count();
    let evidence = format!("{} ({count} lines in the kernel log)", first.problem.label());
    let advice = "check dmesg, then try another cable, port or power supply";
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::{fires, watched};
    use bakeoff_model::log_problem::LogProblem;
    use bakeoff_model::telemetry::LogLine;

    #[test]
    fn device_errors_and_harmless_lines() {
        let line = |problem| LogLine { problem, text: "mmc0: timeout".to_string() };
        let all = [LogProblem::IoError, LogProblem::Reset, LogProblem::Timeout];
        for problem in all.into_iter().filter(|t| t.spoils()) {
            assert!(fires("device-error", |_, c| c.telemetry =
                watched(|t| t.log = vec![line(problem)])));
        }
        assert!(!fires("device-error", |_, c| c.telemetry = watched(|_| {})));
    }
}
