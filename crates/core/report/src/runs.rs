//! The list of stored runs, as `bakeoff runs` shows it, in every format.
//!
//! Schema `bakeoff/runs/1`, documented in docs/format.md. A run that cannot be read is listed with
//! the reason: one bad run must not hide the others.

use serde::Serialize;

use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verb::Verb;
use bakeoff_model::verdict::Analysis;
use bakeoff_stats::{distinct, phrases, units};

use super::answer;
use super::csv::{field as csv_field, table as csv_table};
use super::document::{Document, Table, number, words};
use super::layout::cut;
use super::run_document::utc;

const WORDS: usize = 48;
const FEWEST_DIGITS: usize = 4;
const COLUMNS: [&str; 11] = [
    "run",
    "created_unix_ns",
    "verb",
    "title",
    "label",
    "imported",
    "events",
    "state",
    "blocks",
    "verdict",
    "error",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Running,
    /// Its process died; `resume` goes on.
    Dead,
    Stopped,
    Unreadable,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    pub run: String,
    pub created_unix_ns: i64,
    pub verb: Verb,
    pub title: String,
    pub label: Option<String>,
    pub imported: bool,
    pub events: u64,
    pub state: State,
    /// Complete blocks; `None` when it cannot be read.
    pub blocks: Option<u32>,
    pub verdict: Option<String>,
    pub error: Option<String>,
}

/// The answer of a run in a few words: "ext4 is fastest in all 4", "xfs for Linux data".
pub fn short(run: &Run, analysis: &Analysis) -> String {
    let all = &analysis.verdicts;
    let winner = all.first().and_then(|v| v.winner.as_deref());
    if let Some(winner) = winner.filter(|w| all.iter().all(|v| v.winner.as_deref() == Some(w))) {
        return match all.len() {
            1 => format!("{} is fastest", sanitize(winner)),
            n => format!("{} is fastest in all {n}", sanitize(winner)),
        };
    }
    if analysis.cells == 0 {
        return "nothing measured".to_string();
    }
    let words: Vec<&str> = all.iter().filter_map(|v| Some(v.rounds.as_ref()?.word())).collect();
    if !words.is_empty() {
        return distinct::in_order(words).join(", ");
    }
    if !analysis.compares {
        return "measured, nothing to compare".to_string();
    }
    if run.header.candidates.iter().all(|c| c.place().is_some()) {
        return answer::choice(run, analysis).said;
    }
    if let Some(chosen) = analysis.recommendation.as_ref().filter(|_| all.len() > 1) {
        return match (chosen.is_a_choice(), chosen.alternatives.is_empty()) {
            (true, true) => {
                format!("{} for {}", sanitize(&chosen.candidate), chosen.drive_use.phrase())
            }
            (true, false) => "differs by workload".to_string(),
            (false, _) => "no choice yet".to_string(),
        };
    }
    match all.as_slice() {
        [one] => one.verdict.word().to_string(),
        _ => "no recommendation".to_string(),
    }
}

/// One line about a run that ended.
pub fn notification(run: &Run, analysis: &Analysis) -> String {
    let said = answer::choice(run, analysis).said;
    let (title, elapsed) = (sanitize(&run.header.title), units::duration(run.elapsed_ns));
    format!("{title}: {said} ({} blocks, {elapsed})", analysis.blocks)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    pub is_filtered: bool,
    pub more: u64,
}

pub fn document(rows: &[Row], left_out: LeftOut) -> Document {
    let mut out = Document::default();
    out.table(table(rows));
    notes(rows, left_out).into_iter().for_each(|note| out.paragraph(note));
    out
}

/// How many runs are listed, and how many are not.
pub fn notes(rows: &[Row], left_out: LeftOut) -> Vec<String> {
    let count = match (rows.len(), left_out.is_filtered) {
        (0, true) => "No stored run matches. `bakeoff runs` lists all runs.".to_string(),
        (0, false) => "No runs are stored yet. Start one with `bakeoff quick`.".to_string(),
        (n, _) => phrases::count(n, "run"),
    };
    let more = (left_out.more > 0).then(|| {
        format!(
            "Not listed: {}. `bakeoff runs TEXT` finds a run, and --format csv lists all.",
            phrases::count(left_out.more, "earlier run")
        )
    });
    std::iter::once(count).chain(more).collect()
}

/// `bakeoff/runs/1`.
pub fn json(rows: &[Row]) -> String {
    let document = serde_json::json!({ "schema": "bakeoff/runs/1", "runs": rows });
    format!("{document:#}\n")
}

pub fn csv(rows: &[Row]) -> String {
    let fields = |row: &Row| {
        let mut whole = serde_json::json!(row);
        whole["imported"] = u8::from(row.imported).into();
        COLUMNS.map(|column| csv_field(&whole[column]))
    };
    csv_table(&COLUMNS, rows.iter().map(fields))
}

fn table(rows: &[Row]) -> Table {
    let columns =
        [words("run"), words("began"), words("title"), words("verdict"), number("blocks")];
    // As many digits of an ID as tell the runs of the list apart.
    let are_apart = |digits: &usize| {
        distinct::in_order(rows.iter().map(|row| row.short(*digits))).len() == rows.len()
    };
    let digits = (FEWEST_DIGITS..16).find(are_apart).unwrap_or(16);
    Table::new(columns, rows.iter().map(|row| cells(row, digits)))
}

