//! A year of weekly checks of one drive ([`bakeoff_judge::fit::change`]): false alarms where it
//! does not change, and how soon a change is found where it does.

use bakeoff_judge::fit::change::{PastFit, certain_change};
use bakeoff_stats::prng::{NormalDeviates, SplitMix64};

const WEEKS: u32 = 52;
/// A drive that changes does so after half a year.
const CHANGES_AT: u32 = 26;

/// How often a drive raised an alarm in a year.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckOutcomes {
    pub name: String,
    /// The figure after the change in units of that before; 1 = it does not change.
    pub change: f64,
    pub boards: u32,
    /// Boards with an alarm before any change: false ones.
    pub false_alarms: u32,
    /// Boards whose change was found within four checks, and before the year was over.
    pub found_soon: u32,
    pub found: u32,
}

/// How the figures of a drive that does not change differ from week to week.
#[derive(Clone, Copy)]
struct Weeks {
    name: &'static str,
    /// Standard deviation of the logarithm.
    noise: f64,
    /// Correlation from week to week.
    lag1: f64,
    /// Half of the difference of summer and winter.
    season: f64,
    /// Weeks in which something else ran, and how many times longer it took then.
    busy: (f64, f64),
    heavy_tails: bool,
    /// What is checked at a time, each with a noise of its own.
    needs: u32,
}

/// Plays each kind of drive on so many boards.
pub fn all(boards: u32, seed: u64) -> Vec<CheckOutcomes> {
    let quiet = Weeks {
        name: "3 % noise",
        noise: 0.03,
        lag1: 0.0,
        season: 0.0,
        busy: (0.0, 1.0),
        heavy_tails: false,
        needs: 1,
    };
    let waves = Weeks { name: "30 % noise, waves (lag-1 0.5)", noise: 0.3, lag1: 0.5, ..quiet };
    let busy = Weeks {
        name: "5 % noise, one week in 5 three times slower",
        noise: 0.05,
        busy: (0.2, 3.0),
        ..quiet
    };
    let kinds = [
        quiet,
        Weeks { name: "10 % noise", noise: 0.1, ..quiet },
        Weeks { name: "30 % noise", noise: 0.3, ..quiet },
        Weeks { name: "10 % noise, waves (lag-1 0.5)", noise: 0.1, lag1: 0.5, ..quiet },
        waves,
        Weeks {
            name: "5 % noise, summer and winter differ by 10 %",
            noise: 0.05,
            season: 0.05,
            ..quiet
        },
        Weeks { name: "10 % noise, heavy tails", noise: 0.1, heavy_tails: true, ..quiet },
        Weeks {
            name: "5 % noise, one week in 20 three times slower",
            noise: 0.05,
            busy: (0.05, 3.0),
            ..quiet
        },
        busy,
        Weeks { name: "10 % noise, 30 needs", noise: 0.1, needs: 30, ..quiet },
        Weeks { name: "30 % noise, waves (lag-1 0.5), 30 needs", needs: 30, ..waves },
        Weeks { name: "5 % noise, one week in 5 three times slower, 30 needs", needs: 30, ..busy },
    ];
    let asked = kinds.iter().flat_map(|kind| [1.0, 1.25, 1.5, 2.0].map(|change| (*kind, change)));
    let play = |(i, (kind, change)): (u64, (Weeks, f64))| {
        let seed = SplitMix64::derive(seed, &[i]).next_u64();
        kind.play(change, boards, seed)
    };
    (0..).zip(asked).map(play).collect()
}

impl Weeks {
    fn play(&self, change: f64, boards: u32, seed: u64) -> CheckOutcomes {
        let name = self.name.to_string();
        let mut found = CheckOutcomes { name, change, boards, ..CheckOutcomes::default() };
        let changes_at = if change == 1.0 { WEEKS } else { CHANGES_AT };
        for board in 0..boards {
            let alarms = self.alarms(change, SplitMix64::derive(seed, &[board.into()]));
            let first = |from: u32| alarms.iter().copied().find(|week| *week >= from);
            found.false_alarms += u32::from(first(0).is_some_and(|week| week < changes_at));
            let after = first(changes_at);
            found.found += u32::from(after.is_some());
            found.found_soon += u32::from(after.is_some_and(|week| week < changes_at + 4));
        }
        found
    }

    /// The weeks with an alarm for any need. What else runs in a week slows all of them.
    fn alarms(&self, change: f64, mut random: SplitMix64) -> Vec<u32> {
        let mut own = || NormalDeviates(SplitMix64::new(random.next_u64()));
        let mut weeks = own();
        let busy: Vec<bool> = (0..WEEKS).map(|_| weeks.uniform() < self.busy.0).collect();
        let mut all: Vec<u32> =
            (0..self.needs).flat_map(|_| self.alarms_of_need(change, own(), &busy)).collect();
        all.sort_unstable();
        all
    }

    fn alarms_of_need(&self, change: f64, mut random: NormalDeviates, busy: &[bool]) -> Vec<u32> {
        let mut checks: Vec<PastFit> = Vec::new();
        let (mut wave, phase) = (random.deviate(), random.uniform());
        let mut alarms = Vec::new();
        for (week, is_busy) in (0..).zip(busy) {
            wave = self.lag1 * wave + libm::sqrt(1.0 - self.lag1 * self.lag1) * random.deviate();
            let tail = if self.heavy_tails { heavy(&mut random) } else { 1.0 };
            let year = f64::from(week) / f64::from(WEEKS) + phase;
            let mut ln =
                self.noise * wave * tail + self.season * libm::sin(core::f64::consts::TAU * year);
            if *is_busy {
                ln += libm::log(self.busy.1);
            }
            if change != 1.0 && week >= CHANGES_AT {
                ln += libm::log(change);
            }
            checks.push(PastFit { unix_ns: i64::from(week), estimate: libm::exp(ln) });
            if certain_change(&checks, self.needs as usize).is_some() {
                alarms.push(week);
            }
        }
        alarms
    }
}

/// What makes a normal deviate one of Student's t with three degrees of freedom.
fn heavy(random: &mut NormalDeviates) -> f64 {
    let squares: f64 = (0..3).map(|_| random.deviate()).map(|z| z * z).sum();
    libm::sqrt(3.0 / squares)
}

impl CheckOutcomes {
    pub fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.boards.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_of_checks_of_a_steady_drive_is_quiet_and_a_slower_drive_is_found() {
        for one in all(20, 20_261_120) {
            assert!(one.false_alarms <= 4, "{one:?}");
            let is_clear = one.name == "3 % noise" && one.change >= 1.5;
            assert!(!is_clear || one.found_soon == one.boards, "{one:?}");
        }
    }
}
