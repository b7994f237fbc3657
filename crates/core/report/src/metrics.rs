//! Metrics of Prometheus' kind, for `--format prometheus` and `/metrics` of `serve` alike.
//!
//! Names and units follow the Prometheus conventions (prometheus.io/docs/practices/naming): base
//! units, a unit at the end. What both tell has the same name, unit and labels in both.

use std::borrow::Borrow;

use bakeoff_model::finding::Severity;
use bakeoff_model::normal::{Normal, Normality, PlaceFigure};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Standing};
use bakeoff_model::workload::{Metric, Workload};

use super::exposition::Exposition;
use super::now::{DriveNow, Now};
use super::runs::State;

type Labels = Vec<(&'static str, String)>;

pub fn run_metrics(run: &Run, analysis: &Analysis) -> String {
    // Whether one without an end is in progress is not in its record.
    let state = if run.stopped.is_some() { State::Stopped } else { State::Unfinished };
    let now = Now::new(run, analysis, state);
    let mut out = begun();
    of_run(&mut out, &now);
    rates(&mut out, run, analysis);
    if let Some(normal) = &analysis.normal {
        usual(&mut out, run, normal);
    }
    let alone = [&now];
    let named = named_drives(&alone);
    let on = if named.is_empty() { vec![(Labels::new(), &now, None)] } else { named };
    of_drives(&mut out, &on);
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

/// What a server tells of its store: the run that is measured, or the last one, and the last runs
/// of drives, the latest first.
pub fn store_metrics(
    now: Option<&Now>,
    stored: u64,
    last: &[impl Borrow<Now>],
    hottest_c: Option<f64>,
) -> String {
    let mut out = begun();
    out.single("bakeoff_stored_runs", "Runs in the store.", stored as f64);
    if let Some(celsius) = hottest_c {
        let help = "Temperature of the machine's hottest sensor.";
        out.single("bakeoff_hottest_temperature_celsius", help, celsius);
    }
    if let Some(now) = now {
        of_run(&mut out, now);
    }
    of_drives(&mut out, &named_drives(last));
    out.text()
}

fn begun() -> Exposition {
    let mut out = Exposition::default();
    out.gauge("bakeoff_build_info", "Version of bakeoff that wrote these metrics; always 1.");
    out.sample(&[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    out
}

fn of_run(out: &mut Exposition, now: &Now) {
    if now.state != State::Unfinished {
        let is_active = f64::from(u8::from(now.state == State::Running));
        out.single("bakeoff_run_active", "Whether the run is in progress.", is_active);
        let help = "Elapsed share of the run's expected time.";
        out.single("bakeoff_run_progress_ratio", help, now.progress());
    }
    let seconds = |ns: u64| ns as f64 / 1e9;
    let at = |unix_ns: i64| unix_ns as f64 / 1e9;
    out.single("bakeoff_run_elapsed_seconds", "Active time of the run.", seconds(now.elapsed_ns));
    if let Some(left_ns) = now.left_ns {
        let help = "Expected remaining time of the run.";
        out.single("bakeoff_run_left_seconds", help, seconds(left_ns));
    }
    let help = "Start time of the run, Unix time.";
    out.single("bakeoff_run_start_seconds", help, at(now.started_unix_ns));
    let help = "Time of the run's last event, Unix time.";
    out.single("bakeoff_run_timestamp_seconds", help, at(now.last_unix_ns));
    let written = now.written_bytes as f64;
    out.single("bakeoff_run_written_bytes", "Bytes written by the run.", written);
    out.single("bakeoff_run_blocks", "Completed blocks of the run.", f64::from(now.blocks));
}

type OnDrive<'a> = (Labels, &'a Now, Option<&'a DriveNow>);

fn named_drives(runs: &[impl Borrow<Now>]) -> Vec<OnDrive<'_>> {
    let mut named: Vec<OnDrive> = Vec::new();
    for now in runs.iter().map(Borrow::borrow) {
        for drive in now.drives.iter().filter(|d| d.model.is_some() || d.serial.is_some()) {
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            let labels = vec![("model", text(&drive.model)), ("serial", text(&drive.serial))];
            if !named.iter().any(|(known, ..)| *known == labels) {
                named.push((labels, now, Some(drive)));
            }
        }
    }
    named
}

fn of_drives(out: &mut Exposition, on: &[OnDrive]) {
    let with = |labels: &Labels, more: &[(&'static str, &str)]| -> Labels {
        let more = more.iter().map(|(name, value)| (*name, value.to_string()));
        labels.iter().cloned().chain(more).collect()
    };
    let help = "Time of the last event in the drive's last run, Unix time.";
    let of = on.iter().map(|(l, now, _)| (l.clone(), now.last_unix_ns as f64 / 1e9));
    out.family("bakeoff_drive_last_run_seconds", help, of);
    let verdicts = || on.iter().flat_map(|(l, now, _)| now.verdicts.iter().map(move |v| (l, v)));
    let of = verdicts().map(|(l, v)| {
        let leader = v.leader.as_deref().unwrap_or_default();
        let verdict = v.verdict.name();
        let more = [("workload", v.workload.as_str()), ("leader", leader), ("verdict", verdict)];
        (with(l, &more), 1.0)
    });
    let help = "Verdict of the drive's last run, as a label; always 1.";
    out.family("bakeoff_verdict", help, of);
    let of = verdicts().filter_map(|(l, v)| {
        let leader = v.leader.as_deref().unwrap_or_default();
        Some((with(l, &[("workload", &v.workload), ("leader", leader)]), v.lead?))
    });
    let help = "Smallest lower bound of the leader's differences to all others.";
    out.family("bakeoff_lead_ratio", help, of);
    let ceilings = on.iter().flat_map(|(l, now, _)| now.ceilings.iter().map(move |c| (l, c)));
    let of = ceilings.map(|(l, ceiling)| {
        let layer = serde_json::to_value(ceiling.layer).unwrap_or_default();
        let layer = layer.as_str().unwrap_or_default();
        (with(l, &[("workload", &ceiling.workload), ("layer", layer)]), ceiling.bytes_per_s)
    });
    out.family("bakeoff_ceiling_bytes_per_second", "Ceiling: rate of a lower layer.", of);
    health(out, on);
}

fn health(out: &mut Exposition, on: &[OnDrive]) {
    type Figure = fn(&bakeoff_model::health::Health) -> Option<f64>;
    let kinds: [(&'static str, &str, Figure); 5] = [
        (
            "bakeoff_drive_used_ratio",
            "Used share of the drive's rated life, as reported by the drive.",
            |h| h.used_percent.map(|percent| percent as f64 / 100.0),
        ),
        ("bakeoff_drive_healthy", "Whether the drive reports itself as healthy.", |h| {
            h.passed.map(|passed| f64::from(u8::from(passed)))
        }),
        ("bakeoff_drive_temperature_celsius", "Temperature reported by the drive.", |h| {
            h.temperature_c.map(|celsius| celsius as f64)
        }),
        ("bakeoff_drive_lifetime_written_bytes", "Bytes written over the drive's lifetime.", |h| {
            h.written_bytes.map(|bytes| bytes as f64)
        }),
        ("bakeoff_drive_media_errors", "Media errors reported by the drive.", |h| {
            h.media_errors.map(|errors| errors as f64)
        }),
    ];
    for (name, help, figure) in kinds {
        let told = |drive: &Option<&DriveNow>| figure(drive.as_ref()?.health.as_ref()?);
        let of = on.iter().filter_map(|(l, _, drive)| Some((l.clone(), told(drive)?)));
        out.family(name, help, of);
    }
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
    let labels = |f: &PlaceFigure| {
        vec![("candidate", name.to_string()), ("workload", f.test.workload().to_string())]
    };
    let low = |f: &PlaceFigure| f.others.as_ref().map(|of| of.others.middle().0);
    let high = |f: &PlaceFigure| f.others.as_ref().map(|of| of.others.middle().1);
    let link = |f: &PlaceFigure| f.link.as_ref().map(|of| of.practice_bytes_per_s);
    type Limit<'a> = &'a dyn Fn(&PlaceFigure) -> Option<f64>;
    let limits: [(&'static str, &str, bool, Limit); 5] = [
        (
            "bakeoff_usual_low_bytes_per_second",
            "Nine in ten of other drives are faster, sequential I/O.",
            true,
            &low,
        ),
        (
            "bakeoff_usual_high_bytes_per_second",
            "Nine in ten of other drives are slower, sequential I/O.",
            true,
            &high,
        ),
        (
            "bakeoff_usual_low_operations_per_second",
            "Nine in ten of other drives are faster, random I/O.",
            false,
            &low,
        ),
        (
            "bakeoff_usual_high_operations_per_second",
            "Nine in ten of other drives are slower, random I/O.",
            false,
            &high,
        ),
        ("bakeoff_link_bytes_per_second", "Practical throughput of the link.", true, &link),
    ];
    for (metric, help, is_in_bytes, limit) in limits {
        let of = normal.figures.iter().filter(|f| f.test.is_in_bytes() == is_in_bytes);
        out.family(metric, help, of.filter_map(|f| Some((labels(f), limit(f)?))));
    }
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
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_judge::testing::ddr50::place;

    #[test]
    fn metrics_of_a_directory_have_figures_ranges_and_verdicts() {
        let run = place([43e6, 300.0]);
        let text = run_metrics(&run, &analyse(&run));
        let has = |line: &str| assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        let labels = "candidate=\"/mnt/a \\\"b\\\"\",workload=\"randread\"";
        has(&format!("bakeoff_normal{{{labels},verdict=\"slow\"}} 1"));
        has(&format!("bakeoff_normal{{{labels},verdict=\"normal\"}} 0"));
        has(&format!("bakeoff_usual_low_operations_per_second{{{labels}}} 1654"));
        assert!(text.contains("bakeoff_throughput_bytes_per_second{candidate="), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
        let families: Vec<&str> =
            text.lines().filter_map(|l| l.strip_prefix("# TYPE ")?.split(' ').next()).collect();
        let mut once = families.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), families.len(), "a family appears twice");
    }

    /// `serve` told "build_info" and `--format prometheus` "version_info", and a lead with other
    /// labels.
    #[test]
    fn a_run_has_the_same_samples_in_both_places() {
        let unlike = RunBuilder::stacks(&["ext4", "xfs"]);
        let run = unlike.play(9, |b, c, _| 1000.0 * f64::from(c + 1) + f64::from(b % 3)).build();
        let analysis = analyse(&run);
        let now = Now::new(&run, &analysis, State::Stopped);
        let served = store_metrics(Some(&now), 1, &[&now], None);
        let shown = run_metrics(&run, &analysis);
        let name = |line: &&str| line.split(['{', ' ']).next().unwrap().to_string();
        let samples = |text: &'static str| text.lines().filter(|line| !line.starts_with('#'));
        let (served, shown): (&'static str, &'static str) = (served.leak(), shown.leak());
        for line in samples(served) {
            let is_same = samples(shown).any(|other| other == line);
            let is_alone = samples(shown).all(|other| name(&other) != name(&line));
            assert!(is_same || is_alone, "{line}\n{shown}");
        }
        for name in ["bakeoff_build_info{", "bakeoff_lead_ratio{", "bakeoff_run_blocks 3"] {
            assert!(served.contains(name) && shown.contains(name), "{name}\n{served}\n{shown}");
        }
    }
}
