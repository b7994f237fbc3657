//! Signatures found on a target, in words.

use bakeoff_machine::prepare::contents::{Contents, Sign};
use bakeoff_model::path::printable;
use bakeoff_stats::distinct;

/// One line for each signature, copies of partition tables left out.
pub fn lines(contents: &Contents) -> Vec<String> {
    let found = contents.signs.iter().filter(|sign| sign.kind != "PMBR");
    distinct::in_order(found.map(sign))
}

/// In words: `ext4 "MYPHOTOS" (UUID 477f…)`.
fn sign(sign: &Sign) -> String {
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
    words
}

fn shown(text: &str) -> String {
    printable(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::path::RawPath;

    #[test]
    fn names_kind_label_and_uuid() {
        let ext4 = Sign {
            kind: "ext4".to_string(),
            label: Some(RawPath::new("MYPHOTOS")),
            uuid: Some("477f0e42".to_string()),
            ..Sign::default()
        };
        assert_eq!(sign(&ext4), "ext4 \"MYPHOTOS\" (UUID 477f0e42)");
        let luks =
            Sign { kind: "crypto_LUKS".into(), part: Some("sda2".into()), ..Sign::default() };
        assert_eq!(sign(&luks), "sda2: crypto_LUKS");
    }

    #[test]
    fn prints_hostile_labels_harmlessly() {
        let label = Some(RawPath::new("\x1b[2J\u{202e}x"));
        let words = sign(&Sign { label, kind: "vf\x1bat".into(), ..Sign::default() });
        assert!(words.chars().all(|c| !c.is_control() && c != '\u{202e}'), "{words:?}");
    }
}
