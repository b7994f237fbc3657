//! The text format of Prometheus, as its node exporter's textfile collector reads it.
//!
//! Gauges only, in an order that does not change, and an end mark, so that the same bytes are valid
//! OpenMetrics. Sources: "Exposition formats" of the Prometheus documentation, OpenMetrics 1.0.

use std::fmt::Write;

use bakeoff_model::path::sanitize;

/// Metrics that are written one after the other.
#[derive(Clone, Debug, Default)]
pub struct Exposition {
    out: String,
    name: &'static str,
}

impl Exposition {
    /// Begins a metric; its samples follow. `help` is one line.
    pub fn gauge(&mut self, name: &'static str, help: &str) {
        self.name = name;
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "# HELP {name} {help}");
        let _ = writeln!(self.out, "# TYPE {name} gauge");
    }

    pub fn sample(&mut self, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.out, "{}{labels} {}", self.name, number(value));
    }

    /// A metric with its samples; one that has none is left out.
    pub fn family(
        &mut self,
        name: &'static str,
        help: &str,
        samples: impl Iterator<Item = (Vec<(&'static str, String)>, f64)>,
    ) {
        for (i, (labels, value)) in samples.enumerate() {
            if i == 0 {
                self.gauge(name, help);
            }
            let labels: Vec<(&str, &str)> =
                labels.iter().map(|(name, value)| (*name, value.as_str())).collect();
            self.sample(&labels, value);
        }
    }

    pub fn single(&mut self, name: &'static str, help: &str, value: f64) {
        self.gauge(name, help);
        self.sample(&[], value);
    }

    pub fn text(self) -> String {
        self.out + "# EOF\n"
    }
}

/// A label's value: control characters made visible, then escaped as the format has it.
fn escaped(value: &str) -> String {
    sanitize(value).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn number(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".to_string(),
        v if v == f64::INFINITY => "+Inf".to_string(),
        v if v == f64::NEG_INFINITY => "-Inf".to_string(),
        v => format!("{v}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_labels_stay_one_line_and_numbers_have_no_exponent() {
        let mut of = Exposition::default();
        of.gauge("bakeoff_x", "A \\ and\na line");
        of.sample(&[("a", "\"}\n\u{1b}[2J\\")], 1.5e15);
        of.sample(&[("a", "b")], f64::NAN);
        of.single("bakeoff_y", "One.", -0.25);
        let text = of.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "# HELP bakeoff_x A \\\\ and\\na line");
        assert!(lines[2].starts_with("bakeoff_x{a=\"\\\"}"), "{}", lines[2]);
        assert!(lines[2].ends_with("\"} 1500000000000000"), "{}", lines[2]);
        assert_eq!(lines[3], "bakeoff_x{a=\"b\"} NaN");
        assert_eq!(lines[6..], ["bakeoff_y -0.25", "# EOF"]);
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
