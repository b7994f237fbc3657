//! What a thread works for, by its name in `/proc/PID/stat`.
//!
//! Kernel workers carry the work queue they serve in their name while it is read:
//! `kworker/u9:1+kcryptd/253:0` is working on it, `-` served it last (wq_worker_comm() in
//! kernel/workqueue.c, since Linux 4.18). Source: proc(5).

use bakeoff_stats::tables::Table;

/// Tasks by the beginning of their name; the longer one comes before the one it begins with.
const ROLES: Table<2> = Table::new(include_str!("../../data/threads.csv"));

/// What a task works for, as far as it matters for storage: `kcryptd`, `btrfs`, `jbd2`, `ntfs-3g`;
/// `None` for all others. Workers that serve no such queue are `kworker`.
pub fn role(name: &str) -> Option<&'static str> {
    let queue = match name.strip_prefix("kworker/") {
        Some(worker) => worker.split_once(['+', '-']).map_or("kworker", |(_, queue)| queue),
        None => name,
    };
    let of = |text: &str| {
        // Two letters begin many names; md threads are `md0_raid1`.
        let is_md = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        ROLES
            .rows()
            .find(|[role, prefix]| {
                text.strip_prefix(prefix).is_some_and(|rest| *role != "md" || is_md(rest))
            })
            .map(|[role, _]| role)
    };
    // A worker that served something else last is a worker all the same.
    of(queue).or_else(|| name.starts_with("kworker/").then_some("kworker"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
