//! `wipefs --json --no-act DEVICE`: every signature libblkid knows, also several on one device.
//!
//! Source: util-linux, misc-utils/wipefs.c. `blkid --probe --output export` says the same of one
//! range of a device, as lines of NAME=value.

use serde::Deserialize;

use bakeoff_model::path::RawPath;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    pub offset_bytes: u64,
    /// `ext4`, `gpt`, `LVM2_member`.
    pub kind: String,
    pub uuid: Option<String>,
    pub label: Option<RawPath>,
}

#[derive(Deserialize)]
struct WipefsOutput {
    #[serde(default)]
    signatures: Vec<WipefsSignature>,
}

#[derive(Deserialize)]
struct WipefsSignature {
    offset: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    uuid: Option<String>,
    label: Option<String>,
}

/// Reads the document; `None` when it is none. Nothing at all is an empty list: so say versions
/// before 2.37 of a device without a signature.
pub fn parse(bytes: &[u8]) -> Option<Vec<Signature>> {
    if bytes.trim_ascii().is_empty() {
        return Some(Vec::new());
    }
    // A label is whatever somebody wrote; a raw control character would end the document.
    let clean = |byte: &u8| if *byte < b' ' && *byte != b'\n' { b'?' } else { *byte };
    let bytes: Vec<u8> = bytes.iter().map(clean).collect();
    let document: WipefsOutput = serde_json::from_str(&String::from_utf8_lossy(&bytes)).ok()?;
    let text = |text: Option<String>| text.filter(|text| !text.is_empty());
    let signature = |row: WipefsSignature| {
        let digits = row.offset.trim_start_matches("0x");
        Some(Signature {
            offset_bytes: u64::from_str_radix(digits, 16).ok()?,
            kind: row.kind.unwrap_or_else(|| "unknown".to_string()),
            uuid: text(row.uuid),
            label: text(row.label).map(RawPath::new),
        })
    };
    document.signatures.into_iter().map(signature).collect()
}

/// Reads the lines of `blkid --probe --output export`.
pub fn parse_export(text: &str) -> Option<Signature> {
    let value = |name: &str| {
        let lines = text.lines().filter_map(|line| line.split_once('='));
        lines.filter(|(key, _)| *key == name).map(|(_, value)| value.to_string()).next()
    };
    let kind = value("TYPE").or_else(|| value("PTTYPE"))?;
    Some(Signature {
        offset_bytes: 0,
        kind,
        uuid: value("UUID").or_else(|| value("PTUUID")),
        label: value("LABEL").map(RawPath::new),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As util-linux 2.38.1 writes it.
    const TWO: &str = r#"{
   "signatures": [
      {
         "device": "a.img",
         "offset": "0x438",
         "type": "ext4",
         "uuid": "477f0e42-8ada-4c5d-9ace-83afc23048da",
         "label": "MYPHOTOS"
      },{
         "device": "a.img",
         "offset": "0x200",
         "type": "gpt",
         "uuid": null,
         "label": null
      }
   ]
}"#;

    #[test]
    fn every_signature_is_read() {
        let found = parse(TWO.as_bytes()).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].offset_bytes, found[0].kind.as_str()), (1080, "ext4"));
        assert_eq!(found[0].label, Some(RawPath::new("MYPHOTOS")));
        assert_eq!((found[1].kind.as_str(), &found[1].uuid), ("gpt", &None));
        assert_eq!(parse(b"{\n \"signatures\": [\n\n ]\n}\n"), Some(vec![]));
        assert_eq!(parse(b""), Some(vec![]));
        assert_eq!(parse(b"wipefs: error"), None);
    }

    #[test]
    fn a_label_with_control_characters_does_not_end_the_document() {
        let hostile = TWO.replace("MYPHOTOS", "a\x1b[31m\rb");
        let found = parse(hostile.as_bytes()).unwrap();
        assert_eq!(found[0].label, Some(RawPath::new("a?[31m?b")));
    }

    #[test]
    fn a_range_is_read_from_lines() {
        let found = parse_export("DEVNAME=b.img\nLABEL=INNER\nUUID=e0b9\nTYPE=ext4\n").unwrap();
        assert_eq!((found.kind.as_str(), found.uuid.as_deref()), ("ext4", Some("e0b9")));
        let table = parse_export("PTUUID=54040999\nPTTYPE=gpt\n").unwrap();
        assert_eq!((table.kind.as_str(), table.uuid.as_deref()), ("gpt", Some("54040999")));
        assert_eq!(parse_export(""), None);
    }
}
