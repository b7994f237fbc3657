//! A frame for programs: a line of JSON, rows of CSV. Keys of drives are those of
//! `iostat -x -o JSON`.

use serde_json::{Map, Value, json};

use bakeoff_machine::telemetry::rates::{DeviceRates, Requests};
use bakeoff_machine::watch::Frame;
use bakeoff_model::path::sanitize;
use bakeoff_model::throttled;

/// The figures of a device under iostat's names; what the kernel does not count is null.
fn figures(rates: &DeviceRates) -> Vec<(&'static str, Option<f64>)> {
    type Of = fn(&Requests) -> f64;
    let kinds = [Some(rates.read), Some(rates.write), rates.discard];
    let each = |names: [&'static str; 3], of: Of| {
        names.into_iter().zip(kinds).map(move |(name, kind)| (name, kind.as_ref().map(of)))
    };
    let mut all = Vec::with_capacity(24);
    all.extend(each(["r/s", "w/s", "d/s"], |r| r.per_s));
    all.push(("f/s", rates.flush.map(|f| f.per_s)));
    all.extend(each(["rkB/s", "wkB/s", "dkB/s"], |r| r.bytes_per_s / 1024.0));
    all.extend(each(["rrqm/s", "wrqm/s", "drqm/s"], |r| r.merged_per_s));
    all.extend(each(["rrqm", "wrqm", "drqm"], Requests::merged_percent));
    all.extend(each(["r_await", "w_await", "d_await"], |r| r.await_ms));
    all.push(("f_await", rates.flush.map(|f| f.await_ms)));
    all.extend(each(["rareq-sz", "wareq-sz", "dareq-sz"], |r| r.size_bytes / 1024.0));
    all.push(("aqu-sz", Some(rates.queue)));
    all.push(("util", Some(rates.util_percent)));
    all
}

/// `bakeoff/watch/1`, one line.
pub fn json(frame: &Frame) -> String {
    let device = |(name, rates): &(String, DeviceRates)| {
        let mut map = Map::new();
        map.insert("disk_device".to_string(), json!(sanitize(name)));
        map.extend(figures(rates).into_iter().map(|(key, value)| (key.to_string(), json!(value))));
        Value::Object(map)
    };
    let mut machine = json!(frame.machine);
    machine["throttled"] = json!(throttled::labels(frame.machine.throttled));
    let value = json!({
        "schema": "bakeoff/watch/1",
        "unix_ns": frame.unix_ns,
        "elapsed_ns": frame.elapsed_ns,
        "disk": frame.devices.iter().map(device).collect::<Vec<_>>(),
        "machine": machine,
    });
    format!("{value}\n")
}

pub fn csv_header() -> String {
    let names = figures(&DeviceRates::default()).into_iter().map(|(name, _)| name);
    let names: Vec<&str> =
        ["unix_ns", "elapsed_ns", "disk_device"].into_iter().chain(names).collect();
    names.join(",") + "\n"
}

pub fn csv(frame: &Frame) -> String {
    let row = |(name, rates): &(String, DeviceRates)| {
        let cells = figures(rates).into_iter().map(|(_, value)| match value {
            Some(value) => format!("{value}"),
            None => String::new(),
        });
        // Kernel names hold no comma or quote; a name from elsewhere gets none through.
        let name = sanitize(name).replace([',', '"'], "_");
        let cells: Vec<String> = cells.collect();
        format!("{},{},{name},{}\n", frame.unix_ns, frame.elapsed_ns, cells.join(","))
    };
    frame.devices.iter().map(row).collect()
}
