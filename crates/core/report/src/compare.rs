//! Runs beside each other, and results of others beside a run, for programs and for people.

mod sentence;
#[cfg(test)]
mod texts_tests;

use serde_json::{Value, json};

use super::document::Document;
use super::mark;
use super::run_document::{self, utc};
use bakeoff_judge::compare::Compared;
use bakeoff_judge::compare::answer::{Answer, EffectIn, EffectRow};
use bakeoff_judge::compare::beside::{Beside, Published, PublishedRatio};
use bakeoff_judge::compare::differences::LeftOut;
use bakeoff_judge::compare::figures::Row;
use bakeoff_model::finding::Finding;
use bakeoff_model::path::sanitize;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

const SHOWN_PUBLISHED: usize = 4;
const OBSERVED: &str = "Figures of different runs include session effects, so their ratios are \
    observations, not verdicts. The verdicts use ratios within runs.";

/// One document: `compared` where there are two runs and more, and the results of others beside
/// each run.
pub fn compare_json(compared: Option<&Compared>, beside: &[Beside]) -> String {
    let mut document = compared.map_or_else(|| json!({}), compared_json);
    if let Value::Object(map) = &mut document {
        map.insert("schema".to_string(), json!("bakeoff/compare/1"));
        map.insert("beside".to_string(), beside.iter().map(beside_json).collect());
    }
    document.to_string()
}

fn compared_json(compared: &Compared) -> Value {
    let mut document = json!(compared);
    document["headline"] = json!(sentence::headline(compared));
    document["notes"] = json!(sentence::notes(compared));
    document["left_out"] = json!(left_out(compared));
    for (at, answer) in compared.answers.iter().enumerate() {
        document["answers"][at]["sentence"] = json!(sentence::text(compared, answer));
    }
    document
}

fn beside_json(beside: &Beside) -> Value {
    let mut document = json!(beside);
    document["not_comparable"] = json!(beside.not_comparable);
    for (at, pair) in beside.pairs.iter().enumerate() {
        for (published, ratio) in pair.published.iter().enumerate() {
            document["pairs"][at]["published"][published]["setting"] = json!(setting(ratio));
        }
    }
    document
}

pub fn compare_document(compared: Option<&Compared>, beside: &[Beside]) -> Document {
    let mut out = Document::default();
    if let Some(compared) = compared {
        write_compared(compared, &mut out);
    }
    for (at, beside) in beside.iter().enumerate() {
        if at > 0 || compared.is_some() {
            out.gap();
        }
        write_beside(beside, &mut out);
    }
    out
}

fn write_compared(compared: &Compared, out: &mut Document) {
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
        let value = |(value, run): (&String, &&str)| match value.is_empty() {
            true => format!("not recorded in {run}"),
            false => format!("{value} in {run}"),
        };
        let values: Vec<String> = difference.values.iter().zip(&shorts).map(value).collect();
        out.line(1, format!("{}: {}", difference.what, values.join("; ")));
    }
    if !compared.left_out.is_empty() {
        out.heading("Excluded, because not in all runs");
        out.line(1, left_out(compared).join(", "));
    }
    for answer in &compared.answers {
        write_answer(compared, answer, &shorts, out);
    }
    if !compared.answers.is_empty() {
        out.gap();
        out.paragraph(OBSERVED);
    }
    findings_below("Limits of this comparison", &compared.findings, out);
}

fn left_out(compared: &Compared) -> Vec<String> {
    let of = |one: &LeftOut| format!("{} (in {})", one.name, compared.runs[one.run].short);
    compared.left_out.iter().map(of).collect()
}

fn write_answer(compared: &Compared, answer: &Answer, shorts: &[&str], out: &mut Document) {
    let word = answer.verdict.name().replace('_', " ");
    let title = format!("{}: {}", answer.workload, answer.summary);
    out.result(title, mark::verdict(answer.verdict, &word));
    out.paragraph(sentence::text(compared, answer));
    let best = answer.effects.first().map(|e| e.a.clone());
    for row in answer.effects.iter().filter(|row| Some(&row.a) == best.as_ref()) {
        out.line(1, effect(row, shorts));
    }
    for row in &answer.figures {
        out.line(1, figures(answer, row, shorts));
    }
    write_findings(&answer.findings, out);
}

fn findings_below(heading: &str, findings: &[Finding], out: &mut Document) {
    if !findings.is_empty() {
        out.heading(heading);
        write_findings(findings, out);
    }
}

fn write_findings(findings: &[Finding], out: &mut Document) {
    for finding in run_document::findings(findings) {
        out.line(1, finding.line());
    }
}

fn write_beside(beside: &Beside, out: &mut Document) {
    let short = run_document::short_id(&beside.run);
    let head = format!(
        "{} and run {short}: the results of others next to those of the run. These are \
         observations; bakeoff gives no verdict on them.",
        sanitize(&beside.source)
    );
    out.paragraph(head);
    out.heading("Reasons why the results are not comparable");
    for reason in &beside.not_comparable {
        out.bullet(reason);
    }
    out.heading("Figures");
    if beside.rows.is_empty() {
        out.line(
            1,
            "The file has no figure in bytes per second for a filesystem and access pattern that \
             this run also measured.",
        );
    }
    for row in &beside.rows {
        let ours = row.ours;
        let text = format!(
            "{}, {}: {} in this run ({} to {}, {})",
            row.workload,
            row.candidate,
            units::rate(ours.mean),
            units::rate(ours.min),
            units::rate(ours.max),
            phrases::count(ours.cells, "cell")
        );
        out.line(1, text);
        for published in row.published.iter().take(SHOWN_PUBLISHED) {
            out.line(2, format!("in the file: {}", told(published)));
        }
        let more = row.published.len().saturating_sub(SHOWN_PUBLISHED);
        if more > 0 {
            out.line(2, format!("and {more} more; --format json lists them"));
        }
    }
    if !beside.pairs.is_empty() {
        out.heading("Ratios");
    }
    for pair in &beside.pairs {
        let text = format!(
            "{}, {} against {}: {} in this run (95 % CI: {} to {})",
            pair.workload,
            pair.a,
            pair.b,
            units::three_digits(pair.ratio),
            units::three_digits(pair.low),
            units::three_digits(pair.high)
        );
        out.line(1, text);
        for published in pair.published.iter().take(SHOWN_PUBLISHED) {
            let side = if published.is_inside { "inside" } else { "outside" };
            let (theirs, setting) = (units::three_digits(published.ratio), setting(published));
            let text = format!(
                "in the file: {theirs} ({setting}), {side} the interval of the \
                                run"
            );
            out.line(2, text);
        }
    }
    if !beside.observations.is_empty() {
        out.heading("Possible explanations of the figures of others");
        for line in beside.observations.iter().map(String::as_str).chain([beside.assumption]) {
            out.line(1, line);
        }
    }
}

