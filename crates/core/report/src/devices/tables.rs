//! Drives as rows: CSV for programs, Markdown to paste. The columns are those of the JSON, with
//! reasons and contents joined.

use super::{Devices, Drive, text};
use crate::csv::{field as csv_field, table as csv_table, text as csv_text};
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
    let row = |drive: &Drive| {
        let whole = serde_json::json!(drive);
        COLUMNS.map(|column| match column {
            "contents" => csv_text(&contents(drive)),
            "reasons" => {
                let reasons = drive.reasons.iter().map(|reason| reason.text.as_str());
                csv_text(&reasons.collect::<Vec<_>>().join("; "))
            }
            column => csv_field(&whole[column]),
        })
    };
    csv_table(&COLUMNS, devices.drives.iter().map(row))
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
