//! The history of a drive, for people and for programs. Schema `bakeoff/trend/1`, documented in
//! docs/format.md.

use serde_json::{Value, json};

use super::answer::{self, amount};
use super::csv::{table as csv_table, text as csv_text};
use super::document::{Document, Table, number, words};
use super::run_document::{day, short_id};
use bakeoff_judge::history::pasted::PastedPoint;
use bakeoff_judge::history::trend::{Change, FEWEST, Point, Series, Trend};
use bakeoff_stats::phrases::{self, figures};

/// Most points of a history that are drawn; the last ones.
const DRAWN: usize = 32;
const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
pub(super) const OBSERVED: &str = "Figures of different runs include session effects, so these \
    changes are observations, not verdicts.";
const COLUMNS: [&str; 15] = [
    "drive",
    "workload",
    "candidate",
    "metric",
    "series",
    "run",
    "label",
    "kernel",
    "started_unix_ns",
    "mean",
    "min",
    "max",
    "cells",
    "ratio",
    "changed",
];

pub fn trend_document(trend: &Trend, pasted: &[PastedPoint]) -> Document {
    let mut out = Document::default();
    let dates = match (trend.runs.first(), trend.runs.last()) {
        (Some(first), Some(last)) if trend.runs.len() > 1 => {
            format!(" from {} to {}", day(first.started_unix_ns), day(last.started_unix_ns))
        }
        (Some(only), _) => format!(" on {}", day(only.started_unix_ns)),
        (None, _) => String::new(),
    };
    let runs = phrases::count(trend.runs.len(), "run");
    out.headline(format!("{}: {runs}{dates}", trend.drive));
    let mut last = None;
    for series in &trend.series {
        if last != Some(&series.workload) {
            out.heading(format!("{}: {}", series.workload, series.summary));
        }
        last = Some(&series.workload);
        write_series(trend, series, &mut out);
    }
    write_pasted(pasted, &mut out);
    if trend.series.is_empty() {
        out.paragraph("No run measured a candidate on this drive.");
        return out;
    }
    out.gap();
    too_short(trend).into_iter().for_each(|text| out.paragraph(text));
    out.paragraph(OBSERVED);
    out
}

fn write_pasted(pasted: &[PastedPoint], out: &mut Document) {
    if pasted.is_empty() {
        return;
    }
    out.heading("Pasted runs on drives of this model");
    let columns = ["workload", "candidate", "run", "board"].map(words);
    let columns = columns.into_iter().chain(["figure", "of the last run"].map(number));
    let rows = pasted.iter().map(|point| {
        let ratio = point.ratio.map_or_else(|| "-".to_string(), amount::share);
        let figure = answer::figure_words(point.metric, point.mean);
        let names = [answer::workload_name(&point.workload), point.candidate.clone()];
        let run = [point.run.clone(), point.board.clone(), figure, ratio];
        names.into_iter().chain(run).collect()
    });
    out.table(Table::new(columns, rows));
}

fn write_series(trend: &Trend, series: &Series, out: &mut Document) {
    not_joined(series).into_iter().for_each(|text| out.line(1, text));
    let Some(text) = last_of(series) else { return };
    out.line(1, text);
    if series.points.len() > 1 {
        out.line(2, bars(&series.points));
    }
    series.changes.iter().for_each(|change| out.line(2, changed(trend, series, change)));
}

pub(super) fn too_short(trend: &Trend) -> Option<String> {
    trend.series.iter().any(|series| !series.is_tested).then(|| {
        format!(
            "Series of fewer than {FEWEST} runs are too short to find the run in which the speed \
             changed."
        )
    })
}

pub(super) fn not_joined(series: &Series) -> Option<String> {
    let what: Vec<String> = series.unlike.iter().map(ToString::to_string).collect();
    (!what.is_empty()).then(|| format!("Not joined with the runs above: {}", phrases::list(&what)))
}

/// Who it is about, how many runs, the last figure; `None` without one.
pub(super) fn last_of(series: &Series) -> Option<String> {
    let count = phrases::count(series.points.len(), "run");
    let latest = series.points.last()?;
    let now = series.metric.figure(latest.mean);
    let since = match series.points.len() {
        1 => String::new(),
        _ => format!(", {}", against_first(latest)),
    };
    Some(format!("{}: {count}, last {now}{since}", series.candidate))
}

pub(super) fn changed(trend: &Trend, series: &Series, change: &Change) -> String {
    let of = &trend.runs[series.points[change.point].run];
    format!(
        "From {} on (run {}): {}",
        day(of.started_unix_ns),
        short_id(&of.run),
        by(change.ratio, "than before")
    )
}

