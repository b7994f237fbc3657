//! The CPU's clock: who chooses it, whether it is capped, and power and heat.

use super::{Check, Facts};
use crate::model::throttled;
use crate::phrases;

/// Degrees (thousandths) at which Raspberry Pis begin to slow down; the 3 B+ does at 60.
const HOT_MC: u64 = 80_000;
const HOT_3B_PLUS_MC: u64 = 60_000;
/// How near to that is worth a word.
const NEAR_MC: u64 = 5_000;

pub fn governor(facts: &Facts) -> Check {
    const ID: &str = "governor";
    let clocks = match &facts.clocks {
        Ok(clocks) => clocks,
        Err(why) => return Check::unknown(ID, why),
    };
    let capped = clocks.iter().find(|c| c.limit_khz.zip(c.most_khz).is_some_and(|(l, m)| l < m));
    if let Some(clock) = capped {
        let mhz = |khz: Option<u64>| khz.unwrap_or(0) / 1000;
        return Check::warn(
            ID,
            format!(
                "{} is limited to {} MHz of {} MHz",
                clock.name,
                mhz(clock.limit_khz),
                mhz(clock.most_khz)
            ),
            "raise scaling_max_freq in /sys/devices/system/cpu/cpufreq/policy*, or find out what \
             lowered it (heat, a power profile)",
        );
    }
    // These two drivers choose the clock themselves; `powersave` is their usual word for that.
    let chooses_itself = |driver: &str| matches!(driver, "intel_pstate" | "amd-pstate-epp");
    let drifting: Vec<String> = clocks
        .iter()
        .filter(|c| !c.driver.as_deref().is_some_and(chooses_itself))
        .filter_map(|c| c.governor.clone())
        .filter(|governor| governor != "performance")
        .collect();
    match drifting.first() {
        Some(governor) => Check::warn(
            ID,
            format!("{governor}: the clock follows the load, so short I/O runs on a slow CPU"),
            "during the test: echo performance | sudo tee \
             /sys/devices/system/cpu/cpufreq/policy*/scaling_governor (bakeoff run sets and \
             restores it for a plan, as root)",
        ),
        None => {
            let mut names: Vec<String> = clocks.iter().filter_map(|c| c.governor.clone()).collect();
            names.dedup();
            Check::pass(ID, phrases::list(&names))
        }
    }
}

pub fn throttling(facts: &Facts) -> Check {
    const ID: &str = "throttling";
    let (bits, tells_history) = match &facts.throttled {
        Ok(bits) => *bits,
        Err(why) => return Check::unknown(ID, why),
    };
    let list = |words: Vec<&str>| words.join(", ");
    let now = list(throttled::labels(bits));
    let since = list(throttled::labels(throttled::since_boot(bits)));
    let mend = "use the board's own power supply and a short cable, move power-hungry disks to a \
                powered hub, cool the board; then reboot and check again";
    match (now.as_str(), since.as_str()) {
        ("", "") if tells_history => Check::pass(ID, "not now, and not since boot"),
        ("", "") => Check::pass(ID, "no under-voltage now; this kernel reports no history"),
        ("", since) => Check::warn(ID, format!("not now, but since boot: {since}"), mend),
        (now, _) => Check::stop(ID, format!("now: {now}"), mend),
    }
}

pub fn heat(facts: &Facts) -> Check {
    const ID: &str = "temperature";
    let zones = match &facts.temperatures {
        Ok(zones) => zones,
        Err(why) => return Check::unknown(ID, why),
    };
    let Some((name, hottest, critical)) = zones.iter().max_by_key(|(_, mc, _)| *mc) else {
        return Check::unknown(ID, "no sensor responds");
    };
    let model = facts.host.model.as_deref().unwrap_or_default();
    let limit = match model.starts_with("Raspberry Pi") {
        true if model.starts_with("Raspberry Pi 3 Model B Plus") => HOT_3B_PLUS_MC,
        true => HOT_MC,
        // A PC slows down shortly before it shuts down.
        false => critical.map_or(90_000, |mc| mc.saturating_sub(10_000)),
    };
    let words = format!("{name}: {} °C, slows down at {} °C", hottest / 1000, limit / 1000);
    let mend = "let it cool down, improve the air flow or add a heat sink";
    match *hottest {
        mc if mc >= limit => Check::stop(ID, words, mend),
        mc if mc + NEAR_MC >= limit => Check::warn(ID, words, mend),
        _ => Check::pass(ID, words),
    }
}
