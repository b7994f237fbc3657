//! A file of /proc or /sys that is read again and again.
//!
//! It stays open and is read from its start by pread(2) into a buffer that was made with it, so
//! that looking costs no path lookup and no allocation.
//!
//! Clocks and temperatures are such files. Temperatures of the drives themselves are left out:
//! asking an NVMe drive or a SATA drive is a command to the device that is being measured. Sources:
//! `Documentation/admin-guide/pm/cpufreq.rst`, `Documentation/driver-api/thermal/sysfs-api.rst`.

use std::fs::File;
use std::io;
use std::path::Path;

use bakeoff_machine::telemetry::layout::Named;
use rustix::io::pread;

use super::root::Root;

const MOST: usize = 256 << 10;

/// An open file and room for what it says.
pub struct Feed {
    file: File,
    buffer: Vec<u8>,
}

impl Feed {
    /// Opens a file and reads it once, to learn how much room it takes.
    ///
    /// # Errors
    /// Those of opening and reading it.
    pub fn open(root: &Root, inside: impl AsRef<Path>) -> io::Result<Feed> {
        let file = File::open(root.path(&inside))?;
        // Numbers get longer, and lines are added when a CPU or task appears.
        let room = (root.read(&inside)?.len() * 2 + 256).min(MOST);
        Ok(Feed { file, buffer: vec![0; room] })
    }

    /// What it says now; `None` when it cannot be read or is no text.
    pub fn read(&mut self) -> Option<&str> {
        let mut filled = 0;
        // Files of many records come in several reads; the last one is empty.
        while filled < self.buffer.len() {
            match pread(&self.file, &mut self.buffer[filled..], filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return None,
            }
        }
        std::str::from_utf8(&self.buffer[..filled]).ok()
    }

    pub fn number(&mut self) -> Option<u64> {
        // A temperature below zero is as good as zero here.
        let value: i64 = self.read()?.trim().parse().ok()?;
        Some(value.max(0) as u64)
    }
}

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
