//! What tells a board from others of its name: a digest, because the ids themselves are private.
//!
//! Sources: `/proc/device-tree/serial-number` (Devicetree Specification 0.4, 2.3: the serial number
//! of the device), and machine-id(5), which asks programs not to show the id itself.

use sha2::{Digest, Sha256};

const DIGITS: usize = 16;
const KEY: &str = "bakeoff board\n";

/// The digest of a serial number, or of a machine id where there is none; `None` where both are
/// missing or hold only a placeholder.
pub fn digest(serial: Option<&str>, machine_id: Option<&str>) -> Option<String> {
    let known = [serial, machine_id].into_iter().flatten().map(str::trim).find(|id| is_id(id))?;
    let digest = Sha256::digest(format!("{KEY}{known}"));
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(hex[..DIGITS].to_string())
}

/// Not the zeros of an emulated board, and not the word of an image before its first boot.
fn is_id(text: &str) -> bool {
    text.len() >= 8 && text != "uninitialized" && text.chars().any(|c| c != '0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_number_comes_before_a_machine_id_and_placeholders_are_none() {
        let of = |serial, id| digest(serial, id);
        let (serial, id) = (Some("10000000abcdef01"), Some("0123456789abcdef0123456789abcdef\n"));
        let found = of(serial, id).unwrap();
        assert_eq!(found.len(), DIGITS);
        assert_eq!(of(serial, None), Some(found.clone()));
        assert_eq!(of(Some("0000000000000000"), id), of(None, id));
        assert_ne!(of(None, id), Some(found));
        for none in [None, Some(""), Some("0000000000000000"), Some("uninitialized"), Some("1")] {
            assert_eq!(of(None, none), None);
        }
    }
}
