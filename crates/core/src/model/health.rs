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

/// What counts errors and repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// [`Health::pending_sectors`].
    PendingSectors,
    /// [`Health::uncorrectable_sectors`].
    UncorrectableSectors,
    /// [`Health::media_errors`].
    MediaErrors,
    /// [`Health::reallocated_sectors`].
    ReallocatedSectors,
    /// [`Health::crc_errors`].
    CrcErrors,
}

/// Something that is wrong with a drive, by its own figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// It reports that it is failing.
    Failing,
    /// NVMe: bits of the critical warning.
    CriticalWarning(u64),
    /// eMMC: nine tenths of the spare blocks are used.
    SparesGone,
    /// eMMC: past its rated life.
    PastLife,
    /// This many of these were counted.
    Counted(Counter, u64),
    /// eMMC: four fifths of the spare blocks are used.
    SparesLow,
    /// NVMe: share of the rated life that is used, percent.
    LifeUsed(u64),
}

/// What got worse between two looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// This many more of these were counted.
    More(Counter, u64),
    /// NVMe: so many more percent of the rated life are used.
    LifeUsed(u64),
    /// eMMC: another tenth of the rated life is used.
    LifeTenth,
    /// It reports now that it is failing.
    Failing,
}

impl Complaint {
    /// Whether the drive is failing.
    pub fn is_failing(self) -> bool {
        match self {
            Complaint::Failing
            | Complaint::CriticalWarning(_)
            | Complaint::SparesGone
            | Complaint::PastLife => true,
            Complaint::Counted(..) | Complaint::SparesLow | Complaint::LifeUsed(_) => false,
        }
    }
}

/// What grew of each drive between the two times; drives where nothing did are left out.
pub fn grown(before: &[DriveTold], after: &[DriveTold]) -> Vec<(String, Vec<Growth>)> {
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
    /// What is wrong, the worst first.
    pub fn complaints(&self) -> Vec<Complaint> {
        const COUNTERS: [Counter; 5] = [
            Counter::PendingSectors,
            Counter::UncorrectableSectors,
            Counter::MediaErrors,
            Counter::ReallocatedSectors,
            Counter::CrcErrors,
        ];
        let counted = |counter: &Counter| {
            let count = self.count(*counter).filter(|n| *n > 0)?;
            Some(Complaint::Counted(*counter, count))
        };
        let warning = self.critical_warning.filter(|bits| *bits > 0);
        let is_past = self.life_time.is_some_and(|life| life.iter().any(|tenths| *tenths >= 11));
        let used = self.used_percent.filter(|percent| *percent >= 90);
        let mut found = Vec::new();
        found.extend((self.passed == Some(false)).then_some(Complaint::Failing));
        found.extend(warning.map(Complaint::CriticalWarning));
        found.extend((self.pre_eol == Some(3)).then_some(Complaint::SparesGone));
        found.extend(is_past.then_some(Complaint::PastLife));
        found.extend(COUNTERS.iter().filter_map(counted));
        found.extend((self.pre_eol == Some(2)).then_some(Complaint::SparesLow));
        found.extend(used.map(Complaint::LifeUsed));
        found
    }

    /// What grew between two looks; empty when nothing did.
    pub fn grown(&self, before: &Health) -> Vec<Growth> {
        const COUNTERS: [Counter; 5] = [
            Counter::ReallocatedSectors,
            Counter::PendingSectors,
            Counter::UncorrectableSectors,
            Counter::MediaErrors,
            Counter::CrcErrors,
        ];
        let more = |now: Option<u64>, then: Option<u64>| now?.checked_sub(then?).filter(|n| *n > 0);
        let counted = |counter: &Counter| {
            let by = more(self.count(*counter), before.count(*counter))?;
            Some(Growth::More(*counter, by))
        };
        let life = self.life_time.zip(before.life_time);
        let is_older =
            life.is_some_and(|(now, then)| now.iter().zip(then).any(|(now, then)| *now > then));
        let is_failing = self.passed == Some(false) && before.passed == Some(true);
        let mut found: Vec<Growth> = COUNTERS.iter().filter_map(counted).collect();
        found.extend(more(self.used_percent, before.used_percent).map(Growth::LifeUsed));
        found.extend(is_older.then_some(Growth::LifeTenth));
        found.extend(is_failing.then_some(Growth::Failing));
        found
    }

    fn count(&self, counter: Counter) -> Option<u64> {
        match counter {
            Counter::PendingSectors => self.pending_sectors,
            Counter::UncorrectableSectors => self.uncorrectable_sectors,
            Counter::MediaErrors => self.media_errors,
            Counter::ReallocatedSectors => self.reallocated_sectors,
            Counter::CrcErrors => self.crc_errors,
        }
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
        assert_eq!(worn.complaints(), [Complaint::SparesGone, Complaint::PastLife]);
        assert!(worn.complaints().iter().all(|complaint| complaint.is_failing()));
        assert_eq!(of_emmc("0x00 0x00", "0x00"), None);
        assert_eq!(of_emmc("zz", ""), None);
    }

    #[test]
    fn only_what_grew_is_told() {
        let before = Health { crc_errors: Some(3), passed: Some(true), ..Health::default() };
        let after = Health { crc_errors: Some(5), media_errors: Some(1), ..before.clone() };
        assert_eq!(after.grown(&before), [Growth::More(Counter::CrcErrors, 2)]);
        assert_eq!(before.grown(&before), []);
        assert_eq!(before.grown(&after), [], "a counter that fell was set back");
    }
}
