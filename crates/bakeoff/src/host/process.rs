//! Which process is which: a pid comes again, a pid with its start in the same boot does not.

use std::io;

use bakeoff_machine::prepare::device::Process;
use bakeoff_machine::sysinfo::process_stat;
use bakeoff_model::path::bytes_path;

use super::root::Root;

/// When a process started, in clock ticks after boot.
///
/// # Errors
/// NotFound when there is no such process, otherwise what /proc says.
pub fn process_start_ticks(pid: u32) -> io::Result<u64> {
    let text = Root::system().read(format!("proc/{pid}/stat"))?;
    process_stat::parse(&text).map(|stat| stat.start_ticks).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("/proc/{pid}/stat is not a process status"),
        )
    })
}

pub fn named(root: &Root, pid: u32) -> Process {
    let comm = root.read(format!("proc/{pid}/comm")).unwrap_or_default();
    Process { pid, name: bytes_path(comm.trim_ascii_end().to_vec()) }
}

/// Whether an error says that we may not look at a process.
///
/// The kernel denies access to a process that ended meanwhile too (`proc_ns_readlink` in
/// fs/proc/namespaces.c begins with -EACCES), so one that lives no more was not refused.
pub fn is_refused(root: &Root, pid: u32, error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && !has_ended(root, pid)
}

pub fn has_ended(root: &Root, pid: u32) -> bool {
    match root.text(format!("proc/{pid}/stat")) {
        None => true,
        Some(text) => text.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z')),
    }
}

/// Identifies this boot of the machine.
///
/// # Errors
/// What /proc says.
pub fn boot_id() -> io::Result<String> {
    let text = Root::system().read("proc/sys/kernel/random/boot_id")?;
    Ok(String::from_utf8_lossy(&text).trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_start_stays_the_same_and_a_process_that_ended_has_none() {
        let pid = std::process::id();
        assert_eq!(process_start_ticks(pid).unwrap(), process_start_ticks(pid).unwrap());
        assert_eq!(boot_id().unwrap().len(), 36);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        assert!(process_start_ticks(child.id()).unwrap() >= process_start_ticks(pid).unwrap());
        child.wait().unwrap();
        let gone = process_start_ticks(child.id()).unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_process_that_ended_while_it_was_looked_at_has_refused_nothing() {
        let (root, denied) = (Root::system(), io::Error::from(io::ErrorKind::PermissionDenied));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(is_refused(&root, child.id(), &denied));
        assert!(!is_refused(&root, child.id(), &io::Error::from(io::ErrorKind::NotFound)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_refused(&root, child.id(), &denied));
    }
}
