//! What a drive reports about itself, in words.

use super::lacking::not_installed;
use crate::fitness::health::NoHealth;
use crate::model::health::{self, Complaint, Counter, DriveTold, Growth, Health};
use crate::model::path::{printable, sanitize};
use crate::model::run::Run;
use crate::phrases;
use crate::sysinfo::smartctl::NoFigures;

/// When all is well: "healthy, 2 % of its life used, 1295 hours, 35 °C".
pub fn label(health: &Health) -> String {
    let mut words = Vec::new();
    words.extend(health.passed.filter(|passed| *passed).map(|_| "healthy".to_string()));
    words.extend(health.used_percent.map(|n| format!("{n} % of its life used")));
    let tenths = health.life_time.map(|[a, b]| a.max(b)).filter(|tenths| (1..=10).contains(tenths));
    words.extend(tenths.map(|n| format!("{} to {} % of its life used", (n - 1) * 10, n * 10)));
    words.extend((health.pre_eol == Some(1)).then(|| "spare blocks normal".to_string()));
    words.extend(health.power_on_hours.map(|n| format!("{n} hours")));
    words.extend(health.temperature_c.map(|n| format!("{n} °C")));
    if words.is_empty() { "it reports no problems".to_string() } else { words.join(", ") }
}

/// Why a drive reports nothing.
pub fn missing(why: &NoHealth) -> String {
    match why {
        NoHealth::NeedsRoot => {
            "reading the health of a drive needs root. Run the command again with sudo".to_string()
        }
        NoHealth::NoSmartctl(manager) => not_installed("smartctl", *manager),
        NoHealth::NotRun { error } => error.clone(),
        NoHealth::NoFigures(NoFigures::NotJson) => "the output of smartctl is not JSON".to_string(),
        NoHealth::NoFigures(NoFigures::Said(text)) => {
            format!("smartctl reports: {}", printable(text.as_bytes()))
        }
        NoHealth::NoFigures(NoFigures::Silent) => {
            "the drive reported nothing to smartctl".to_string()
        }
    }
}

/// What is wrong, the worst first.
pub fn complaints(health: &Health) -> Vec<String> {
    health.complaints().into_iter().map(complaint).collect()
}

/// What grew of each drive between the two times; drives where nothing did are left out.
pub fn grown(before: &[DriveTold], after: &[DriveTold]) -> Vec<(String, Vec<String>)> {
    let worded =
        |(disk, grown): (String, Vec<Growth>)| (disk, grown.into_iter().map(growth).collect());
    health::grown(before, after).into_iter().map(worded).collect()
}

/// Drives whose own counts of errors or wear grew during `run`, a sentence each.
pub fn worsened(run: &Run) -> impl Iterator<Item = String> {
    grown(&run.told_before, &run.told_after).into_iter().map(|(drive, grown)| {
        let (drive, what) = (sanitize(&drive), phrases::list(&grown));
        format!("{drive} reported {what} during the run. Check it: bakeoff check /dev/{drive}")
    })
}

fn complaint(complaint: Complaint) -> String {
    match complaint {
        Complaint::Failing => "the drive reports that it is failing".to_string(),
        Complaint::CriticalWarning(bits) => format!("NVMe critical warning {bits:#x}"),
        Complaint::SparesGone => "90 % of the spare blocks are used".to_string(),
        Complaint::PastLife => "the flash is past its rated life".to_string(),
        Complaint::Counted(counter, count) => {
            let what = match counter {
                Counter::PendingSectors => "sectors are pending (unreadable so far)",
                Counter::UncorrectableSectors => "sectors could not be read",
                Counter::MediaErrors => "media errors",
                Counter::ReallocatedSectors => "sectors were replaced",
                Counter::CrcErrors => "transfers were corrupted on the cable",
            };
            format!("{count} {what}")
        }
        Complaint::SparesLow => "80 % of the spare blocks are used".to_string(),
        Complaint::LifeUsed(percent) => format!("{percent} % of the rated life is used"),
    }
}

fn growth(growth: Growth) -> String {
    match growth {
        Growth::More(counter, by) => {
            let what = match counter {
                Counter::PendingSectors => "pending sectors",
                Counter::UncorrectableSectors => "unreadable sectors",
                Counter::MediaErrors => "media errors",
                Counter::ReallocatedSectors => "sectors replaced",
                Counter::CrcErrors => "transfers corrupted on the cable",
            };
            format!("{by} more {what}")
        }
        Growth::LifeUsed(points) => format!("{points} more percentage points of the rated life"),
        Growth::LifeTenth => "another 10 % of the flash's rated life".to_string(),
        Growth::Failing => "the drive now reports that it is failing".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::manager::Manager;

    fn told(health: &Health) -> [DriveTold; 1] {
        [DriveTold { disk: "sda".into(), health: Some(health.clone()), why: None }]
    }

    #[test]
    fn every_figure_in_words() {
        let fresh = Health { passed: Some(true), ..Health::default() };
        let well = Health {
            used_percent: Some(2),
            life_time: Some([1, 3]),
            pre_eol: Some(1),
            power_on_hours: Some(1295),
            temperature_c: Some(35),
            ..fresh.clone()
        };
        let zero = Health {
            pending_sectors: Some(0),
            uncorrectable_sectors: Some(0),
            media_errors: Some(0),
            reallocated_sectors: Some(0),
            crc_errors: Some(0),
            used_percent: Some(0),
            ..well.clone()
        };
        let worn = Health {
            passed: Some(false),
            critical_warning: Some(4),
            pre_eol: Some(3),
            life_time: Some([11, 11]),
            pending_sectors: Some(1),
            uncorrectable_sectors: Some(2),
            media_errors: Some(3),
            reallocated_sectors: Some(4),
            crc_errors: Some(5),
            used_percent: Some(95),
            ..Health::default()
        };
        let low = Health { pre_eol: Some(2), ..Health::default() };
        let mut lines = vec![label(&Health::default()), label(&fresh), label(&well)];
        lines.extend(complaints(&worn));
        lines.extend(complaints(&low));
        lines.extend(grown(&told(&zero), &told(&worn)).remove(0).1);
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn every_reason_of_silence_in_words() {
        let said = NoFigures::Said("\u{1b}[31m\u{202e}Unable to detect device type".to_string());
        let all = [
            NoHealth::NeedsRoot,
            NoHealth::NoSmartctl(Some(Manager::Apt)),
            NoHealth::NotRun { error: "smartctl took longer than 15 s".to_string() },
            NoHealth::NoFigures(NoFigures::NotJson),
            NoHealth::NoFigures(said),
            NoHealth::NoFigures(NoFigures::Silent),
        ];
        insta::assert_snapshot!(all.map(|why| missing(&why)).join("\n"));
    }
}
