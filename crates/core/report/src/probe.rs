//! What an examination of a drive found, for people and for programs.

use serde_json::{Value, json};

use super::document::{ColouredWord, Document, Row};
use super::layout::Tone;
use bakeoff_machine::probe::exam::{Exam, ExamAnswer, ExamPart, PartSeen};
use bakeoff_stats::phrases;

/// The answer with its evidence, what each part saw, and what was left out with what to type for
/// it. `typed` gives commands as the asker has to type them.
pub fn probe_document(exam: &Exam, typed: impl Fn(&str) -> String) -> Document {
    let mut out = Document::default();
    out.headline(exam.target.as_str());
    let answer = exam.answer();
    let word = phrases::capital(answer.label());
    let tone = match answer {
        ExamAnswer::NothingWrongFound => Tone::Good,
        ExamAnswer::Slow => Tone::Caution,
        ExamAnswer::Failing | ExamAnswer::Fake => Tone::Bad,
    };
    out.result("Result", ColouredWord { word, tone });
    if answer == ExamAnswer::NothingWrongFound {
        out.paragraph("As far as it was examined; that is no proof that all is well.");
    }
    let row = |seen: &PartSeen| Row {
        name: seen.part.label().to_string(),
        text: seen.found.clone(),
        advice: seen.advice.as_deref().map(&typed),
    };
    out.rows(exam.evidence().map(row));
    let is_fine = |seen: &&PartSeen| seen.answer == ExamAnswer::NothingWrongFound;
    out.gap();
    out.rows(exam.parts.iter().filter(is_fine).map(row));
    if !exam.left_out.is_empty() {
        out.heading("Left out");
    }
    for left in &exam.left_out {
        out.bullet(format!("{}: {}", left.part.label(), left.why));
        left.command.iter().for_each(|command| out.command(command.clone()));
    }
    out
}

/// For programs: `bakeoff/probe/1`.
pub fn probe_json(exam: &Exam) -> String {
    let mut document: Value = json!(exam);
    document["schema"] = json!("bakeoff/probe/1");
    document["claimed_bytes"] = json!(exam.size_bytes);
    document["answer"] = json!(exam.answer());
    let is_identity = |seen: &&PartSeen| seen.part == ExamPart::Identity;
    document["hint"] =
        json!(exam.parts.iter().find(is_identity).and_then(|seen| seen.advice.as_ref()));
    document["sentence"] = json!(exam.capacity.as_ref().map(|report| report.sentence()));
    if let Value::Object(all) = &mut document {
        all.remove("size_bytes");
        if let Value::Object(capacity) = json!(exam.capacity) {
            all.extend(capacity);
        }
    }
    format!("{document:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::probe::Readback;
    use bakeoff_machine::probe::exam::PartLeftOut;
    use bakeoff_machine::probe::judge::judge;

    const GIB: u64 = 1 << 30;

    fn exam(pass: &[(u64, Readback)]) -> Exam {
        let report = judge("/dev/sdb", 32 * GIB, pass, Some(pass));
        Exam {
            target: "/dev/sdb (Acme Stick)".to_string(),
            size_bytes: 32 * GIB,
            parts: vec![
                PartSeen::fine(ExamPart::Link, "USB at 480 Mb/s: a USB 2 device"),
                PartSeen::fine(ExamPart::Identity, "SD ACME").advise("A short serial. A hint."),
                report.seen(),
            ],
            left_out: vec![PartLeftOut {
                part: ExamPart::Contents,
                why: "reads all 34 GB once, in about 15 min; writes nothing".to_string(),
                command: Some("sudo bakeoff probe /dev/sdb --read-all".to_string()),
            }],
            capacity: Some(report),
        }
    }

    fn text(exam: &Exam) -> String {
        probe_document(exam, str::to_string).text(80, false)
    }

    #[test]
    fn all_good_is_no_evidence_and_never_genuine() {
        let pass: Vec<(u64, Readback)> = (0..100).map(|i| (i << 20, Readback::Good)).collect();
        let exam = exam(&pass);
        insta::assert_snapshot!(text(&exam));
        assert!(!text(&exam).to_lowercase().contains("genuine"));
        let json: Value = serde_json::from_str(&probe_json(&exam)).unwrap();
        assert_eq!(json["answer"], "nothing_wrong_found");
        assert_eq!((&json["verdict"], &json["samples"]), (&json!("no_evidence"), &json!(100)));
        assert_eq!(
            (&json["hint"], &json["claimed_bytes"]),
            (&json!("A short serial. A hint."), &json!(32 * GIB))
        );
        let unseen = Exam { capacity: None, ..exam };
        let json: Value = serde_json::from_str(&probe_json(&unseen)).unwrap();
        assert!(json["verdict"].is_null() && json["sentence"].is_null(), "{json}");
    }

    #[test]
    fn a_fake_is_named_with_where_it_wraps() {
        let fake: Vec<(u64, Readback)> = (0..32)
            .map(|i| (i * GIB, if i < 8 { Readback::Good } else { Readback::Alias(i % 8 * GIB) }))
            .collect();
        insta::assert_snapshot!(text(&exam(&fake)));
    }
}
