//! What the Raspberry Pi's firmware says about power and heat, through the kernel.
//!
//! The firmware's own file is of the Raspberry Pi kernel; mainline kernels tell under-voltage
//! alone,
//! as an alarm of the sensor `rpi_volt`, which they poll every two seconds.

use std::path::{Path, PathBuf};

use bakeoff_model::throttled;

use super::feed::Feed;
use super::root::Root;

/// An open source of the throttling bits.
pub struct Throttling {
    feed: Feed,
    is_alarm: bool,
}

impl Throttling {
    /// The best there is; `None` on other machines.
    pub fn open(root: &Root) -> Option<Throttling> {
        let bits = firmware_file(root).and_then(|path| Feed::open(root, path).ok());
        if let Some(feed) = bits {
            return Some(Throttling { feed, is_alarm: false });
        }
        const CHIPS: &str = "sys/class/hwmon";
        let is_it = |chip: &String| {
            root.attr(Path::new(CHIPS).join(chip).join("name")).as_deref() == Some("rpi_volt")
        };
        let chip = root.names(CHIPS).into_iter().find(is_it)?;
        let feed = Feed::open(root, Path::new(CHIPS).join(chip).join("in0_lcrit_alarm")).ok()?;
        Some(Throttling { feed, is_alarm: true })
    }

    pub fn tells_history(&self) -> bool {
        !self.is_alarm
    }

    pub fn bits(&mut self) -> Option<u32> {
        if self.is_alarm {
            Some(if self.feed.number()? > 0 { throttled::UNDER_VOLTAGE } else { 0 })
        } else {
            throttled::parse(self.feed.read()?)
        }
    }
}

/// `/sys/devices/platform/soc/soc:firmware/get_throttled`; the soc carries its address on a Pi 5.
fn firmware_file(root: &Root) -> Option<PathBuf> {
    let platform = Path::new("sys/devices/platform");
    let socs = root.names(platform);
    socs.iter().filter(|soc| soc.starts_with("soc")).find_map(|soc| {
        let dir = platform.join(soc);
        let names = root.names(&dir);
        let firmware = names.iter().find(|name| name.ends_with(":firmware"))?;
        let file = dir.join(firmware).join("get_throttled");
        root.path(&file).exists().then_some(file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;

    /// Layouts from the kernels' sources and documentation; no board was at hand.
    #[test]
    fn both_kernels_and_other_machines() {
        let pi4 = ("sys/devices/platform/soc/soc:firmware/get_throttled", "50005\n");
        let (_dir, root) = tree(&[pi4]);
        assert_eq!(Throttling::open(&root).unwrap().bits(), Some(0x50005));
        let pi5 = "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled";
        let (_dir, root) = tree(&[(pi5, "0\n")]);
        assert_eq!(Throttling::open(&root).unwrap().bits(), Some(0));
        let mainline = [
            ("sys/class/hwmon/hwmon1/name", "rpi_volt\n"),
            ("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n"),
        ];
        let (_dir, root) = tree(&mainline);
        assert_eq!(Throttling::open(&root).unwrap().bits(), Some(throttled::UNDER_VOLTAGE));
        let (_dir, root) = tree(&[("sys/class/hwmon/hwmon0/name", "nvme\n")]);
        assert!(Throttling::open(&root).is_none());
    }
}
