//! Where on a target the stacks are put: one range, aligned, the same for all, and small enough
//! that the target is equally fast at both ends of it.
//!
//! Pure arithmetic over sizes and speeds. Flash is erased in blocks of some MiB and a card says
//! which; a disk that spins is up to twice as fast at its outer edge (zoned bit recording), which
//! has decided more filesystem comparisons than any filesystem.

use bakeoff_model::event::Position;
use bakeoff_stats::units;

const MIB: u64 = 1 << 20;
/// Least alignment: no erase block of the cards and sticks measured so far is larger.
const ALIGN_MIN_BYTES: u64 = 4 * MIB;
/// Most alignment that is believed; a bridge that says more says nonsense.
const ALIGN_MAX_BYTES: u64 = 256 * MIB;
/// The smallest region that is taken: no filesystem of the list fits below.
pub const SMALLEST_BYTES: u64 = 64 * MIB;
/// Steeper than this inside the region and it shrinks: as large as the smallest tie margin.
pub const GRADIENT_MAX: f64 = 0.02;

/// A range of bytes on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start_bytes: u64,
    pub size_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetSize {
    pub target_bytes: u64,
    /// Largest of erase block, optimal I/O size and logical block, 0 where unknown.
    pub granule_bytes: u64,
    /// Whether partition tables lie at both ends: a whole disk.
    pub is_whole_disk: bool,
}

/// A larger region is read back in pieces, one of so many: a drive that does not keep what it is
/// given has far more wrong than one piece.
const READ_BACK_WHOLE_BYTES: u64 = 4 << 30;
const READ_BACK_ONE_OF: u32 = 4;

/// Of how many pieces of a region one is read back after it was written.
pub fn read_back_one_of(size_bytes: u64) -> u32 {
    if size_bytes > READ_BACK_WHOLE_BYTES { READ_BACK_ONE_OF } else { 1 }
}

/// Bytes of a region that are moved when it is written once and read back.
pub fn prepared_bytes(size_bytes: u64) -> u64 {
    size_bytes.saturating_add(size_bytes / u64::from(read_back_one_of(size_bytes)))
}

/// The largest region of which so many bytes are moved at most when it is prepared.
pub fn of_prepared_bytes(moved_bytes: u64) -> u64 {
    let one_of = u64::from(READ_BACK_ONE_OF);
    match moved_bytes / (one_of + 1) * one_of {
        large if large > READ_BACK_WHOLE_BYTES => large,
        _ => (moved_bytes / 2).min(READ_BACK_WHOLE_BYTES),
    }
}

pub fn alignment_bytes(granule_bytes: u64) -> u64 {
    match granule_bytes {
        0 => ALIGN_MIN_BYTES,
        // A multiple of what the device says that is at least the usual.
        granule if granule <= ALIGN_MAX_BYTES => ALIGN_MIN_BYTES.div_ceil(granule) * granule,
        _ => ALIGN_MIN_BYTES,
    }
}

/// The region on a target: as asked for, or in the middle, as large as `most_bytes` allows.
pub fn choose(
    room: TargetSize,
    start_bytes: Option<u64>,
    size_bytes: Option<u64>,
    most_bytes: u64,
) -> Result<Span, String> {
    let align = alignment_bytes(room.granule_bytes);
    let first = if room.is_whole_disk { align } else { 0 };
    // The backup of a GPT lies in the last 17 KiB of a disk.
    let last =
        if room.is_whole_disk { room.target_bytes.saturating_sub(MIB) } else { room.target_bytes };
    let usable = last.saturating_sub(first) / align * align;
    if usable < SMALLEST_BYTES {
        return Err(format!(
            "the target has {}, of which {} can be used for a region, and the smallest region is \
             {}. Choose a larger target",
            units::size(room.target_bytes),
            units::size(usable),
            units::size(SMALLEST_BYTES)
        ));
    }
    if let Some(size_bytes) = size_bytes.filter(|size| *size < SMALLEST_BYTES) {
        return Err(format!(
            "a region of {} is too small: every filesystem here needs at least {}",
            units::size(size_bytes),
            units::size(SMALLEST_BYTES)
        ));
    }
    let chosen = || most_bytes.clamp(SMALLEST_BYTES, usable);
    let wanted = size_bytes.unwrap_or_else(chosen);
    let size = wanted / align * align;
    let start = match start_bytes {
        Some(start) => start.div_ceil(align) * align,
        None => first + usable.saturating_sub(size) / 2 / align * align,
    };
    let end = start.saturating_add(size);
    if end > first + usable || start < first {
        return Err(format!(
            "the plan's region ends at {}, beyond the usable {} of the target. Reduce `size` or \
             `start`, or choose a larger target",
            units::size(end),
            units::size(first + usable)
        ));
    }
    Ok(Span { start_bytes: start, size_bytes: size })
}

