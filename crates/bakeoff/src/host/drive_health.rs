//! What a drive says of its own health: smartctl for drives and SSDs, /sys for an eMMC.

use std::time::Duration;

use bakeoff_machine::setup::lacking;
use bakeoff_machine::sysinfo::smartctl;
use bakeoff_model::health::{self, Health};
use bakeoff_model::host::Layer;

use super::root::Root;
use crate::exec::{ExecError, Spec};
use crate::signals::Cancel;

/// Time a drive may take to answer; some bridges never do.
const LIMIT: Duration = Duration::from_secs(15);

const ARGS: [&str; 4] = ["--json", "--info", "--health", "--attributes"];

/// Its word; `None` for what has none (SD cards, virtual disks).
pub fn drive_health(drive: &Layer, cancel: &Cancel) -> Option<Result<Health, String>> {
    match drive.bus.as_deref()? {
        "mmc" => of_emmc(&Root::system(), &drive.name).map(Ok),
        "ata" | "nvme" | "usb" | "scsi" => Some(ask(&drive.name, cancel)),
        _ => None,
    }
}

/// Wear of an eMMC; SD cards have no such files.
pub fn of_emmc(root: &Root, name: &str) -> Option<Health> {
    let attr = |file: &str| root.attr(format!("sys/class/block/{name}/device/{file}"));
    health::of_emmc(&attr("life_time")?, &attr("pre_eol_info").unwrap_or_default())
}

pub fn ask(name: &str, cancel: &Cancel) -> Result<Health, String> {
    if !rustix::process::geteuid().is_root() {
        return Err(
            "reading the health of a drive needs root. Run the command again with sudo".to_string()
        );
    }
    let path = format!("/dev/{}", name.replace('!', "/"));
    let argv = [&["smartctl"], &ARGS[..], &[path.as_str()]].concat();
    let finished = match Spec::tool(&argv, LIMIT).and_then(|spec| spec.run(cancel)) {
        Ok(finished) => finished,
        Err(ExecError::Missing { .. }) => {
            return Err(lacking::not_installed("smartctl", super::likely_manager()));
        }
        Err(error) => return Err(error.to_string()),
    };
    // Its exit status is a mask of complaints; the document says which.
    smartctl::parse(&String::from_utf8_lossy(&finished.stdout))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;

    #[test]
    fn the_reason_of_the_real_smartctl_is_kept() {
        if skip::lacks_root() || skip::lacks_command("smartctl") {
            return;
        }
        // A name that no drive has: smartctl answers with a document that says so.
        let mut smartctl = std::process::Command::new("smartctl");
        let said = smartctl.args(ARGS).arg("/dev/bakeoff-no-such-drive").output().unwrap();
        let why = smartctl::parse(&String::from_utf8_lossy(&said.stdout)).unwrap_err();
        assert!(why.starts_with("smartctl reports: "), "{why:?}");
    }

    #[test]
    fn wear_of_an_emmc_is_in_sys() {
        let dir = "sys/class/block/mmcblk0/device";
        let files = [
            (format!("{dir}/life_time"), "0x02 0x01\n"),
            (format!("{dir}/pre_eol_info"), "0x01\n"),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), *t)).collect();
        let (_dir, root) = crate::host::root::tree(&files);
        assert_eq!(of_emmc(&root, "mmcblk0").unwrap().life_time, Some([2, 1]));
        assert_eq!(of_emmc(&root, "mmcblk1"), None);
    }
}
