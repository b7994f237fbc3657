//! What a probe found, for people and for programs.

use serde_json::{Value, json};

use super::document::Document;
use bakeoff_machine::probe::judge::{ProbeVerdict, Report, overlooked};
use bakeoff_stats::units;

pub fn probe_document(report: &Report) -> Document {
    let mut out = Document::default();
    out.headline(report.target.as_str());
    out.paragraph(sentence(report));
    report.hint.iter().for_each(|hint| out.paragraph(hint.clone()));
    out
}

/// For programs: `bakeoff/probe/1`.
pub fn probe_json(report: &Report) -> String {
    let mut document: Value = json!(report);
    document["sentence"] = json!(sentence(report));
    document["hint"] = json!(report.hint);
    format!("{document:#}\n")
}

fn sentence(report: &Report) -> String {
    let claimed = units::size(report.claimed_bytes);
    match report.verdict {
        ProbeVerdict::NoEvidence => format!(
            "No evidence of fake capacity in {} samples over {claimed}. A drive with at most 90 % \
             of that capacity would have been detected with a probability of {:.4} %. This check \
             cannot exclude damage between the samples. The write passes of a run check every byte \
             of their region.",
            report.samples,
            (1.0 - overlooked(0.9)) * 100.0
        ),
        ProbeVerdict::Unstable => format!(
            "{} of {} samples over {claimed} were not read back correctly at first, but all of \
             them were on the second attempt. Likely causes are a bad contact, reader or cable, or \
             a failing drive. Try another reader or port and probe again before you trust or \
             reject it.",
            report.samples - report.good,
            report.samples
        ),
        ProbeVerdict::Mismatch => {
            let wraps = report.wraps_at_bytes.map_or(String::new(), |bytes| {
                format!(" Addresses that are {} apart return the same data.", units::size(bytes))
            });
            let first = report.first_bad_bytes.unwrap_or(0);
            format!(
                "{} of {} samples over {claimed} were not read back correctly in two attempts. The \
                 first of them is at {}.{wraps} The drive stores less than it claims: do not use \
                 it.",
                report.samples - report.good,
                report.samples,
                units::size(first)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::probe::Readback;
    use bakeoff_machine::probe::judge::judge;

    const GIB: u64 = 1 << 30;

    fn text(report: &Report) -> String {
        probe_document(report).text(80, false)
    }

    #[test]
    fn all_good_is_no_evidence_and_never_genuine() {
        let pass: Vec<(u64, Readback)> = (0..100).map(|i| (i << 20, Readback::Good)).collect();
        let report = judge("/dev/sdb", 32 * GIB, &pass, None);
        insta::assert_snapshot!(text(&report));
        let hint = "A short serial number. This is a hint, not proof.".to_string();
        let hinted = Report { hint: Some(hint), ..report.clone() };
        let more = text(&hinted);
        assert!(more.starts_with(&text(&report)) && more.contains("A short serial"), "{more}");
        assert!(!text(&report).to_lowercase().contains("genuine"));
        let json: Value = serde_json::from_str(&probe_json(&hinted)).unwrap();
        assert!(json["hint"].as_str().is_some_and(|hint| hint.contains("not proof")), "{json}");
    }

    #[test]
    fn a_fake_is_named_with_where_it_wraps() {
        let fake: Vec<(u64, Readback)> = (0..32)
            .map(|i| (i * GIB, if i < 8 { Readback::Good } else { Readback::Alias(i % 8 * GIB) }))
            .collect();
        insta::assert_snapshot!(text(&judge("/dev/sdb", 32 * GIB, &fake, Some(&fake))));
    }
}
