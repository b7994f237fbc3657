//! What a run is found by: its machine, its plan and its drives.

use crate::plan::builtin::BUILT_IN;
use bakeoff_model::event::Header;
use bakeoff_model::host::Layer;
use bakeoff_stats::units;
use std::collections::BTreeSet;

/// Most drives of a run that are kept; a plan has fewer targets.
const MOST_DRIVES: usize = 64;

/// The host, plan and drives of a run, in the words people know them by.
pub fn found_by(header: &Header) -> Vec<String> {
    let host = &header.host;
    let built_in = |text: &String| BUILT_IN.iter().find(|plan| plan.text == text.as_str());
    let plan = header.plan.as_ref().and_then(built_in).map(|plan| plan.name.to_string());
    let drives: BTreeSet<String> = header.disks().map(drive_name).collect();
    let hosts = std::iter::once(host.hostname.clone()).chain(host.model.clone());
    let all = hosts.chain(plan).chain(drives.into_iter().take(MOST_DRIVES));
    all.filter(|text| !text.is_empty()).collect()
}

/// A drive by vendor, model and serial number; its size stands in where there is no serial number,
/// and its kernel name where there is nothing else.
pub fn drive_name(disk: &Layer) -> String {
    let text = |value: &Option<String>| value.as_deref().unwrap_or_default().trim().to_string();
    let (vendor, model) = (text(&disk.vendor), text(&disk.model));
    let named = if model.starts_with(&vendor) { model } else { format!("{vendor} {model}") };
    let last = match text(&disk.serial) {
        serial if serial.is_empty() => units::size_decimal(disk.size_bytes),
        serial => serial,
    };
    match named.trim() {
        "" if disk.serial.is_none() => format!("{} {last}", disk.name),
        named => format!("{named} {last}").trim().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;

    fn disk(vendor: &str, model: &str, serial: &str) -> Layer {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_string());
        Layer {
            name: "sdb".to_string(),
            size_bytes: 32_000_000_000,
            vendor: some(vendor),
            model: some(model),
            serial: some(serial),
            ..Layer::default()
        }
    }

    #[test]
    fn names_a_drive_by_serial_number_then_size_then_kernel_name() {
        let name = |v, m, s| drive_name(&disk(v, m, s));
        assert_eq!(name("SanDisk", "Ultra", "4C53"), "SanDisk Ultra 4C53");
        assert_eq!(name("SanDisk", "SanDisk Ultra", " 4C53 "), "SanDisk Ultra 4C53");
        assert_eq!(name("", "SD32G", ""), "SD32G 32 GB");
        assert_eq!(name("", "", "4C53"), "4C53");
        assert_eq!(name("", "", ""), "sdb 32 GB");
    }

    #[test]
    fn takes_the_drives_of_regions_and_of_directories_once_each() {
        let run = RunBuilder::directories(&["/a", "/b", "/c"]).place(2, |place| {
            let other = crate::testing::disk_place("ext4", "/c", "sdb");
            place.chain = other.chain;
        });
        let all = found_by(&run.build().header);
        assert_eq!(all, ["pi", "Raspberry Pi 4 Model B", "Disk A 69 GB", "Disk B 69 GB"]);
        let run = RunBuilder::stacks(&["ext4", "xfs"])
            .header(|h| h.plan = Some(crate::plan::builtin::BUILT_IN[5].text.to_string()))
            .build();
        assert_eq!(found_by(&run.header)[2..], ["sd-card", "Disk A 69 GB"]);
    }
}
