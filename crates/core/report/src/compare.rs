//! Runs beside each other, for programs and for people.

pub mod across;
mod sentence;
#[cfg(test)]
mod texts_tests;

use serde_json::{Value, json};

use self::across::Across;
use super::answer::workload_name;
use super::document::{Document, Table, number, words};
use super::run_document::{self, utc};
use super::side_by_side::{self, change};
use super::{gate, mark};
use bakeoff_judge::compare::Compared;
use bakeoff_judge::compare::answer::EffectIn;
use bakeoff_judge::compare::differences::LeftOut;
use bakeoff_judge::gate::Gate;
use bakeoff_judge::levels::side_by_side::SideBySide;
use bakeoff_model::difference::Difference;
use bakeoff_model::finding::Finding;
use bakeoff_stats::phrases;

const OBSERVED: &str = "Figures of different runs include session effects, so their ratios are \
    observations, not verdicts. The verdicts use ratios within runs.";

/// What a comparison consists of.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComparisonParts<'a> {
    /// Where there are two stored runs and more.
    pub compared: Option<&'a Compared>,
    /// The answer on each board, drive or kernel, where that was asked for.
    pub across: Option<&'a Across>,
    pub levels: Option<&'a SideBySide>,
    pub gate: Option<&'a Gate>,
    /// Run and the recommendation for a use that was asked for.
    pub choices: &'a [(String, String)],
    /// In what runs differ of which one is only pasted.
    pub unlike: &'a [Difference],
}

/// One document.
pub fn compare_json(of: &ComparisonParts) -> String {
    let mut document = of.compared.map_or_else(|| json!({}), compared_json);
    let choice = |(run, said): &(String, String)| json!({ "run": run, "said": said });
    if let Value::Object(map) = &mut document {
        let mut insert = |key: &str, value: Value| map.insert(key.to_string(), value);
        insert("schema", json!("bakeoff/compare/1"));
        insert("levels", json!(of.levels));
        if let Some(across) = of.across {
            insert("answers_across", json!(across));
        }
        if let Some(gate) = of.gate {
            insert("gate", gate::json(gate));
        }
        if !of.choices.is_empty() {
            insert("choices", of.choices.iter().map(choice).collect());
        }
    }
    document.to_string()
}

fn compared_json(compared: &Compared) -> Value {
    let mut document = json!(compared);
    document["headline"] = json!(sentence::headline(compared));
    document["notes"] = json!(sentence::notes(compared));
    document["left_out"] = json!(left_out(compared));
    document
}

pub fn compare_document(of: &ComparisonParts) -> Document {
    let mut out = Document::default();
    if let Some(gate) = of.gate {
        gate::write(gate, &mut out);
        out.gap();
    }
    // The gate has a sentence and a table of its own.
    let compared = of.compared.filter(|_| of.gate.is_none());
    if let Some(across) = of.across.filter(|_| of.gate.is_none()) {
        out.headline(across.headline());
        for answer in &across.answers {
            out.line(1, format!("{}, run {}: {}", answer.name, answer.run, answer.said));
        }
        out.gap();
    }
    if let Some(compared) = compared {
        write_heads(compared, &mut out);
    }
    if !of.unlike.is_empty() && of.gate.is_none() {
        let all: Vec<String> = of.unlike.iter().map(ToString::to_string).collect();
        out.headline(format!("Not compared: these runs differ in {}.", phrases::list(&all)));
    }
    if !of.choices.is_empty() {
        out.heading("Recommended");
        for (run, said) in of.choices {
            out.line(1, format!("{run}  {said}"));
        }
    }
    if let Some(levels) = of.levels.filter(|_| of.gate.is_none()) {
        out.heading("Figures");
        out.table(side_by_side::table(levels));
        out.gap();
        out.paragraph(OBSERVED);
    }
    if let Some(compared) = compared {
        write_answers(compared, &mut out);
    }
    out
}

fn write_heads(compared: &Compared, out: &mut Document) {
    out.headline(sentence::headline(compared));
    sentence::notes(compared).into_iter().for_each(|note| out.bullet(note));
    out.heading("Runs");
    for run in &compared.runs {
        let text = format!(
            "{}  {}; {}, mode {}, {} complete, {}",
            run.short,
            run.title,
            utc(run.started_unix_ns),
            run.mode,
            phrases::count(run.blocks, "block"),
            run.conditions
        );
        out.line(1, text);
    }
    if !compared.differences.is_empty() {
        out.heading("They differ in");
    }
    let shorts: Vec<&str> = compared.runs.iter().map(|r| r.short.as_str()).collect();
    for difference in &compared.differences {
        let value = |(value, run): (&String, &&str)| {
            if value.is_empty() {
                format!("not recorded in {run}")
            } else {
                format!("{value} in {run}")
            }
        };
        let values: Vec<String> = difference.values.iter().zip(&shorts).map(value).collect();
        out.line(1, format!("{}: {}", difference.what, values.join("; ")));
    }
    if !compared.left_out.is_empty() {
        out.heading("Excluded, because not in all runs");
        out.line(1, left_out(compared).join(", "));
    }
}

