//! The bytes of one key: eight xorshift128+ generators side by side, with the vector instructions
//! that every x86-64 has. The bytes are the same on every machine.
//!
//! Source: S. Vigna, "Further scramblings of Marsaglia's xorshift generators", 2017.

use bakeoff_stats::prng::mix;

use super::GOLDEN;

/// Fills `out` with the bytes of `key`. A shorter `out` gets a prefix of a longer one.
#[inline]
pub fn stream(key: u64, out: &mut [u8]) {
    let word = |i: usize| mix(key.wrapping_add((i as u64).wrapping_mul(GOLDEN)));
    let (head, rest) = out.split_at_mut(out.len().min(64));
    for (i, bytes) in head.chunks_mut(8).enumerate() {
        bytes.copy_from_slice(&word(i).to_le_bytes()[..bytes.len()]);
    }
    if rest.is_empty() {
        return;
    }
    let mut older: [u64; 8] = std::array::from_fn(word);
    let mut newer: [u64; 8] = std::array::from_fn(|i| older[i].rotate_left(32) ^ GOLDEN);
    let (lines, tail) = rest.as_chunks_mut();
    next_lines(&mut older, &mut newer, lines);
    if !tail.is_empty() {
        let mut line = [[0; 64]];
        next_lines(&mut older, &mut newer, &mut line);
        tail.copy_from_slice(&line[0][..tail.len()]);
    }
}

/// Steps of all generators, 64 bytes each, into the lines.
#[inline]
fn next_lines(older: &mut [u64; 8], newer: &mut [u64; 8], lines: &mut [[u8; 64]]) {
    // SAFETY: every x86-64 has SSE2.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        sse2(older, newer, lines);
    }
    #[cfg(not(target_arch = "x86_64"))]
    plain(older, newer, lines);
}

/// In plain words: what the vectors have to equal.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn plain(older: &mut [u64; 8], newer: &mut [u64; 8], lines: &mut [[u8; 64]]) {
    for line in lines {
        for (i, place) in line.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let (mut x, y) = (older[i], newer[i]);
            older[i] = y;
            x ^= x << 23;
            newer[i] = x ^ y ^ (x >> 18) ^ (y >> 5);
            *place = newer[i].wrapping_add(y).to_le_bytes();
        }
    }
}

/// By name: left to the compiler, vector instructions are not found where the program as a whole
/// is optimised for size, and data is made at less than half the rate.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn sse2(older: &mut [u64; 8], newer: &mut [u64; 8], lines: &mut [[u8; 64]]) {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi64, _mm_loadu_si128, _mm_slli_epi64, _mm_srli_epi64, _mm_storeu_si128,
        _mm_xor_si128,
    };
    let load = |words: &[u64; 8]| -> [__m128i; 4] {
        let words = words.as_chunks::<2>().0;
        // SAFETY: as many words as the vector has; it need not be aligned.
        std::array::from_fn(|i| unsafe { _mm_loadu_si128(words[i].as_ptr().cast()) })
    };
    let (mut old, mut new) = (load(older), load(newer));
    for line in lines {
        let places = line.as_chunks_mut::<16>().0;
        for ((old, new), place) in old.iter_mut().zip(&mut new).zip(places) {
            let (x, y) = (_mm_xor_si128(*old, _mm_slli_epi64::<23>(*old)), *new);
            let shifted = _mm_xor_si128(_mm_srli_epi64::<18>(x), _mm_srli_epi64::<5>(y));
            *old = y;
            *new = _mm_xor_si128(_mm_xor_si128(x, y), shifted);
            // SAFETY: a place as long as the vector; it need not be aligned.
            unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), _mm_add_epi64(*new, y)) };
        }
    }
    for (vectors, words) in [(old, older), (new, newer)] {
        for (vector, words) in vectors.iter().zip(words.as_chunks_mut::<2>().0) {
            // SAFETY: as many words as the vector has.
            unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), *vector) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_make_the_same_bytes() {
        let made = |way: fn(&mut [u64; 8], &mut [u64; 8], &mut [[u8; 64]])| {
            let mut older = std::array::from_fn(|i| mix(i as u64));
            let mut newer = std::array::from_fn(|i| mix(8 + i as u64));
            let mut lines = [[0; 64]; 63];
            way(&mut older, &mut newer, &mut lines);
            (older, newer, lines)
        };
        assert!(made(next_lines) == made(plain));
    }
}
