//! Makes the HTML report of runs recorded as lines of events: for looking at it and testing it in
//! a browser. usage: `cargo run --example report_page OUT.html RUN.jsonl…`

#[path = "../src/assets.rs"]
mod assets;

use std::error::Error;
use std::{env, fs};

use bakeoff_judge::analyse::analyse;
use bakeoff_model::event::Event;
use bakeoff_model::run::Run;
use bakeoff_report as report;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let out = arguments.next().ok_or("usage: report_page OUT.html RUN.jsonl...")?;
    let mut runs = Vec::new();
    for path in arguments {
        let text = fs::read_to_string(path)?;
        let events = text.lines().map(serde_json::from_str).collect::<Result<Vec<Event>, _>>()?;
        let run = Run::fold(&events)?;
        let analysis = analyse(&run);
        runs.push((run, analysis));
    }
    fs::write(out, report::html(&runs, &assets::report()))?;
    Ok(())
}
