//! A drive whose latencies follow a known law: what it does to a single writer that waits for each
//! answer. All times are in units of its usual latency, so that one law serves drives of any speed.

use bakeoff_stats::prng::{NormalDeviates, SplitMix64};

/// Operations from which the truth is computed.
const TRUTH_OPERATIONS: u32 = 2_000_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyLaw {
    pub name: &'static str,
    /// Standard deviation of the logarithm of a latency.
    pub spread: f64,
    /// The exponent of a Pareto law instead.
    pub tail: Option<f64>,
    /// A slow wave: standard deviation of its logarithm, and the time in which it is forgotten.
    pub wave: Option<(f64, f64)>,
    pub slow: Slowness,
}

/// When operations take longer than usual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slowness {
    Never,
    /// A share of them, each by chance.
    Chance {
        share: f64,
        times: f64,
    },
    /// Phases of chance, of these mean lengths.
    Phases {
        usual: f64,
        slow: f64,
        times: f64,
    },
    /// The first part of every period.
    Periods {
        period: f64,
        slow: f64,
        times: f64,
    },
    /// The operation at the beginning of every period takes so long.
    Stalls {
        period: f64,
        takes: f64,
    },
}

/// A drive at one time.
#[derive(Clone, Debug)]
pub struct LatencyDrive {
    law: LatencyLaw,
    random: NormalDeviates,
    now: f64,
    wave: f64,
    waved_at: f64,
    is_slow: bool,
    switches_at: f64,
}

impl LatencyDrive {
    pub fn new(law: LatencyLaw, seed: u64) -> LatencyDrive {
        let mut random = NormalDeviates(SplitMix64::new(seed));
        let period = match law.slow {
            Slowness::Periods { period, .. } | Slowness::Stalls { period, .. } => period,
            Slowness::Phases { usual, slow, .. } => 50.0 * (usual + slow),
            Slowness::Never | Slowness::Chance { .. } => 1.0,
        };
        let now = period * random.uniform();
        let wave = law.wave.map_or(0.0, |(sd, _)| sd * random.deviate());
        let mut drive = LatencyDrive {
            law,
            random,
            now: 0.0,
            wave,
            waved_at: now,
            is_slow: false,
            switches_at: 0.0,
        };
        drive.pause(now);
        drive
    }

    pub fn now(&self) -> f64 {
        self.now
    }

    pub fn pause(&mut self, time: f64) {
        self.now += time;
        while let Slowness::Phases { usual, slow, .. } = self.law.slow
            && self.switches_at <= self.now
        {
            self.is_slow = !self.is_slow;
            let mean = if self.is_slow { slow } else { usual };
            self.switches_at -= mean * libm::log(1.0 - self.random.uniform());
        }
    }

    /// What the next operation takes.
    pub fn operation(&mut self) -> f64 {
        let LatencyLaw { spread, tail, wave, slow, .. } = self.law;
        let usual = match tail {
            Some(exponent) => libm::pow(1.0 - self.random.uniform(), -1.0 / exponent),
            None => libm::exp(spread * self.random.deviate()),
        };
        if let Some((sd, forgotten)) = wave {
            let kept = libm::exp((self.waved_at - self.now) / forgotten);
            self.wave =
                kept * self.wave + sd * libm::sqrt(1.0 - kept * kept) * self.random.deviate();
            self.waved_at = self.now;
        }
        let phase = |period: f64| self.now - period * libm::floor(self.now / period);
        let usual = usual * libm::exp(self.wave);
        let took = match slow {
            Slowness::Chance { share, times } if self.random.uniform() < share => usual * times,
            Slowness::Phases { times, .. } if self.is_slow => usual * times,
            Slowness::Periods { period, slow, times } if phase(period) < slow => usual * times,
            Slowness::Stalls { period, takes } if phase(period) + usual >= period => usual + takes,
            _ => usual,
        };
        self.pause(took);
        took
    }
}

impl LatencyLaw {
    /// The latency that this share of its operations does not exceed, and the mean.
    pub fn truth(&self, quantile: f64) -> (f64, f64) {
        let mut drive = LatencyDrive::new(*self, 1);
        let mut all: Vec<f64> = (0..TRUTH_OPERATIONS).map(|_| drive.operation()).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let at = (quantile * all.len() as f64) as usize;
        (*all.select_nth_unstable_by(at, f64::total_cmp).1, mean)
    }
}

/// Laws that are judged. A drive at the limit of 10 ms has a usual latency of 1 to 7 ms.
pub const LAWS: [LatencyLaw; 10] = {
    let quiet =
        LatencyLaw { name: "quiet", spread: 0.2, tail: None, wave: None, slow: Slowness::Never };
    let chance = Slowness::Chance { share: 0.04, times: 8.0 };
    let phases = Slowness::Phases { usual: 100.0, slow: 30.0, times: 6.0 };
    let long = Slowness::Phases { usual: 600.0, slow: 240.0, times: 6.0 };
    let flushes = Slowness::Periods { period: 200.0, slow: 40.0, times: 6.0 };
    let rare = Slowness::Periods { period: 1000.0, slow: 300.0, times: 6.0 };
    let stalls = Slowness::Stalls { period: 40.0, takes: 8.0 };
    [
        quiet,
        LatencyLaw { name: "wide", spread: 0.6, ..quiet },
        LatencyLaw { name: "bimodal", slow: chance, ..quiet },
        LatencyLaw { name: "bimodal, in phases", slow: phases, ..quiet },
        LatencyLaw { name: "bimodal, in long phases", slow: long, ..quiet },
        LatencyLaw { name: "periodic stalls", slow: stalls, ..quiet },
        LatencyLaw { name: "periodic slowness", slow: flushes, ..quiet },
        LatencyLaw { name: "periodic slowness, rare", slow: rare, ..quiet },
        LatencyLaw { name: "heavy tails", tail: Some(2.0), ..quiet },
        LatencyLaw {
            name: "heavy tails, slow waves",
            tail: Some(2.0),
            wave: Some((0.3, 200.0)),
            ..quiet
        },
    ]
};
