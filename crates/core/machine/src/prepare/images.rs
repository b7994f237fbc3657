//! How many images of which size a run makes: as many candidates as possible stand side by side
//! within the bytes that may be written for it.

use bakeoff_stats::distinct;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    pub size_bytes: u64,
    /// Positions of the candidates that get one, ascending.
    pub kept: Vec<usize>,
}

impl Images {
    pub fn has_room_for_another(&self, most_bytes: u64) -> bool {
        (self.kept.len() as u64 + 1).saturating_mul(self.size_bytes) <= most_bytes
    }
}

/// Chooses images for candidates that need at least `needs` bytes each, of `wanted_bytes` where
/// all `most_bytes` allow it. Where not all fit, those are left out whose image would have to be
/// largest, the last ones first. At least one image is made, whatever it takes.
pub fn fitting(needs: &[u64], wanted_bytes: u64, most_bytes: u64) -> Images {
    let kept_at = |size: u64| -> Vec<usize> {
        let fits = (0..needs.len()).filter(|at| needs[*at] <= size);
        fits.take(usize::try_from(most_bytes / size.max(1)).unwrap_or(usize::MAX)).collect()
    };
    let sizes = distinct::sorted(needs.iter().copied().chain([wanted_bytes])).into_iter();
    let all = sizes.map(|size| (kept_at(size), size)).filter(|(kept, _)| !kept.is_empty());
    match all.max_by_key(|(kept, size)| (kept.len(), *size)) {
        Some((kept, size_bytes)) => Images { size_bytes, kept },
        None => {
            let least = needs.iter().enumerate().min_by_key(|(_, need)| **need);
            let (at, size_bytes) = least.map_or((0, wanted_bytes), |(at, need)| (at, *need));
            Images { size_bytes, kept: vec![at] }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// ext4, xfs, btrfs, ext2, f2fs.
    const NEEDS: [u64; 5] = [64 * MIB, 320 * MIB, 128 * MIB, 64 * MIB, 96 * MIB];

    fn fit(most_mib: u64) -> (u64, Vec<usize>) {
        let images = fitting(&NEEDS, 512 * MIB, most_mib * MIB);
        (images.size_bytes / MIB, images.kept)
    }

    #[test]
    fn all_stand_on_large_images_where_there_is_room() {
        assert_eq!(fit(10_000), (512, vec![0, 1, 2, 3, 4]));
        assert_eq!(fit(2_000), (320, vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn the_one_that_needs_most_is_left_out_first() {
        assert_eq!(fit(900), (128, vec![0, 2, 3, 4]));
        assert_eq!(fit(300), (96, vec![0, 3, 4]));
    }

    #[test]
    fn a_control_has_room_where_it_takes_none_from_the_others() {
        let room_for_another = |most_mib: u64| {
            fitting(&NEEDS, 512 * MIB, most_mib * MIB).has_room_for_another(most_mib * MIB)
        };
        assert!(room_for_another(3_072) && !room_for_another(3_071));
    }

    #[test]
    fn one_image_is_always_made() {
        assert_eq!(fit(10), (64, vec![0]));
        assert_eq!(fitting(&[], 512, 10), Images { size_bytes: 512, kept: vec![0] });
    }
}