fn against_first(point: &Point) -> String {
    by(point.ratio, "than the first")
}

/// `25 % slower than before`.
fn by(ratio: f64, than: &str) -> String {
    let word = if ratio < 1.0 { "slower" } else { "faster" };
    format!("{} {word} {than}", figures::percent((ratio - 1.0).abs()))
}

fn bars(points: &[Point]) -> String {
    let drawn = &points[points.len().saturating_sub(DRAWN)..];
    let highest = drawn.iter().map(|point| point.ratio).fold(f64::MIN_POSITIVE, f64::max);
    let bar = |point: &Point| {
        let eighths = libm::round(point.ratio / highest * EIGHTHS.len() as f64);
        EIGHTHS[(eighths.clamp(1.0, EIGHTHS.len() as f64) as usize) - 1]
    };
    drawn.iter().map(bar).collect()
}

/// `bakeoff/trend/1`.
pub fn trend_json(trend: &Trend, pasted: &[PastedPoint]) -> String {
    let mut document = json!(trend);
    if let Value::Object(map) = &mut document {
        map.insert("schema".to_string(), json!("bakeoff/trend/1"));
        map.insert("pasted".to_string(), json!(pasted));
    }
    format!("{document:#}\n")
}

pub fn trend_csv(trend: &Trend) -> String {
    let mut rows = Vec::new();
    for (number, series) in trend.series.iter().enumerate() {
        for (at, point) in series.points.iter().enumerate() {
            let run = &trend.runs[point.run];
            rows.push([
                csv_text(&trend.drive),
                csv_text(&series.workload),
                csv_text(&series.candidate),
                series.metric.name().to_string(),
                number.to_string(),
                csv_text(&run.run),
                csv_text(run.label.as_deref().unwrap_or("")),
                csv_text(&run.kernel),
                run.started_unix_ns.to_string(),
                point.mean.to_string(),
                point.min.to_string(),
                point.max.to_string(),
                point.cells.to_string(),
                point.ratio.to_string(),
                u8::from(series.changes.iter().any(|change| change.point == at)).to_string(),
            ]);
        }
    }
    csv_table(&COLUMNS, rows)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use bakeoff_judge::history::trend::{Past, trend};
    use bakeoff_judge::testing::{RunBuilder, keys};

    fn past(day: u32, rate: f64, kernel: &str) -> Past {
        let mut run = RunBuilder::stacks(&["ext4", "x\u{1b}[31m"])
            .header(|h| {
                h.run = format!("{day:08x}00000000");
                h.host.kernel = kernel.to_string();
            })
            .play(5, |block, candidate, _| {
                let noise = 1.0 + 0.004 * f64::from((block * 7 + day * 3) % 5);
                noise * if candidate == 0 { rate } else { 1000.0 }
            })
            .build();
        run.started_unix_ns = i64::from(day) * 86_400_000_000_000;
        Past::from_run(run, Some("=label".to_string()))
    }

    fn sample() -> Trend {
        let rate = |day| if day < 12 { 2000.0 } else { 1500.0 };
        let mut all: Vec<Past> = (0..20).map(|day| past(day, rate(day), "6.12.1")).collect();
        all.push(past(30, 1500.0, "6.18.0"));
        trend("Disk A 69 GB", all, None)
    }

    #[test]
    fn a_history_in_words() {
        insta::assert_snapshot!(trend_document(&sample(), &[]).text(80, false));
        let narrow = trend_document(&sample(), &[]).text(40, false);
        assert!(narrow.lines().all(|line| line.chars().count() <= 40), "{narrow}");
        assert!(!narrow.contains('\u{1b}'));
        let none = trend("x", Vec::new(), None);
        assert!(
            trend_document(&none, &[]).text(80, false).contains("No run measured"),
            "{}",
            trend_document(&none, &[]).text(80, false)
        );
    }

    #[test]
    fn a_row_for_each_point_and_every_key_documented() {
        let trend = sample();
        let csv = trend_csv(&trend);
        assert_eq!(csv.lines().count(), 1 + 2 * 21);
        assert!(csv.lines().all(|line| line.split(',').count() == COLUMNS.len()), "{csv}");
        assert_eq!(csv.lines().filter(|line| line.ends_with(",1")).count(), 1, "{csv}");
        assert!(csv.contains(",'=label,"), "{csv}");
        let mut found = BTreeSet::new();
        keys(&serde_json::from_str(&trend_json(&trend, &[])).unwrap(), &mut found);
        let doc = include_str!("../../../../docs/format.md");
        let names = found.iter().map(String::as_str).chain(COLUMNS);
        let missing: Vec<_> = names.filter(|k| !doc.contains(&format!("`{k}`"))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
