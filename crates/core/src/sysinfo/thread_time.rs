//! CPU time of one task, from `/proc/PID/stat` or `/proc/PID/task/TID/stat`, without allocating.
//!
//! Kernel workers carry the work queue they serve in their name while it is read:
//! `kworker/u9:1+kcryptd/253:0` is working on it, `-` served it last (wq_worker_comm() in
//! kernel/workqueue.c, since Linux 4.18). Source: proc(5).

/// Name and CPU time of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTime<'a> {
    /// Its name as the kernel shows it now.
    pub name: &'a str,
    /// Process id of its parent; 2 for kernel threads.
    pub parent: u32,
    /// User and system time in clock ticks.
    pub ticks: u64,
}

/// Reads the file; `None` when a field is missing or the name is no text.
pub fn parse(text: &str) -> Option<ThreadTime<'_>> {
    let (_, rest) = text.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let _state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // `parent` is field 4 of proc(5), user time 14 and system time 15.
    let user: u64 = fields.nth(9)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(ThreadTime { name, parent, ticks: user.saturating_add(system) })
}

/// What a task works for, as far as it matters for storage: `kcryptd`, `btrfs`, `jbd2`, `ntfs-3g`;
/// `None` for all others. Workers that serve no such queue are `kworker`.
pub fn role(name: &str) -> Option<&'static str> {
    // The longer name comes before the one it begins with.
    const ROLES: [(&str, &str); 30] = [
        ("kcryptd_io", "kcryptd_io"),
        ("kcryptd", "kcryptd"),
        ("dmcrypt_write", "dmcrypt_write"),
        ("kdelayd", "dm-delay"),
        ("btrfs", "btrfs"),
        ("jbd2", "jbd2"),
        ("ext4lazyinit", "ext4lazyinit"),
        ("ext4-rsv", "ext4"),
        ("xfs", "xfs"),
        ("f2fs_gc", "f2fs_gc"),
        ("f2fs_flush", "f2fs"),
        ("f2fs_ckpt", "f2fs"),
        ("f2fs_discard", "f2fs_discard"),
        ("ntfs-3g", "ntfs-3g"),
        ("mount.ntfs", "ntfs-3g"),
        ("mount.exfat-fus", "exfat-fuse"),
        ("usb-storage", "usb-storage"),
        ("uas", "uas"),
        ("mmc_complete", "mmc"),
        ("mmcqd", "mmc"),
        ("writeback", "writeback"),
        ("loop", "loop"),
        ("kblockd", "kblockd"),
        ("kswapd", "kswapd"),
        ("kcompactd", "kcompactd"),
        ("ksoftirqd", "ksoftirqd"),
        ("md", "md"),
        ("dio", "direct I/O"),
        ("irq/", "interrupt"),
        ("kworker", "kworker"),
    ];
    let queue = match name.strip_prefix("kworker/") {
        Some(worker) => worker.split_once(['+', '-']).map_or("kworker", |(_, queue)| queue),
        None => name,
    };
    let of = |text: &str| {
        // Two letters begin many names; md threads are `md0_raid1`.
        let is_md = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        ROLES
            .iter()
            .find(|(prefix, role)| {
                text.strip_prefix(prefix).is_some_and(|rest| *role != "md" || is_md(rest))
            })
            .map(|(_, role)| *role)
    };
    // A worker that served something else last is a worker all the same.
    of(queue).or_else(|| name.starts_with("kworker/").then_some("kworker"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_blanks_and_parentheses_and_the_fourteenth_field() {
        let text = "17 (a) R (b) S 2 0 0 0 -1 69238880 0 0 0 0 625 104 0 0 20 0 1 0 25 0\n";
        let read = parse(text).unwrap();
        assert_eq!(read, ThreadTime { name: "a) R (b", parent: 2, ticks: 729 });
        assert_eq!(parse("17 (a) S 2 0"), None);
    }

    #[test]
    fn workers_are_known_by_the_queue_they_serve() {
        let cases = [
            ("kworker/u9:1+kcryptd/253:0", Some("kcryptd")),
            ("kworker/u8:1-btrfs-endio-write", Some("btrfs")),
            ("kworker/u8:0-writeback", Some("writeback")),
            ("kworker/0:1H-kblockd", Some("kblockd")),
            ("kworker/1:0-mm_percpu_wq", Some("kworker")),
            ("kworker/u9:0", Some("kworker")),
            ("dmcrypt_write/2", Some("dmcrypt_write")),
            ("jbd2/vda1-8", Some("jbd2")),
            ("md0_raid1", Some("md")),
            ("mdadm", None),
            ("usb-storage", Some("usb-storage")),
            ("ext4lazyinit", Some("ext4lazyinit")),
            ("f2fs_gc-179:2", Some("f2fs_gc")),
            ("irq/24-mmc0", Some("interrupt")),
            ("bash", None),
        ];
        for (name, wanted) in cases {
            assert_eq!(role(name), wanted, "{name}");
        }
    }
}
