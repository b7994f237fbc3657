//! What bakeoff itself and all that it started have sent towards storage: `/proc/PID/io` of the
//! family. What a process moved is its parent's when the parent has waited for it, so the sum of
//! those that live loses nothing. Writes of others do not count, wherever they go.

use std::path::Path;

use bakeoff_core::sysinfo::{block_stat, process_io};

use super::root::Root;

/// Most processes of the family that are looked at.
const FAMILY: usize = 1 << 10;

/// Bytes sent towards storage since this process started; `None` where the kernel keeps no account.
pub fn written_bytes() -> Option<u64> {
    written_by(&Root::system(), std::process::id())
}

/// Bytes written to a block device since it is there; `None` for what is none.
pub fn device_written_bytes(path: &Path) -> Option<u64> {
    let real = std::fs::canonicalize(path).ok()?;
    let name = real.file_name()?;
    let stat = Root::system().text(Path::new("sys/class/block").join(name).join("stat"))?;
    block_stat::parse(&stat).map(|stat| stat.written_bytes)
}

fn written_by(root: &Root, pid: u32) -> Option<u64> {
    let own = |pid: u32| {
        let text = root.text(format!("proc/{pid}/io"))?;
        process_io::parse(&text).map(|io| io.write_bytes)
    };
    let mut sum = own(pid)?;
    let mut family = vec![pid];
    let mut at = 0;
    while let Some(parent) = family.get(at).copied().filter(|_| family.len() < FAMILY) {
        for task in root.names(format!("proc/{parent}/task")) {
            let children = root.text(format!("proc/{parent}/task/{task}/children"));
            let children = children.unwrap_or_default();
            family.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        }
        at += 1;
    }
    // One that ended meanwhile has been added to its parent, and is seen with the next look.
    for child in family.into_iter().skip(1) {
        sum = sum.saturating_add(own(child).unwrap_or(0));
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_added_up() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join("proc").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let io = |bytes: u64| format!("read_bytes: 1\nwrite_bytes: {bytes}\n");
        for (pid, bytes, children) in [(7, 100, "8 9 "), (8, 20, ""), (9, 3, "10"), (10, 4, "")] {
            write(&format!("{pid}/io"), &io(bytes));
            write(&format!("{pid}/task/{pid}/children"), children);
        }
        write("11/io", &io(5000));
        assert_eq!(written_by(&Root::at(dir.path()), 7), Some(127));
        assert_eq!(written_by(&Root::at(dir.path()), 12), None);
    }

    #[test]
    fn what_a_child_writes_counts() {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let Some(before) = written_bytes() else { return };
        let to = dir.path().join("file");
        let status = std::process::Command::new("dd")
            .args(["if=/dev/zero", "bs=1M", "count=8", "status=none"])
            .arg(format!("of={}", to.display()))
            .status();
        assert!(status.unwrap().success());
        assert!(written_bytes().unwrap() - before >= 8 << 20);
    }
}
