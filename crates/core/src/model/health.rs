//! What a drive tells about its own wear and errors: SMART, and the life time of an eMMC.

use serde::{Deserialize, Serialize};

/// The drive's own figures; what it does not tell is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Health {
    /// Whether the drive calls itself healthy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    /// Degrees Celsius.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<i64>,
    /// Hours it has run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_on_hours: Option<u64>,
    /// Sectors replaced, ATA attribute 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reallocated_sectors: Option<u64>,
    /// Sectors that could not be read and wait to be written, attribute 197.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_sectors: Option<u64>,
    /// Sectors that could not be read, attribute 198.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncorrectable_sectors: Option<u64>,
    /// Transfers damaged on the cable, attribute 199.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crc_errors: Option<u64>,
    /// Bytes that could not be given back, NVMe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_errors: Option<u64>,
    /// Bits of the NVMe critical warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_warning: Option<u64>,
    /// Share of the rated life used, percent, may exceed 100: NVMe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_percent: Option<u64>,
    /// Bytes written by the host over its life, NVMe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// eMMC: life used of the two kinds of flash, in tenths of it from 1 to 10; 11 is past its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub life_time: Option<[u8; 2]>,
    /// eMMC: spare blocks: 1 normal, 2 four fifths used, 3 nine tenths used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pre_eol: Option<u8>,
}

/// A drive and what it told at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriveTold {
    /// Kernel name.
    pub disk: String,
    /// What it told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
    /// Why it told nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What grew of each drive between the two times, in words; drives where nothing did are left out.
pub fn grown(before: &[DriveTold], after: &[DriveTold]) -> Vec<(String, Vec<String>)> {
    let of = |drive: &DriveTold| {
        let then = before.iter().find(|then| then.disk == drive.disk)?;
        let grown = drive.health.as_ref()?.grown(then.health.as_ref()?);
        (!grown.is_empty()).then(|| (drive.disk.clone(), grown))
    };
    after.iter().filter_map(of).collect()
}

/// Reads `life_time` (`0x01 0x02`) and `pre_eol_info` (`0x01`) of an eMMC; 0 is "not told".
/// Source: `Documentation/driver-api/mmc/mmc-dev-attrs.rst`; JESD84-B51, 7.4.36 to 7.4.38.
pub fn of_emmc(life_time: &str, pre_eol_info: &str) -> Option<Health> {
    let number = |word: &str| u8::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let mut words = life_time.split_ascii_whitespace().map(number);
    let life = words.next().flatten().zip(words.next().flatten()).map(|(a, b)| [a, b]);
    let life_time = life.filter(|life| life.iter().any(|tenths| *tenths > 0));
    let pre_eol = number(pre_eol_info.trim()).filter(|state| *state > 0);
    let health = Health { life_time, pre_eol, ..Health::default() };
    (health != Health::default()).then_some(health)
}

impl Health {
    /// What is wrong, in words, the worst first; whether it is failing.
    pub fn complaints(&self) -> (Vec<String>, bool) {
        let mut found = Vec::new();
        let mut is_failing = false;
        let mut failing = |text: String, found: &mut Vec<String>| {
            is_failing = true;
            found.push(text);
        };
        if self.passed == Some(false) {
            failing("the drive reports that it is failing".to_string(), &mut found);
        }
        if let Some(bits) = self.critical_warning.filter(|bits| *bits > 0) {
            failing(format!("NVMe critical warning {bits:#x}"), &mut found);
        }
        if let Some(3) = self.pre_eol {
            failing("90 % of the spare blocks are used".to_string(), &mut found);
        }
        if self.life_time.is_some_and(|life| life.iter().any(|tenths| *tenths >= 11)) {
            failing("the flash is past its rated life".to_string(), &mut found);
        }
        let counts = [
            (self.pending_sectors, "sectors are pending (unreadable so far)"),
            (self.uncorrectable_sectors, "sectors could not be read"),
            (self.media_errors, "media errors"),
            (self.reallocated_sectors, "sectors were replaced"),
            (self.crc_errors, "transfers were corrupted on the cable"),
        ];
        let counts =
            counts.iter().filter_map(|(count, what)| Some((count.filter(|n| *n > 0)?, what)));
        found.extend(counts.map(|(count, what)| format!("{count} {what}")));
        if self.pre_eol == Some(2) {
            found.push("80 % of the spare blocks are used".to_string());
        }
        if let Some(percent) = self.used_percent.filter(|percent| *percent >= 90) {
            found.push(format!("{percent} % of the rated life is used"));
        }
        (found, is_failing)
    }

    /// What it tells when all is well: "healthy, 2 % of its life used, 1295 hours, 35 °C".
    pub fn label(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.passed.filter(|passed| *passed).map(|_| "healthy".to_string()));
        words.extend(self.used_percent.map(|n| format!("{n} % of its life used")));
        let tenths =
            self.life_time.map(|[a, b]| a.max(b)).filter(|tenths| (1..=10).contains(tenths));
        words.extend(tenths.map(|n| format!("{} to {} % of its life used", (n - 1) * 10, n * 10)));
        words.extend((self.pre_eol == Some(1)).then(|| "spare blocks normal".to_string()));
        words.extend(self.power_on_hours.map(|n| format!("{n} hours")));
        words.extend(self.temperature_c.map(|n| format!("{n} °C")));
        if words.is_empty() { "it reports no problems".to_string() } else { words.join(", ") }
    }

    /// What grew between two looks, in words; empty when nothing did.
    pub fn grown(&self, before: &Health) -> Vec<String> {
        type Count = fn(&Health) -> Option<u64>;
        let counts: [(Count, &str); 6] = [
            (|h| h.reallocated_sectors, "sectors replaced"),
            (|h| h.pending_sectors, "pending sectors"),
            (|h| h.uncorrectable_sectors, "unreadable sectors"),
            (|h| h.media_errors, "media errors"),
            (|h| h.crc_errors, "transfers corrupted on the cable"),
            (|h| h.used_percent, "percentage points of the rated life"),
        ];
        let grown = |(of, what): &(Count, &str)| {
            let more = of(self)?.checked_sub(of(before)?).filter(|n| *n > 0)?;
            Some(format!("{more} more {what}"))
        };
        let mut found: Vec<String> = counts.iter().filter_map(grown).collect();
        if let (Some(now), Some(then)) = (self.life_time, before.life_time)
            && now.iter().zip(then).any(|(now, then)| *now > then)
        {
            found.push("another 10 % of the flash's rated life".to_string());
        }
        if self.passed == Some(false) && before.passed == Some(true) {
            found.push("the drive now reports that it is failing".to_string());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emmc_tells_tenths_of_its_life() {
        let health = of_emmc("0x01 0x03\n", "0x01\n").unwrap();
        assert_eq!(health.label(), "20 to 30 % of its life used, spare blocks normal");
        assert_eq!(health.complaints(), (vec![], false));
        let worn = of_emmc("0x0b 0x02", "0x03").unwrap();
        assert!(worn.complaints().1);
        assert_eq!(of_emmc("0x00 0x00", "0x00"), None);
        assert_eq!(of_emmc("zz", ""), None);
    }

    #[test]
    fn only_what_grew_is_told() {
        let before = Health { crc_errors: Some(3), passed: Some(true), ..Health::default() };
        let after = Health { crc_errors: Some(5), media_errors: Some(1), ..before.clone() };
        assert_eq!(after.grown(&before), ["2 more transfers corrupted on the cable"]);
        assert_eq!(before.grown(&before), [""; 0]);
        assert_eq!(before.grown(&after), [""; 0], "a counter that fell was set back");
    }
}
