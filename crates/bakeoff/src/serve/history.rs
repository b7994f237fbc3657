//! The list of runs in memory, as far as it is searched: a few words a run, read once from each
//! run's first event.

use std::collections::BTreeMap;

use bakeoff_core::model::candidate::Kind;
use bakeoff_core::model::event::{Event, Header, What};
use bakeoff_core::report::pages::Query;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::store::sqlite::Known;
use crate::store::{RunId, Sqlite, StoreError};

/// First events read in one go.
const AT_ONCE: u32 = 500;
/// Longest text that is kept of a name.
const LONGEST: usize = 200;

/// A run as it is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// When it began, nanoseconds since 1970.
    pub created_unix_ns: i64,
    /// What a search for words looks into: verb, title.
    pub words: String,
    /// Name of the machine.
    pub host: String,
    /// Model and serial number of each drive.
    pub drives: Vec<(String, String)>,
}

/// A run of the history, with its place in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where the store has it.
    pub known: Known,
    /// What was read of it.
    pub entry: Entry,
}

/// Every run of a store.
#[derive(Debug, Default)]
pub struct History {
    entries: BTreeMap<i64, Entry>,
}

impl History {
    /// Reads what came into the store since the last time.
    ///
    /// # Errors
    /// What the store says.
    pub fn refresh(&mut self, store: &Sqlite) -> Result<Vec<Known>, StoreError> {
        loop {
            let last = self.entries.last_key_value().map_or(0, |(number, _)| *number);
            let rows = store.headers_after(last, AT_ONCE)?;
            let is_last = rows.len() < AT_ONCE as usize;
            // One that cannot be read is listed all the same, by its id.
            self.entries.extend(rows.into_iter().map(|(n, json)| (n, entry(&json))));
            if is_last {
                break;
            }
        }
        let known = store.known()?;
        if known.len() < self.entries.len() {
            let numbers: std::collections::BTreeSet<i64> = known.iter().map(|k| k.number).collect();
            self.entries.retain(|number, _| numbers.contains(number));
        }
        Ok(known)
    }

    /// Runs that fit, the latest first.
    pub fn find(&self, known: &[Known], query: &Query) -> Vec<Found> {
        let wanted = Wanted::new(query);
        let none = Entry::default();
        let found = known.iter().filter_map(|known| {
            let entry = self.entries.get(&known.number).unwrap_or(&none);
            wanted.fits(known, entry).then(|| Found { known: known.clone(), entry: entry.clone() })
        });
        found.collect()
    }

    /// The last run of each drive that has a model or a serial number: (model, serial), run.
    pub fn last_of_drives(&self, known: &[Known]) -> Vec<((String, String), RunId)> {
        let mut last: Vec<((String, String), RunId)> = Vec::new();
        for known in known {
            let Some(entry) = self.entries.get(&known.number) else { continue };
            for drive in &entry.drives {
                if !last.iter().any(|(seen, _)| seen == drive) {
                    last.push((drive.clone(), known.run.clone()));
                }
            }
        }
        last
    }
}

/// A query that is ready to be compared.
struct Wanted {
    query: Query,
    since_ns: Option<i64>,
    before_ns: Option<i64>,
}

impl Wanted {
    fn new(query: &Query) -> Wanted {
        let start = |text: &str| {
            let date: Date = text.parse().ok()?;
            date.to_zoned(TimeZone::UTC).ok()
        };
        let ns = |time: Timestamp| i64::try_from(time.as_nanosecond()).ok();
        let low = |text: &String| text.trim().to_lowercase();
        Wanted {
            since_ns: start(&query.since).and_then(|day| ns(day.timestamp())),
            before_ns: start(&query.until)
                .and_then(|day| day.tomorrow().ok())
                .and_then(|day| ns(day.timestamp())),
            query: Query {
                search: low(&query.search),
                drive: low(&query.drive),
                host: low(&query.host),
                plan: low(&query.plan),
                label: low(&query.label),
                ..Query::default()
            },
        }
    }

    fn fits(&self, known: &Known, entry: &Entry) -> bool {
        let has = |text: &str, part: &str| part.is_empty() || text.to_lowercase().contains(part);
        let q = &self.query;
        let drive =
            |(model, serial): &(String, String)| has(model, &q.drive) || has(serial, &q.drive);
        self.since_ns.is_none_or(|since| entry.created_unix_ns >= since)
            && self.before_ns.is_none_or(|before| entry.created_unix_ns < before)
            && (has(&entry.words, &q.search) || known.run.as_str().starts_with(&q.search))
            && has(&entry.words, &q.plan)
            && has(&entry.host, &q.host)
            && has(known.label.as_deref().unwrap_or_default(), &q.label)
            && (q.drive.is_empty() || entry.drives.iter().any(drive))
    }
}

fn entry(json: &str) -> Entry {
    let Ok(Event { unix_ns, what: What::Started(header), .. }) = serde_json::from_str(json) else {
        return Entry::default();
    };
    Entry {
        created_unix_ns: unix_ns,
        words: short(&format!("{} {}", header.verb, header.title)),
        host: short(&header.host.hostname),
        drives: drives(&header),
    }
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

fn drives(header: &Header) -> Vec<(String, String)> {
    let directories = header.candidates.iter().filter_map(|candidate| match &candidate.kind {
        Kind::Directory { place, .. } => Some(place.as_ref()),
        Kind::Stack(_) => None,
    });
    let places = directories.chain(header.regions().map(|region| &region.place));
    let mut drives = Vec::new();
    for disk in places.flat_map(|place| place.disks()) {
        let text = |value: &Option<String>| short(value.as_deref().unwrap_or_default().trim());
        let drive = (text(&disk.model), text(&disk.serial));
        let is_named = !drive.0.is_empty() || !drive.1.is_empty();
        if is_named && !drives.contains(&drive) {
            drives.push(drive);
        }
    }
    drives
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_by_each_field_and_by_days() {
        let day = 86_400_000_000_000;
        let entry = Entry {
            created_unix_ns: 20_000 * day + 1,
            words: "quick quick: /home".into(),
            host: "Pi".into(),
            drives: vec![("Samsung SSD".into(), "S3Z8".into())],
        };
        let run = RunId::parse("0123456789abcdef").unwrap();
        let known = Known { number: 1, run, label: Some("after upgrade".into()) };
        let day_of = |n: i64| Timestamp::from_nanosecond(i128::from(n * day)).unwrap();
        let date = |n: i64| day_of(n).strftime("%Y-%m-%d").to_string();
        let fits = |query: Query| Wanted::new(&query).fits(&known, &entry);
        let empty = Query::default;
        assert!(fits(empty()));
        assert!(fits(Query { search: "HOME".into(), ..empty() }));
        assert!(fits(Query { search: "0123".into(), ..empty() }));
        assert!(fits(Query { drive: "s3z".into(), host: "pi".into(), ..empty() }));
        assert!(fits(Query { label: "Upgrade".into(), plan: "quick".into(), ..empty() }));
        assert!(fits(Query { since: date(20_000), until: date(20_000), ..empty() }));
        assert!(!fits(Query { since: date(20_001), ..empty() }));
        assert!(!fits(Query { until: date(19_999), ..empty() }));
        assert!(!fits(Query { drive: "Kingston".into(), ..empty() }));
        // No date is no limit.
        assert!(fits(Query { since: "yesterday".into(), ..empty() }));
    }
}
