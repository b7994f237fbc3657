//! The gate ([`bakeoff_judge::gate`]) on drives of known truth: how often it says what, and how
//! often that is wrong. Runs are those of [`crate::session`], with a fixed number of blocks.

use crate::catalogue::Scenario;
use crate::disk::{Outliers, SimulatedDisk};
use crate::session;
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::gate::{self, GateVerdict};
use bakeoff_judge::levels::{self, RunLevels};
use bakeoff_model::index::CandidateIx;
use bakeoff_model::protocol::Mode;
use bakeoff_model::run::FoldError;
use bakeoff_stats::prng::{NormalDeviates, SplitMix64};

const LIMIT: f64 = 0.10;

/// How often the gate said what.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GateOutcomes {
    pub name: String,
    /// What a whole run is off by, a standard deviation in percent.
    pub session_percent: f64,
    pub noise_percent: f64,
    pub blocks: u32,
    pub base_runs: u32,
    pub rates: u32,
    pub runs: u32,
    pub slower: u32,
    pub not_slower: u32,
    pub unknown: u32,
    /// Said slower where none is by more than the limit, or not slower where one is by the limit.
    pub wrong: u32,
}

/// A drive, and by how many percent each candidate is slower on it in the new run.
struct GateScenario {
    name: String,
    disk: SimulatedDisk,
    slower_percent: Vec<f64>,
    blocks: u32,
    base_runs: u32,
    session: f64,
}

/// Plays every scenario `runs` times.
///
/// # Errors
/// A made run does not fold: a bug.
pub fn all(runs: u32, seed: u64) -> Result<Vec<GateOutcomes>, FoldError> {
    let play = |(i, scenario): (u64, GateScenario)| scenario.play(runs, seed, i);
    (0..).zip(scenarios()).map(play).collect()
}

fn scenarios() -> Vec<GateScenario> {
    let disk = |noise: f64| SimulatedDisk::new(&[0.0], noise);
    let waves = |noise| SimulatedDisk { drift: libm::log(1.1), lag1: 0.5, ..disk(noise) };
    let stalls = |times: f64| {
        let drop = libm::log(times);
        let hit = Outliers { share: 0.05, drop, candidate: None, counts: false };
        SimulatedDisk { outliers: Some(hit), ..disk(2.0) }
    };
    let tails = SimulatedDisk { heavy_tails: true, ..disk(5.0) };
    let noisier = SimulatedDisk { noisier: Some((CandidateIx::FIRST, 4.0)), ..disk(2.0) };
    let truths =
        [("equal", 0.0), ("5 % slower", 5.0), ("10 % slower", 10.0), ("25 % slower", 25.0)];
    let mut all = Vec::new();
    for (name, percent) in truths {
        for (words, disk) in [
            ("quiet drive", disk(2.0)),
            ("5 % noise", disk(5.0)),
            ("10 % noise", disk(10.0)),
            ("drift and waves", waves(4.0)),
            ("5 % of the cells 3 times slower", stalls(3.0)),
            ("5 % of the cells 100 times slower", stalls(100.0)),
            ("heavy tails", tails.clone()),
            ("four times the noise", noisier.clone()),
        ] {
            all.push(GateScenario::new(format!("{name}, {words}"), disk, vec![percent]));
        }
    }
    for blocks in [3, 5, 27] {
        let one =
            GateScenario::new("10 % slower, drift and waves".to_string(), waves(4.0), vec![10.0]);
        all.push(GateScenario { blocks, ..one });
    }
    for (name, percent) in
        [("equal", 0.0), ("one of five 10 % slower", 10.0), ("one of five 25 % slower", 25.0)]
    {
        let mut slower = vec![0.0; 5];
        slower[2] = percent;
        let five = SimulatedDisk { lag1: 0.5, ..SimulatedDisk::new(&[0.0; 5], 4.0) };
        all.push(GateScenario::new(format!("{name}, waves"), five, slower));
    }
    for (name, percent) in truths {
        for base_runs in [1, 3, 5] {
            let one = GateScenario::new(format!("{name}, runs differ"), disk(2.0), vec![percent]);
            all.push(GateScenario { base_runs, session: 0.05, ..one });
        }
    }
    all
}

impl GateScenario {
    fn new(name: String, disk: SimulatedDisk, slower_percent: Vec<f64>) -> GateScenario {
        GateScenario { name, disk, slower_percent, blocks: 12, base_runs: 1, session: 0.0 }
    }

    fn play(&self, runs: u32, seed: u64, number: u64) -> Result<GateOutcomes, FoldError> {
        let mut outcome = GateOutcomes {
            name: self.name.clone(),
            session_percent: self.session * 100.0,
            noise_percent: self.disk.noise * 100.0,
            blocks: self.blocks,
            base_runs: self.base_runs,
            rates: self.disk.means.len() as u32,
            runs,
            ..GateOutcomes::default()
        };
        let slowest = self.slower_percent.iter().copied().fold(0.0, f64::max) / 100.0;
        for i in 0..runs {
            let mut random = NormalDeviates(SplitMix64::derive(seed, &[number, i.into()]));
            let base: Result<Vec<RunLevels>, FoldError> =
                (0..self.base_runs).map(|_| self.run(false, &mut random)).collect();
            let (base, new) = (base?, self.run(true, &mut random)?);
            let base: Vec<&RunLevels> = base.iter().collect();
            match gate::judge(&base, &new, LIMIT, Vec::new()).verdict {
                GateVerdict::Slower => {
                    outcome.slower += 1;
                    outcome.wrong += u32::from(slowest <= LIMIT);
                }
                GateVerdict::NotSlower => {
                    outcome.not_slower += 1;
                    outcome.wrong += u32::from(slowest >= LIMIT);
                }
                GateVerdict::Unknown => outcome.unknown += 1,
            }
        }
        Ok(outcome)
    }

    fn run(&self, is_new: bool, random: &mut NormalDeviates) -> Result<RunLevels, FoldError> {
        let mut disk = self.disk.clone();
        let session = self.session * random.deviate();
        for (mean, percent) in disk.means.iter_mut().zip(&self.slower_percent) {
            *mean += session + if is_new { libm::log1p(-percent / 100.0) } else { 0.0 };
        }
        let scenario = Scenario {
            mode: Mode::Quick,
            looks: Some(vec![self.blocks]),
            ..Scenario::new(self.name.as_str(), disk)
        };
        let (run, _) = session::play(&scenario, random.0.next_u64())?;
        Ok(levels::levels(&run, &analyse(&run)))
    }
}

impl GateOutcomes {
    pub fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.runs.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_is_rarely_wrong_and_often_right() {
        let found = all(40, 20_261_120).expect("made runs fold");
        for one in found.iter().filter(|one| one.session_percent == 0.0) {
            assert!(one.wrong <= 6, "{one:?}");
            assert_eq!(one.slower + one.not_slower + one.unknown, one.runs);
        }
        let of = |name: &str| found.iter().find(|one| one.name == name).expect("a scenario");
        assert!(of("equal, quiet drive").not_slower > 35, "{:?}", of("equal, quiet drive"));
        assert!(of("25 % slower, quiet drive").slower > 35);
    }
}
