//! What `check --engine` prints: the load generator's own cost on this machine.

use serde_json::{Value, json};

use super::document::{Document, Row};
use bakeoff_model::measurement::ClockSource;
use bakeoff_model::own_cost::{OwnCost, PartCost};
use bakeoff_stats::units;

/// `bakeoff/check/1`.
pub fn own_cost_json(cost: &OwnCost) -> Value {
    let ceilings = cost.loops.iter().map(|part| (part.name.clone(), json!(part.ceiling_iops())));
    let mut engine = json!(cost);
    engine["ceiling_iops"] = Value::Object(ceilings.collect());
    json!({ "schema": "bakeoff/check/1", "engine": engine })
}

/// For people: a row for each part.
pub fn own_cost_document(cost: &OwnCost) -> Document {
    let clock = match cost.clock {
        ClockSource::Counter => "the processor's counter",
        ClockSource::Vdso => "clock_gettime",
        ClockSource::Syscall => "clock_gettime as a system call",
    };
    let (reading, ppm) = (cost.clock_read_ns, cost.clock_error_ppm);
    let clock = format!("{reading:.1} ns per reading of {clock}, error at most {ppm:.0} ppm");
    let offset = |part: &PartCost| {
        Row::from((format!("offsets {}", part.name), format!("{:.1} ns per offset", part.ns)))
    };
    let one_loop = |part: &PartCost| {
        let most = units::count(part.ceiling_iops());
        let text = format!("{:.1} ns per I/O: at most {most} IOPS", part.ns);
        Row::from((format!("loop {}", part.name), text))
    };
    let data = format!(
        "{} generated, {} verified, on one core",
        units::rate(cost.fill_bytes_per_s),
        units::rate(cost.verify_bytes_per_s)
    );
    let mut rows = vec![Row::from(("clock", clock))];
    rows.push(Row::from(("histogram", format!("{:.1} ns per latency", cost.histogram_ns))));
    rows.extend(cost.offsets.iter().map(offset));
    rows.extend(cost.loops.iter().map(one_loop));
    rows.push(Row::from(("data", data)));
    let mut out = Document::default();
    out.rows(rows);
    out.gap();
    out.paragraph(
        "Every report shows the tool's own share of a cell: operations times the loop's cost, plus \
         the time for generating the written data.",
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost() -> OwnCost {
        let part = |name: &str, ns| PartCost { name: name.to_string(), ns };
        OwnCost {
            clock: ClockSource::Counter,
            clock_error_ppm: 11.8,
            clock_read_ns: 7.04,
            histogram_ns: 1.25,
            offsets: vec![part("uniform", 0.9), part("zipf:1.2", 61.0)],
            loops: vec![part("null", 12.5), part("nop, depth 32", 40.0)],
            fill_bytes_per_s: 20.3e9,
            verify_bytes_per_s: 16.9e9,
        }
    }

    #[test]
    fn in_words() {
        insta::assert_snapshot!(own_cost_document(&cost()).text(80, false));
    }

    #[test]
    fn in_json_with_ceilings() {
        let value = own_cost_json(&cost());
        assert_eq!(value["schema"], "bakeoff/check/1");
        assert_eq!(value["engine"]["clock"], "counter");
        assert_eq!(value["engine"]["ceiling_iops"]["null"], 80e6);
        assert_eq!(value["engine"]["fill_bytes_per_s"], 20.3e9);
    }
}
