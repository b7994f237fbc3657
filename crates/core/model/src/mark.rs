//! What a run knew of a target when it last changed its region, so that `resume` writes the same
//! drive in the same state and no other.
//!
//! A drive without a serial number is known by its name and size alone, which another drive under
//! the same name shares. The kernel's number of the attachment, the partition table, the signatures
//! outside the region and what is at the region's start tell the two apart.

use serde::{Deserialize, Serialize};

use super::inode::Inode;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub name: String,
    /// `/proc/sys/kernel/random/boot_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// Number of the attachment of a drive (`diskseq`), unique in a boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diskseq: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Inode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    /// What the run left at the region's start: a signature with its UUID, or a digest of its own
    /// data; `None` where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
}

impl Mark {
    /// How the target now differs from this, for people; empty when it is the same drive as the
    /// run left it.
    pub fn differences(&self, now: &Mark) -> Vec<&'static str> {
        let mut all = Vec::new();
        let mut add = |differs: bool, what| {
            if differs {
                all.push(what);
            }
        };
        add(self.name != now.name, "its name or serial number is different");
        match (self.file, now.file) {
            (None, None) => {
                let is_same_boot = self.boot_id.is_some() && self.boot_id == now.boot_id;
                let is_known = self.diskseq.is_some() && now.diskseq.is_some();
                add(!is_same_boot, "the machine restarted, so its attachment cannot be compared");
                add(is_same_boot && !is_known, "it was unplugged or replaced");
                add(
                    is_same_boot && is_known && self.diskseq != now.diskseq,
                    "it was unplugged or replaced",
                );
            }
            // The number of a filesystem may change with a boot, that of a file in it does not.
            (Some(then), Some(now)) => add(then.ino != now.ino, "it is a different file"),
            _ => add(true, "it is a different file"),
        }
        add(self.table_id != now.table_id, "its partition table changed");
        add(self.outside != now.outside, "its contents outside the region changed");
        match (&self.start, &now.start) {
            (Some(then), Some(now)) => {
                add(then != now, "the start of the region has changed since the run")
            }
            _ => add(true, "the start of the region cannot be compared"),
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
        assert!(then.differences(&mark()).is_empty());
        let cases = [
            (Mark { name: "sdc-1".into(), ..mark() }, "its name or serial number is different"),
            (
                Mark { boot_id: other.clone(), ..mark() },
                "the machine restarted, so its attachment cannot be compared",
            ),
            (
                Mark { boot_id: None, ..mark() },
                "the machine restarted, so its attachment cannot be compared",
            ),
            (Mark { diskseq: Some(10), ..mark() }, "it was unplugged or replaced"),
            (Mark { diskseq: None, ..mark() }, "it was unplugged or replaced"),
            (Mark { table_id: other.clone(), ..mark() }, "its partition table changed"),
            (Mark { table_id: None, ..mark() }, "its partition table changed"),
            (Mark { outside: other.clone(), ..mark() }, "its contents outside the region changed"),
            (Mark { start: other, ..mark() }, "the start of the region has changed since the run"),
            (Mark { start: None, ..mark() }, "the start of the region cannot be compared"),
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
        assert!(file(7, "a").differences(&file(7, "b")).is_empty());
        assert_eq!(file(7, "a").differences(&file(8, "a")), ["it is a different file"]);
        assert_eq!(file(7, "a").differences(&mark()), ["it is a different file"]);
    }
}
