//! The CPU's clock: who chooses it, whether it is capped, and power and heat.

use super::{Check, Facts};
use crate::model::throttled;

/// How near to its limit a temperature is worth a word.
const NEAR_MC: u64 = 5_000;

/// What chooses the clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Governor {
    /// The clock is limited below what the CPU can do.
    Capped {
        /// The cpufreq policy: `policy0`.
        policy: String,
        /// The most that is allowed now.
        limit_khz: u64,
        /// The most the CPU can do.
        most_khz: u64,
    },
    /// The clock follows the load.
    FollowsLoad {
        /// The governor.
        governor: String,
    },
    /// Nothing is wrong with these governors.
    Fixed {
        /// The governors, each once.
        governors: Vec<String>,
    },
}

/// Power and heat, as the firmware of a Raspberry Pi reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttling {
    /// Bits of [`throttled`].
    pub bits: u32,
    /// Whether they tell what has happened since boot.
    pub tells_history: bool,
}

/// Temperature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Temperature {
    /// No sensor answers.
    NoSensor,
    /// The hottest of all.
    Hottest {
        /// The sensor.
        sensor: String,
        /// Thousandths of a degree.
        now_mc: u64,
        /// At which the machine slows down.
        limit_mc: u64,
    },
}

/// Whether the clock may stay high.
pub fn governor(facts: &Facts) -> Check {
    const ID: &str = "governor";
    let clocks = match &facts.clocks {
        Ok(clocks) => clocks,
        Err(why) => return Check::unknown(ID, why.clone()),
    };
    let capped = clocks.iter().find_map(|clock| {
        let (limit_khz, most_khz) = clock.limit_khz.zip(clock.most_khz)?;
        let policy = clock.name.clone();
        (limit_khz < most_khz).then_some(Governor::Capped { policy, limit_khz, most_khz })
    });
    if let Some(capped) = capped {
        return Check::warn(ID, capped);
    }
    // These two drivers choose the clock themselves; `powersave` is their usual word for that.
    let chooses_itself = |driver: &str| matches!(driver, "intel_pstate" | "amd-pstate-epp");
    let drifting = clocks
        .iter()
        .filter(|c| !c.driver.as_deref().is_some_and(chooses_itself))
        .filter_map(|c| c.governor.clone())
        .find(|governor| governor != "performance");
    match drifting {
        Some(governor) => Check::warn(ID, Governor::FollowsLoad { governor }),
        None => {
            let mut governors: Vec<String> =
                clocks.iter().filter_map(|c| c.governor.clone()).collect();
            governors.dedup();
            Check::pass(ID, Governor::Fixed { governors })
        }
    }
}

/// Whether power or heat holds the board back.
pub fn throttling(facts: &Facts) -> Check {
    const ID: &str = "throttling";
    let (bits, tells_history) = match &facts.throttled {
        Ok(bits) => *bits,
        Err(why) => return Check::unknown(ID, why.clone()),
    };
    let found = Throttling { bits, tells_history };
    let is_clear = |bits| throttled::labels(bits).is_empty();
    match (is_clear(bits), is_clear(throttled::since_boot(bits))) {
        (true, true) => Check::pass(ID, found),
        (true, false) => Check::warn(ID, found),
        (false, _) => Check::stop(ID, found),
    }
}

/// How near the machine is to slowing down.
pub fn heat(facts: &Facts) -> Check {
    const ID: &str = "temperature";
    let zones = match &facts.temperatures {
        Ok(zones) => zones,
        Err(why) => return Check::unknown(ID, why.clone()),
    };
    let Some((sensor, now_mc, critical)) = zones.iter().max_by_key(|(_, mc, _)| *mc) else {
        return Check::unknown(ID, Temperature::NoSensor);
    };
    let model = facts.host.model.as_deref();
    let limit_mc = match model.is_some_and(|model| model.starts_with("Raspberry Pi")) {
        true => throttled::limit_mc(model),
        // A PC slows down shortly before it shuts down.
        false => critical.map_or(90_000, |mc| mc.saturating_sub(10_000)),
    };
    let found = Temperature::Hottest { sensor: sensor.clone(), now_mc: *now_mc, limit_mc };
    match *now_mc {
        mc if mc >= limit_mc => Check::stop(ID, found),
        mc if mc + NEAR_MC >= limit_mc => Check::warn(ID, found),
        _ => Check::pass(ID, found),
    }
}
