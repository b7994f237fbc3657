//! Finds how long the slices of a workload are, and how long the drive settles in each. Whoever
//! measures gives slices of one length after another, made by all candidates in turns.

use std::collections::BTreeMap;

use super::cell_trial::Natural;
use bakeoff_model::calibration::{Calibration, Settled, Tried};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::slice::{Slice, Stretch};
use bakeoff_model::slice_length::{
    self, LIMIT_NS, Length, MeasuredLength, Next, RateChange, SETTLED_NS, Settling, TRIES,
    TriedSettling, VISIT_TIMES,
};
use bakeoff_model::workload::Metric;
use bakeoff_stats::sample;

/// Standard error of the logarithm of a slice's rate where its stretches are too few to tell: that
/// of two slices then hides a change of 4 % at most.
const UNKNOWN_NOISE: f64 = 0.014;
const TELLING: usize = 4;
/// Standard deviation of a stretch over the median distance of neighbours, of normal errors.
const SD_OF_STEPS: f64 = 1.048;
/// Standard errors beyond which a longer slice of a candidate certainly has another rate.
const CERTAIN: f64 = 3.0;

#[derive(Clone, Copy, Debug)]
pub struct TriedSlice {
    log: f64,
    noise: f64,
    elapsed_ns: u64,
    settling_log: Option<f64>,
    /// The same of its second half: what would have counted with half as much settling.
    halved_log: Option<f64>,
    settling_ns: u64,
}

impl TriedSlice {
    pub fn of(slice: &Slice, metric: Metric) -> TriedSlice {
        // A quantile changes with the number of operations; what it costs shows in their rate.
        let rate_of = if metric == Metric::LatencyP99 { Metric::Iops } else { metric };
        let log_of = |rate: Option<f64>| libm::log(rate.unwrap_or_default().max(f64::MIN_POSITIVE));
        let settling = Stretch::sum(&slice.settling);
        let second_half = Stretch::sum(&slice.settling[slice.settling.len() / 2..]);
        let rates = slice.along.iter().filter_map(|stretch| stretch.rate(rate_of));
        let logs: Vec<f64> = rates.map(libm::log).collect();
        let noise = match logs.len() {
            // From one to the next: what the turn cost at the beginning is no noise.
            n @ TELLING.. => {
                let steps: Vec<f64> = logs.windows(2).map(|w| libm::fabs(w[1] - w[0])).collect();
                sample::median(&steps).unwrap_or(0.0) * SD_OF_STEPS / libm::sqrt(n as f64)
            }
            _ => UNKNOWN_NOISE,
        };
        TriedSlice {
            log: log_of(slice.figure(rate_of)),
            noise,
            elapsed_ns: slice.elapsed_ns,
            settling_log: (settling.elapsed_ns > 0).then(|| log_of(settling.rate(rate_of))),
            halved_log: second_half.rate(rate_of).map(libm::log),
            settling_ns: settling.elapsed_ns,
        }
    }
}

pub type Level = BTreeMap<CandidateIx, Vec<TriedSlice>>;

#[derive(Clone, Debug)]
pub struct Search {
    pub workload: WorkloadIx,
    pub planned: u32,
    pub margin: f64,
    pub granted_ns: u64,
    pub most_ns: u64,
    pub natural: Natural,
    pub charges: bool,
    pub is_slow: bool,
    pub tried: Vec<Tried>,
}

impl Search {
    /// Asks `level` for slices of a length, so many of each candidate, until it is found.
    ///
    /// # Errors
    /// What `level` gives.
    pub fn run<E>(
        mut self,
        mut level: impl FnMut(Length, u32) -> Result<Level, E>,
    ) -> Result<Calibration, E> {
        let (unit_ns, is_charged) = if self.is_slow {
            (slice_length::LONGEST_NS.min(self.granted_ns), true)
        } else {
            self.length(&mut level)?
        };
        if !is_charged {
            return Ok(self.found(Length::of(unit_ns), Settled::Quick, 0));
        }
        self.settle(&mut level, unit_ns)
    }

    /// The longest slice, settling included: where turns usually cost nothing, that of a quick
    /// drive in both parts.
    fn most_ns(&self) -> u64 {
        let is_usual = self.charges || self.is_slow;
        if is_usual { self.most_ns } else { self.most_ns.min(2 * self.granted_ns) }
    }

