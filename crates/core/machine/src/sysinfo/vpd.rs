//! SCSI "unit serial number" page, `/sys/block/X/device/vpd_pg80`: SPC-4, 7.8.15.

/// The serial number: byte 1 is the page code, bytes 2 and 3 the length, the rest ASCII.
pub fn serial(page: &[u8]) -> Option<String> {
    let [_, 0x80, high, low, rest @ ..] = page else { return None };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    let text = String::from_utf8_lossy(rest.get(..length)?);
    let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    (!text.is_empty()).then(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::serial;

    #[test]
    fn length_is_believed_only_within_the_page() {
        assert_eq!(serial(b"\x00\x80\x00\x08  S3Z8NB"), Some("S3Z8NB".to_string()));
        assert_eq!(serial(b"\x00\x80\x00\x09  S3Z8NB"), None);
        assert_eq!(serial(b"\x00\x83\x00\x02ab"), None);
        assert_eq!(serial(b"\x00\x80\x00\x02  "), None);
        assert_eq!(serial(b""), None);
    }
}