/// How much faster one end of a range of `size_bytes` is than the other, as a fraction of the mean
/// speed, by the straight line through the positions; 0 where noise alone could draw the line (its
/// slope is below three standard errors) or with fewer than four positions.
pub fn gradient(positions: &[Position], size_bytes: u64) -> f64 {
    let n = positions.len() as f64;
    if positions.len() < 4 {
        return 0.0;
    }
    let mean_x = positions.iter().map(|p| p.offset_bytes as f64).sum::<f64>() / n;
    let mean_y = positions.iter().map(|p| p.bytes_per_s).sum::<f64>() / n;
    let (mut sxx, mut sxy, mut syy) = (0.0, 0.0, 0.0);
    for p in positions {
        let (x, y) = (p.offset_bytes as f64 - mean_x, p.bytes_per_s - mean_y);
        sxx += x * x;
        sxy += x * y;
        syy += y * y;
    }
    if sxx <= 0.0 || mean_y <= 0.0 {
        return 0.0;
    }
    let slope = sxy / sxx;
    let residual = (syy - slope * sxy).max(0.0) / (n - 2.0);
    if slope.abs() < 3.0 * libm::sqrt(residual / sxx) {
        return 0.0;
    }
    (slope * size_bytes as f64 / mean_y).abs()
}

/// The part of a region that is equally fast everywhere by these reads, and how much faster one end
/// of the whole is than the other. A small region stays: there seeks would hardly be any. None is
/// smaller than what the candidates need, `needed_bytes`: a slope is told, a candidate is lost.
pub fn equally_fast(
    span: Span,
    positions: &[Position],
    granule_bytes: u64,
    needed_bytes: u64,
) -> (Span, f64) {
    let steep = gradient(positions, span.size_bytes);
    let least = SMALLEST_BYTES.max(span.size_bytes / 16).max(needed_bytes);
    (shrink(span, steep, granule_bytes, least), steep)
}

