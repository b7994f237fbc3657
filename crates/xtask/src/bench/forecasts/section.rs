//! The table as a section of docs/plans.md.

use anyhow::Result;

use super::drive::SPEEDS;
use super::measured::Forecast;
use crate::page::{
    self,
    Column::{Left, Right},
};

/// How far off a forecast may be, and a limit of time.
const WANTED: f64 = 0.20;
const LIMIT: f64 = 0.05;

/// The section.
pub fn section(machine: &[(&str, String)], all: &[(&str, &str, Result<Forecast>)]) -> String {
    let facts: Vec<String> = machine.iter().take(4).map(|(n, v)| format!("{n}: {v}")).collect();
    let mut out = format!(
        "\n## How accurate forecasts are\n\nWritten by `cargo xtask bench --forecasts`: each \
         built-in plan for a few minutes, on drives of three speeds. {}. The forecast is the one \
         that `run` prints before the first block. It is compared at the last complete block.\n\n",
        facts.join("; ")
    );
    for speed in &SPEEDS {
        out += &format!("- {}: {}\n", speed.name, speed.words);
    }
    out += "\n";
    let columns = [
        Left("plan"),
        Left("drive"),
        Right("blocks"),
        Right("time, forecast"),
        Right("time"),
        Right("off"),
        Right("bytes, forecast"),
        Right("bytes"),
        Right("off"),
        Right("whole run"),
    ];
    out += &page::table(columns, all.iter().map(row));
    let known: Vec<&Forecast> = all.iter().filter_map(|(.., f)| f.as_ref().ok()).collect();
    let count = |is_good: &dyn Fn(&Forecast) -> bool| {
        format!("{} of {}", known.iter().filter(|f| is_good(f)).count(), known.len())
    };
    out += &format!(
        "\nWithin {:.0} %: time in {} runs, bytes in {}. The whole command stayed within {:.0} % \
         of its limit in {}.\n",
        WANTED * 100.0,
        count(&|f| f.time_error().abs() <= WANTED),
        count(&|f| f.bytes_error().abs() <= WANTED),
        LIMIT * 100.0,
        count(&|f| f.wall_s.0 <= f.wall_s.1 * (1.0 + LIMIT)),
    );
    out
}

/// A line of the table; of a run that failed, with the reason.
fn row((plan, speed, forecast): &(&str, &str, Result<Forecast>)) -> [String; 10] {
    let cells = match forecast {
        Ok(f) => [
            f.blocks.to_string(),
            format!("{:.0} s", f.time_s.0),
            format!("{:.0} s", f.time_s.1),
            format!("{:+.0} %", f.time_error() * 100.0),
            format!("{:.0} MB", f.bytes.0 / 1e6),
            format!("{:.0} MB", f.bytes.1 / 1e6),
            format!("{:+.0} %", f.bytes_error() * 100.0),
            format!("{:.1} s of {:.0} s", f.wall_s.0, f.wall_s.1),
        ],
        Err(error) => {
            let why = format!("{error:#}").replace(['|', '\n'], " ");
            ["-", &why, "", "", "", "", "", ""].map(str::to_owned)
        }
    };
    let mut cells = [(*plan).to_owned(), (*speed).to_owned()].into_iter().chain(cells);
    std::array::from_fn(|_| cells.next().unwrap_or_default())
}
