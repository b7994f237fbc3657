//! What `smartctl --json -i -H -A` prints of a drive.
//!
//! The exit status is a mask and says nothing alone: what is in the document decides. Source:
//! smartctl(8) of smartmontools 7.3, section "EXIT STATUS", and its JSON output.

use serde_json::Value;

use bakeoff_model::health::Health;
use bakeoff_model::path::printable;

/// What the drive tells about itself.
///
/// # Errors
/// Why it tells nothing.
pub fn parse(text: &str) -> Result<Health, String> {
    let document: Value =
        serde_json::from_str(text).map_err(|_| "the output of smartctl is not JSON")?;
    let number = |path: &str| document.pointer(path).and_then(Value::as_u64);
    let nvme = |name: &str| number(&format!("/nvme_smart_health_information_log/{name}"));
    let health = Health {
        passed: document.pointer("/smart_status/passed").and_then(Value::as_bool),
        temperature_c: document.pointer("/temperature/current").and_then(Value::as_i64),
        power_on_hours: number("/power_on_time/hours"),
        reallocated_sectors: attribute(&document, 5),
        pending_sectors: attribute(&document, 197),
        uncorrectable_sectors: attribute(&document, 198),
        crc_errors: attribute(&document, 199),
        media_errors: nvme("media_errors"),
        critical_warning: nvme("critical_warning"),
        used_percent: nvme("percentage_used"),
        // A unit is 1000 blocks of 512 bytes (NVM Express base specification, "Data Units
        // Written").
        written_bytes: nvme("data_units_written").and_then(|units| units.checked_mul(512_000)),
        life_time: None,
        pre_eol: None,
    };
    if health == Health::default() { Err(why_not(&document)) } else { Ok(health) }
}

fn attribute(document: &Value, id: u64) -> Option<u64> {
    let table = document.pointer("/ata_smart_attributes/table")?.as_array()?;
    let row = table.iter().find(|row| row.get("id").and_then(Value::as_u64) == Some(id))?;
    row.pointer("/raw/value")?.as_u64()
}

fn why_not(document: &Value) -> String {
    let said = document.pointer("/smartctl/messages").and_then(Value::as_array);
    let first = said.and_then(|messages| messages.iter().find_map(|m| m.get("string")?.as_str()));
    match first {
        Some(text) => format!("smartctl reports: {}", printable(text.as_bytes())),
        None => "the drive reported nothing to smartctl".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As smartctl 7.3 prints it, shortened; the layout is that of its JSON output.
    const DISK: &str = r#"{"json_format_version":[1,0],"smartctl":{"version":[7,3],
        "exit_status":64},"smart_status":{"passed":true},"ata_smart_attributes":{"table":[
        {"id":5,"name":"Reallocated_Sector_Ct","value":100,"raw":{"value":8,"string":"8"}},
        {"id":199,"name":"UDMA_CRC_Error_Count","value":200,"raw":{"value":3,"string":"3"}}]},
        "power_on_time":{"hours":41234},"temperature":{"current":38}}"#;
    const NVME: &str = r#"{"smartctl":{"exit_status":0},"smart_status":{"passed":true,
        "nvme":{"value":0}},"nvme_smart_health_information_log":{"critical_warning":0,
        "temperature":35,"percentage_used":2,"data_units_written":1000,"media_errors":0},
        "temperature":{"current":35},"power_on_time":{"hours":1295}}"#;

    #[test]
    fn disks_and_nvme_drives() {
        let disk = parse(DISK).unwrap();
        assert_eq!((disk.passed, disk.reallocated_sectors), (Some(true), Some(8)));
        assert_eq!((disk.crc_errors, disk.pending_sectors), (Some(3), None));
        assert_eq!((disk.power_on_hours, disk.temperature_c), (Some(41234), Some(38)));
        let nvme = parse(NVME).unwrap();
        assert_eq!((nvme.used_percent, nvme.written_bytes), (Some(2), Some(512_000_000)));
    }

    #[test]
    fn a_drive_that_says_nothing_has_a_reason() {
        let unknown = r#"{"smartctl":{"messages":[{"string":"/dev/vda: Unable to detect device type",
            "severity":"error"}],"exit_status":1}}"#;
        let reason = |text| parse(text).unwrap_err();
        assert_eq!(reason(unknown), "smartctl reports: /dev/vda: Unable to detect device type");
        let hostile = r#"{"smartctl":{"messages":[{"string":"\u001b[31m\u202eUnable"}]}}"#;
        assert_eq!(reason(hostile), "smartctl reports: \\x1b[31m\\xe2\\x80\\xaeUnable");
        let no_json = reason("Smartctl open device: /dev/sda failed");
        assert_eq!(no_json, "the output of smartctl is not JSON");
        assert_eq!(reason("{}"), "the drive reported nothing to smartctl");
        assert_eq!(reason("[]"), "the drive reported nothing to smartctl");
    }
}
