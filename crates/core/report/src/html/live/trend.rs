//! The history of a drive as a page: each series as a line over time, with the runs in which the
//! speed changed, and as a table.

use askama::Template;

use super::{encoded, rendered, tied};
use crate::document::{Table, words};
use crate::run_document::{day, short_id};
use crate::trend::{OBSERVED, changed, last_of, not_joined, too_short};
use bakeoff_judge::history::trend::{Point, Series, Trend};
use bakeoff_model::path::sanitize;

/// Size of a drawing in its own units, and the room for points at its edges.
const SIZE: (f64, f64) = (640.0, 120.0);
const EDGE: f64 = 8.0;
const ABOVE: f64 = 1.05;

pub fn trend_page(trend: &Trend) -> String {
    let mut said: Vec<String> = Vec::new();
    if trend.series.is_empty() {
        said.push("No run measured a candidate on this drive.".to_string());
    }
    said.extend(too_short(trend));
    said.push(OBSERVED.to_string());
    rendered(&TrendPage {
        drive: sanitize(&trend.drive),
        runs: format!("/runs?drive={}", encoded(&trend.drive)),
        said,
        series: trend.series.iter().map(|series| drawn(trend, series)).collect(),
    })
}

#[derive(Template)]
#[template(path = "live/trend.html")]
struct TrendPage {
    drive: String,
    runs: String,
    said: Vec<String>,
    series: Vec<DrawnSeries>,
}

struct DrawnSeries {
    workload: String,
    said: Vec<String>,
    dots: Vec<Dot>,
    line: String,
    marks: Vec<String>,
    first: String,
    last: String,
    table: Table,
}

struct Dot {
    x: String,
    y: String,
    low: String,
    high: String,
}

fn drawn(trend: &Trend, series: &Series) -> DrawnSeries {
    let dots = dots(trend, series);
    let line = dots.iter().map(|dot| format!("{},{}", dot.x, dot.y)).collect::<Vec<_>>();
    let date = |point: Option<&Point>| {
        point.map_or(String::new(), |p| day(trend.runs[p.run].started_unix_ns))
    };
    let said = [not_joined(series), last_of(series)].into_iter().flatten();
    let changes = series.changes.iter().map(|change| changed(trend, series, change));
    DrawnSeries {
        workload: sanitize(&series.summary),
        said: said.chain(changes).map(|text| sanitize(&text)).collect(),
        marks: series.changes.iter().map(|change| dots[change.point].x.clone()).collect(),
        line: line.join(" "),
        first: date(series.points.first()),
        last: date(series.points.last()),
        table: table(trend, series),
        dots,
    }
}

fn table(trend: &Trend, series: &Series) -> Table {
    let row = |(at, point): (usize, &Point)| {
        let run = &trend.runs[point.run];
        let is_changed = series.changes.iter().any(|change| change.point == at);
        let [mean, min, max] =
            [point.mean, point.min, point.max].map(|value| series.metric.figure(value));
        vec![
            short_id(&run.run),
            day(run.started_unix_ns),
            run.label.clone().unwrap_or_default(),
            run.kernel.clone(),
            mean,
            format!("{min} to {max}"),
            if is_changed { "from here on".to_string() } else { String::new() },
        ]
    };
    let titles = ["run", "date", "label", "kernel", "mean", "range of its blocks", "change"];
    let links = series.points.iter().map(|p| format!("/runs/{}", encoded(&trend.runs[p.run].run)));
    Table::new(titles.map(words), series.points.iter().enumerate().map(row)).linked(links.collect())
}

fn dots(trend: &Trend, series: &Series) -> Vec<Dot> {
    let at = |point: &Point| trend.runs[point.run].started_unix_ns as f64;
    let (first, last) = match (series.points.first(), series.points.last()) {
        (Some(first), Some(last)) => (at(first), at(last)),
        _ => return Vec::new(),
    };
    // A latency twice as long is half the speed.
    let range = |p: &Point| match series.metric.less_is_better() {
        true => (p.ratio * p.mean / p.max, p.ratio * p.mean / p.min),
        false => (p.ratio * p.min / p.mean, p.ratio * p.max / p.mean),
    };
    let highest = series.points.iter().map(|p| range(p).1).fold(f64::MIN_POSITIVE, f64::max);
    let x = |point: &Point| match last > first {
        true => EDGE + (at(point) - first) / (last - first) * (SIZE.0 - 2.0 * EDGE),
        false => SIZE.0 / 2.0,
    };
    let y = |speed: f64| SIZE.1 * (1.0 - speed / (highest * ABOVE));
    let text = |value: f64| format!("{value:.1}");
    let dot = |point: &Point| Dot {
        x: text(x(point)),
        y: text(y(point.ratio)),
        low: text(y(range(point).0)),
        high: text(y(range(point).1)),
    };
    series.points.iter().map(dot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::history::trend::{Past, trend};
    use bakeoff_judge::testing::RunBuilder;

    fn past(day: u32, rate: f64) -> Past {
        let mut run = RunBuilder::stacks(&["ext4", "<b>"])
            .header(|h| h.run = format!("{day:08x}00000000"))
            .play(5, |block, candidate, _| {
                let noise = 1.0 + 0.004 * f64::from((block * 7 + day * 3) % 5);
                noise * if candidate == 0 { rate } else { 1000.0 }
            })
            .build();
        run.started_unix_ns = i64::from(day) * 86_400_000_000_000;
        Past::from_run(run, Some("<script>".to_string()))
    }

    #[test]
    fn changes_are_marked_where_the_statistics_find_them_and_names_are_harmless() {
        let rate = |day| if day < 12 { 2000.0 } else { 1500.0 };
        let all: Vec<Past> = (0..20).map(|day| past(day, rate(day))).collect();
        let found = trend("Disk A 69 GB", all, None);
        let changes: usize = found.series.iter().map(|series| series.changes.len()).sum();
        let page = trend_page(&found);
        assert_eq!(page.matches("class=\"change\"").count(), changes, "{page}");
        assert!(changes > 0 && page.contains("From 1970-01-13 on"), "{page}");
        for name in ["<td><script>", "<b>:"] {
            assert!(!page.contains(name), "{name}: {page}");
        }
        assert!(page.contains("/runs/0000000c00000000"), "{page}");
        assert!(trend_page(&trend("x", Vec::new(), None)).contains("No run measured"));
        assert!(trend_page(&trend("Disk A 69 GB", vec![past(1, 1.0)], None)).contains("1 run"));
    }
}
