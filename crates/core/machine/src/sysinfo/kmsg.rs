//! `/dev/kmsg`: the kernel's log, one record a read.
//!
//! `6,339,5140900,-;message` is priority, sequence number, microseconds since boot, flags.
//! Source: `Documentation/ABI/testing/dev-kmsg`. Messages by their text in the kernel's sources
//! (drivers/mmc, drivers/usb/core/hub.c, block/blk-core.c, drivers/ata/libata-eh.c, fs/*).

use bakeoff_model::log_problem::LogProblem;

/// The message of a record and when it was logged, microseconds since boot.
pub fn record(text: &str) -> Option<(u64, &str)> {
    let (head, message) = text.split_once(';')?;
    let time_us = head.split(',').nth(2)?.parse().ok()?;
    // Lines after the first are properties of the device.
    Some((time_us, message.lines().next().unwrap_or_default()))
}

/// What a message says went wrong with storage; `None` for all others.
pub fn problem(message: &str) -> Option<LogProblem> {
    const SIGNS: [(&str, LogProblem); 24] = [
        ("I/O error", LogProblem::IoError),
        ("Medium Error", LogProblem::IoError),
        ("critical medium error", LogProblem::IoError),
        ("critical target error", LogProblem::IoError),
        ("error -110 ", LogProblem::Timeout),
        ("timed out", LogProblem::Timeout),
        ("Timeout waiting for hardware interrupt", LogProblem::Timeout),
        ("running CQE recovery", LogProblem::Timeout),
        ("Card stuck being busy", LogProblem::Timeout),
        ("uas_eh_abort_handler", LogProblem::Timeout),
        ("timeout", LogProblem::Timeout),
        ("reset high-speed USB device", LogProblem::Reset),
        ("reset SuperSpeed", LogProblem::Reset),
        ("reset full-speed USB device", LogProblem::Reset),
        ("USB disconnect", LogProblem::Reset),
        ("uas_eh_device_reset", LogProblem::Reset),
        ("hard resetting link", LogProblem::Reset),
        ("resetting controller", LogProblem::Reset),
        ("EXT4-fs error", LogProblem::Filesystem),
        ("BTRFS error", LogProblem::Filesystem),
        ("Remounting filesystem read-only", LogProblem::Filesystem),
        ("XFS (", LogProblem::Filesystem),
        ("Undervoltage detected", LogProblem::Voltage),
        ("Under-voltage detected", LogProblem::Voltage),
    ];
    // XFS says "XFS (sda1): Mounting" as well; only what it calls corruption is one.
    let applies = |sign: &str| match sign {
        "XFS (" => message.contains("orruption") || message.contains("Shutting down filesystem"),
        // Timeouts of others (network, watchdogs) are none of storage.
        "timed out" | "timeout" | "error -110 " => is_storage(message),
        _ => true,
    };
    SIGNS.iter().find(|(sign, _)| message.contains(sign) && applies(sign)).map(|(_, what)| *what)
}

fn is_storage(message: &str) -> bool {
    const SUBSYSTEMS: [&str; 8] =
        ["mmc", "sd ", "nvme", "ata", "usb-storage", "uas", "blk_update", "virtio_blk"];
    SUBSYSTEMS.iter().any(|name| message.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_its_time_and_first_line() {
        let text = "4,1234,5140900,-;sd 0:0:0:0: [sda] tag#0 timed out\n SUBSYSTEM=scsi\n";
        assert_eq!(record(text), Some((5_140_900, "sd 0:0:0:0: [sda] tag#0 timed out")));
        assert_eq!(record("no record"), None);
    }

    #[test]
    fn what_kernels_really_say() {
        use LogProblem::*;
        let cases = [
            ("blk_update_request: I/O error, dev sda, sector 2048 op 0x0:(READ)", Some(IoError)),
            ("Buffer I/O error on dev mmcblk0p2, logical block 0", Some(IoError)),
            ("mmc0: running CQE recovery", Some(Timeout)),
            ("mmc0: Timeout waiting for hardware interrupt.", Some(Timeout)),
            ("mmcblk0: error -110 transferring data, sector 1, nr 8, cmd response", Some(Timeout)),
            ("nvme nvme0: I/O 12 QID 1 timeout, aborting", Some(Timeout)),
            ("usb 2-1: reset SuperSpeed USB device number 2 using xhci_hcd", Some(Reset)),
            ("usb 1-1.3: USB disconnect, device number 5", Some(Reset)),
            ("ata1: hard resetting link", Some(Reset)),
            ("EXT4-fs error (device sda1): ext4_lookup:1700: inode #2", Some(Filesystem)),
            ("hwmon hwmon1: Undervoltage detected!", Some(Voltage)),
            ("XFS (loop0): Mounting V5 Filesystem", None),
            ("XFS (sda1): Metadata corruption detected", Some(Filesystem)),
            ("EXT4-fs (loop0): mounted filesystem with ordered data mode", None),
            ("r8169 0000:01:00.0 eth0: transmit queue 0 timed out", None),
            ("systemd[1]: Started foo.", None),
        ];
        for (message, wanted) in cases {
            assert_eq!(problem(message), wanted, "{message}");
        }
    }
}
