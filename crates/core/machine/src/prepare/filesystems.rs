//! The filesystems bakeoff can make: the one place to add another.
//!
//! Options follow one rule: what the distribution does, except where a default would start
//! background work or trim only some of the candidates (mke2fs(8) lazy_itable_init and nodiscard,
//! mkfs.xfs(8) -K, mkfs.btrfs(8) -K, mkfs.f2fs(8) -t 0, mkfs.nilfs2(8) -K), and noatime for all.
//! docs/filesystems.md is made from this table.

use super::recipe::{Driver, RAW, Recipe};

/// Bytes of a mebibyte.
pub(super) const MIB: u64 = 1 << 20;
const E2FS: &[&str] = &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0"];
const E2FS_JOURNAL: &[&str] =
    &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"];

/// What most recipes are: a kernel driver called as the filesystem, nothing special.
const fn kernel(fs: &'static str, mkfs: &'static str, package: &'static str) -> Recipe {
    Recipe {
        name: fs,
        fs,
        format: fs,
        mkfs,
        package,
        options: &[],
        mount: &["noatime"],
        driver: Driver::Kernel(fs),
        min_bytes: 16 * MIB,
        keeps_bytes: 0,
        file_bytes: 0,
        equalised: &[],
        equalised_mkfs: &[],
        equalised_why: "no option changes what its fsync does",
        has_journal: true,
        checksums_data: false,
        can_boot: true,
        is_in_initramfs: true,
        has_large_files: true,
        is_on_windows_and_mac: false,
        stands_in_for: None,
        in_demo: true,
    }
}

const SYNCED_NAMES: &str = "no journal records the directory entry; with this option a synced file \
                            can be found again (mount(8))";
const EXT4_STATED: &str = "its defaults, made explicit: data before metadata, at most 5 s lost, \
                           the drive's cache flushed (ext4(5))";