fn write_answers(compared: &Compared, out: &mut Document) {
    // What keeps runs from being ranked is in the first sentence, once.
    let answers = compared.answers.iter().filter(|_| compared.is_alike);
    for answer in answers.clone() {
        let word = answer.verdict.name().replace('_', " ");
        let title = format!("{}: {}", answer.workload, answer.summary);
        out.result(title, mark::verdict(answer.verdict, &word));
        write_findings(&answer.findings, out);
    }
    let ratios = ratios(compared);
    if compared.is_alike && !ratios.is_empty() {
        out.heading("Ratios inside each run (95 % CI)");
        out.table(ratios);
    }
    let forbidden = forbidden(compared);
    let findings = run_document::findings(&compared.findings);
    if forbidden.is_empty() && findings.is_empty() {
        return;
    }
    out.heading("Limits of this comparison");
    forbidden.into_iter().for_each(|text| out.line(1, text));
    findings.iter().for_each(|finding| out.line(1, finding.line()));
}

/// The leader of the first run against each other candidate, in every run.
fn ratios(compared: &Compared) -> Table {
    let shorts = compared.runs.iter().map(|run| number(&run.short));
    let columns = [words("workload"), words("pair")].into_iter().chain(shorts);
    let columns = columns.chain([words("intervals")]);
    let rows = compared.answers.iter().flat_map(|answer| {
        let best = answer.effects.first().map(|effect| &effect.a);
        let of_best = answer.effects.iter().filter(move |row| Some(&row.a) == best);
        of_best.map(|row| {
            let effect = |of: &Option<EffectIn>| change(of.map(|e| [e.ratio, e.low, e.high]));
            let same = match row.is_same {
                Some(true) => "overlap",
                Some(false) => "apart",
                None => "",
            };
            let names = [workload_name(&answer.workload), format!("{} / {}", row.a, row.b)];
            names.into_iter().chain(row.runs.iter().map(effect)).chain([same.to_string()]).collect()
        })
    });
    Table::new(columns, rows)
}

/// What forbids a verdict, once for each run, with the workloads.
fn forbidden(compared: &Compared) -> Vec<String> {
    let each = compared.answers.iter().flat_map(|answer| {
        let said = answer.runs.iter().zip(&compared.runs);
        said.flat_map(|(said, run)| {
            let reasons = said.forbidden.iter();
            reasons.map(|reason| ((run.short.clone(), reason.clone()), answer.workload.as_str()))
        })
    });
    let said = |((run, reason), workloads): ((String, String), Vec<&str>)| {
        let workloads: Vec<String> = workloads.into_iter().map(workload_name).collect();
        format!("{run}: {reason}: no verdict on {}.", phrases::list(&workloads))
    };
    phrases::grouped(each).into_iter().map(said).collect()
}

fn left_out(compared: &Compared) -> Vec<String> {
    let of = |one: &LeftOut| format!("{} (in {})", one.name, compared.runs[one.run].short);
    compared.left_out.iter().map(of).collect()
}

fn write_findings(findings: &[Finding], out: &mut Document) {
    for finding in run_document::findings(findings) {
        out.line(1, finding.line());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::compare::compare;
    use bakeoff_judge::gate::judge;
    use bakeoff_judge::levels::levels;
    use bakeoff_judge::levels::side_by_side::side_by_side;
    use bakeoff_judge::testing::{RunBuilder, keys};

    #[test]
    fn every_key_is_in_docs_format_md() {
        let run = |kernel: &str| {
            let builder = RunBuilder::stacks(&["ext4", "btrfs"]).workloads(&["seqread"]);
            let builder = builder.header(|h| h.host.kernel = kernel.to_string());
            let run = builder.play(5, |_, c, _| if c == 0 { 2e8 } else { 1e8 }).build();
            let analysis = analyse(&run);
            (run, analysis)
        };
        let runs = [run("6.6"), run("6.12")];
        let compared = compare(&runs, None);
        let both = [levels(&runs[0].0, &runs[0].1), levels(&runs[1].0, &runs[1].1)];
        let side = side_by_side(&both, true);
        let gate = judge(&[&both[0]], &both[1], 0.1, Vec::new());
        let json = compare_json(&ComparisonParts {
            compared: Some(&compared),
            levels: Some(&side),
            gate: Some(&gate),
            choices: &[("a".to_string(), "b".to_string())],
            ..ComparisonParts::default()
        });
        let mut found = BTreeSet::new();
        keys(&serde_json::from_str(&json).unwrap(), &mut found);
        let doc = include_str!("../../../../docs/format.md");
        let missing: Vec<_> = found.iter().filter(|k| !doc.contains(&format!("`{k}`"))).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(found.contains("is_same"));
    }

    #[test]
    fn names_of_others_cannot_drive_a_terminal() {
        let run = |id: &str| {
            let run = RunBuilder::stacks(&["ext4", "x\u{1b}[31m\u{202e}"])
                .header(|h| {
                    h.run = id.to_string();
                    h.title = "\u{1b}[2J".to_string();
                    h.host.kernel = format!("{id}\u{1b}]0;x\u{7}");
                    h.workloads[0].summary = "\u{1b}[1A".to_string();
                })
                .play(5, |_, c, _| if c == 0 { 2e3 } else { 1e3 })
                .build();
            let analysis = analyse(&run);
            (run, analysis)
        };
        let compared = compare(&[run("a"), run("b")], None);
        let of = ComparisonParts { compared: Some(&compared), ..ComparisonParts::default() };
        let text = compare_document(&of).text(80, false);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
