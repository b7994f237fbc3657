//! Signatures found on a target: filesystems, partition tables, members of volumes and pools.
//!
//! Pure. The shell reads them from the device itself (libblkid, through wipefs and blkid), not from
//! udev's database or a cache. They are shown before anything is erased, they are part of the erase
//! token, and `resume` compares those outside the region with the ones the run found.

use serde::Serialize;

use super::region::Span;
use bakeoff_model::path::{RawPath, printable};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sign {
    /// Kernel name or number of the partition it is in; `None` = on the target itself.
    pub part: Option<String>,
    pub offset_bytes: u64,
    /// What it is, in libblkid's words: `ext4`, `gpt`, `LVM2_member`.
    pub kind: String,
    pub label: Option<RawPath>,
    pub uuid: Option<String>,
}

/// Kinds of partition tables, in libblkid's words.
const TABLES: [&str; 8] = ["gpt", "dos", "PMBR", "bsd", "mac", "sun", "sgi", "atari"];

impl Sign {
    pub fn is_table(&self) -> bool {
        TABLES.contains(&self.kind.as_str())
    }

    /// Of what larger thing the device is a part, by this signature.
    pub fn member_of(&self) -> Option<String> {
        member_of(&self.kind, self.label.as_ref(), self.uuid.as_deref())
    }

    /// What distinguishes it.
    fn identity(&self) -> String {
        let label = self.label.as_ref().map(RawPath::to_string).unwrap_or_default();
        format!(
            "{}\u{1f}{}\u{1f}{}\u{1f}{label}\u{1f}{}\u{1e}",
            self.part.as_deref().unwrap_or_default(),
            self.offset_bytes,
            self.kind,
            self.uuid.as_deref().unwrap_or_default()
        )
    }
}

/// Of what larger thing a device with this signature is a part, harmless to print:
/// `an LVM volume group "vg0" (UUID …)`.
pub fn member_of(kind: &str, label: Option<&RawPath>, uuid: Option<&str>) -> Option<String> {
    let mut words = match kind {
        kind if kind.ends_with("_raid_member") => "a RAID array",
        "LVM2_member" | "LVM1_member" => "an LVM volume group",
        "zfs_member" => "a ZFS pool",
        "bcache" => "a bcache set",
        "drbd" => "a DRBD resource",
        _ => return None,
    }
    .to_string();
    if let Some(label) = label.filter(|label| !label.as_bytes().is_empty()) {
        words += &format!(" \"{label}\"");
    }
    if let Some(uuid) = uuid {
        words += &format!(" (UUID {})", printable(uuid.as_bytes()));
    }
    Some(words)
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contents {
    pub signs: Vec<Sign>,
}

impl Contents {
    /// Stands for the contents in a token; `None` when no signature was found.
    pub fn fingerprint(&self) -> Option<String> {
        fingerprint(self.signs.iter())
    }

    pub fn fingerprint_outside(&self, region: Span) -> Option<String> {
        let end = region.start_bytes.saturating_add(region.size_bytes);
        let is_outside = |sign: &&Sign| !(region.start_bytes..end).contains(&sign.offset_bytes);
        fingerprint(self.signs.iter().filter(is_outside))
    }

    /// Kinds of the filesystems, each once, in libblkid's words.
    pub fn filesystems(&self) -> Vec<String> {
        let all = self.signs.iter().filter(|s| !s.is_table() && s.member_of().is_none());
        let mut kinds: Vec<String> = all.map(|sign| printable(sign.kind.as_bytes())).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    /// Identifier of the target's partition table.
    pub fn table_id(&self) -> Option<&str> {
        let own = self.signs.iter().filter(|sign| sign.part.is_none() && sign.is_table());
        own.filter_map(|sign| sign.uuid.as_deref()).next()
    }
}

fn fingerprint<'a>(signs: impl Iterator<Item = &'a Sign>) -> Option<String> {
    let mut all: Vec<String> = signs.map(Sign::identity).collect();
    all.sort();
    (!all.is_empty()).then(|| digest(all.concat().as_bytes())[..8].to_string())
}

/// 16 hexadecimal digits for some bytes: FNV-1a, mixed as splitmix64 does. No cryptography: whoever
/// can choose what is on a drive can also choose its serial number.
pub fn digest(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let mut hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, step);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    format!("{:016x}", hash ^ (hash >> 31))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ext4() -> Sign {
        Sign {
            offset_bytes: 1080,
            kind: "ext4".to_string(),
            label: Some(RawPath::new("MYPHOTOS")),
            uuid: Some("477f0e42".to_string()),
            ..Sign::default()
        }
    }

    #[test]
    fn fingerprint_changes_with_every_identity() {
        let of = |sign: Sign| Contents { signs: vec![sign] }.fingerprint();
        let same = of(ext4());
        let others = [
            Sign { uuid: Some("477f0e43".into()), ..ext4() },
            Sign { label: Some(RawPath::new("MYPHOTO")), ..ext4() },
            Sign { kind: "ext3".into(), ..ext4() },
            Sign { offset_bytes: 0, ..ext4() },
            Sign { part: Some("1".into()), ..ext4() },
        ];
        for other in others {
            assert_ne!(of(other.clone()), same, "{other:?}");
        }
        assert_eq!(Contents::default().fingerprint(), None);
    }

    #[test]
    fn fingerprint_outside_a_region_ignores_signatures_in_it() {
        let region = Span { start_bytes: 4 << 20, size_bytes: 8 << 20 };
        let inside = Sign { offset_bytes: 5 << 20, part: Some("1".into()), ..ext4() };
        let both = Contents { signs: vec![ext4(), inside] };
        let outer = Contents { signs: vec![ext4()] };
        assert_eq!(both.fingerprint_outside(region), outer.fingerprint_outside(region));
        assert_ne!(both.fingerprint(), outer.fingerprint());
    }
}