    fn length<E>(
        &mut self,
        level: &mut impl FnMut(Length, u32) -> Result<Level, E>,
    ) -> Result<(u64, bool), E> {
        let (mut tried, mut before) = (Vec::new(), Level::new());
        loop {
            let length_ns = match slice_length::next(&tried) {
                Next::Use(length_ns) => {
                    let is_charged = is_unsteady(&tried) && self.charges;
                    return Ok((length_ns.min(self.granted_ns), is_charged));
                }
                // Of no use where nothing longer may be chosen.
                Next::Try(length_ns)
                    if length_ns.saturating_mul(2) > self.granted_ns && tried.is_empty() =>
                {
                    return Ok((self.granted_ns, false));
                }
                Next::Try(length_ns) if length_ns > self.granted_ns => {
                    return Ok((self.granted_ns, false));
                }
                Next::Try(length_ns) => length_ns,
            };
            let now = self.level(level, Length::of(length_ns))?;
            if now.is_empty() {
                return Ok((self.granted_ns, false));
            }
            let rises = certainly_rises(&before, &now, self.margin);
            let unit_ns = length_ns / 2;
            if rises && unit_ns.max(self.natural.unit_ns).saturating_mul(2) <= self.most_ns() {
                return Ok((unit_ns, true));
            }
            let log = |own: &[TriedSlice]| mean(own.iter().map(|t| t.log));
            let changes = now.iter().filter_map(|(c, own)| Some(log(own) - log(before.get(c)?)));
            let noise = sample::standard_error(&changes.collect::<Vec<f64>>());
            let noise = if rises { 0.0 } else { noise.unwrap_or(0.0) };
            let rate = libm::exp(mean(now.values().map(|own| log(own))));
            tried.push(MeasuredLength { length_ns, rate, noise });
            before = now;
        }
    }

    /// How long the drive settles: doubled until the rate of what counts stays, of every candidate.
    fn settle<E>(
        mut self,
        level: &mut impl FnMut(Length, u32) -> Result<Level, E>,
        unit_ns: u64,
    ) -> Result<Calibration, E> {
        let (mut tried, mut counted_ns): (Vec<TriedSettling>, u64) = (Vec::new(), 0);
        loop {
            let settling = match slice_length::settle(&tried, self.margin, self.most_ns()) {
                Settling::Try(settling) => settling,
                Settling::Use(settling) => {
                    let longest_ns = tried.last().map_or(0, |t| t.longest_ns);
                    return Ok(self.found(Length { unit_ns, settling }, Settled::Yes, longest_ns));
                }
                // The longer slices of the run show what is left.
                Settling::TooLong(_) if !self.charges && !self.is_slow => {
                    let unit_ns = slice_length::LONGEST_NS.min(self.granted_ns);
                    return Ok(self.found(Length::of(unit_ns), Settled::Quick, 0));
                }
                Settling::TooLong(settling) => {
                    let longest_ns = tried.last().map_or(0, |t| t.longest_ns);
                    let has_time =
                        longest_ns.saturating_mul(2) <= self.most_ns || longest_ns >= SETTLED_NS;
                    let times = self.visit_times(longest_ns, counted_ns);
                    let length = Length { unit_ns, settling: settling.saturating_mul(times) };
                    let settled = if has_time { Settled::ByVisits } else { Settled::NoTime };
                    let longer_ns = 2 * u64::from(times - 1) * counted_ns;
                    return Ok(self.found(length, settled, longest_ns.saturating_add(longer_ns)));
                }
            };
            let now = self.level(level, Length { unit_ns, settling })?;
            if now.is_empty() {
                return Ok(self.found(Length::of(unit_ns), Settled::Quick, 0));
            }
            let all = now.values().flatten();
            let longest_ns = all.map(|t| t.elapsed_ns + t.settling_ns).max().unwrap_or(0);
            let changes = now.values().map(|own| change_in(own, settling)).collect();
            tried.push(TriedSettling { settling, longest_ns, changes });
            counted_ns = now.values().flatten().map(|t| t.elapsed_ns).max().unwrap_or(0);
        }
    }

    /// How many times as much work a piece of a visit is as the longest slice, whose part that
    /// counts takes `counted_ns`: as the time and the limit of its parts allow. The turn is paid
    /// once, however long the piece is.
    fn visit_times(&self, longest_ns: u64, counted_ns: u64) -> u32 {
        let left_ns = self.most_ns.min(2 * LIMIT_NS).saturating_sub(longest_ns);
        let times = 1 + left_ns / (2 * counted_ns.max(1));
        times.min(VISIT_TIMES.into()) as u32
    }

