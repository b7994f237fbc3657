//! What a drive tells about its own wear and errors: SMART, and the life time of an eMMC.

use serde::{Deserialize, Serialize};

/// The drive's own figures; what it does not tell is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Health {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<i64>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_warning: Option<u64>,
    /// Share of the rated life used, percent, may exceed 100: NVMe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_percent: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// eMMC: life used of the two kinds of flash, in tenths of it from 1 to 10; 11 is past its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub life_time: Option<[u8; 2]>,
    /// eMMC: spare blocks: 1 normal, 2 four fifths used, 3 nine tenths used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pre_eol: Option<u8>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriveTold {
    pub disk: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Something that is wrong with a drive, by its own figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// In words: `3 media errors`.
    pub text: String,
    pub is_failing: bool,
}

/// What grew of each drive between the two times; drives where nothing did are left out.
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
    /// When all is well: "healthy, 2 % of its life used, 1295 hours, 35 °C".
    pub fn label(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.passed.filter(|passed| *passed).map(|_| "healthy".to_string()));
        words.extend(self.used_percent.map(|n| format!("{n} % of its life used")));
        let tenths = self.life_time.map(|[a, b]| a.max(b)).filter(|n| (1..=10).contains(n));
        words.extend(tenths.map(|n| format!("{} to {} % of its life used", (n - 1) * 10, n * 10)));
        words.extend((self.pre_eol == Some(1)).then(|| "spare blocks normal".to_string()));
        words.extend(self.power_on_hours.map(|n| format!("{n} hours")));
        words.extend(self.temperature_c.map(|n| format!("{n} °C")));
        if words.is_empty() { "it reports no problems".to_string() } else { words.join(", ") }
    }

    /// What is wrong, the worst first.
    pub fn complaints(&self) -> Vec<Complaint> {
        let failing = |text: String| Complaint { text, is_failing: true };
        let worn = |text: String| Complaint { text, is_failing: false };
        let counters = [
            (self.pending_sectors, "sectors are pending (unreadable so far)"),
            (self.uncorrectable_sectors, "sectors could not be read"),
            (self.media_errors, "media errors"),
            (self.reallocated_sectors, "sectors were replaced"),
            (self.crc_errors, "transfers were corrupted on the cable"),
        ];
        let warning = self.critical_warning.filter(|bits| *bits > 0);
        let is_past = self.life_time.is_some_and(|life| life.iter().any(|tenths| *tenths >= 11));
        let used = self.used_percent.filter(|percent| *percent >= 90);
        let is = |holds: bool, text: &str| holds.then(|| text.to_string());
        let mut found = Vec::new();
        let failed = self.passed == Some(false);
        found.extend(is(failed, "the drive reports that it is failing").map(failing));
        found.extend(warning.map(|bits| failing(format!("NVMe critical warning {bits:#x}"))));
        let spares_gone = self.pre_eol == Some(3);
        found.extend(is(spares_gone, "90 % of the spare blocks are used").map(failing));
        found.extend(is(is_past, "the flash is past its rated life").map(failing));
        let counted = counters.iter().filter_map(|(count, what)| Some(((*count)?, what)));
        let counted = counted.filter(|(count, _)| *count > 0);
        found.extend(counted.map(|(count, what)| worn(format!("{count} {what}"))));
        found.extend(is(self.pre_eol == Some(2), "80 % of the spare blocks are used").map(worn));
        found.extend(used.map(|percent| worn(format!("{percent} % of the rated life is used"))));
        found
    }

    /// What grew between two looks; empty when nothing did.
    pub fn grown(&self, before: &Health) -> Vec<String> {
        type Counter = fn(&Health) -> Option<u64>;
        const COUNTERS: [(Counter, &str); 6] = [
            (|health| health.reallocated_sectors, "sectors replaced"),
            (|health| health.pending_sectors, "pending sectors"),
            (|health| health.uncorrectable_sectors, "unreadable sectors"),
            (|health| health.media_errors, "media errors"),
            (|health| health.crc_errors, "transfers corrupted on the cable"),
            (|health| health.used_percent, "percentage points of the rated life"),
        ];
        let more = |(count, what): &(Counter, &str)| {
            let by = count(self)?.checked_sub(count(before)?).filter(|n| *n > 0)?;
            Some(format!("{by} more {what}"))
        };
        let life = self.life_time.zip(before.life_time);
        let is_older =
            life.is_some_and(|(now, then)| now.iter().zip(then).any(|(now, then)| *now > then));
        let is_failing = self.passed == Some(false) && before.passed == Some(true);
        let is = |holds: bool, text: &str| holds.then(|| text.to_string());
        let mut found: Vec<String> = COUNTERS.iter().filter_map(more).collect();
        found.extend(is(is_older, "another 10 % of the flash's rated life"));
        found.extend(is(is_failing, "the drive now reports that it is failing"));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emmc_tells_tenths_of_its_life() {
        let health = of_emmc("0x01 0x03\n", "0x01\n").unwrap();
        assert_eq!((health.life_time, health.pre_eol), (Some([1, 3]), Some(1)));
        assert_eq!(health.complaints(), []);
        let worn = of_emmc("0x0b 0x02", "0x03").unwrap();
        assert_eq!(worn.complaints().len(), 2);
        assert!(worn.complaints().iter().all(|complaint| complaint.is_failing));
        assert_eq!(of_emmc("0x00 0x00", "0x00"), None);
        assert_eq!(of_emmc("zz", ""), None);
    }

    #[test]
    fn only_what_grew_is_told() {
        let before = Health { crc_errors: Some(3), passed: Some(true), ..Health::default() };
        let after = Health { crc_errors: Some(5), media_errors: Some(1), ..before.clone() };
        assert_eq!(after.grown(&before), ["2 more transfers corrupted on the cable"]);
        assert!(before.grown(&before).is_empty());
        assert!(before.grown(&after).is_empty(), "a counter that fell was set back");
    }

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
        let mut lines = vec![Health::default().label(), fresh.label(), well.label()];
        let complaints = worn.complaints().into_iter().chain(low.complaints());
        lines.extend(complaints.map(|complaint| complaint.text));
        lines.extend(grown(&told(&zero), &told(&worn)).remove(0).1);
        insta::assert_snapshot!(lines.join("\n"));
    }
}
