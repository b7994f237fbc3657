//! The table as a section of docs/plans.md.

use std::path::Path;

use anyhow::{Context, Result};

use super::drive::SPEEDS;
use super::measured::Forecast;

/// Between these lines of the page stands the section.
const BEGIN: &str = "<!-- forecasts: begin -->\n";
const END: &str = "<!-- forecasts: end -->\n";
/// How far off a forecast may be, and a limit of time.
const WANTED: f64 = 0.20;
const LIMIT: f64 = 0.05;

/// Puts the section into the page, in place of the one it has or at its end.
pub fn write(path: &Path, section: &str) -> Result<()> {
    let context = || format!("{} cannot be changed", path.display());
    let page = std::fs::read_to_string(path).with_context(context)?;
    std::fs::write(path, with(&page, section)).with_context(context)
}

fn with(page: &str, section: &str) -> String {
    let (before, rest) = page.split_once(BEGIN).unwrap_or((page, ""));
    let after = rest.split_once(END).map_or("", |(_, after)| after);
    format!("{}\n\n{BEGIN}{section}{END}{after}", before.trim_end())
}

/// The section.
pub fn section(machine: &[(&str, String)], all: &[(&str, &str, Result<Forecast>)]) -> String {
    let facts: Vec<String> = machine.iter().take(4).map(|(n, v)| format!("{n}: {v}")).collect();
    let mut out = format!(
        "\n## How well forecasts hold\n\nWritten by `cargo xtask bench --forecasts`: each built-in \
         plan for a few minutes, on drives of three speeds. {}. The forecast is the one that \
         `run` prints before the first block. It is compared at the last complete block.\n\n",
        facts.join("; ")
    );
    for speed in &SPEEDS {
        out += &format!("- {}: {}\n", speed.name, speed.words);
    }
    out += "\n| plan | drive | blocks | time, forecast | time | off | bytes, forecast | bytes \
            | off | whole run |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for (plan, speed, forecast) in all {
        out += &match forecast {
            Ok(f) => format!(
                "| {plan} | {speed} | {} | {:.0} s | {:.0} s | {:+.0} % | {:.0} MB | {:.0} MB | \
                 {:+.0} % | {:.1} s of {:.0} s |\n",
                f.blocks,
                f.time_s.0,
                f.time_s.1,
                f.time_error() * 100.0,
                f.bytes.0 / 1e6,
                f.bytes.1 / 1e6,
                f.bytes_error() * 100.0,
                f.wall_s.0,
                f.wall_s.1
            ),
            Err(error) => {
                let why = format!("{error:#}").replace(['|', '\n'], " ");
                format!("| {plan} | {speed} | - | {why} | | | | | | |\n")
            }
        };
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_takes_the_place_of_the_one_before() {
        let first = with("a\n", "one\n");
        assert_eq!(first, format!("a\n\n{BEGIN}one\n{END}"));
        let page = format!("{first}\n## more\n");
        assert_eq!(with(&page, "two\n"), format!("a\n\n{BEGIN}two\n{END}\n## more\n"));
    }
}
