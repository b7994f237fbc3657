//! The list of runs: what is looked for, and a page of what the store finds.
//!
//! The store searches with the statement that `bakeoff runs` uses.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{Query as UrlQuery, State};
use axum::response::Html;
use bakeoff_judge::history::filter::Filter;
use bakeoff_report::pages::{self, HistoryPage, HistoryRow, Query};
use bakeoff_report::runs::{Row, State as RunState};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::app::{App, blocking};
use super::pages::{Pairs, one};
use super::problem::Problem;
use crate::store::{Records, RunId, Sqlite, Summary, lock};

const ROWS: u32 = 50;
const LONGEST: usize = 100;

pub async fn runs(
    State(app): State<Arc<App>>,
    UrlQuery(pairs): UrlQuery<Pairs>,
) -> Result<Html<String>, Problem> {
    let page = blocking(&app, move |app| page(app, &pairs)).await?;
    let is_unread =
        |found: &HistoryRow| found.row.verdict.is_none() && found.row.state != RunState::Running;
    if page.rows.iter().any(is_unread) {
        read_results(&app);
    }
    Ok(Html(pages::rendered(&page)))
}

/// Has the results of all runs read that nobody has listed yet; once at a time, and not beside a
/// measurement.
pub fn read_results(app: &Arc<App>) {
    let is_measured = lock::held(&app.store).map_or(true, |held| !held.is_empty());
    if is_measured || app.reads_results.swap(true, Ordering::Relaxed) {
        return;
    }
    let reading = Arc::clone(app);
    let begun = std::thread::Builder::new().spawn(move || {
        // What it prints is in the store then; a failure is shown where the run is opened.
        let _ = reading.command(&["runs", "--format", "csv"]);
        reading.reads_results.store(false, Ordering::Relaxed);
    });
    // Without a thread now, the next list tries again.
    if begun.is_err() {
        app.reads_results.store(false, Ordering::Relaxed);
    }
}

fn query(pairs: &Pairs) -> Query {
    let text = |name| one(pairs, name).trim().chars().take(LONGEST).collect();
    Query {
        search: text("search"),
        drive: text("drive"),
        host: text("host"),
        plan: text("plan"),
        label: text("label"),
        since: text("since"),
        until: text("until"),
    }
}

fn filter(query: &Query) -> Filter {
    let text = |text: &String| (!text.is_empty()).then(|| text.clone());
    let day = |text: &str| text.parse::<Date>().ok();
    let start = |day: Date| {
        let at: Timestamp = day.to_zoned(TimeZone::UTC).ok()?.timestamp();
        i64::try_from(at.as_nanosecond()).ok()
    };
    Filter {
        search: text(&query.search),
        drive: text(&query.drive),
        host: text(&query.host),
        plan: text(&query.plan),
        label: text(&query.label),
        since_unix_ns: day(&query.since).and_then(start),
        before_unix_ns: day(&query.until).and_then(|day| day.tomorrow().ok()).and_then(start),
    }
}

pub fn page(app: &App, pairs: &Pairs) -> Result<HistoryPage, Problem> {
    let page = one(pairs, "page").parse::<u32>().unwrap_or(0).min(1_000_000);
    let query = query(pairs);
    let filter = filter(&query);
    let mut listed = HistoryPage { query, page: page as usize, ..HistoryPage::default() };
    let Some(store) = app.open()? else { return Ok(listed) };
    let count = |runs: u64| usize::try_from(runs).unwrap_or(usize::MAX);
    listed.stored = count(store.stored()?);
    listed.found = count(store.found(&filter)?);
    listed.has_more = listed.found > (page as usize + 1) * ROWS as usize;
    let summaries = store.page(&filter, page * ROWS, ROWS)?;
    let ids: Vec<RunId> = summaries.iter().map(|summary| summary.run.clone()).collect();
    let digits = store.short_digits(&ids)?;
    for summary in summaries {
        let (host, drives) = store.machine_and_drives(&summary.run)?;
        listed.rows.push(HistoryRow { row: row(&store, summary, digits)?, host, drives });
    }
    Ok(listed)
}

fn row(store: &Sqlite, summary: Summary, digits: usize) -> Result<Row, Problem> {
    let state = store.state(&summary.run, summary.is_stopped())?;
    let short = summary.run.as_str().chars().take(digits).collect();
    Ok(Row { short, ..summary.into_row(state) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_whole_and_what_is_no_date_is_no_limit() {
        let day = 86_400_000_000_000;
        let date = |text: &str| text.to_string();
        let asked = filter(&Query {
            since: date("1970-01-03"),
            until: date("1970-01-03"),
            drive: "SSD".into(),
            ..Query::default()
        });
        assert_eq!((asked.since_unix_ns, asked.before_unix_ns), (Some(2 * day), Some(3 * day)));
        assert_eq!((asked.drive.as_deref(), asked.host), (Some("SSD"), None));
        let none = filter(&Query { since: date("yesterday"), ..Query::default() });
        assert_eq!(none, Filter::default());
    }
}
