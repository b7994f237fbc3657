//! JSON that `--status-interval` prints again and again: each document has all that the run did
//! until then, so the last one is the run's.

use super::JobReader;
use super::figures::KnownFigures;
use crate::scan::result::Out;

#[derive(Debug, Default)]
pub struct JsonInterval {
    first_line: u64,
    last_line: u64,
    /// When its jobs began, in milliseconds since 1970, and how long they had run.
    began_ms: Option<(u64, u64)>,
    jobs: Vec<(String, Option<usize>)>,
}

impl JsonInterval {
    pub fn new(known: &KnownFigures, first_line: u64, last_line: u64) -> JsonInterval {
        let is_runtime = |path: &str| {
            path.starts_with(known.list())
                && path.ends_with("/runtime")
                && !path.contains("/job options/")
        };
        let runtimes = known.scalars.iter().filter(|scalar| is_runtime(&scalar.path));
        let longest = runtimes.filter_map(|scalar| scalar.text.parse::<u64>().ok()).max();
        let began_ms = known
            .whole("timestamp_ms")
            .zip(longest)
            .and_then(|(ended, ran)| Some((ended.checked_sub(ran)?, ran)));
        JsonInterval { first_line, last_line, began_ms, jobs: Vec::new() }
    }

    /// Whether this document goes on with the run of the one before: it follows at once, and its
    /// jobs began when that one's did; a run after it would have begun when that one ended.
    pub fn is_of_the_run(&self, before: &JsonInterval) -> bool {
        let (Some((began, ran)), Some((before_began, before_ran))) =
            (self.began_ms, before.began_ms)
        else {
            return false;
        };
        self.first_line <= before.last_line + 2
            && ran >= before_ran
            && began <= before_began.saturating_add(before_ran / 2)
    }

    pub fn give(&mut self, job: JobReader, earlier: Option<&JsonInterval>, out: &mut Out) {
        let name = job.name.clone();
        // Jobs may have one name: the place in the list tells them apart.
        let same = earlier.and_then(|earlier| earlier.jobs.get(self.jobs.len()));
        let at = match same.filter(|(known, _)| *known == name).and_then(|(_, at)| *at) {
            Some(at) => {
                if let Some(result) = job.result(out) {
                    out.replace(at, result);
                }
                Some(at)
            }
            None => job.give(out),
        };
        self.jobs.push((name, at));
    }
}

#[cfg(test)]
mod tests {
    use crate::scan::{Finder, Imported};

    /// fio 3.33, `--status-interval=1`, four seconds: five documents.
    const JSON: &str =
        include_str!("../../../../../../fixtures/tools/fio/status_interval_json.stdout");
    const TEXT: &str = include_str!("../../../../../../fixtures/tools/fio/status_interval.stdout");

    fn read(text: &str) -> Imported {
        Finder::for_tool("fio").all_of(text.as_bytes())
    }

    #[test]
    fn a_run_with_a_status_every_second_was_counted_five_times() {
        for (text, bytes) in [(JSON, "read.bytes"), (TEXT, "read.bytes")] {
            let found = read(text);
            assert_eq!((found.results.len(), &found.unread), (1, &Vec::new()));
            assert!(found.results[0].figure(&[bytes]).is_some());
            let elapsed = found.results[0].figure(&["read.elapsed"]).unwrap();
            assert!((3.9e9..4.2e9).contains(&elapsed), "{elapsed}");
        }
    }

    #[test]
    fn a_run_behind_another_one_is_another_one() {
        let at = JSON.find("\n}\n").unwrap() + 3;
        let first = &JSON[..at];
        let stamp: u64 = first
            .lines()
            .find_map(|line| line.trim().strip_prefix("\"timestamp_ms\" : "))
            .and_then(|text| text.trim_end_matches(',').parse().ok())
            .unwrap();
        let later = first.replace(&stamp.to_string(), &(stamp + 1200).to_string());
        assert_eq!(read(&format!("{first}{later}")).results.len(), 2);
    }
}
