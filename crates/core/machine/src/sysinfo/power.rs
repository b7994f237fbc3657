//! The power of a Raspberry Pi 5, as `vcgencmd pmic_read_adc` prints it.
//!
//! Source: the Raspberry Pi documentation, "vcgencmd".

use std::collections::BTreeMap;

/// Most that any machine is believed to take, watts; more is a mistake of units.
const MOST_WATTS: f64 = 1e6;

/// Watts of all rails with `VDD_CORE_A current(7)=1.54020400A` and `VDD_CORE_V
/// volt(15)=0.72017760V`. `None` where no rail has both.
pub fn pmic(text: &str) -> Option<f64> {
    let line = |line: &str| {
        let (name, value) = line.trim().split_once(' ')?;
        let value = value.split_once('=')?.1.strip_suffix(['A', 'V'])?;
        Some((name.to_string(), value.parse::<f64>().ok()?))
    };
    let values: BTreeMap<String, f64> = text.lines().filter_map(line).collect();
    let watts = |(name, amperes): (&String, &f64)| {
        let volts = values.get(&format!("{}_V", name.strip_suffix("_A")?))?;
        Some(amperes * volts)
    };
    let all: Vec<f64> = values.iter().filter_map(watts).collect();
    let sum: f64 = all.iter().sum();
    (!all.is_empty()).then_some(sum).filter(|watts| (0.0..=MOST_WATTS).contains(watts))
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
}
