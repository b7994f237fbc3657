//! `/run/udev/data/bMAJOR:MINOR`: what udev found out about a block device.
//!
//! Lines are `S:` a symbolic link under /dev and `E:` a property; others are passed over. This is
//! what blkid found in the device without our having to read it, so it needs no privilege.
//! Source: systemd's `src/libsystemd/sd-device` ("device-private.c").

use std::collections::BTreeMap;

use super::escape::hexadecimal;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Udev {
    /// Links below /dev, as `disk/by-id/usb-…`, sorted.
    pub links: Vec<String>,
    properties: BTreeMap<String, String>,
}

impl Udev {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.properties.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }

    /// A property whose `_ENC` form keeps every byte, decoded: labels, vendor and model strings.
    pub fn decoded(&self, name: &str) -> Option<Vec<u8>> {
        let encoded = self.get(&format!("{name}_ENC")).map(|v| hexadecimal(v.as_bytes()));
        encoded.or_else(|| self.get(name).map(|v| v.as_bytes().to_vec()))
    }

    /// The link people know a drive by: `disk/by-id/…`, by model and serial rather than by world
    /// wide name, which names nothing that is printed on a drive.
    pub fn by_id(&self) -> Option<&str> {
        let names = || self.links.iter().filter_map(|l| l.strip_prefix("disk/by-id/"));
        let by_number = |name: &str| {
            ["wwn-", "nvme-eui.", "nvme-nvme.", "scsi-3", "dm-uuid-", "lvm-pv-uuid-", "md-uuid-"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
        };
        names().find(|name| !by_number(name)).or_else(|| names().next())
    }
}

/// Reads an entry. Text that is not UTF-8 was replaced by the caller.
pub fn parse(text: &str) -> Udev {
    let mut found = Udev::default();
    for line in text.lines() {
        if let Some(link) = line.strip_prefix("S:") {
            found.links.push(link.to_string());
        } else if let Some((name, value)) = line.strip_prefix("E:").and_then(|e| e.split_once('='))
        {
            found.properties.insert(name.to_string(), value.to_string());
        }
    }
    found.links.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_properties() {
        let text = "S:disk/by-id/wwn-0x5002538e4038b1c2\nS:disk/by-id/ata-Samsung_SSD_860_S3Z8NB0K\n\
            S:disk/by-path/pci-0000:00:17.0-ata-1\nI:2213458\nE:ID_FS_TYPE=ext4\n\
            E:ID_FS_LABEL=my_disk\nE:ID_FS_LABEL_ENC=my\\x20disk\\x1b\nE:ID_EMPTY=\nG:systemd\nV:1\n";
        let found = parse(text);
        assert_eq!(found.by_id(), Some("ata-Samsung_SSD_860_S3Z8NB0K"));
        assert_eq!(found.get("ID_FS_TYPE"), Some("ext4"));
        assert_eq!(found.get("ID_EMPTY"), None);
        assert_eq!(found.decoded("ID_FS_LABEL").as_deref(), Some(&b"my disk\x1b"[..]));
        assert_eq!(found.decoded("ID_FS_TYPE").as_deref(), Some(&b"ext4"[..]));
        assert_eq!(parse("S:disk/by-id/wwn-0x5\n").by_id(), Some("wwn-0x5"));
        assert_eq!(parse("").by_id(), None);
    }
}
