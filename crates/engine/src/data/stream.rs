//! The bytes of one key: eight xorshift128+ generators side by side, with whatever vector
//! instructions the machine has. The bytes are the same on every one.
//!
//! Source: S. Vigna, "Further scramblings of Marsaglia's xorshift generators", 2017.

use bakeoff_stats::prng::mix;

use super::GOLDEN;

/// Steps of all generators, 64 bytes each, into the lines.
#[cfg(test)]
type GeneratorStep = fn(&mut [u64; 8], &mut [u64; 8], &mut [[u8; 64]]);

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

/// The fastest way of this machine. The wider one is looked for once a process; asking again is a
/// load and a branch a unit.
#[inline]
fn next_lines(older: &mut [u64; 8], newer: &mut [u64; 8], lines: &mut [[u8; 64]]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { x86::avx2(older, newer, lines) };
        }
        // SAFETY: every x86-64 has SSE2.
        unsafe { x86::sse2(older, newer, lines) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    plain(older, newer, lines);
}

/// In plain words: what the others have to equal.
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
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi64, _mm_loadu_si128, _mm_slli_epi64, _mm_srli_epi64,
        _mm_storeu_si128, _mm_xor_si128, _mm256_add_epi64, _mm256_loadu_si256, _mm256_slli_epi64,
        _mm256_srli_epi64, _mm256_storeu_si256, _mm256_xor_si256,
    };

    /// The same loop for vectors of a width: type, lanes of 64 bits, and its instructions.
    macro_rules! steps {
        ($name:ident, $feature:literal, $vector:ty, $lanes:literal, $load:ident, $store:ident,
         $add:ident, $xor:ident, $left:ident, $right:ident) => {
            #[target_feature(enable = $feature)]
            pub fn $name(older: &mut [u64; 8], newer: &mut [u64; 8], lines: &mut [[u8; 64]]) {
                const VECTORS: usize = 8 / $lanes;
                let load = |words: &[u64; 8]| -> [$vector; VECTORS] {
                    let words = words.as_chunks::<$lanes>().0;
                    // SAFETY: as many words as the vector has; it need not be aligned.
                    std::array::from_fn(|i| unsafe { $load(words[i].as_ptr().cast()) })
                };
                let (mut old, mut new) = (load(older), load(newer));
                for line in lines {
                    let places = line.as_chunks_mut::<{ $lanes * 8 }>().0;
                    for ((old, new), place) in old.iter_mut().zip(&mut new).zip(places) {
                        let (x, y) = ($xor(*old, $left::<23>(*old)), *new);
                        let shifted = $xor($right::<18>(x), $right::<5>(y));
                        *old = y;
                        *new = $xor($xor(x, y), shifted);
                        // SAFETY: a place as long as the vector; it need not be aligned.
                        unsafe { $store(place.as_mut_ptr().cast(), $add(*new, y)) };
                    }
                }
                for (vectors, words) in [(old, older), (new, newer)] {
                    for (vector, words) in vectors.iter().zip(words.as_chunks_mut::<$lanes>().0) {
                        // SAFETY: as many words as the vector has.
                        unsafe { $store(words.as_mut_ptr().cast(), *vector) };
                    }
                }
            }
        };
    }

    steps!(
        sse2,
        "sse2",
        __m128i,
        2,
        _mm_loadu_si128,
        _mm_storeu_si128,
        _mm_add_epi64,
        _mm_xor_si128,
        _mm_slli_epi64,
        _mm_srli_epi64
    );
    steps!(
        avx2,
        "avx2",
        __m256i,
        4,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_add_epi64,
        _mm256_xor_si256,
        _mm256_slli_epi64,
        _mm256_srli_epi64
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_makes_the_same_bytes() {
        let mut ways: Vec<(&str, GeneratorStep)> = vec![("plain", plain)];
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: every x86-64 has SSE2.
            ways.push(("sse2", |a, b, c| unsafe { x86::sse2(a, b, c) }));
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                ways.push(("avx2", |a, b, c| unsafe { x86::avx2(a, b, c) }));
            }
        }
        ways.push(("chosen", next_lines));
        let made = |way: GeneratorStep| {
            let mut older = std::array::from_fn(|i| mix(i as u64));
            let mut newer = std::array::from_fn(|i| mix(8 + i as u64));
            let mut lines = [[0; 64]; 63];
            way(&mut older, &mut newer, &mut lines);
            (older, newer, lines)
        };
        for (name, way) in &ways[1..] {
            assert!(made(*way) == made(plain), "{name}");
        }
    }
}
