//! `ssr` of an SD card in /sys: the SD status register, 512 bits as 128 hexadecimal digits, the
//! highest bit first. Source: SD Physical Layer Simplified Specification, 4.10.2 "SD Status";
//! `Documentation/driver-api/mmc/mmc-dev-attrs.rst` of the Linux kernel.

/// What a card says it can do. A class that the card does not claim is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SdStatus {
    /// Speed class: 2, 4, 6 or 10 MB/s of sequential writing.
    pub speed_class: u8,
    /// UHS speed grade: 1 (10 MB/s) or 3 (30 MB/s).
    pub uhs_grade: u8,
    /// Video speed class: 6, 10, 30, 60 or 90 MB/s.
    pub video_class: u8,
    /// Application performance class: 1 or 2.
    pub app_class: u8,
    /// Allocation unit, bytes; what the card likes writes aligned to.
    pub au_bytes: Option<u64>,
    pub discard: bool,
}

/// Reads the register; `None` when it is no such register or all of it is zero, as a kernel says
/// when the card did not answer.
pub fn parse(text: &str) -> Option<SdStatus> {
    let text = text.trim();
    if text.len() != 128 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0u8; 64];
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    if bytes.iter().all(|b| *b == 0) {
        return None;
    }
    let speed_class = match bytes[8] {
        class @ 1..=3 => class * 2,
        4 => 10,
        _ => 0,
    };
    Some(SdStatus {
        speed_class,
        uhs_grade: bytes[14] >> 4,
        video_class: bytes[15],
        app_class: bytes[21] & 0xf,
        au_bytes: au_bytes(bytes[10] >> 4),
        discard: bytes[24] & 2 != 0,
    })
}

/// Table 4-44 of the specification, "AU_SIZE field".
fn au_bytes(code: u8) -> Option<u64> {
    const KIB: u64 = 1024;
    const MIB: u64 = 1 << 20;
    Some(match code {
        1..=9 => (16 * KIB) << (code - 1),
        0xa => 8 * MIB,
        0xb => 12 * MIB,
        0xc => 16 * MIB,
        0xd => 24 * MIB,
        0xe => 32 * MIB,
        0xf => 64 * MIB,
        _ => return None,
    })
}

impl SdStatus {
    /// "class 10, U3, V30, A2".
    pub fn label(&self) -> String {
        let classes = [
            ("class ", self.speed_class),
            ("U", self.uhs_grade),
            ("V", self.video_class),
            ("A", self.app_class),
        ];
        let said = classes.iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!("{name}{n}"));
        let said: Vec<String> = said.collect();
        if said.is_empty() { "no speed class".to_string() } else { said.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Put together by the table of the specification: class 10, AU 4 MiB, U3, V30, A2, discard.
    fn register() -> String {
        let mut bytes = [0u8; 64];
        (bytes[8], bytes[10], bytes[14], bytes[15], bytes[21], bytes[24]) =
            (4, 0x90, 0x39, 30, 2, 2);
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn classes_allocation_unit_and_discard() {
        let card = parse(&(register() + "\n")).unwrap();
        assert_eq!(card.label(), "class 10, U3, V30, A2");
        assert_eq!((card.au_bytes, card.discard), (Some(4 << 20), true));
    }

    #[test]
    fn what_is_no_register_is_none() {
        assert_eq!(parse(&"0".repeat(128)), None);
        assert_eq!(parse("00"), None);
        assert_eq!(parse(&"é".repeat(64)), None);
        assert_eq!(parse(&"g".repeat(128)), None);
        assert_eq!([au_bytes(1), au_bytes(9), au_bytes(0)], [Some(16384), Some(4 << 20), None]);
    }
}
