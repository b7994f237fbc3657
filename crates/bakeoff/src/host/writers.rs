//! A look at who has written how much: `/proc/PID/io` of every process, `/proc/diskstats`.

use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_machine::sysinfo::{block_stat, cgroup, process_io, process_stat};
use bakeoff_machine::writers::{WriterLook, Writing};
use bakeoff_model::path::printable;

use super::io_users::{KERNEL_THREADS, ordered_pids};
use super::live::{diskstats, monotonic_ns};
use super::root::Root;

/// # Errors
/// When there are no counters of drives, or none of this one.
pub fn writers(drive: Dev) -> Result<WriterLook, String> {
    look(&Root::system(), drive)
}

fn look(root: &Root, drive: Dev) -> Result<WriterLook, String> {
    let text = diskstats(root)?;
    let all = block_stat::parse_diskstats(&text);
    let own = all.iter().find(|(dev, ..)| *dev == drive).ok_or_else(|| {
        format!("the device {drive} is detached. Check its name with `bakeoff devices`")
    })?;
    // A device of hardware, not what is made of one or of a file.
    let is_other = |dev: Dev, name: &str| {
        dev != drive && root.path(format!("sys/block/{name}/device")).exists()
    };
    let others = all.iter().filter(|(dev, name, _)| is_other(*dev, name));
    let other_drives_bytes = others.map(|(.., stat)| stat.written_bytes).sum();
    Ok(WriterLook {
        monotonic_ns: monotonic_ns(),
        drive_bytes: own.2.written_bytes,
        other_drives_bytes,
        processes: ordered_pids(root).into_iter().filter_map(|pid| process(root, pid)).collect(),
    })
}

/// `None` for a thread of the kernel, one that cannot be read, and one that is gone: what
/// they write is the filesystem's, or nobody's.
fn process(root: &Root, pid: u32) -> Option<Writing> {
    let stat = root.read(format!("proc/{pid}/stat")).ok()?;
    let stat = process_stat::parse(&stat)?;
    if pid == KERNEL_THREADS || stat.parent == KERNEL_THREADS {
        return None;
    }
    let bytes = process_io::kept(&root.text(format!("proc/{pid}/io"))?)?;
    let groups = match bytes {
        0 => String::new(),
        _ => root.text(format!("proc/{pid}/cgroup")).unwrap_or_default(),
    };
    let unified = cgroup::group(&groups, "").filter(|path| *path != "/");
    let group = unified.or_else(|| cgroup::group(&groups, "name=systemd")).map(cgroup::owner);
    Some(Writing {
        pid,
        parent: stat.parent,
        start_ticks: stat.start_ticks,
        name: printable(stat.name),
        group: printable(group.unwrap_or_default().as_bytes()),
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;

    #[test]
    fn processes_have_their_service_and_drives_are_told_apart() {
        let stat = |pid: u32, parent: u32, name: &str| {
            let rest = "0 0 0 0 0 0 0 0 0 1 1 0 0 20 0 1 0 77 0 0";
            format!("{pid} ({name}) S {parent} {rest}\n")
        };
        let io = "read_bytes: 1\nwrite_bytes: 5000\ncancelled_write_bytes: 904\n";
        let disks = "   8 0 sda 1 0 8 1 2 0 2000 1 0 1 1\n   8 16 sdb 1 0 8 1 2 0 10 1 0 1 1\n \
            7 0 loop0 1 0 8 1 2 0 4000 1 0 1 1\n";
        let files = [
            ("proc/diskstats", disks.to_string()),
            ("sys/block/sda/device/model", String::new()),
            ("sys/block/sdb/device/model", String::new()),
            ("sys/block/loop0/queue/rotational", String::new()),
            ("proc/40/stat", stat(40, 2, "kworker/0:1")),
            ("proc/40/io", io.to_string()),
            ("proc/900/stat", stat(900, 1, "influxd")),
            ("proc/900/io", io.to_string()),
            ("proc/900/cgroup", "0::/system.slice/influxdb.service\n".to_string()),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
        let (_dir, root) = tree(&files);
        let seen = look(&root, Dev::new(8, 0)).unwrap();
        assert_eq!((seen.drive_bytes, seen.other_drives_bytes), (2000 * 512, 10 * 512));
        let [one] = &seen.processes[..] else { panic!("{:?}", seen.processes) };
        assert_eq!((one.name.as_str(), one.group.as_str()), ("influxd", "influxdb.service"));
        assert_eq!((one.pid, one.parent, one.start_ticks, one.bytes), (900, 1, 77, 4096));
        assert!(look(&root, Dev::new(8, 32)).is_err());
    }
}
