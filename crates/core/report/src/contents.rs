//! Signatures found on a target, in words.

use bakeoff_machine::prepare::contents::{Contents, Sign};
use bakeoff_model::path::printable;
use bakeoff_stats::distinct;
use bakeoff_stats::units;

/// One line for each signature, copies of partition tables left out.
pub fn lines(contents: &Contents, now_s: u64) -> Vec<String> {
    let found = contents.signs.iter().filter(|sign| sign.kind != "PMBR");
    distinct::in_order(found.map(|found| sign(found, now_s)))
}

/// In words: `ext4 "MYPHOTOS" (UUID 477f…), 12 GiB of 29 GiB used, last written 3 days ago`.
fn sign(sign: &Sign, now_s: u64) -> String {
    let mut words = match &sign.part {
        Some(part) => format!("{part}: {}", shown(&sign.kind)),
        None => shown(&sign.kind),
    };
    if let Some(label) = sign.label.as_ref().filter(|label| !label.as_bytes().is_empty()) {
        words += &format!(" \"{label}\"");
    }
    if let Some(uuid) = &sign.uuid {
        words += &format!(" (UUID {})", shown(uuid));
    }
    match (sign.used_bytes, sign.size_bytes) {
        (Some(used), Some(size)) => {
            words += &format!(", {} of {} used", units::size(used), units::size(size));
        }
        (None, Some(size)) => words += &format!(", {}", units::size(size)),
        _ if sign.is_table() => {}
        _ => words += ", used space unknown",
    }
    if let Some(then) = sign.written_s.filter(|then| *then > 0) {
        words += &format!(", last written {}", ago(now_s.saturating_sub(then)));
    } else if let Some(then) = sign.made_s.filter(|then| *then > 0) {
        words += &format!(", created {}", ago(now_s.saturating_sub(then)));
    }
    words
}

fn shown(text: &str) -> String {
    printable(text.as_bytes())
}

fn ago(seconds: u64) -> String {
    const HOUR: u64 = 3600;
    match seconds {
        0..HOUR => "within the last hour".to_string(),
        s if s < 48 * HOUR => format!("{} h ago", s / HOUR),
        s if s < 730 * 24 * HOUR => format!("{} days ago", s / (24 * HOUR)),
        s => format!("{} years ago", s / (365 * 24 * HOUR)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::path::RawPath;

    #[test]
    fn names_label_uuid_used_size_and_age() {
        let ext4 = Sign {
            kind: "ext4".to_string(),
            label: Some(RawPath::new("MYPHOTOS")),
            uuid: Some("477f0e42".to_string()),
            size_bytes: Some(64 << 20),
            used_bytes: Some(5 << 20),
            written_s: Some(1_000_000),
            ..Sign::default()
        };
        let now_s = 1_000_000 + 3 * 86_400;
        assert_eq!(
            sign(&ext4, now_s),
            "ext4 \"MYPHOTOS\" (UUID 477f0e42), 5 MiB of 64 MiB used, last written 3 days ago"
        );
        let luks =
            Sign { kind: "crypto_LUKS".into(), part: Some("sda2".into()), ..Sign::default() };
        assert_eq!(sign(&luks, now_s), "sda2: crypto_LUKS, used space unknown");
    }

    #[test]
    fn prints_hostile_labels_harmlessly() {
        let label = Some(RawPath::new("\x1b[2J\u{202e}x"));
        let words = sign(&Sign { label, kind: "vf\x1bat".into(), ..Sign::default() }, 0);
        assert!(words.chars().all(|c| !c.is_control() && c != '\u{202e}'), "{words:?}");
    }
}