    fn level<E>(
        &mut self,
        level: &mut impl FnMut(Length, u32) -> Result<Level, E>,
        length: Length,
    ) -> Result<Level, E> {
        let expected_ns = self.natural.unit_ns.saturating_mul(length.units().into());
        let now = level(length, slice_length::tries(expected_ns))?;
        let all = now.iter().flat_map(|(candidate, own)| own.iter().map(move |t| (*candidate, t)));
        self.tried.extend(all.map(|(candidate, tried)| Tried {
            candidate,
            length,
            elapsed_ns: tried.elapsed_ns,
            rate: libm::exp(tried.log),
            settling_ns: tried.settling_ns,
            settling_rate: tried.settling_log.map(libm::exp),
        }));
        Ok(now)
    }

    fn found(self, length: Length, settled: Settled, longest_ns: u64) -> Calibration {
        let own_ns = match settled {
            Settled::Quick => self.natural.slice_ns.max(length.unit_ns),
            Settled::Yes | Settled::ByVisits | Settled::NoTime => {
                self.natural.unit_ns.max(length.unit_ns).saturating_mul(length.units().into())
            }
        };
        let longest_ns = longest_ns.max(own_ns);
        let rounds = match settled {
            Settled::ByVisits => 1,
            Settled::Quick | Settled::Yes | Settled::NoTime => {
                slice_length::rounds(self.planned, self.granted_ns, longest_ns)
            }
        };
        let tried = self.tried;
        Calibration { workload: self.workload, length, rounds, longest_ns, settled, tried }
    }
}

fn is_unsteady(tried: &[MeasuredLength]) -> bool {
    let at_the_end = tried.last().is_some_and(|t| t.length_ns >= slice_length::LONGEST_NS);
    at_the_end && slice_length::still_changes(tried)
}

/// Whether longer slices of a candidate are certainly faster, as where a turn costs it something.
fn certainly_rises(before: &Level, now: &Level, margin: f64) -> bool {
    let spread = |level: &Level| {
        let repeated = level
            .values()
            .filter_map(|own| sample::sd(&own.iter().map(|t| t.log).collect::<Vec<f64>>()));
        let variances: Vec<f64> = repeated.map(|sd| sd * sd / f64::from(TRIES)).collect();
        sample::mean(&variances).unwrap_or(0.0)
    };
    let common = libm::sqrt(spread(before) + spread(now));
    let least = libm::log1p(slice_length::tolerance(margin));
    let rises = |c: RateChange| c.change > least.max(CERTAIN * c.noise.max(common));
    now.iter().any(|(c, own)| before.get(c).is_some_and(|past| rises(change(past, own))))
}

fn change(before: &[TriedSlice], now: &[TriedSlice]) -> RateChange {
    let noise = |tried: &[TriedSlice]| {
        let within = mean(tried.iter().map(|t| t.noise * t.noise));
        let logs: Vec<f64> = tried.iter().map(|t| t.log).collect();
        let between = sample::sd(&logs).unwrap_or(0.0);
        within.max(between * between) / tried.len().max(1) as f64
    };
    let log = |tried: &[TriedSlice]| mean(tried.iter().map(|t| t.log));
    RateChange { change: log(now) - log(before), noise: libm::sqrt(noise(now) + noise(before)) }
}

/// How the rate of what counts changed since half the settling; with one unit of it, since none.
/// Both are of the same slices: what changes for everybody from one length to the next, as on a
/// busy machine, is in neither.
fn change_in(tried: &[TriedSlice], settling: u32) -> RateChange {
    // What counts is as long as all of the settling, and twice as long as its second half.
    let (earlier, parts): (fn(&TriedSlice) -> Option<f64>, f64) = match settling {
        0 | 1 => (|t| t.settling_log, 2.0),
        _ => (|t| t.halved_log.or(t.settling_log), 3.0),
    };
    let changes: Vec<f64> = tried.iter().filter_map(|t| Some(t.log - earlier(t)?)).collect();
    let within = mean(tried.iter().map(|t| t.noise * t.noise)) * parts;
    let between = sample::sd(&changes).unwrap_or(0.0);
    let noise = libm::sqrt(within.max(between * between) / changes.len().max(1) as f64);
    RateChange { change: mean(changes.into_iter()), noise }
}

fn mean(logs: impl Iterator<Item = f64>) -> f64 {
    sample::mean(&logs.collect::<Vec<f64>>()).unwrap_or(f64::NAN)
}
