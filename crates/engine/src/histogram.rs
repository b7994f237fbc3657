//! Latencies in buckets of constant relative width, at a handful of instructions a value.
//!
//! 128 buckets an octave: values below 256 ns are exact, larger ones are known to one part in 128,
//! and the middle of a bucket, which is what is stored, is within 0.4 % of everything in it. The
//! whole range of 64 bits has its buckets, so that a card that stalls for a minute is recorded as
//! it was. Memory is 58 KiB of zero pages, of which only those with values in them ever exist.
//!
//! Why not the hdrhistogram crate: it was measured in this loop at 65 instructions and 2.4 ns a
//! value, more than all the rest of an operation; this takes 12 and 1.3 ns. The layout is its
//! layout (G. Tene, HdrHistogram), with a power of two in place of decimal digits.

use bakeoff_stats::histogram::Histogram;

const OCTAVE_BITS: u32 = 7;
/// Buckets of all values of 64 bits: twice an octave that are exact, and 56 octaves.
const BUCKETS: usize = (2 + 56) << OCTAVE_BITS;

#[derive(Clone, Debug, Default)]
pub struct Buckets {
    counts: Vec<u64>,
}

impl Buckets {
    pub fn new() -> Buckets {
        Buckets { counts: vec![0; BUCKETS] }
    }

    /// Counts `value`; without room, nothing.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.slots().record(value);
    }

    #[inline]
    pub fn slots(&mut self) -> Slots<'_> {
        Slots(&mut self.counts)
    }

    /// The distribution as it is stored, and starts again from nothing. Only buckets with a count
    /// are written to, so that no page comes to exist that had nothing in it.
    pub fn take(&mut self) -> Histogram {
        let histogram = self.histogram();
        self.counts.iter_mut().filter(|count| **count > 0).for_each(|count| *count = 0);
        histogram
    }

    pub fn histogram(&self) -> Histogram {
        let full = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        Histogram { buckets: full.map(|(index, count)| (middle_of(index), *count)).collect() }
    }
}

pub struct Slots<'a>(&'a mut [u64]);

impl Slots<'_> {
    /// Counts `value`; without room, nothing.
    #[inline]
    pub fn record(&mut self, value: u64) {
        if let Some(count) = self.0.get_mut(index_of(value)) {
            *count += 1;
        }
    }

    /// Counts each of `values`; without room, nothing.
    #[inline]
    pub fn record_all(&mut self, values: &[u64]) {
        let Ok(counts) = <&mut [u64; BUCKETS]>::try_from(&mut *self.0) else { return };
        for value in values {
            // SAFETY: the bucket of the largest value is the last one, and none has a later one.
            *unsafe { counts.get_unchecked_mut(index_of(*value)) } += 1;
        }
    }
}

#[inline]
fn index_of(value: u64) -> usize {
    // The highest bit chooses the octave, the seven below it the bucket.
    let shift = (value | 1 << OCTAVE_BITS).ilog2() - OCTAVE_BITS;
    // At most 56 octaves of 128 and what is left of 64 bits after a shift by 56.
    ((shift as usize) << OCTAVE_BITS) + (value >> shift) as usize
}

fn middle_of(index: usize) -> u64 {
    let octave = 1 << OCTAVE_BITS;
    let shift = (index >> OCTAVE_BITS).saturating_sub(1);
    let mantissa = (index - (shift << OCTAVE_BITS)) as u64;
    debug_assert!(mantissa < 2 * octave);
    (mantissa << shift) + (1 << shift >> 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn buckets_follow_each_other_without_a_gap() {
        assert_eq!(index_of(u64::MAX), BUCKETS - 1);
        let mut next = 0;
        for index in 0..BUCKETS {
            let middle = middle_of(index);
            assert_eq!(index_of(middle), index);
            assert_eq!(index_of(next), index, "the first value of bucket {index}");
            let width = 1u64 << (index >> OCTAVE_BITS).saturating_sub(1);
            next = next.wrapping_add(width);
        }
        assert_eq!(next, 0, "the last bucket ends where 64 bits do");
    }

    #[test]
    fn below_256_every_value_is_exact() {
        (0..256).for_each(|value| assert_eq!(middle_of(index_of(value)), value));
    }

    proptest! {
        #[test]
        fn a_stored_value_is_within_four_in_a_thousand(value in 1u64..1 << 62) {
            let stored = middle_of(index_of(value));
            prop_assert!(stored.abs_diff(value) as f64 <= value as f64 * 0.004, "{stored} {value}");
        }

        #[test]
        fn what_is_added_is_as_if_recorded_together(
            a in proptest::collection::vec(any::<u64>(), 0..50),
            b in proptest::collection::vec(any::<u64>(), 0..50),
        ) {
            let of = |values: &[u64]| {
                let mut buckets = Buckets::new();
                values.iter().for_each(|value| buckets.record(*value));
                buckets
            };
            let mut sum = of(&a).histogram();
            sum.merge(&of(&b).histogram());
            prop_assert_eq!(sum, of(&[a, b].concat()).histogram());
        }
    }
}
