//! Which drives the system itself writes to while something is measured.

use std::path::Path;

use bakeoff_judge::rules::SystemDisk;
use bakeoff_model::host::LayerKind;

/// The drives under `/`, `/var`, swap and the store. What cannot be looked up is left out: it then
/// limits no claim, as on a machine without that directory.
pub fn system_disks(store: &Path) -> Vec<SystemDisk> {
    let mut found = Vec::new();
    let store_dir = store.parent().filter(|dir| dir.is_dir()).unwrap_or(Path::new("."));
    for (purpose, dir) in
        [("/", Path::new("/")), ("/var", Path::new("/var")), ("the store", store_dir)]
    {
        let Ok(place) = super::place(dir) else { continue };
        for drive in place.disks() {
            found.push(SystemDisk { purpose: purpose.to_string(), dev: drive.dev.clone() });
        }
    }
    if let Ok(system) = super::system() {
        let swaps = system.swaps.iter().flat_map(|swap| system.chain(&swap.on));
        for layer in swaps.map(|d| &d.layer).filter(|layer| layer.kind == LayerKind::Disk) {
            found.push(SystemDisk { purpose: "swap".to_string(), dev: layer.dev.clone() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_of_the_root_directory_is_a_system_disk_where_there_is_one() {
        let root: Vec<String> =
            super::super::place(Path::new("/")).unwrap().disks().map(|d| d.dev.clone()).collect();
        let found = system_disks(Path::new("/nowhere/store.db"));
        for dev in root {
            assert!(found.iter().any(|s| s.purpose == "/" && s.dev == dev), "{dev}: {found:?}");
        }
    }
}