/// Every filesystem, in the order of tables.
pub const FILESYSTEMS: &[Recipe] = &[
    Recipe {
        options: E2FS_JOURNAL,
        equalised: &["barrier=1", "data=ordered", "commit=5"],
        equalised_why: EXT4_STATED,
        ..kernel("ext4", "mkfs.ext4", "e2fsprogs")
    },
    Recipe {
        name: "ext4 without journal",
        options: &["-q", "-F", "-O", "^has_journal", "-E", "nodiscard,lazy_itable_init=0"],
        equalised: &["barrier=1", "dirsync"],
        equalised_why: SYNCED_NAMES,
        has_journal: false,
        ..kernel("ext4", "mkfs.ext4", "e2fsprogs")
    },
    Recipe {
        options: &["-q", "-f", "-K"],
        min_bytes: 300 * MIB,
        keeps_bytes: 80 * MIB,
        ..kernel("xfs", "mkfs.xfs", "xfsprogs")
    },
    Recipe {
        options: &["-q", "-f", "-K"],
        mount: &["noatime", "nodiscard"],
        min_bytes: 128 * MIB,
        keeps_bytes: 80 * MIB,
        equalised: &["barrier", "commit=5"],
        equalised_mkfs: &["-m", "single", "-d", "single"],
        equalised_why: "the default is 30 s; since 5.15 it writes metadata twice by default, all \
                        others once (btrfs(5), mkfs.btrfs(8))",
        checksums_data: true,
        ..kernel("btrfs", "mkfs.btrfs", "btrfs-progs")
    },
    Recipe {
        options: E2FS,
        equalised: &["dirsync"],
        equalised_why: SYNCED_NAMES,
        has_journal: false,
        ..kernel("ext2", "mkfs.ext2", "e2fsprogs")
    },
    Recipe {
        options: E2FS_JOURNAL,
        equalised: &["barrier=1", "data=ordered", "commit=5"],
        equalised_why: EXT4_STATED,
        in_demo: false,
        ..kernel("ext3", "mkfs.ext3", "e2fsprogs")
    },
    // Both drivers replay or clear the journal that Windows left, and write none of their own
    // (kernel, ntfs3.rst; ntfs-3g(8), "recover").
    Recipe {
        format: "ntfs",
        options: &["-q", "-f", "-F"],
        has_journal: false,
        can_boot: false,
        ..kernel("ntfs3", "mkfs.ntfs", "ntfs-3g")
    },
    Recipe {
        options: &["-q", "-f", "-F"],
        driver: Driver::Fuse { program: "mount.ntfs-3g", package: "ntfs-3g" },
        format: "ntfs",
        has_journal: false,
        can_boot: false,
        stands_in_for: Some("ntfs3"),
        ..kernel("ntfs-3g", "mkfs.ntfs", "ntfs-3g")
    },
    Recipe {
        options: &["-q", "-f", "-t", "0"],
        mount: &["noatime", "nodiscard"],
        min_bytes: 128 * MIB,
        keeps_bytes: 60 * MIB,
        // Each has a block of its own for its inode (kernel, f2fs.rst).
        file_bytes: 4096,
        equalised: &["fsync_mode=strict"],
        equalised_why: "the default, posix, guarantees less; strict behaves like ext4, xfs and \
                        btrfs (kernel, f2fs.rst)",
        ..kernel("f2fs", "mkfs.f2fs", "f2fs-tools")
    },
    Recipe {
        equalised: &["dirsync"],
        equalised_why: SYNCED_NAMES,
        has_journal: false,
        can_boot: false,
        is_on_windows_and_mac: true,
        ..kernel("exfat", "mkfs.exfat", "exfatprogs")
    },
    Recipe {
        driver: Driver::Fuse { program: "mount.exfat-fuse", package: "exfat-fuse" },
        format: "exfat",
        has_journal: false,
        can_boot: false,
        is_on_windows_and_mac: true,
        stands_in_for: Some("exfat"),
        ..kernel("exfat-fuse", "mkfs.exfat", "exfatprogs")
    },
    Recipe {
        options: &["-F", "32"],
        min_bytes: 64 * MIB,
        equalised: &["dirsync"],
        equalised_why: SYNCED_NAMES,
        has_journal: false,
        can_boot: false,
        // Sizes have 32 bits (Microsoft, "FAT: General Overview of On-Disk Format").
        has_large_files: false,
        is_on_windows_and_mac: true,
        ..kernel("vfat", "mkfs.vfat", "dosfstools")
    },
    Recipe {
        // Twice -f: no question is asked (mkreiserfs(8)).
        options: &["-q", "-f", "-f"],
        min_bytes: 64 * MIB,
        // Its journal of 8193 blocks (mkreiserfs(8)).
        keeps_bytes: 32 * MIB,
        equalised: &["barrier=flush", "data=ordered", "commit=5"],
        equalised_why: "the cache is flushed at commit, after 5 s instead of 30 s (kernel, \
                        fs/reiserfs)",
        in_demo: false,
        ..kernel("reiserfs", "mkfs.reiserfs", "reiserfsprogs")
    },
    Recipe {
        options: &["-q", "-f", "-K"],
        min_bytes: 128 * MIB,
        keeps_bytes: 88 * MIB,
        equalised: &["barrier", "order=strict"],
        equalised_why: "data is ordered with metadata (kernel, nilfs2.rst)",
        is_in_initramfs: false,
        in_demo: false,
        ..kernel("nilfs2", "mkfs.nilfs2", "nilfs-tools")
    },
    Recipe { options: &["-q"], in_demo: false, ..kernel("jfs", "mkfs.jfs", "jfsutils") },
    Recipe {
        options: &["--quiet", "--force"],
        // It discards unless told not to (fs/bcachefs/opts.h, "discard").
        mount: &["noatime", "nodiscard"],
        min_bytes: 128 * MIB,
        equalised: &["journal_flush_delay=5000"],
        equalised_why: "the journal is written 5 s after a change instead of 1 s (kernel, \
                        fs/bcachefs/opts.h)",
        checksums_data: true,
        is_in_initramfs: false,
        in_demo: false,
        ..kernel("bcachefs", "mkfs.bcachefs", "bcachefs-tools")
    },
    // Other systems read and write it as well, with files above 4 GiB (mkudffs(8)).
    Recipe {
        options: &["--media-type=hd"],
        equalised: &["dirsync"],
        equalised_why: SYNCED_NAMES,
        has_journal: false,
        can_boot: false,
        in_demo: false,
        ..kernel("udf", "mkfs.udf", "udftools")
    },
    Recipe {
        mount: &[],
        driver: Driver::Raw,
        min_bytes: MIB,
        in_demo: false,
        ..kernel(RAW, "", "")
    },
];