fn setting(of: &PublishedRatio) -> String {
    format!("{}, {}{}", of.setting, of.test, block_size(of.block_size_bytes))
}

fn block_size(bytes: Option<u64>) -> String {
    bytes.map(|bytes| format!(", bs {}", units::block_size(bytes))).unwrap_or_default()
}

fn told(published: &Published) -> String {
    format!(
        "{}: {}{}, {}, {} (line {})",
        units::rate(published.bytes_per_s),
        published.test,
        block_size(published.block_size_bytes),
        published.tool,
        published.setting,
        published.line
    )
}

fn effect(row: &EffectRow, shorts: &[&str]) -> String {
    let one = |(effect, run): (&Option<EffectIn>, &&str)| match effect {
        Some(e) => format!(
            "{} (95 % CI: {} to {}; n = {}) in {run}",
            units::three_digits(e.ratio),
            units::three_digits(e.low),
            units::three_digits(e.high),
            e.blocks
        ),
        None => format!("too few blocks in {run}"),
    };
    let runs: Vec<String> = row.runs.iter().zip(shorts).map(one).collect();
    let same = match row.is_same {
        Some(true) => "; the intervals overlap",
        Some(false) => "; the intervals do not overlap: the difference depends on the run",
        None => "",
    };
    format!("{} against {}: {}{same}", row.a, row.b, runs.join("; "))
}

fn figures(answer: &Answer, row: &Row, shorts: &[&str]) -> String {
    let text = |value: f64| answer.metric.figure(value);
    let one = |((of, ratio_of), run): ((&Option<_>, &Option<f64>), &&str)| {
        let Some(of): &Option<bakeoff_judge::decide::figure::Figure> = of else {
            return format!("no valid cell in {run}");
        };
        let times =
            ratio_of.map(|r| format!(", {} times", units::three_digits(r))).unwrap_or_default();
        format!("{} ({} to {}) in {run}{times}", text(of.mean), text(of.min), text(of.max))
    };
    let runs: Vec<String> = row.runs.iter().zip(&row.ratios).zip(shorts).map(one).collect();
    format!("{}: {}", row.candidate, runs.join("; "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use bakeoff_judge::analyse::analyse;
    use bakeoff_judge::compare::beside::beside;
    use bakeoff_judge::compare::compare;
    use bakeoff_judge::import;
    use bakeoff_judge::testing::{RunBuilder, keys};
    use bakeoff_model::workload::{DriverName, Workload};

    const TABLE: &[u8] = include_bytes!("../../../../fixtures/studies/luks-btrfs.csv");

    #[test]
    fn every_key_is_in_docs_format_md() {
        let run = |kernel: &str| {
            let builder = RunBuilder::stacks(&["ext4", "btrfs"]).workloads(&["seqread"]);
            let builder = builder.header(|h| h.host.kernel = kernel.to_string());
            let run = builder.play(5, |_, c, _| if c == 0 { 2e8 } else { 1e8 }).build();
            let analysis = analyse(&run);
            (run, analysis)
        };
        let imported = import::all(TABLE);
        let runs = [run("6.6"), run("6.12")];
        let beside = [beside(&runs[0].0, "a.csv", &imported)];
        assert!(!beside[0].rows.is_empty() && !beside[0].pairs.is_empty());
        let json = compare_json(Some(&compare(&runs, None)), &beside);
        let mut found = BTreeSet::new();
        keys(&serde_json::from_str(&json).unwrap(), &mut found);
        let doc = include_str!("../../../../docs/format.md");
        let missing: Vec<_> = found.iter().filter(|k| !doc.contains(&format!("`{k}`"))).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(found.contains("is_same") && found.contains("is_inside"));
    }

    /// One line for each of ten workloads of one size, and bakeoff as the tool of all.
    #[test]
    fn workloads_of_one_size_share_a_line_and_their_tools_are_named() {
        let run = RunBuilder::stacks(&["ext4", "btrfs"])
            .workloads(&["seqread"])
            .header(|h| {
                let native = h.workloads[0].clone();
                let name = format!("{}-fio", native.name);
                h.workloads.push(Workload { name, driver: DriverName::Fio, ..native });
            })
            .play(5, |_, c, _| if c == 0 { 2e8 } else { 1e8 })
            .build();
        let imported = import::all(TABLE);
        let beside = [beside(&run, "a.csv", &imported)];
        let text = compare_document(None, &beside).text(200, false);
        assert!(text.contains("block size of seqread and seqread-fio: 1m in this run"), "{text}");
        assert!(text.contains(" / fio in this run; fio"), "{text}");
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
        let text = compare_document(Some(&compared), &[]).text(80, false);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
