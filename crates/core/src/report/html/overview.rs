//! The table that answers on one screen: every candidate against every workload.

use crate::model::verdict::Verdict;
use crate::report::view::{Question, Row, View};

pub struct Line {
    pub name: String,
    pub style: usize,
    pub entries: Vec<Entry>,
}

pub struct Entry {
    /// "best", "-8 %", "tie", "-".
    pub word: String,
    /// "123 MB/s".
    pub rate: String,
    pub class: &'static str,
}

/// Candidates down, as declared, workloads across.
pub fn lines(view: &View, styles: &[String]) -> Vec<Line> {
    let line = |name: &str| Line {
        name: name.to_string(),
        style: super::chart::style_of(styles, name),
        entries: view.questions.iter().map(|q| entry(q, name)).collect(),
    };
    view.columns.iter().map(|c| line(&c.name)).collect()
}

fn entry(question: &Question, name: &str) -> Entry {
    let Some(row) = question.rows.iter().find(|r| r.candidate == name) else {
        return Entry { word: "-".to_string(), rate: String::new(), class: "" };
    };
    let (word, class) = standing(question, row);
    Entry { word, rate: format!("{} {}", row.rate, question.unit), class }
}

fn standing(question: &Question, row: &Row) -> (String, &'static str) {
    let is_reference = question.reference.as_ref() == Some(&row.candidate);
    let is_first = row.tier.is_some_and(|tiers| tiers.first == 1);
    let change = row.change.as_ref().map(|c| format!("{} %", super::minus(&c.mid)));
    match (question.verdict, is_reference, change) {
        (Verdict::Refused, _, _) => ("not ranked".to_string(), ""),
        (Verdict::Beats | Verdict::Fastest, true, _) => ("best".to_string(), "first"),
        (Verdict::Ties | Verdict::AsFast, true, _) => ("equally fast".to_string(), "tie"),
        (Verdict::Ties | Verdict::AsFast, false, Some(change)) if is_first => {
            (format!("equally fast, {change}"), "tie")
        }
        (Verdict::Leads, true, _) => ("leads".to_string(), ""),
        (Verdict::NotResolved, true, _) => ("reference".to_string(), ""),
        (_, _, Some(change)) => (change, if is_first { "" } else { "behind" }),
        (_, _, None) => ("-".to_string(), ""),
    }
}
