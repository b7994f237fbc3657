//! Which process is which: a pid comes again, a pid with its start in the same boot does not.

use std::io;

use bakeoff_core::sysinfo::process_stat;

use super::root::Root;

/// When a process started, in clock ticks after boot.
///
/// # Errors
/// NotFound when there is no such process, otherwise what /proc says.
pub fn process_start_ticks(pid: u32) -> io::Result<u64> {
    let text = Root::system().read(format!("proc/{pid}/stat"))?;
    process_stat::parse(&text).map(|stat| stat.start_ticks).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidData, format!("/proc/{pid}/stat is no process status"))
    })
}

/// Identifies this boot of the machine.
///
/// # Errors
/// What /proc says.
pub fn boot_id() -> io::Result<String> {
    let text = Root::system().read("proc/sys/kernel/random/boot_id")?;
    Ok(String::from_utf8_lossy(&text).trim().to_string())
}

/// Whether the process that noted these three is still there. One that ended and was not yet
/// waited for (a zombie) can do no harm any more and counts as dead.
pub fn is_alive(pid: u32, start_ticks: u64, boot: &str) -> bool {
    let same_boot = boot_id().is_ok_and(|now| now == boot);
    let status = Root::system().read(format!("proc/{pid}/stat")).ok();
    let status = status.and_then(|text| process_stat::parse(&text));
    same_boot && status.is_some_and(|s| s.start_ticks == start_ticks && s.state != 'Z')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_are_alive_and_others_with_our_pid_are_not() {
        let pid = std::process::id();
        let (ticks, boot) = (process_start_ticks(pid).unwrap(), boot_id().unwrap());
        assert!(is_alive(pid, ticks, &boot));
        assert!(!is_alive(pid, ticks + 1, &boot));
        assert!(!is_alive(pid, ticks, "another boot"));
    }

    #[test]
    fn an_ended_child_is_dead_before_it_is_waited_for() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let ticks = process_start_ticks(child.id()).unwrap();
        let boot = boot_id().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while is_alive(child.id(), ticks, &boot) {
            assert!(std::time::Instant::now() < deadline, "the child never ended");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.wait().unwrap();
        let gone = process_start_ticks(child.id()).unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }
}
