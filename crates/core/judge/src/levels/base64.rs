//! Base 64 for addresses and file names (RFC 4648, section 5), without padding: no character of it
//! is changed by a forum, a mail program or a browser.

pub(super) const ALPHABET: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            (0..3).fold(0, |word, at| word << 8 | chunk.get(at).copied().map_or(0, u32::from));
        let digits = [18, 12, 6, 0].map(|shift| ALPHABET[(word >> shift & 63) as usize]);
        out.extend(digits[..=chunk.len()].iter().map(|digit| char::from(*digit)));
    }
    out
}

/// The value of a digit; `None` for other characters.
pub(super) fn digit(c: char) -> Option<u32> {
    let at = ALPHABET.iter().position(|digit| char::from(*digit) == c)?;
    u32::try_from(at).ok()
}

/// `None` where it has another character, or an end that no bytes have.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text.chars().map(digit).collect::<Option<_>>()?;
    let mut out = Vec::new();
    for chunk in digits.chunks(4) {
        let word = (0..4).fold(0, |word, at| word << 6 | chunk.get(at).copied().unwrap_or(0));
        let bytes = [16, 8, 0].map(|shift| (word >> shift & 255) as u8);
        let (kept, rest) = bytes.split_at(chunk.len() - 1);
        if chunk.len() == 1 || rest.iter().any(|byte| *byte != 0) {
            return None;
        }
        out.extend_from_slice(kept);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_the_test_vectors_of_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")]
        {
            assert_eq!(
                (encode(bytes.as_bytes()).as_str(), decode(text)),
                (text, Some(bytes.into()))
            );
        }
        assert_eq!(
            (decode("Z"), decode("Zh"), decode("Zg=="), decode("a+b/")),
            (None, None, None, None)
        );
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
