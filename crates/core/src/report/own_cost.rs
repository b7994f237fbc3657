//! What `check --engine` prints: the load generator's own cost on this machine.

use serde_json::{Value, json};

use crate::model::measurement::ClockSource;
use crate::model::own_cost::{OwnCost, PartCost};
use crate::units;

/// `bakeoff/check/1`.
pub fn own_cost_json(cost: &OwnCost) -> Value {
    let ceilings = cost.loops.iter().map(|part| (part.name.clone(), json!(part.ceiling_iops())));
    let mut engine = json!(cost);
    engine["ceiling_iops"] = Value::Object(ceilings.collect());
    json!({ "schema": "bakeoff/check/1", "engine": engine })
}

/// One line a part, in 80 columns.
pub fn own_cost_text(cost: &OwnCost) -> String {
    let clock = match cost.clock {
        ClockSource::Counter => "the processor's counter",
        ClockSource::Vdso => "clock_gettime",
        ClockSource::Syscall => "clock_gettime as a system call",
    };
    let mut text = format!(
        "clock      {:.1} ns per reading of {clock}, error at most {:.0} ppm\nhistogram  {:.1} ns \
         per latency\n",
        cost.clock_read_ns, cost.clock_error_ppm, cost.histogram_ns
    );
    text += &lines("offsets", &cost.offsets, |part| format!("{:.1} ns per offset", part.ns));
    text += &lines("loop", &cost.loops, |part| {
        let most = units::count(part.ceiling_iops());
        format!("{:.1} ns per I/O: at most {most} IOPS", part.ns)
    });
    let rate = |rate| units::rate(rate);
    text += &format!(
        "data       {} generated, {} verified, on one core\n\nEvery report shows the tool's own \
         share of a cell: operations times the loop's\ncost, plus the time for generating the \
         written data.\n",
        rate(cost.fill_bytes_per_s),
        rate(cost.verify_bytes_per_s)
    );
    text
}

fn lines(title: &str, parts: &[PartCost], words: impl Fn(&PartCost) -> String) -> String {
    let line = |(i, part): (usize, &PartCost)| {
        let title = if i == 0 { title } else { "" };
        format!("{title:<11}{:<16}{}\n", part.name, words(part))
    };
    parts.iter().enumerate().map(line).collect()
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
        insta::assert_snapshot!(own_cost_text(&cost()));
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
