//! What a run knew of a target when it last changed its region, so that `resume` writes the same
//! drive in the same state and no other.
//!
//! A drive without a serial number is known by its name and size alone, which another drive under
//! the same name shares. The kernel's number of the attachment, the partition table, the signatures
//! outside the region and what is at the region's start tell the two apart.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::inode::Inode;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The part of its erase token that names it.
    pub name: String,
    /// `/proc/sys/kernel/random/boot_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// Number of the attachment of a drive (`diskseq`), unique in a boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diskseq: Option<u64>,
    /// Of an image: the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Inode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_id: Option<String>,
    /// Fingerprint of the signatures outside the region, which the run does not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    /// What the run left at the region's start: a signature with its UUID, or a digest of its own
    /// data; `None` where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
}

/// Why a target may not be the one a run was on, or not as the run left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    Unrecorded,
    Name,
    /// The machine was started since: the kernel's number of the attachment cannot be compared.
    Boot,
    Attachment,
    File,
    Table,
    Outside,
    /// The start of the region is not as the run left it.
    Start,
    /// The start of the region could not be compared.
    UnknownStart,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Difference::Unrecorded => "the run recorded nothing that identifies it",
            Difference::Name => "its name or serial number is different",
            Difference::Boot => "the machine restarted, so its attachment cannot be compared",
            Difference::Attachment => "it was unplugged or replaced",
            Difference::File => "it is a different file",
            Difference::Table => "its partition table changed",
            Difference::Outside => "its contents outside the region changed",
            Difference::Start => "the start of the region has changed since the run",
            Difference::UnknownStart => "the start of the region cannot be compared",
        })
    }
}

impl Mark {
    /// How the target now differs from this; empty when it is the same drive as the run left it.
    pub fn differences(&self, now: &Mark) -> Vec<Difference> {
        let mut all = Vec::new();
        let mut add = |differs: bool, what| {
            if differs {
                all.push(what);
            }
        };
        add(self.name != now.name, Difference::Name);
        match (self.file, now.file) {
            (None, None) => {
                let is_same_boot = self.boot_id.is_some() && self.boot_id == now.boot_id;
                let is_known = self.diskseq.is_some() && now.diskseq.is_some();
                add(!is_same_boot, Difference::Boot);
                add(is_same_boot && !is_known, Difference::Attachment);
                add(
                    is_same_boot && is_known && self.diskseq != now.diskseq,
                    Difference::Attachment,
                );
            }
            // The number of a filesystem may change with a boot, that of a file in it does not.
            (Some(then), Some(now)) => add(then.ino != now.ino, Difference::File),
            _ => add(true, Difference::File),
        }
        add(self.table_id != now.table_id, Difference::Table);
        add(self.outside != now.outside, Difference::Outside);
        match (&self.start, &now.start) {
            (Some(then), Some(now)) => add(then != now, Difference::Start),
            _ => add(true, Difference::UnknownStart),
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> Mark {
        Mark {
            name: "sdb-32010928128".to_string(),
            boot_id: Some("6f1c".to_string()),
            diskseq: Some(9),
            file: None,
            table_id: Some("a1b2c3d4".to_string()),
            outside: Some("12345678".to_string()),
            start: Some("ext4 477f0e42".to_string()),
        }
    }

    /// Another drive of the same size under the same name was overwritten without a question.
    #[test]
    fn any_difference_and_anything_unknown_is_reported() {
        let other = Some("other".to_string());
        let then = mark();
        assert_eq!(then.differences(&mark()), []);
        let cases = [
            (Mark { name: "sdc-1".into(), ..mark() }, Difference::Name),
            (Mark { boot_id: other.clone(), ..mark() }, Difference::Boot),
            (Mark { boot_id: None, ..mark() }, Difference::Boot),
            (Mark { diskseq: Some(10), ..mark() }, Difference::Attachment),
            (Mark { diskseq: None, ..mark() }, Difference::Attachment),
            (Mark { table_id: other.clone(), ..mark() }, Difference::Table),
            (Mark { table_id: None, ..mark() }, Difference::Table),
            (Mark { outside: other.clone(), ..mark() }, Difference::Outside),
            (Mark { start: other, ..mark() }, Difference::Start),
            (Mark { start: None, ..mark() }, Difference::UnknownStart),
        ];
        for (now, difference) in cases {
            assert_eq!(then.differences(&now), [difference], "{now:?}");
            assert_eq!(now.differences(&then), [difference], "{now:?}");
        }
    }

    #[test]
    fn image_is_compared_by_its_file_also_after_a_restart() {
        let file = |ino, boot: &str| Mark {
            file: Some(Inode { dev: 2049, ino }),
            boot_id: Some(boot.to_string()),
            diskseq: None,
            ..mark()
        };
        assert_eq!(file(7, "a").differences(&file(7, "b")), []);
        assert_eq!(file(7, "a").differences(&file(8, "a")), [Difference::File]);
        assert_eq!(file(7, "a").differences(&mark()), [Difference::File]);
    }
}
