//! The two ways the system writes awkward bytes in text: `\040` in /proc, `\x20` in udev.

/// Undoes the octal escapes of /proc (`mangle_path()`): a backslash and three octal digits.
pub fn octal(bytes: &[u8]) -> Vec<u8> {
    unescape(bytes, |rest| match rest {
        [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
            Some(((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'), 3))
        }
        _ => None,
    })
}

/// Undoes udev's hexadecimal escapes (`ID_FS_LABEL_ENC`, names under /dev/disk): `\x` and two
/// hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    unescape(bytes, |rest| match rest {
        [b'x', high, low, ..] => {
            let digit = |c: &u8| (*c as char).to_digit(16);
            Some(((digit(high)? * 16 + digit(low)?) as u8, 3))
        }
        _ => None,
    })
}

/// Replaces each backslash whose tail `read` understands; `read` gives the byte and the bytes used.
fn unescape(bytes: &[u8], read: impl Fn(&[u8]) -> Option<(u8, usize)>) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        match (*first == b'\\').then(|| read(tail)).flatten() {
            Some((byte, used)) => {
                out.push(byte);
                rest = &tail[used..];
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_escapes_are_undone_and_others_stay() {
        assert_eq!(octal(br"/mnt/a\040b\011c\134d\999\04"), b"/mnt/a b\tc\\d\\999\\04");
        assert_eq!(octal(br"\377\400"), b"\xff\\400");
        assert_eq!(hexadecimal(br"MY\x20DISK\xzz\x2"), b"MY DISK\\xzz\\x2");
    }
}
