//! A frame for people: the machine in a few lines, then a block of rows for each device.

use crate::layout::fit;
use crate::{Document, cut};
use bakeoff_machine::telemetry::rates::{DeviceRates, Requests};
use bakeoff_machine::watch::{Frame, Machine};
use bakeoff_model::path::sanitize;
use bakeoff_model::throttled;
use bakeoff_stats::units;

const NAME: usize = 11;
const CPUS: usize = 8;
const LOG: usize = 3;

/// At most `height` lines of `width` columns; devices that do not fit are counted.
pub fn text(frame: &Frame, width: usize, height: usize) -> String {
    let seconds = units::duration(frame.elapsed_ns);
    let mut head = format!("{}  over {seconds}\n", frame.clock);
    head.push_str(&machine(&frame.machine).text(width, false));
    head.push_str(&format!(
        "\n{:<NAME$} {:<8}{:>9} {:>10} {:>6} {:>9} {:>8} {:>7}{:>6}\n",
        "device", "", "per s", "KiB/s", "%rqm", "await ms", "areq KiB", "aqu-sz", "%util"
    ));
    let room = height.saturating_sub(head.lines().count() + 1);
    let mut body = String::new();
    let mut used = 0;
    let mut shown = 0;
    for (name, rates) in &frame.devices {
        let block = device(name, rates);
        let lines = block.lines().count();
        if used + lines > room && shown > 0 {
            break;
        }
        used += lines;
        shown += 1;
        body.push_str(&block);
    }
    let left = frame.devices.len() - shown;
    if left > 0 {
        body.push_str(&format!("and {left} more; to watch one: bakeoff watch DEVICE\n"));
    }
    if frame.devices.is_empty() {
        body.push_str("no drives are visible here\n");
    }
    fit(&(head + &body), width)
}

fn machine(machine: &Machine) -> Document {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let cpus = &machine.cpu_percent;
    let busy: Vec<String> = cpus.iter().take(CPUS).map(|p| format!("{p:.0}")).collect();
    match cpus.len() {
        0 => {}
        n if n <= CPUS => rows.push(("CPU %", busy.join(" "))),
        n => {
            let mean = cpus.iter().sum::<f64>() / n as f64;
            let most = cpus.iter().copied().fold(0.0, f64::max);
            rows.push(("CPU %", format!("{mean:.0} on average over {n}, busiest {most:.0}")));
        }
    }
    let mut memory = Vec::new();
    memory.extend(machine.io_some_percent.map(|p| format!("{p:.0} % of the time waiting for I/O")));
    memory.extend(machine.dirty_bytes.map(|n| format!("{} dirty", units::size(n))));
    memory.extend(machine.writeback_bytes.map(|n| format!("{} in write-back", units::size(n))));
    let mut power = Vec::new();
    let (low, high) = (machine.clock_mhz.iter().min(), machine.clock_mhz.iter().max());
    power.extend(low.zip(high).map(|(low, high)| {
        if low == high { format!("{low} MHz") } else { format!("{low} to {high} MHz") }
    }));
    power.extend(machine.temperature_c.map(|c| format!("{c:.0} °C")));
    power.extend(throttled::labels(machine.throttled).into_iter().map(str::to_string));
    for (name, facts) in [("I/O", memory), ("clock", power)] {
        if !facts.is_empty() {
            rows.push((name, facts.join(", ")));
        }
    }
    rows.extend(machine.log.iter().rev().take(LOG).rev().map(|said| ("log", said.text.clone())));
    let mut out = Document::default();
    out.rows(rows);
    out
}

fn device(name: &str, rates: &DeviceRates) -> String {
    let row = |title: &str, kind: &str, requests: &Requests, tail: &str| {
        format!(
            "{:<NAME$} {kind:<8}{:>9} {:>10} {:>6} {:>9} {:>8}{tail}\n",
            title,
            number(requests.per_s),
            number(requests.bytes_per_s / 1024.0),
            format!("{:.1}", requests.merged_percent()),
            number(requests.await_ms),
            number(requests.size_bytes / 1024.0),
        )
    };
    let tail = format!(" {:>7}{:>6.1}", number(rates.queue), rates.util_percent);
    let mut out = row(&cut(&sanitize(name), NAME), "read", &rates.read, &tail);
    out.push_str(&row("", "write", &rates.write, ""));
    let did = |requests: &Option<Requests>| requests.filter(|r| r.per_s > 0.0);
    if let Some(discard) = did(&rates.discard) {
        out.push_str(&row("", "discard", &discard, ""));
    }
    if let Some(flush) = did(&rates.flush) {
        out.push_str(&format!(
            "{:<NAME$} {:<8}{:>9} {:>10} {:>6} {:>9}\n",
            "",
            "flush",
            number(flush.per_s),
            "",
            "",
            number(flush.await_ms)
        ));
    }
    out
}

/// Two decimals as iostat, none where the number is large.
fn number(value: f64) -> String {
    match value {
        v if v >= 99_999.5 => format!("{v:.0}"),
        v if v >= 999.5 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}
