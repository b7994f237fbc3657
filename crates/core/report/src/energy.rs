//! The energy of work, in words: joules for a gigabyte and for 1,000 operations, and what the
//! meter includes.

use bakeoff_model::path::sanitize;
use bakeoff_model::power::Energy;
use bakeoff_model::verdict::Standing;
use bakeoff_stats::units::three_digits;

/// "12.3 J per GB, 0.0490 J per 1,000 I/Os, 4.05 W on average".
pub fn figures(of: &Energy) -> String {
    let parts = [
        of.joules_per_gb.map(|joules| format!("{} J per GB", small(joules))),
        of.joules_per_1000_ios.map(|joules| format!("{} J per 1,000 I/Os", small(joules))),
        Some(format!("{} W on average", small(of.watts))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// "Includes the processor with its idle power, without the drive (package-0)."
pub fn includes(of: &Energy) -> String {
    let names: Vec<String> = of.names.iter().map(|name| sanitize(name)).collect();
    format!("Includes {} ({}).", of.meter.includes(), names.join(", "))
}

/// The candidates of a workload, and what is included once; `None` where no meter was read.
pub fn of_candidates(standings: &[Standing]) -> Option<String> {
    let known: Vec<(&Standing, &Energy)> =
        standings.iter().filter_map(|s| Some((s, s.energy.as_ref()?))).collect();
    let (_, first) = known.first()?;
    let each: Vec<String> = match known.as_slice() {
        [(_, one)] if standings.len() == 1 => vec![figures(one)],
        all => all
            .iter()
            .map(|(s, of)| format!("{} {}", sanitize(&s.candidate), figures(of)))
            .collect(),
    };
    Some(format!("{}. {}", each.join("; "), includes(first)))
}

/// Three significant digits also of what is far below one.
pub fn small(value: f64) -> String {
    match value {
        v if v >= 1.0 || v <= 0.0 => three_digits(v),
        v if v >= 0.1 => format!("{v:.3}"),
        v if v >= 0.01 => format!("{v:.4}"),
        v => format!("{v:.5}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::power::MeterScope;

    #[test]
    fn energy_says_what_it_includes() {
        let of = Energy {
            meter: MeterScope::Package,
            names: vec!["package-0".to_string(), "\u{1b}[1m".to_string()],
            watts: 4.049,
            joules_per_gb: Some(12.34),
            joules_per_1000_ios: Some(0.0491),
        };
        assert_eq!(figures(&of), "12.3 J per GB, 0.0491 J per 1,000 I/Os, 4.05 W on average");
        assert!(includes(&of).contains("without the drive (package-0, "), "{}", includes(&of));
        assert!(!includes(&of).contains('\u{1b}'));
        assert_eq!(of_candidates(&[]), None);
    }
}
