//! The line that announces a job before it runs, which says its block sizes.

use super::scalar::size;
use crate::scan::result::short;

/// Name and block sizes of reads, writes and trims in
/// `NAME: (g=0): rw=read, bs=(R) 16.0KiB-16.0KiB, (W) ...`; a size is none where it is a range.
pub fn announced(text: &str) -> Option<(String, [Option<u64>; 3])> {
    let (name, rest) = text.split_once(": (g=")?;
    let (_, sizes) = rest.split_once("bs=")?;
    let mut blocks = [None; 3];
    let is_old = !sizes.starts_with('(');
    let separator = if is_old { '/' } else { ',' };
    for (block, part) in blocks.iter_mut().zip(sizes.split(separator)) {
        let part = part.split([' ', ',', ')']).rfind(|w| w.contains('-')).unwrap_or("");
        *block = part
            .split_once('-')
            .filter(|(low, high)| low == high)
            .and_then(|(low, _)| exact(low, is_old));
    }
    Some((short(name), blocks))
}

/// A block size: a power of two has a short text in fio, so four digits are exact.
fn exact(text: &str, is_old: bool) -> Option<u64> {
    let rounded = if text.ends_with('B') {
        size(text, is_old)?
    } else {
        // Version 2 writes `4K`.
        size(&format!("{text}B"), true)?
    };
    let bytes = rounded.value as u64;
    (bytes.is_power_of_two() || rounded.slack <= 1.0).then_some(bytes)
}
