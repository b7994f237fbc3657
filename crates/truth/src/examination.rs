//! The examination of `probe` on drives of known truth: how often it finds what is wrong, and how
//! often it finds something where nothing is. The decisions are those of `bakeoff_machine::probe`;
//! only what the drive did is invented.

use std::collections::BTreeMap;

use bakeoff_machine::probe::exam::ExamAnswer;
use bakeoff_machine::probe::judge;
use bakeoff_machine::probe::pace::{PaceVerdict, PieceRates, SHARE_OF_MARK};
use bakeoff_machine::probe::{FLUSH_BYTES, Readback, SampleLayout};
use bakeoff_model::normal::Medium;
use bakeoff_model::others::Others;
use bakeoff_stats::prng::{NormalDeviates, SplitMix64};

/// Pieces of a stretch that is written, and turns of short reads: of each look, the next of which
/// is only taken where the one before was too slow.
const WRITES: &[usize] = &[64, 256];
const READS: &[usize] = &[24; 3];
const CAPACITY_BYTES: u64 = 64_000_000_000;

/// How often an examination said what.
#[derive(Clone, Debug, PartialEq)]
pub struct ExamOutcomes {
    pub name: String,
    /// What is wrong with the drive.
    pub truth: ExamAnswer,
    pub runs: u32,
    pub nothing: u32,
    pub slow: u32,
    pub failing: u32,
    pub fake: u32,
}

