//! Clocks and temperatures: which files of /sys tell them.
//!
//! Temperatures of the drives themselves are left out: asking an NVMe drive or a SATA drive is a
//! command to the device that is being measured. Sources:
//! `Documentation/admin-guide/pm/cpufreq.rst`,
//! `Documentation/driver-api/thermal/sysfs-api.rst`.

use std::path::Path;

use bakeoff_machine::telemetry::layout::Named;

use super::feed::Feed;
use super::root::Root;

pub fn clocks(root: &Root, most: usize) -> Vec<(Named, Feed)> {
    const POLICIES: &str = "sys/devices/system/cpu/cpufreq";
    let names = root.names(POLICIES);
    let open = |name: &String| {
        let dir = Path::new(POLICIES).join(name);
        let feed = Feed::open(root, dir.join("scaling_cur_freq")).ok()?;
        let highest = root.number(dir.join("cpuinfo_max_freq"));
        Some((Named { name: name.clone(), most: highest }, feed))
    };
    names.iter().filter(|n| n.starts_with("policy")).filter_map(open).take(most).collect()
}

pub fn temperatures(root: &Root, most: usize) -> Vec<(Named, Feed)> {
    const ZONES: &str = "sys/class/thermal";
    let zone = |name: &String| {
        let dir = Path::new(ZONES).join(name);
        let feed = Feed::open(root, dir.join("temp")).ok()?;
        let title = root.attr(dir.join("type")).unwrap_or_else(|| name.clone());
        Some((Named { name: title, most: critical(root, &dir) }, feed))
    };
    let names = root.names(ZONES);
    names.iter().filter(|n| n.starts_with("thermal_zone")).filter_map(zone).take(most).collect()
}

fn critical(root: &Root, dir: &Path) -> Option<u64> {
    (0..8).find_map(|trip| {
        let kind = root.attr(dir.join(format!("trip_point_{trip}_type")))?;
        let is_critical = kind == "critical";
        is_critical.then(|| root.number(dir.join(format!("trip_point_{trip}_temp")))).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;

    /// The layout of a Raspberry Pi 4, from the kernel's documentation; no board was at hand.
    fn board() -> (tempfile::TempDir, Root) {
        tree(&[
            ("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "600000\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "1800000\n"),
            ("sys/class/thermal/thermal_zone0/temp", "61342\n"),
            ("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n"),
            ("sys/class/thermal/thermal_zone0/trip_point_0_type", "critical\n"),
            ("sys/class/thermal/thermal_zone0/trip_point_0_temp", "110000\n"),
        ])
    }

    #[test]
    fn a_board_reports_its_clock_and_heat() {
        let (dir, root) = board();
        let mut clocks = clocks(&root, 8);
        assert_eq!(clocks[0].0, Named { name: "policy0".into(), most: Some(1_800_000) });
        assert_eq!(clocks[0].1.number(), Some(600_000));
        let mut heat = temperatures(&root, 8);
        assert_eq!(heat[0].0, Named { name: "cpu-thermal".into(), most: Some(110_000) });
        std::fs::write(dir.path().join("sys/class/thermal/thermal_zone0/temp"), "80100\n").unwrap();
        assert_eq!(heat[0].1.number(), Some(80_100), "read anew each time");
        std::fs::remove_dir_all(dir.path().join("sys/class/thermal")).unwrap();
        assert!(temperatures(&root, 8).is_empty());
    }
}
