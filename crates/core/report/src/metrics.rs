//! A run as metrics for Prometheus.
//!
//! Names and units follow the Prometheus conventions (prometheus.io/docs/practices/naming): base
//! units, a unit at the end.

use bakeoff_judge::decide::cost;
use bakeoff_model::finding::Severity;
use bakeoff_model::normal::{Normal, Normality};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Standing};
use bakeoff_model::workload::{Metric, Workload};

use super::exposition::Exposition;

pub fn run_metrics(run: &Run, analysis: &Analysis) -> String {
    let mut out = Exposition::default();
    out.gauge("bakeoff_build_info", "Version of bakeoff that wrote these metrics; always 1.");
    out.sample(&[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    of_run(&mut out, run, analysis);
    rates(&mut out, run, analysis);
    if let Some(normal) = &analysis.normal {
        usual(&mut out, run, normal);
    }
    out.gauge("bakeoff_findings", "Findings of the run, by severity.");
    let severities = [
        (Severity::Refuse, "refuse"),
        (Severity::Error, "error"),
        (Severity::Warn, "warning"),
        (Severity::Info, "info"),
    ];
    for (severity, word) in severities {
        let count = analysis.findings.iter().filter(|f| f.severity == severity).count();
        out.sample(&[("severity", word)], count as f64);
    }
    out.text()
}

fn of_run(out: &mut Exposition, run: &Run, analysis: &Analysis) {
    let at = |unix_ns: i64| unix_ns as f64 / 1e9;
    let elapsed_s = run.elapsed_ns as f64 / 1e9;
    out.single("bakeoff_run_elapsed_seconds", "Active time of the run.", elapsed_s);
    let help = "Start time of the run, Unix time.";
    out.single("bakeoff_run_start_seconds", help, at(run.started_unix_ns));
    let help = "Time of the run's last event, Unix time.";
    out.single("bakeoff_run_timestamp_seconds", help, at(run.last_unix_ns));
    let written = cost::written_bytes(run) as f64;
    out.single("bakeoff_run_written_bytes", "Bytes written by the run.", written);
    let blocks = f64::from(analysis.blocks);
    out.single("bakeoff_run_blocks", "Completed blocks of the run.", blocks);
}

/// A figure of a candidate: bytes, operations and files a second, or seconds.
fn rates(out: &mut Exposition, run: &Run, analysis: &Analysis) {
    let measured = || {
        analysis.verdicts.iter().flat_map(|v| {
            let of = run.header.workloads.iter().find(|w| w.name == v.workload);
            v.standings.iter().filter_map(move |standing| Some((of?, standing)))
        })
    };
    type Figure<'a> = &'a dyn Fn(&Workload, &Standing) -> Option<f64>;
    let kinds: [(&'static str, &str, Figure); 5] = [
        ("bakeoff_throughput_bytes_per_second", "Bytes transferred per second.", &|w, s| match w
            .metric
        {
            Metric::Bandwidth => Some(s.mean),
            Metric::Iops => Some(s.mean * w.job.bs as f64),
            Metric::FilesPerSecond | Metric::TransactionsPerSecond | Metric::LatencyP99 => None,
        }),
        ("bakeoff_operations_per_second", "Operations per second.", &|w, s| match w.metric {
            Metric::Bandwidth => Some(s.mean / w.job.bs.max(1) as f64),
            Metric::Iops => Some(s.mean),
            Metric::FilesPerSecond | Metric::TransactionsPerSecond | Metric::LatencyP99 => None,
        }),
        ("bakeoff_files_per_second", "Files per second.", &|w, s| {
            (w.metric == Metric::FilesPerSecond).then_some(s.mean)
        }),
        ("bakeoff_transactions_per_second", "Transactions per second.", &|w, s| {
            (w.metric == Metric::TransactionsPerSecond).then_some(s.mean)
        }),
        ("bakeoff_latency_p99_seconds", "99th percentile of the latency.", &|w, s| {
            let ns = if w.metric == Metric::LatencyP99 { Some(s.mean) } else { s.p99_ns };
            tail_ns(analysis.normal.as_ref(), &w.name).or(ns).map(|ns| ns / 1e9)
        }),
    ];
    for (name, help, figure) in kinds {
        let of = measured().filter_map(|(w, s)| {
            let labels = vec![("candidate", s.candidate.clone()), ("workload", w.name.clone())];
            Some((labels, figure(w, s)?))
        });
        out.family(name, help, of);
    }
}

/// The 99th percentile over all operations of a directory's workload, where they support it.
fn tail_ns(normal: Option<&Normal>, workload: &str) -> Option<f64> {
    let figure = normal?.figures.iter().find(|f| f.test.workload() == workload)?;
    figure.tail.filter(|tail| tail.percent == 99).map(|tail| tail.ns as f64)
}

fn usual(out: &mut Exposition, run: &Run, normal: &Normal) {
    let name = run.header.candidates.first().map_or("", |c| c.name.as_str());
    out.gauge("bakeoff_normal", "1 for the verdict on a figure, 0 for the other verdicts.");
    for f in &normal.figures {
        for verdict in ["normal", "slow", "fast", "not_judged"] {
            let is_it = f64::from(u8::from(verdict_word(&f.normality) == verdict));
            let labels = [("candidate", name), ("workload", f.test.workload())];
            out.sample(&[labels[0], labels[1], ("verdict", verdict)], is_it);
        }
    }
}

fn verdict_word(of: &Normality) -> &'static str {
    match of {
        Normality::Normal { .. } => "normal",
        Normality::Slow { .. } => "slow",
        Normality::Fast { .. } => "fast",
        Normality::Disturbed { .. } | Normality::Cached { .. } | Normality::Unknown => "not_judged",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::ddr50::place;

    #[test]
    fn metrics_of_a_directory_have_figures_and_verdicts() {
        let run = place([43e6, 300.0]);
        let text = run_metrics(&run, &analyse(&run));
        let has = |line: &str| assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        let labels = "candidate=\"/mnt/a \\\"b\\\"\",workload=\"randread\"";
        has(&format!("bakeoff_normal{{{labels},verdict=\"slow\"}} 1"));
        has(&format!("bakeoff_normal{{{labels},verdict=\"normal\"}} 0"));
        assert!(text.contains("bakeoff_throughput_bytes_per_second{candidate="), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
        let families: Vec<&str> =
            text.lines().filter_map(|l| l.strip_prefix("# TYPE ")?.split(' ').next()).collect();
        let mut once = families.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), families.len(), "a family appears twice");
    }
}
