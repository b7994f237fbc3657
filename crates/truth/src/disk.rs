//! A drive whose truth is known: how fast each candidate is, and everything that hides it.
//!
//! The model is the one the protocol promises something for, `ln(rate)` = the candidate's mean +
//! what all have in common at that time + independent error, with more on top that it does not: a
//! wave of one candidate alone, stalls, outliers, a cache that runs out.

use crate::restart::Restart;
use bakeoff_judge::decide::turns::turns;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_stats::carry_over::CarriedSlice;
use bakeoff_stats::prng::{NormalDeviates, SplitMix64};

pub const SLICES: u32 = 8;

/// The drive. Shares and steps are on the logarithmic scale: 0.02 is two percent.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedDisk {
    /// `ln` of each candidate's speed.
    pub means: Vec<f64>,
    pub noise: f64,
    /// What the drive gains (or loses) over the visits of the first five blocks, shared by all.
    pub drift: f64,
    /// Coefficient of the shared autoregression from visit to visit; it varies as much as `noise`.
    pub lag1: f64,
    pub own: Option<Own>,
    pub noisier: Option<(CandidateIx, f64)>,
    /// Whether errors have heavy tails: Student's t with three degrees of freedom, of the same
    /// standard deviation.
    pub heavy_tails: bool,
    pub outliers: Option<Outliers>,
    /// What one candidate gains or loses by itself over 27 blocks, in a straight line; its speed is
    /// that in the middle.
    pub trend: Option<(CandidateIx, f64)>,
    /// Amplitude of a wave that all share, with the period of a round of slices.
    pub wave: f64,
    pub carry_over: Option<(CandidateIx, f64)>,
    /// The fast cache: visits it lasts, and what is lost once it is full.
    pub cliff: Option<(u32, f64)>,
    /// Garbage collection: probability that it begins at a visit, visits it lasts, what it takes
    /// off each of them.
    pub stalls: Option<(f64, u32, f64)>,
    /// What a turn costs; `None` = cells are not made of slices.
    pub restart: Option<Restart>,
}

/// Cells that lose something now and then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outliers {
    pub share: f64,
    pub drop: f64,
    /// Whose cells; `None` = everybody's.
    pub candidate: Option<CandidateIx>,
    /// Whether they belong to the candidate's figure, whose other cells are then as much faster;
    /// otherwise its speed is that between them (stalls are told apart from the figure).
    pub counts: bool,
}

/// A first-order autoregression of one candidate, from block to block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Own {
    pub candidate: CandidateIx,
    pub lag1: f64,
    pub sd: f64,
}

impl SimulatedDisk {
    /// Candidates of these speeds, in percent behind the first, at a noise in percent.
    pub fn new(gaps_percent: &[f64], noise_percent: f64) -> SimulatedDisk {
        SimulatedDisk {
            means: gaps_percent.iter().map(|g| -libm::log1p(g / 100.0)).collect(),
            noise: noise_percent / 100.0,
            drift: 0.0,
            lag1: 0.0,
            own: None,
            noisier: None,
            heavy_tails: false,
            outliers: None,
            trend: None,
            wave: 0.0,
            carry_over: None,
            cliff: None,
            stalls: None,
            restart: None,
        }
    }

    /// The candidate that is faster than all others; `None` when two share the lead.
    pub fn best(&self) -> Option<CandidateIx> {
        let top = self.means.iter().copied().fold(f64::MIN, f64::max);
        let leaders: Vec<usize> = (0..self.means.len()).filter(|i| self.means[*i] == top).collect();
        (leaders.len() == 1).then(|| CandidateIx::new(leaders[0]))
    }
}

/// The drive while it is used; visits must come in order.
#[derive(Clone, Debug)]
pub struct DiskUse<'a> {
    pub disk: &'a SimulatedDisk,
    random: NormalDeviates,
    visits: u32,
    common: f64,
    own: f64,
    stalled: u32,
    shift: f64,
    candidate: CandidateIx,
    blocks: u32,
    seed: u64,
    /// What each candidate's rounds of the present block met, where the order in them matters.
    met: Vec<(CandidateIx, f64)>,
    pub slices: Vec<CarriedSlice>,
}

