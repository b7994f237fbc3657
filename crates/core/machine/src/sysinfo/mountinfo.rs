//! `/proc/PID/mountinfo`: what is mounted where, proc(5).
//!
//! `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`

use super::dev::Dev;
use super::escape::octal;
use bakeoff_model::path::{RawPath, bytes_path};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mount {
    /// Mount id, unique while mounted; `mnt_id` of `/proc/PID/fdinfo/FD`.
    pub id: u64,
    /// Device number of the files on it as the superblock gives it; anonymous for btrfs.
    pub dev: Dev,
    /// The part of the filesystem that is mounted; `/` unless a bind mount or subvolume.
    pub root: RawPath,
    pub mount_point: RawPath,
    pub options: Vec<String>,
    pub fs: String,
    pub source: RawPath,
    pub super_options: Vec<String>,
}

impl Mount {
    /// Mount and superblock options, each once, in the kernel's order.
    pub fn all_options(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for option in self.options.iter().chain(&self.super_options) {
            if !all.contains(option) {
                all.push(option.clone());
            }
        }
        all
    }

    pub fn is_read_only(&self) -> bool {
        self.options.iter().chain(&self.super_options).any(|o| o == "ro")
    }
}

/// Every mount, in the order of the file, which is the order of mounting within a directory.
pub fn parse(text: &[u8]) -> Vec<Mount> {
    text.split(|b| *b == b'\n').filter_map(mount).collect()
}

fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|b| *b == b' ');
    let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let _parent = fields.next()?;
    let dev = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let root = bytes_path(octal(fields.next()?));
    let mount_point = bytes_path(octal(fields.next()?));
    let options = words(fields.next()?);
    // Optional fields end at a lone hyphen.
    fields.by_ref().find(|field| field == b"-")?;
    let fs = lossy(&octal(fields.next()?));
    // An empty source leaves an empty field; an old kernel may leave out the rest.
    let source = bytes_path(octal(fields.next().unwrap_or_default()));
    let super_options = words(fields.next().unwrap_or_default());
    Some(Mount { id, dev, root, mount_point, options, fs, source, super_options })
}

fn words(field: &[u8]) -> Vec<String> {
    field.split(|b| *b == b',').filter(|w| !w.is_empty()).map(|w| lossy(&octal(w))).collect()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_fields_of_any_number() {
        let text = b"36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue\n\
            27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n";
        let mounts = parse(text);
        assert_eq!(mounts.len(), 2);
        assert_eq!(mounts[0].dev, Dev::new(98, 0));
        assert_eq!(mounts[0].fs, "ext3");
        assert_eq!(mounts[0].all_options(), ["rw", "noatime", "errors=continue"]);
        assert_eq!(mounts[1].mount_point, RawPath::new("/"));
        assert_eq!(mounts[1].source, RawPath::new("/dev/vda"));
        assert!(!mounts[1].is_read_only());
    }

    #[test]
    fn awkward_mount_points_come_back_byte_for_byte() {
        let text = b"1 0 8:1 / /mnt/a\\040b\\012c\\134\xff rw - vfat /dev/sda1 ro\nnonsense\n";
        let mounts = parse(text);
        assert_eq!(mounts.len(), 1);
        assert_eq!(mounts[0].mount_point, bytes_path(b"/mnt/a b\nc\\\xff".to_vec()));
        assert!(mounts[0].is_read_only());
    }

    #[test]
    fn an_empty_source_does_not_shift_the_options() {
        let mounts = parse(b"1 0 0:33 / /mnt rw - tmpfs  rw,size=4k\n");
        assert_eq!(mounts[0].source, RawPath::default());
        assert_eq!(mounts[0].super_options, ["rw", "size=4k"]);
    }
}
