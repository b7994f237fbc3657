//! How large files are, and how deep they lie.
//!
//! Sizes: lognormal with a Pareto tail, depths: Poisson, with the parameters that Agrawal,
//! Arpaci-Dusseau and Arpaci-Dusseau, "Generating Realistic Impressions for File-System
//! Benchmarking", FAST 2009, table 2, take from Agrawal, Bolosky, Douceur and Lorch, "A Five-Year
//! Study of File-System Metadata", FAST 2007.

use bakeoff_stats::prng::NormalDeviates;

/// Mean and standard deviation of ln(bytes) in the body.
const MU: f64 = 9.48;
const SIGMA: f64 = 2.46;
/// Share of the files in the body; the others are in the tail.
const BODY: f64 = 0.99994;
const TAIL_SHAPE: f64 = 0.91;
const TAIL_LEAST_BYTES: f64 = (512u64 << 20) as f64;
const MEAN_DEPTH: f64 = 6.49;
const DEEPEST: u32 = 16;
/// Of all files together the largest has this share at most, or one would be most of a small drive.
const LARGEST_SHARE: u64 = 32;
const LEAST_LARGEST_BYTES: u64 = 64 << 10;
const DRAWS: u32 = 64;

#[derive(Clone, Copy, Debug)]
pub struct FileSizes {
    pub most_bytes: u64,
}

impl FileSizes {
    pub fn of_tree(tree_bytes: u64) -> FileSizes {
        FileSizes { most_bytes: (tree_bytes / LARGEST_SHARE).max(LEAST_LARGEST_BYTES) }
    }

    /// Bytes of a file: at least one, and drawn again where they are more than the most.
    pub fn draw(&self, random: &mut NormalDeviates) -> u64 {
        for _ in 0..DRAWS {
            let bytes = if random.uniform() < BODY {
                libm::exp(MU + SIGMA * random.deviate())
            } else {
                TAIL_LEAST_BYTES * libm::pow(1.0 - random.uniform(), -1.0 / TAIL_SHAPE)
            };
            let bytes = libm::ceil(bytes);
            if bytes <= self.most_bytes as f64 {
                return bytes as u64;
            }
        }
        self.most_bytes
    }
}

/// Directories above a file (Knuth, "The Art of Computer Programming", 3.4.1).
pub fn depth(random: &mut NormalDeviates) -> u32 {
    let end = libm::exp(-MEAN_DEPTH);
    let (mut depth, mut product) = (0, random.uniform());
    while product > end && depth < DEEPEST {
        product *= random.uniform();
        depth += 1;
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_stats::prng::SplitMix64;

    /// Of the published distribution, by Abramowitz and Stegun 7.1.28's relative: libm's erfc.
    fn published(bytes: f64) -> f64 {
        let body = 0.5 * libm::erfc(-(libm::log(bytes) - MU) / (SIGMA * core::f64::consts::SQRT_2));
        let tail = if bytes > TAIL_LEAST_BYTES {
            1.0 - libm::pow(TAIL_LEAST_BYTES / bytes, TAIL_SHAPE)
        } else {
            0.0
        };
        BODY * body + (1.0 - BODY) * tail
    }

    /// The statistic of Kolmogorov and Smirnov, times the root of n; 1.95 at alpha 0.001.
    fn distance(sizes: FileSizes, n: usize, seed: u64) -> f64 {
        let mut random = NormalDeviates(SplitMix64::new(seed));
        let mut drawn: Vec<u64> = (0..n).map(|_| sizes.draw(&mut random)).collect();
        drawn.sort_unstable();
        let all = published(sizes.most_bytes as f64);
        let off = |(at, bytes): (usize, &u64)| {
            // Whole bytes: the step of the drawn ones lies between these two.
            let low = if *bytes > 1 { published(*bytes as f64 - 1.0) / all } else { 0.0 };
            let high = published(*bytes as f64) / all;
            let (before, after) = (at as f64 / n as f64, (at + 1) as f64 / n as f64);
            (low - after).max(before - high)
        };
        drawn.iter().enumerate().map(off).fold(0.0, f64::max) * libm::sqrt(n as f64)
    }

    #[test]
    fn sizes_follow_the_published_distribution() {
        for (seed, most_bytes) in [(1, 1 << 20), (2, 64 << 20), (3, 1 << 40)] {
            let distance = distance(FileSizes { most_bytes }, 20_000, seed);
            assert!(distance < 1.95, "{distance} at most {most_bytes}");
        }
    }

    #[test]
    fn the_tail_is_there() {
        let (sizes, n) = (FileSizes { most_bytes: u64::MAX / 2 }, 2_000_000);
        let mut random = NormalDeviates(SplitMix64::new(5));
        let in_tail = (0..n).filter(|_| sizes.draw(&mut random) as f64 > TAIL_LEAST_BYTES).count();
        let expected = (1.0 - published(TAIL_LEAST_BYTES)) * n as f64;
        assert!((in_tail as f64 / expected - 1.0).abs() < 0.2, "{in_tail} of {expected}");
    }

    #[test]
    fn files_lie_as_deep_as_published() {
        let mut random = NormalDeviates(SplitMix64::new(4));
        let all: u32 = (0..20_000).map(|_| depth(&mut random)).sum();
        assert!((f64::from(all) / 20_000.0 - MEAN_DEPTH).abs() < 0.1, "{all}");
    }
}