impl<'a> DiskUse<'a> {
    pub fn new(disk: &'a SimulatedDisk, seed: u64) -> DiskUse<'a> {
        let mut random = NormalDeviates(SplitMix64::derive(seed, &[0x6469_736b]));
        let (common, own) = (random.deviate(), random.deviate());
        DiskUse {
            disk,
            random,
            visits: 0,
            common,
            own,
            stalled: 0,
            shift: 0.0,
            candidate: CandidateIx::FIRST,
            blocks: 0,
            seed,
            met: Vec::new(),
            slices: Vec::new(),
        }
    }

    /// A block of these candidates begins: what slices in turns meet there.
    pub fn block(&mut self, standing: &[CandidateIx]) {
        self.blocks += 1;
        self.met.clear();
        if self.disk.wave == 0.0 && self.disk.carry_over.is_none() {
            return;
        }
        let (block, phase) = (self.blocks - 1, self.random.uniform());
        let mut standing = standing.to_vec();
        standing.sort_unstable();
        let mut met = vec![Vec::new(); self.disk.means.len()];
        let mut before = None;
        for round in 0..SLICES {
            let order =
                turns(self.seed, BlockIx::new(block as usize), WorkloadIx::FIRST, round, &standing);
            for (at, candidate) in order.iter().enumerate() {
                let turn = phase + at as f64 / order.len() as f64;
                let wave = self.disk.wave * libm::sin(core::f64::consts::TAU * turn);
                let left = self.disk.carry_over.filter(|(who, _)| Some(*who) == before);
                let here = wave - left.map_or(0.0, |(_, drop)| drop);
                met[usize::from(*candidate)].push(here);
                if let Some(predecessor) = before.filter(|_| self.disk.carry_over.is_some()) {
                    let noise = self.disk.noise * libm::sqrt(f64::from(SLICES));
                    let ln_rate = here + noise * self.random.deviate();
                    let (candidate, predecessor) = (candidate.number(), predecessor.number());
                    self.slices.push(CarriedSlice { block, ln_rate, candidate, predecessor });
                }
                before = Some(*candidate);
            }
        }
        let mean = |of: &[f64]| bakeoff_stats::sample::mean(of).unwrap_or(0.0);
        self.met = CandidateIx::each(&met).map(|(who, of)| (who, mean(of))).collect();
    }

    pub fn visit(&mut self, candidate: CandidateIx) {
        let disk = self.disk;
        self.common = next(self.common, disk.lag1, &mut self.random);
        let first_blocks = 5.0 * disk.means.len() as f64;
        let mut shift = disk.drift * f64::from(self.visits) / first_blocks;
        if disk.lag1 != 0.0 {
            shift += disk.noise * self.common;
        }
        if let Some(own) = disk.own.filter(|own| own.candidate == candidate) {
            self.own = next(self.own, own.lag1, &mut self.random);
            shift += own.sd * self.own;
        }
        if let Some((_, gain)) = disk.trend.filter(|(who, _)| *who == candidate) {
            shift += gain * ((f64::from(self.blocks) - 1.0) / 26.0 - 0.5);
        }
        let met = self.met.iter().find(|(who, _)| *who == candidate);
        shift += met.map_or(0.0, |(_, shift)| *shift);
        self.candidate = candidate;
        if let Some((_, drop)) = disk.cliff.filter(|(lasts, _)| self.visits >= *lasts) {
            shift -= drop;
        }
        if let Some((chance, lasts, drop)) = disk.stalls {
            if self.stalled == 0 && self.random.uniform() < chance {
                self.stalled = lasts;
            }
            if self.stalled > 0 {
                self.stalled -= 1;
                shift -= drop;
            }
        }
        self.shift = shift + disk.means[usize::from(candidate)];
        self.visits += 1;
    }

    /// `ln` of the speed of the next cell of this visit.
    pub fn cell(&mut self) -> f64 {
        let disk = self.disk;
        let noisier = disk.noisier.filter(|(who, _)| *who == self.candidate);
        let noise = disk.noise * noisier.map_or(1.0, |(_, times)| times);
        let mut y = self.shift + noise * self.error();
        let is_own = |o: &Outliers| o.candidate.is_none_or(|who| who == self.candidate);
        if let Some(hit) = disk.outliers.filter(is_own) {
            y += if hit.counts { hit.share * hit.drop } else { 0.0 };
            y -= if self.random.uniform() < hit.share { hit.drop } else { 0.0 };
        }
        y
    }

    /// An independent error of variance 1.
    fn error(&mut self) -> f64 {
        let normal = self.random.deviate();
        if !self.disk.heavy_tails {
            return normal;
        }
        let squares: f64 = (0..3).map(|_| self.random.deviate()).map(|z| z * z).sum();
        // Student's t with three degrees of freedom has variance 3.
        normal / libm::sqrt(squares / 3.0) / libm::sqrt(3.0)
    }
}

/// The next value of an autoregression of variance 1.
fn next(value: f64, lag1: f64, random: &mut NormalDeviates) -> f64 {
    lag1 * value + libm::sqrt(1.0 - lag1 * lag1) * random.deviate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_stats::autocorrelation::lag1;
    use bakeoff_stats::sample;

    fn cells(disk: &SimulatedDisk, candidate: CandidateIx, n: usize) -> Vec<f64> {
        let mut used = DiskUse::new(disk, 3);
        (0..n)
            .map(|_| {
                used.visit(candidate);
                used.cell()
            })
            .collect()
    }

    #[test]
    fn the_noise_is_as_large_and_the_waves_as_slow_as_asked_for() {
        let second = CandidateIx::new(1);
        let quiet = cells(&SimulatedDisk::new(&[0.0, 6.0], 2.0), second, 20_000);
        assert!((sample::mean(&quiet).unwrap() + libm::log1p(0.06)).abs() < 0.001);
        assert!((sample::sd(&quiet).unwrap() - 0.02).abs() < 0.001);
        assert!(lag1(&quiet).unwrap().r.abs() < 0.03);
        let own = Own { candidate: second, lag1: 0.8, sd: 0.05 };
        let wave = SimulatedDisk { own: Some(own), ..SimulatedDisk::new(&[0.0, 0.0], 0.001) };
        let wave_cells = cells(&wave, second, 20_000);
        assert!((sample::sd(&wave_cells).unwrap() - 0.05).abs() < 0.005);
        assert!((lag1(&wave_cells).unwrap().r - 0.8).abs() < 0.03);
        assert!(sample::sd(&cells(&wave, CandidateIx::FIRST, 20_000)).unwrap() < 0.0015);
    }

    #[test]
    fn the_best_is_alone_at_the_top() {
        assert_eq!(SimulatedDisk::new(&[0.0, 6.0], 2.0).best(), Some(CandidateIx::FIRST));
        assert_eq!(SimulatedDisk::new(&[6.0, 0.0], 2.0).best(), Some(CandidateIx::new(1)));
        assert_eq!(SimulatedDisk::new(&[0.0, 0.0, 6.0], 2.0).best(), None);
    }

    #[test]
    fn drift_and_cliff_are_shared_steps() {
        let drift = SimulatedDisk { drift: 0.1, ..SimulatedDisk::new(&[0.0, 0.0], 0.0) };
        let y = cells(&drift, CandidateIx::FIRST, 11);
        assert!((y[10] - y[0] - 0.1).abs() < 1e-12);
        let cliff = SimulatedDisk { cliff: Some((3, 1.0)), ..SimulatedDisk::new(&[0.0], 0.0) };
        assert_eq!(cells(&cliff, CandidateIx::FIRST, 5), [0.0, 0.0, 0.0, -1.0, -1.0]);
    }
}