impl Row {
    pub fn short(&self, digits: usize) -> &str {
        self.run.get(..digits).unwrap_or(&self.run)
    }

    /// Its label and title.
    pub fn name(&self) -> String {
        let title = match self.label.as_deref().filter(|label| !label.is_empty()) {
            Some(label) => format!("{}: {}", sanitize(label), sanitize(&self.title)),
            None => sanitize(&self.title),
        };
        cut(&title, WORDS) + if self.imported { " (imported)" } else { "" }
    }

    /// Its verdict and state.
    pub fn result(&self) -> String {
        let verdict = sanitize(self.verdict.as_deref().unwrap_or("cannot be read"));
        let state = match self.state {
            State::Running => " (running)",
            State::Dead => " (interrupted)",
            State::Stopped | State::Unreadable => "",
        };
        cut(&verdict, WORDS) + state
    }
}

fn cells(row: &Row, digits: usize) -> Vec<String> {
    vec![
        row.short(digits).to_string(),
        utc(row.created_unix_ns),
        row.name(),
        row.result(),
        row.blocks.map_or("-".to_string(), |blocks| blocks.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::testing::RunBuilder;
    use bakeoff_model::verdict::{Verdict, WorkloadVerdict};

    fn row(run: &str, state: State) -> Row {
        Row {
            run: run.into(),
            created_unix_ns: 1_795_000_000_000_000_000,
            verb: Verb::Demo,
            title: "demo: ext4, /mnt/\u{1b}[31musb".into(),
            label: None,
            imported: false,
            events: 80,
            state,
            blocks: Some(5),
            verdict: Some("ext4 is fastest in all 2".into()),
            error: None,
        }
    }

    fn rows() -> Vec<Row> {
        let running = row("aaaaaaaaaaaaaaaa", State::Running);
        let imported = Row {
            imported: true,
            label: Some("=cmd|' /C calc'!A0".into()),
            title: "a, \"b\"".into(),
            ..row("bbbbbbbbbbbbbbbb", State::Dead)
        };
        let unreadable = Row {
            blocks: None,
            verdict: None,
            error: Some("event 3 is of a newer kind".into()),
            ..row("cccccccccccccccc", State::Unreadable)
        };
        vec![running, imported, unreadable]
    }

    #[test]
    fn the_list_in_every_format() {
        let all = document(&rows(), LeftOut::default());
        insta::assert_snapshot!("runs_text", all.text(80, false));
        insta::assert_snapshot!("runs_text_unlimited", all.text(usize::MAX, false));
        insta::assert_snapshot!("runs_markdown", all.markdown());
        insta::assert_snapshot!("runs_csv", csv(&rows()));
        insta::assert_snapshot!("runs_json", json(&rows()));
        let none = |left_out| document(&[], left_out).text(80, false);
        assert!(none(LeftOut::default()).contains("bakeoff quick"));
        let left_out = LeftOut { is_filtered: true, more: 1 };
        assert!(none(left_out).contains("matches") && none(left_out).contains("1 earlier run."));
        let narrow = document(&rows(), left_out).text(40, false);
        assert!(narrow.lines().all(|line| line.chars().count() <= 40), "{narrow}");
        assert!(narrow.contains("ext4 is fastest in all 2"), "{narrow}");
    }

    #[test]
    fn keys_and_columns_are_the_same_and_documented() {
        let value = serde_json::to_value(row("aaaaaaaaaaaaaaaa", State::Stopped)).unwrap();
        let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
        let mut columns = COLUMNS.to_vec();
        keys.sort_unstable();
        columns.sort_unstable();
        assert_eq!(keys, columns);
        let doc = include_str!("../../../../docs/format.md");
        assert!(columns.iter().all(|name| doc.contains(&format!("`{name}`"))), "docs/format.md");
    }

    fn measured(names: &[&str]) -> (Run, Analysis) {
        let run = RunBuilder::stacks(names).play(5, |_, _, _| 1200.0).build();
        let analysis = analyse(&run);
        (run, analysis)
    }

    #[test]
    fn verdicts_in_short() {
        let analysis = |verdicts: &[(Verdict, Option<&str>)]| {
            let (run, mut all) = measured(&["ext4", "xfs"]);
            let one = all.verdicts.swap_remove(0);
            all.verdicts = Vec::new();
            for (verdict, winner) in verdicts {
                let winner = winner.map(str::to_string);
                all.verdicts.push(WorkloadVerdict { verdict: *verdict, winner, ..one.clone() });
            }
            short(&run, &Analysis { cells: 10, recommendation: None, ..all })
        };
        let (beats, ties) = (Verdict::Fastest, Verdict::AsFast);
        assert_eq!(analysis(&[(beats, Some("ext4"))]), "ext4 is fastest");
        assert_eq!(
            analysis(&[(beats, Some("ext4")), (beats, Some("ext4"))]),
            "ext4 is fastest in all 2"
        );
        assert_eq!(analysis(&[(beats, Some("ext4")), (ties, None)]), "no recommendation");
        assert_eq!(analysis(&[(Verdict::Leads, None)]), "leads so far");
        let (run, analysis) = measured(&["ext4"]);
        assert_eq!(short(&run, &analysis), "measured, nothing to compare");
        let run = RunBuilder::directories(&["/a", "/b"]).play(20, |_, _, _| 1e3).build();
        let said = "No difference of 10 % or more for random writes.";
        assert_eq!(short(&run, &analyse(&run)), said);
    }
}
