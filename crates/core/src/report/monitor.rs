//! A run for monitoring systems: metrics of Prometheus' kind, and a line of Nagios' kind.

use crate::model::finding::Severity;
use crate::model::normal::{Normal, Normality, PlaceFigure};
use crate::model::path::sanitize;
use crate::model::run::Run;
use crate::model::verdict::{Analysis, Standing, Verdict, WorkloadVerdict};
use crate::model::workload::{Metric, Workload};

use super::answer::place_answer;
use super::exposition::Exposition;
use super::said;
use super::service::{Datum, Service, State};

/// Below this share of the usual range's lower end, or of what a label promises, slow is critical.
const CRITICAL_SHARE: f64 = 0.5;

/// Everything a dashboard or an alert needs of a run.
pub fn prometheus(run: &Run, analysis: &Analysis) -> String {
    let mut out = Exposition::default();
    out.gauge("bakeoff_version_info", "Version of bakeoff that measured the run; always 1.");
    out.sample(&[("version", &run.header.version)], 1.0);
    out.single(
        "bakeoff_run_timestamp_seconds",
        "End time of the run, Unix time.",
        run.last_unix_ns as f64 / 1e9,
    );
    let active = run.elapsed_ns as f64 / 1e9;
    out.single("bakeoff_run_duration_seconds", "Active time of the run.", active);
    let blocks = f64::from(analysis.blocks);
    out.single("bakeoff_run_blocks", "Completed blocks of the run.", blocks);
    rates(&mut out, run, analysis);
    if let Some(normal) = &analysis.normal {
        usual(&mut out, run, normal);
    }
    if analysis.compares {
        verdicts(&mut out, analysis);
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
        let all = measured().filter_map(|(w, s)| Some((w, s, figure(w, s)?)));
        let all: Vec<_> = all.collect();
        if all.is_empty() {
            continue;
        }
        out.gauge(name, help);
        for (workload, standing, value) in all {
            let labels =
                [("candidate", standing.candidate.as_str()), ("workload", workload.name.as_str())];
            out.sample(&labels, value);
        }
    }
}

/// The 99th percentile over all operations of a directory's workload, where they support it.
fn tail_ns(normal: Option<&Normal>, workload: &str) -> Option<f64> {
    let figure = normal?.figures.iter().find(|f| f.test.workload() == workload)?;
    figure.tail.filter(|tail| tail.percent == 99).map(|tail| tail.ns as f64)
}

