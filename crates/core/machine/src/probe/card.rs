//! What an SD card's own id says about who made it: a hint, and never more.
//!
//! The id (CID register) is 16 bytes: manufacturer (1), OEM (2), product name (5), revision (1),
//! serial number (4), date and checksum (SD Physical Layer Specification, 5.2). Anything can be
//! written there, by honest makers and by others. Which values forgers use: the list that sbc-bench
//! keeps (github.com/ThomasKaiser/sbc-bench).

/// Manufacturer and OEM of cards that turned out to be forged; `None` = whatever the OEM.
const FORGED: [(u8, Option<u16>); 7] = [
    (0x00, None),
    (0xff, Some(0x0000)),
    (0x6f, Some(0x0013)),
    (0x25, Some(0x1708)),
    (0xdf, None),
    (0xfe, Some(0x3456)),
    (0x12, None),
];

/// What the id of an SD card, 32 hexadecimal digits, gives reason to suspect; `None` = nothing.
pub fn hint(cid: &str) -> Option<String> {
    let id = u128::from_str_radix(cid, 16).ok().filter(|_| cid.len() == 32)?;
    let (maker, oem) = ((id >> 120) as u8, (id >> 104) as u16);
    let serial = (id >> 24) as u32;
    let is_it = |(m, o): &(u8, Option<u16>)| *m == maker && o.is_none_or(|o| o == oem);
    if FORGED.iter().any(is_it) {
        return Some(format!(
            "Its card ID contains manufacturer 0x{maker:02x} and OEM 0x{oem:04x}, which \
             counterfeit cards are known to use. This is a hint, not proof."
        ));
    }
    (serial >> 16 == 0).then(|| {
        format!(
            "The serial number in its card ID is 0x{serial:08x}, as short as on many counterfeit \
             cards. This is a hint, not proof."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_given_for_ids_that_forgers_use_and_for_no_other() {
        // A SanDisk card, and that of an emulated board.
        assert_eq!(hint("03534453433136478022e17cd2011b00"), None);
        assert_eq!(hint("aa585951454d552101deadbeef006219"), None);
        let forged = hint("6f0013534d4949202010000012d00c00").unwrap();
        assert!(forged.contains("manufacturer 0x6f and OEM 0x0013,"), "{forged}");
        let other_oem = hint("6f0014534d49492020deadbeef00c000");
        assert_eq!(other_oem, None);
        let short = hint("035344534331364780000000d2011b00").unwrap();
        assert!(short.contains("is 0x000000d2, as short as"), "{short}");
        for odd in ["", "S3Z8NB0K123456", "zz", "\x1b[2J", &"f".repeat(400)] {
            assert_eq!(hint(odd), None, "{odd}");
        }
    }
}
