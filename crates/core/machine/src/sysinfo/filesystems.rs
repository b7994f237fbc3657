//! `/proc/filesystems` and `/lib/modules/*/modules.*`: which filesystems the kernel knows or can
//! load.

/// Whether `/proc/filesystems` lists `fs`: built in, or its module is loaded.
pub fn is_registered(proc_filesystems: &str, fs: &str) -> bool {
    proc_filesystems.lines().any(|line| line.split_ascii_whitespace().next_back() == Some(fs))
}

/// Whether `modules.dep`, `modules.builtin` or `modules.alias` offers the filesystem: a module of
/// its name, or the alias `fs-NAME` that mount(2) asks for.
pub fn has_module(text: &str, fs: &str) -> bool {
    let wanted = fs.replace('-', "_");
    text.lines().any(|line| {
        if let Some(alias) = line.strip_prefix("alias fs-") {
            return alias.split_ascii_whitespace().next() == Some(fs);
        }
        let path = line.split(':').next().unwrap_or_default().trim();
        let file = path.rsplit('/').next().unwrap_or_default();
        let stem = file.find(".ko").map(|end| &file[..end]);
        stem.is_some_and(|stem| stem.replace('-', "_") == wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_with_and_without_device() {
        let text = "nodev\tsysfs\nnodev\ttmpfs\n\text4\n\tfuseblk\n";
        assert!(is_registered(text, "ext4") && is_registered(text, "tmpfs"));
        assert!(!is_registered(text, "ext") && !is_registered(text, "nodev"));
    }

    #[test]
    fn modules_by_file_name_and_alias() {
        let dep = "kernel/fs/f2fs/f2fs.ko.xz: kernel/lib/lz4.ko.xz\nkernel/fs/fat/vfat.ko: kernel/fs/fat/fat.ko\n";
        assert!(has_module(dep, "f2fs") && has_module(dep, "vfat"));
        assert!(!has_module(dep, "fat"), "a dependency is no module line of its own here");
        assert!(has_module("kernel/fs/ext4/ext4.ko\n", "ext4"));
        assert!(has_module("alias fs-exfat exfat\n", "exfat"));
        assert!(!has_module("alias fs-exfat exfat\n", "fs-exfat"));
    }
}
