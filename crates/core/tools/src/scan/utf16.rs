//! Text in UTF-16, which begins with a mark: CrystalDiskMark saves its results so, and PowerShell
//! everything.

/// Turns pieces into UTF-8, wherever they were cut.
#[derive(Debug)]
pub struct Utf16 {
    is_big_endian: bool,
    /// A unit of which one byte is there, or the first half of a pair.
    rest: Vec<u8>,
}

impl Utf16 {
    /// By the first bytes of a text; `None` where they are no mark.
    pub fn by_mark(text: &[u8]) -> Option<Utf16> {
        let is_big_endian = match text {
            [0xff, 0xfe, ..] => false,
            [0xfe, 0xff, ..] => true,
            _ => return None,
        };
        Some(Utf16 { is_big_endian, rest: Vec::new() })
    }

    pub fn decode(&mut self, piece: &[u8]) -> String {
        self.rest.extend_from_slice(piece);
        let unit = |pair: &[u8]| {
            if self.is_big_endian {
                u16::from_be_bytes([pair[0], pair[1]])
            } else {
                u16::from_le_bytes([pair[0], pair[1]])
            }
        };
        let mut units: Vec<u16> = self.rest.chunks_exact(2).map(unit).collect();
        if units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
            units.pop();
        }
        self.rest.drain(..units.len() * 2);
        String::from_utf16_lossy(&units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cut_anywhere_are_the_same_text() {
        let text: Vec<u8> =
            "\u{feff}§ 1 🦀\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for cut in 2..text.len() {
            let mut utf16 = Utf16::by_mark(&text[..cut]).unwrap();
            let whole = utf16.decode(&text[..cut]) + &utf16.decode(&text[cut..]);
            assert_eq!(whole, "\u{feff}§ 1 🦀\r\n");
        }
        assert!(Utf16::by_mark(b"dd").is_none());
    }
}