/// Ranges and verdicts of the figures of one directory.
fn usual(out: &mut Exposition, run: &Run, normal: &Normal) {
    let name = run.header.candidates.first().map_or("", |c| c.name.as_str());
    let labels = |f: &PlaceFigure| [("candidate", name), ("workload", f.test.workload())];
    let low = |f: &PlaceFigure| f.usual.as_ref().map(|of| of.low);
    let high = |f: &PlaceFigure| f.usual.as_ref().and_then(|of| of.high);
    let link = |f: &PlaceFigure| f.link.as_ref().map(|of| of.practice_bytes_per_s);
    type Limit<'a> = &'a dyn Fn(&PlaceFigure) -> Option<f64>;
    let limits: [(&'static str, &str, bool, Limit); 5] = [
        (
            "bakeoff_usual_low_bytes_per_second",
            "Lower end of the usual range for sequential I/O.",
            true,
            &low,
        ),
        (
            "bakeoff_usual_high_bytes_per_second",
            "Upper end of the usual range for sequential I/O.",
            true,
            &high,
        ),
        (
            "bakeoff_usual_low_operations_per_second",
            "Lower end of the usual range for random I/O.",
            false,
            &low,
        ),
        (
            "bakeoff_usual_high_operations_per_second",
            "Upper end of the usual range for random I/O.",
            false,
            &high,
        ),
        ("bakeoff_link_bytes_per_second", "Practical throughput of the link.", true, &link),
    ];
    for (metric, help, is_in_bytes, limit) in limits {
        let of = normal.figures.iter().filter(|f| f.test.is_in_bytes() == is_in_bytes);
        let all: Vec<(&PlaceFigure, f64)> = of.filter_map(|f| Some((f, limit(f)?))).collect();
        if !all.is_empty() {
            out.gauge(metric, help);
            all.iter().for_each(|(f, value)| out.sample(&labels(f), *value));
        }
    }
    out.gauge("bakeoff_normal", "1 for the verdict on a figure, 0 for the other verdicts.");
    for f in &normal.figures {
        for verdict in ["normal", "slow", "fast", "not_judged"] {
            let [candidate, workload] = labels(f);
            let is_it = f64::from(u8::from(verdict_word(&f.normality) == verdict));
            out.sample(&[candidate, workload, ("verdict", verdict)], is_it);
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

/// Who leads, and by how much.
fn verdicts(out: &mut Exposition, analysis: &Analysis) {
    let led = || analysis.verdicts.iter().filter_map(|v| Some((v, v.lead.as_ref()?)));
    out.gauge("bakeoff_leader", "1 for the candidate that leads a workload, with its verdict.");
    for (v, lead) in led() {
        if let Some(leader) = &lead.leader {
            let labels = [
                ("candidate", leader.as_str()),
                ("workload", v.workload.as_str()),
                ("verdict", v.verdict.name()),
            ];
            out.sample(&labels, 1.0);
        }
    }
    out.gauge("bakeoff_lead_ratio", "Minimum fraction by which the leader is ahead of all others.");
    for (v, lead) in led() {
        if let Some(fraction) = lead.fraction() {
            out.sample(&[("workload", &v.workload)], fraction);
        }
    }
}

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

/// Below what a figure warns, and is critical.
fn limits(of: &PlaceFigure) -> Option<(f64, f64)> {
    let low = of.usual.as_ref()?.low;
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
    use crate::analyse::analyse;
    use crate::testing::RunBuilder;

    fn place(rates: [f64; 2]) -> Run {
        let run = RunBuilder::directories(&["/mnt/a \"b\""]).workloads(&["seqread", "randwrite"]);
        let run = run.place(0, |place| {
            place.chain[1].bus = Some("ata".into());
            place.chain[1].link = Some("SATA 6.0 Gb/s".into());
        });
        run.play(9, move |_, _, w| rates[usize::from(w)]).build()
    }

    #[test]
    fn metrics_of_a_directory_have_figures_ranges_and_verdicts() {
        let run = place([400e6, 20.0]);
        let text = prometheus(&run, &analyse(&run));
        let has = |line: &str| assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        let labels = "candidate=\"/mnt/a \\\"b\\\"\",workload=\"randwrite\"";
        has(&format!("bakeoff_normal{{{labels},verdict=\"slow\"}} 1"));
        has(&format!("bakeoff_normal{{{labels},verdict=\"normal\"}} 0"));
        has(&format!("bakeoff_usual_low_operations_per_second{{{labels}}} 50"));
        assert!(text.contains("bakeoff_throughput_bytes_per_second{candidate="), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
        let families: Vec<&str> =
            text.lines().filter_map(|l| l.strip_prefix("# TYPE ")?.split(' ').next()).collect();
        let mut once = families.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), families.len(), "a family appears twice");
    }

    #[test]
    fn states_follow_the_figures() {
        let state = |rates| {
            let run = place(rates);
            service(&run, &analyse(&run)).state
        };
        assert_eq!(state([400e6, 500.0]), State::Ok);
        assert_eq!(state([400e6, 40.0]), State::Warning);
        assert_eq!(state([400e6, 20.0]), State::Critical);
        let empty = RunBuilder::directories(&["/a"]).build();
        assert_eq!(service(&empty, &analyse(&empty)).state, State::Unknown);
        let unlike = RunBuilder::directories(&["/a", "/b"]);
        let run = unlike.play(9, |b, c, _| 1000.0 * f64::from(c + 1) + f64::from(b % 3)).build();
        assert_eq!(service(&run, &analyse(&run)).state, State::Ok);
        assert!(service(&run, &analyse(&run)).line().starts_with("BAKEOFF OK - /b"));
    }
}