/// The range around the same middle that is short enough for both its ends to be equally fast; the
/// range itself where it is. Never below `least_bytes`, which may leave it steeper than wished.
pub fn shrink(span: Span, gradient: f64, granule_bytes: u64, least_bytes: u64) -> Span {
    if gradient <= GRADIENT_MAX {
        return span;
    }
    let align = alignment_bytes(granule_bytes);
    let wished = (span.size_bytes as f64 * GRADIENT_MAX / gradient) as u64;
    let size = wished.max(least_bytes).div_ceil(align).saturating_mul(align).min(span.size_bytes);
    let start = span.start_bytes + (span.size_bytes - size) / 2 / align * align;
    Span { start_bytes: start, size_bytes: size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GIB: u64 = 1 << 30;

    fn disk(target_bytes: u64) -> TargetSize {
        TargetSize { target_bytes, granule_bytes: 0, is_whole_disk: true }
    }

    #[test]
    fn a_region_that_is_written_and_read_back_keeps_to_its_bytes() {
        for shift in 20..50 {
            for moved in [1u64 << shift, (1 << shift) + 1234567, 3 << shift] {
                let size = of_prepared_bytes(moved);
                assert!(prepared_bytes(size) <= moved, "{moved}");
                assert!(size >= moved / 2 || size >= READ_BACK_WHOLE_BYTES, "{moved}");
            }
        }
        // A card of 64 GB that writes 20 MB/s, in a fifth of 3 h: more than half of it.
        assert!(of_prepared_bytes(3 * 3600 / 5 * 20_000_000) > 32_000_000_000);
        assert_eq!(prepared_bytes(4 << 30), 8 << 30);
    }

    #[test]
    fn in_the_middle_and_away_from_the_partition_tables() {
        let chosen = choose(disk(32 * GIB), None, None, 4 * GIB).unwrap();
        assert_eq!(chosen.size_bytes, 4 * GIB);
        assert_eq!(chosen.start_bytes, 14 * GIB);
        let all = choose(disk(GIB), None, None, u64::MAX).unwrap();
        assert_eq!(all, Span { start_bytes: 4 * MIB, size_bytes: GIB - 8 * MIB });
        let image = TargetSize { is_whole_disk: false, ..disk(GIB) };
        let all = choose(image, None, None, u64::MAX).unwrap();
        assert_eq!(all, Span { start_bytes: 0, size_bytes: GIB });
        let worn = choose(disk(32 * GIB), None, None, GIB).unwrap();
        assert_eq!(worn.size_bytes, GIB);
    }

    #[test]
    fn what_does_not_fit_is_said_with_both_sizes() {
        let error = |room, start, size| choose(room, start, size, 0).unwrap_err();
        let outside = error(disk(32 * GIB), None, Some(64 * GIB));
        assert!(outside.contains("`size`") && outside.contains("GiB"), "{outside}");
        for start in [GIB, 0] {
            let outside = error(disk(GIB), Some(start), Some(MIB * 128));
            assert!(outside.starts_with("the plan's region ends at"), "{outside}");
        }
        assert!(error(disk(32 * MIB), None, None).starts_with("the target has 32 MiB, of which"));
        assert!(error(disk(GIB), None, Some(MIB)).starts_with("a region of 1 MiB is too small"));
    }

    #[test]
    fn alignment_is_a_multiple_of_what_the_device_says() {
        assert_eq!(alignment_bytes(0), 4 * MIB);
        assert_eq!(alignment_bytes(512 << 10), 4 * MIB);
        assert_eq!(alignment_bytes(3 * MIB), 6 * MIB);
        assert_eq!(alignment_bytes(16 * MIB), 16 * MIB);
        // A USB bridge that reports its own maximum: 65535 blocks of 512 bytes.
        assert_eq!(alignment_bytes(65535 * 512) % (65535 * 512), 0);
        assert_eq!(alignment_bytes(1 << 40), 4 * MIB);
    }

    fn positions(speed: impl Fn(u64) -> f64) -> Vec<Position> {
        (0..9).map(|i| Position { offset_bytes: i * GIB, bytes_per_s: speed(i) }).collect()
    }

    #[test]
    fn a_spinning_disk_shrinks_the_region_and_noise_does_not() {
        let zoned = positions(|i| 200e6 - i as f64 * 12.5e6);
        let steep = gradient(&zoned, 8 * GIB);
        assert!((steep - 100.0 / 150.0).abs() < 1e-9, "{steep}");
        let span = Span { start_bytes: GIB, size_bytes: 8 * GIB };
        let shrunk = shrink(span, steep, 0, SMALLEST_BYTES);
        assert!(gradient(&zoned, shrunk.size_bytes) < GRADIENT_MAX + 0.001);
        assert!(shrunk.start_bytes > span.start_bytes && shrunk.size_bytes > 200 * MIB);
        assert_eq!(shrink(span, steep, 0, GIB).size_bytes, GIB);
        let noisy = positions(|i| if i % 2 == 0 { 95e6 } else { 105e6 });
        assert_eq!(gradient(&noisy, 8 * GIB), 0.0);
        assert_eq!(shrink(span, 0.0, 0, SMALLEST_BYTES), span);
        assert_eq!(gradient(&zoned[..3], GIB), 0.0);
        let (small, _) = equally_fast(span, &zoned, 0, 0);
        let (enough, told) = equally_fast(span, &zoned, 0, small.size_bytes + GIB);
        assert_eq!((enough.size_bytes, told), (small.size_bytes + GIB, steep));
    }

    proptest! {
        #[test]
        fn a_region_lies_on_its_target_and_is_aligned(
            target in 0u64..1 << 45, granule in 0u64..1 << 29, whole: bool,
            start in proptest::option::of(0u64..1 << 45),
            size in proptest::option::of(0u64..1 << 45), most in 0u64..1 << 45,
            steep in 0f64..3.0,
        ) {
            let room = TargetSize {
                target_bytes: target,
                granule_bytes: granule,
                is_whole_disk: whole,
            };
            if let Ok(span) = choose(room, start, size, most) {
                let align = alignment_bytes(granule);
                for span in [span, shrink(span, steep, granule, SMALLEST_BYTES)] {
                    prop_assert!(span.start_bytes % align == 0 && span.size_bytes % align == 0);
                    prop_assert!(span.size_bytes > 0);
                    prop_assert!(span.start_bytes + span.size_bytes <= target);
                    prop_assert!(!whole || span.start_bytes > 0);
                }
            }
        }
    }
}
