//! Drives as rows: CSV for programs, Markdown to paste. The columns are those of the JSON, with
//! reasons and contents joined.

use super::{Devices, Drive, text};
use crate::csv::{table as csv_table, text as csv_text};
use crate::document::{Table, number, words};
use bakeoff_stats::units;

const COLUMNS: [&str; 15] = [
    "name",
    "path",
    "model",
    "vendor",
    "serial",
    "size_bytes",
    "rotational",
    "removable",
    "bus",
    "link",
    "by_id",
    "contents",
    "safe_to_erase",
    "reasons",
    "erase_token",
];

pub fn csv(devices: &Devices) -> String {
    let row = |drive| fields(drive).map(|text| csv_text(&text));
    csv_table(&COLUMNS, devices.drives.iter().map(row))
}

fn fields(drive: &Drive) -> [String; 15] {
    let known = |value: &Option<String>| value.clone().unwrap_or_default();
    let flag = |value: Option<bool>| value.map(|v| v.to_string()).unwrap_or_default();
    [
        drive.name.clone(),
        drive.path.clone(),
        known(&drive.model),
        known(&drive.vendor),
        known(&drive.serial),
        drive.size_bytes.to_string(),
        flag(drive.rotational),
        flag(drive.removable),
        known(&drive.bus),
        known(&drive.link),
        known(&drive.by_id),
        contents(drive),
        drive.safe_to_erase.to_string(),
        drive.reasons.iter().map(|r| r.text.clone()).collect::<Vec<_>>().join("; "),
        known(&drive.erase_token),
    ]
}

pub fn markdown(devices: &Devices) -> String {
    let cells = |drive: &Drive| {
        vec![
            drive.name.clone(),
            text::title(drive),
            units::size_decimal(drive.size_bytes),
            drive.link.clone().or_else(|| drive.bus.clone()).unwrap_or_default(),
            contents(drive),
            text::answer(drive),
        ]
    };
    let columns = [
        words("drive"),
        words("model"),
        number("size"),
        words("link"),
        words("contents"),
        words("safe to erase?"),
    ];
    Table::new(columns, devices.drives.iter().map(cells)).markdown()
}

fn contents(drive: &Drive) -> String {
    let parts = drive.contents.iter();
    parts.map(|p| format!("{}: {}", p.name, text::part_words(p))).collect::<Vec<_>>().join("; ")
}
