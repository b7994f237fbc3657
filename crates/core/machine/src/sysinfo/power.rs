//! Figures about power as machines print them: a Raspberry Pi's `vcgencmd pmic_read_adc`, and
//! the counters of RAPL.
//!
//! Source: the Raspberry Pi documentation, "vcgencmd"; `Documentation/power/powercap/powercap.rst`
//! of the Linux kernel.

use std::collections::BTreeMap;

/// Most that any machine is believed to take, watts; more is a mistake of units.
const MOST_WATTS: f64 = 1e6;

/// Watts of all rails of which current and voltage are told: `VDD_CORE_A current(7)=1.54020400A`
/// and `VDD_CORE_V volt(15)=0.72017760V`. `None` where no rail has both.
pub fn pmic(text: &str) -> Option<f64> {
    let mut amperes: BTreeMap<&str, f64> = BTreeMap::new();
    let mut volts: BTreeMap<&str, f64> = BTreeMap::new();
    for line in text.lines() {
        let Some((name, value)) = line.trim().split_once(' ') else { continue };
        let Some((_, value)) = value.split_once('=') else { continue };
        let number = |unit: char| value.trim().strip_suffix(unit)?.parse::<f64>().ok();
        let rail = |end: &str| name.strip_suffix(end);
        if let (Some(rail), Some(value)) = (rail("_A"), number('A')) {
            amperes.insert(rail, value);
        } else if let (Some(rail), Some(value)) = (rail("_V"), number('V')) {
            volts.insert(rail, value);
        }
    }
    let both = amperes.iter().filter_map(|(rail, a)| Some(a * volts.get(rail)?));
    let all: Vec<f64> = both.collect();
    let sum: f64 = all.iter().sum();
    (!all.is_empty()).then_some(sum).filter(|watts| is_power(*watts))
}

fn is_power(watts: f64) -> bool {
    (0.0..=MOST_WATTS).contains(&watts)
}

/// What a counter of microjoules grew by that begins anew after `range`.
pub fn growth_uj(before: u64, now: u64, range: Option<u64>) -> u64 {
    match (now.checked_sub(before), range) {
        (Some(grown), _) => grown,
        (None, Some(range)) => range.saturating_sub(before).saturating_add(now),
        (None, None) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PI5: &str = " 3V7_WL_SW_A current(0)=0.09758230A\n   3V3_SYS_A current(1)=0.06343003A\n  \
        VDD_CORE_A current(7)=1.36548800A\n   3V7_WL_SW_V volt(8)=3.69744700V\n     \
        3V3_SYS_V volt(9)=3.31321800V\n    VDD_CORE_V volt(15)=0.72056800V\n       \
        EXT5V_V volt(24)=5.14864000V\n        BATT_V volt(25)=0.00000000V\n";

    #[test]
    fn rails_with_current_and_voltage_are_added_up() {
        let watts = pmic(PI5).unwrap();
        let want = 0.0975823 * 3.697447 + 0.06343003 * 3.313218 + 1.365488 * 0.720568;
        assert!((watts - want).abs() < 1e-9, "{watts} {want}");
        assert_eq!(pmic("EXT5V_V volt(24)=5.1V\n"), None);
        assert_eq!(pmic("error=1 error_msg=\"Command not registered\"\n"), None);
        assert_eq!(pmic("X_A current(0)=NaNA\nX_V volt(1)=5V\n"), None);
        assert_eq!(pmic(""), None);
    }

    #[test]
    fn counters_that_begin_anew_lose_nothing() {
        assert_eq!(growth_uj(10, 25, Some(100)), 15);
        assert_eq!(growth_uj(90, 5, Some(100)), 15);
        assert_eq!(growth_uj(90, 5, None), 0);
        assert_eq!(growth_uj(u64::MAX, 0, Some(1)), 0);
    }
}
