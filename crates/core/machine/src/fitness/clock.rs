//! Power and heat.

use super::{Check, Facts, Status};
use bakeoff_model::throttled;

const NEAR_MC: u64 = 5_000;

pub fn throttling(facts: &Facts) -> Check {
    const ID: &str = "throttling";
    let (bits, tells_history) = match &facts.throttled {
        Ok(bits) => *bits,
        Err(why) => return Check::unknown(ID, why),
    };
    let now = throttled::labels(bits).join(", ");
    let since_boot = throttled::labels(throttled::since_boot(bits)).join(", ");
    let check = match (now.as_str(), since_boot.as_str()) {
        ("", "") if tells_history => Check::pass(ID, "not now, and not since boot"),
        ("", "") => Check::pass(ID, "no under-voltage now; this kernel reports no history"),
        ("", since_boot) => Check::warn(ID, format!("not now, but since boot: {since_boot}")),
        (now, _) => Check::stop(ID, format!("now: {now}")),
    };
    check.advise(
        "use the board's own power supply and a short cable, move power-hungry drives to a powered \
         hub, cool the board; then reboot and check again",
    )
}

pub fn heat(facts: &Facts) -> Check {
    const ID: &str = "temperature";
    let zones = match &facts.temperatures {
        Ok(zones) => zones,
        Err(why) => return Check::unknown(ID, why),
    };
    let Some((sensor, now_mc, critical)) = zones.iter().max_by_key(|(_, mc, _)| *mc) else {
        return Check::unknown(ID, "no sensor responds");
    };
    let model = facts.host.model.as_deref();
    let limit_mc = if model.is_some_and(|model| model.starts_with("Raspberry Pi")) {
        throttled::limit_mc(model)
    } else {
        // A PC slows down shortly before it shuts down.
        critical.map_or(90_000, |mc| mc.saturating_sub(10_000))
    };
    let found = format!("{sensor}: {} °C, slows down at {} °C", now_mc / 1000, limit_mc / 1000);
    let status = match *now_mc {
        mc if mc >= limit_mc => Status::Stop,
        mc if mc + NEAR_MC >= limit_mc => Status::Warn,
        _ => Status::Pass,
    };
    Check::new(ID, status, found)
        .advise("let it cool down, improve the air flow or add a heat sink")
}