/// A drive and its load.
enum ExamScenario {
    /// Pieces against a limit of 1 times `share`.
    Paced { looks: &'static [usize], share: f64, load: PacedLoad },
    /// A capacity of which a share is real; addresses beyond it begin again, or hold nothing.
    Capacity { real: f64, wraps: bool },
}

/// How fast the pieces of a drive are.
#[derive(Clone, Copy)]
struct PacedLoad {
    /// Its rate as a multiple of what is asked of it.
    level: f64,
    noise: f64,
    /// Share of the pieces that are so many times slower, one by one or eight in a row.
    hit: f64,
    times: f64,
    row: usize,
    foreign: f64,
}

const STEADY: PacedLoad =
    PacedLoad { level: 1.0, noise: 0.05, hit: 0.0, times: 1.0, row: 1, foreign: 0.0 };

/// Plays every scenario `runs` times.
pub fn all(runs: u32, seed: u64) -> Vec<ExamOutcomes> {
    let play = |(i, (name, truth, scenario)): (u64, (String, ExamAnswer, ExamScenario))| {
        let mut of = ExamOutcomes { name, truth, runs, nothing: 0, slow: 0, failing: 0, fake: 0 };
        for run in 0..runs {
            let mut random = NormalDeviates(SplitMix64::derive(seed, &[i, run.into()]));
            *match scenario.play(&mut random) {
                ExamAnswer::NothingWrongFound => &mut of.nothing,
                ExamAnswer::Slow => &mut of.slow,
                ExamAnswer::Failing => &mut of.failing,
                ExamAnswer::Fake => &mut of.fake,
            } += 1;
        }
        of
    };
    (0..).zip(scenarios()).map(play).collect()
}

fn scenarios() -> Vec<(String, ExamAnswer, ExamScenario)> {
    use ExamAnswer::{Fake, NothingWrongFound, Slow};
    // Of others that all are as fast as their slowest tenth.
    let tenths = [1.0; 11];
    let slow = Others { medium: Medium::Sd, link: None, n: 8, tenths, sources: Vec::new() };
    let slow = slow.slow_below();
    let loads = [
        ("quiet", STEADY),
        ("20 % noise", PacedLoad { noise: 0.2, ..STEADY }),
        ("5 % of the pieces stall", PacedLoad { hit: 0.05, times: 100.0, ..STEADY }),
        ("full: 60 % of the pieces 4 times slower", PacedLoad { hit: 0.6, times: 4.0, ..STEADY }),
        ("full, eight in a row", PacedLoad { hit: 0.5, times: 4.0, row: 8, ..STEADY }),
        (
            "busy for a third of the time",
            PacedLoad { hit: 0.3, times: 2.0, row: 8, foreign: 0.3, ..STEADY },
        ),
        ("busy all the time", PacedLoad { hit: 1.0, times: 2.0, foreign: 1.0, ..STEADY }),
        ("others on the same hub, unseen", PacedLoad { hit: 0.5, times: 2.0, row: 8, ..STEADY }),
    ];
    let mut all = Vec::new();
    for (words, load) in loads {
        let paced = |looks, share, level| {
            let load = PacedLoad { level: level * load.level, ..load };
            ExamScenario::Paced { looks, share, load }
        };
        let name = |of: &str| format!("{of}; {words}");
        let mark = |level| paced(WRITES, SHARE_OF_MARK, level);
        all.push((name("a card just keeps its mark"), NothingWrongFound, mark(1.0)));
        let reads = |level| paced(READS, slow, level);
        all.push((name("reads like the slowest tenth"), NothingWrongFound, reads(1.0)));
        if load.foreign == 0.0 && load.hit < 0.5 {
            all.push((name("a card fails its mark by 30 %"), Slow, mark(0.7)));
            all.push((name("reads at 60 % of what is slow"), Slow, reads(0.6 * slow)));
        }
    }
    all.push((
        "all of it is real".to_string(),
        NothingWrongFound,
        ExamScenario::Capacity { real: 1.0, wraps: false },
    ));
    for real in [0.02, 0.25, 0.5, 0.9, 0.95] {
        for wraps in [false, true] {
            let beyond = if wraps { "begins again" } else { "holds nothing" };
            let name = format!("{:.0} % is real, what lies beyond {beyond}", real * 100.0);
            all.push((name, Fake, ExamScenario::Capacity { real, wraps }));
        }
    }
    all
}

impl ExamScenario {
    fn play(&self, random: &mut NormalDeviates) -> ExamAnswer {
        match *self {
            ExamScenario::Paced { looks, share, load } => {
                let mut is_below = |pieces: &usize| {
                    let pace = load.pace(*pieces, random);
                    pace.against(share, Some(load.foreign)) == PaceVerdict::Below
                };
                if looks.iter().all(&mut is_below) {
                    ExamAnswer::Slow
                } else {
                    ExamAnswer::NothingWrongFound
                }
            }
            ExamScenario::Capacity { real, wraps } => {
                // Sizes of forgers are none that the samples know.
                let real = real * (1.0 - 0.01 * random.uniform() * f64::from(u8::from(real < 1.0)));
                capacity((CAPACITY_BYTES as f64 * real) as u64 / 4096 * 4096, wraps, random)
            }
        }
    }
}

impl PacedLoad {
    fn pace(&self, pieces: usize, random: &mut NormalDeviates) -> PieceRates {
        let mut is_hit = false;
        PieceRates::new((0..pieces).map(|i| {
            if i % self.row == 0 {
                is_hit = random.uniform() < self.hit;
            }
            let slower = if is_hit { self.times } else { 1.0 };
            self.level / slower * libm::exp(self.noise * random.deviate())
        }))
    }
}

/// Samples a capacity of which the first bytes are real.
fn capacity(real_bytes: u64, wraps: bool, random: &mut NormalDeviates) -> ExamAnswer {
    let layout = SampleLayout::new(CAPACITY_BYTES, random.0.next_u64(), FLUSH_BYTES);
    let place =
        |at: u64| if wraps { Some(at % real_bytes) } else { (at < real_bytes).then_some(at) };
    // Who wrote a place last; the stretch comes after the samples.
    let last: BTreeMap<u64, u64> =
        layout.samples.iter().filter_map(|at| Some((place(*at)?, *at))).collect();
    let stretch =
        layout.flush_start % real_bytes..layout.flush_start % real_bytes + layout.flush_bytes;
    let seen = |at: &u64| {
        let readback = match place(*at) {
            None => Readback::Other,
            Some(place) if stretch.contains(&place) => Readback::Other,
            Some(place) => match last.get(&place) {
                Some(writer) if writer == at => Readback::Good,
                Some(writer) => Readback::Alias(*writer),
                None => Readback::Other,
            },
        };
        (*at, readback)
    };
    let samples: Vec<(u64, Readback)> = layout.samples.iter().map(seen).collect();
    judge::judge("drive", CAPACITY_BYTES, &samples, Some(&samples)).seen().answer
}

impl ExamOutcomes {
    pub fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.runs.max(1))
    }

    /// Runs that found something else than what is wrong, where something was found.
    pub fn false_alarms(&self) -> u32 {
        let said = [
            (ExamAnswer::Slow, self.slow),
            (ExamAnswer::Failing, self.failing),
            (ExamAnswer::Fake, self.fake),
        ];
        said.iter().filter(|(answer, _)| *answer != self.truth).map(|(_, count)| count).sum()
    }

    pub fn found(&self) -> u32 {
        match self.truth {
            ExamAnswer::NothingWrongFound => self.nothing,
            ExamAnswer::Slow => self.slow,
            ExamAnswer::Failing => self.failing,
            ExamAnswer::Fake => self.fake,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_found_and_nothing_else_is() {
        let runs = 200;
        for one in all(runs, 20_261_120) {
            assert_eq!(one.nothing + one.slow + one.failing + one.fake, runs, "{one:?}");
            assert!(one.false_alarms() <= runs / 50, "{one:?}");
            let least = match one.truth {
                ExamAnswer::NothingWrongFound => 0.98,
                _ => 0.92,
            };
            assert!(one.share(one.found()) >= least, "{one:?}");
        }
    }
}
