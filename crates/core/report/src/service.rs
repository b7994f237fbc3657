//! One line for a monitoring system of Nagios' kind, and the state it stands for.
//!
//! Source: "Nagios Plugins Development Guidelines": the four states are exit codes 0 to 3; text and
//! performance data are parted by `|`, which neither may hold; a datum is
//! `'label'=value;warn;crit;min;max`, and a threshold `low:` means "warn below low".

use bakeoff_model::path::sanitize;

/// The state of a service; its number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Ok = 0,
    Warning = 1,
    Critical = 2,
    Unknown = 3,
}

impl State {
    pub fn code(self) -> u8 {
        self as u8
    }

    fn word(self) -> &'static str {
        match self {
            State::Ok => "OK",
            State::Warning => "WARNING",
            State::Critical => "CRITICAL",
            State::Unknown => "UNKNOWN",
        }
    }
}

/// A measured value for the performance data.
#[derive(Clone, Debug, PartialEq)]
pub struct Datum {
    pub label: String,
    pub value: f64,
    pub below: Option<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    pub state: State,
    pub said: String,
    pub data: Vec<Datum>,
}

impl Service {
    pub fn without_values(state: State, said: &str) -> Service {
        Service { state, said: said.to_string(), data: Vec::new() }
    }

    pub fn line(&self) -> String {
        let harmless = |text: &str| {
            let first = text.lines().map(str::trim).find(|line| !line.is_empty());
            sanitize(first.unwrap_or("no message")).replace('|', "/")
        };
        let data: Vec<String> = self.data.iter().map(datum).collect();
        let data = match data.is_empty() {
            true => String::new(),
            false => format!(" | {}", data.join(" ")),
        };
        format!("BAKEOFF {} - {}{data}\n", self.state.word(), harmless(&self.said))
    }
}

fn datum(of: &Datum) -> String {
    // A label is quoted, and may hold anything but an equals sign and a quote.
    let label = sanitize(&of.label).replace(['=', '\'', '|'], "_");
    let number = |value: f64| {
        // Three decimals where they say anything.
        let scale = if value.abs() >= 1000.0 { 1.0 } else { 1000.0 };
        format!("{}", libm::round(value * scale) / scale)
    };
    let limits = match of.below {
        Some((warn, critical)) => format!(";{}:;{}:;0;", number(warn), number(critical)),
        None => ";;;0;".to_string(),
    };
    format!("'{label}'={}{limits}", number(of.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_one_line_with_data_behind_one_bar() {
        let datum = |label: &str, below| Datum { label: label.to_string(), value: 43.21049, below };
        let of = Service {
            state: State::Warning,
            said: "a | b\nsecond line\u{1b}[1m".to_string(),
            data: vec![datum("rate'=x|y", Some((10.0, 5.0))), datum("plain", None)],
        };
        let line = of.line();
        assert_eq!(
            line,
            "BAKEOFF WARNING - a / b | 'rate__x_y'=43.21;10:;5:;0; 'plain'=43.21;;;0;\n"
        );
        assert_eq!(
            Service::without_values(State::Unknown, "").line(),
            "BAKEOFF UNKNOWN - no message\n"
        );
        assert_eq!(State::Critical.code(), 2);
    }
}
