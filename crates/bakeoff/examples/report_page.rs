//! Makes the HTML report of a run recorded as lines of events: for looking at it and testing it in
//! a browser. usage: `cargo run --example report_page OUT.html RUN.jsonl`

#[path = "../src/assets.rs"]
mod assets;

use std::error::Error;
use std::{env, fs};

use bakeoff_judge::analyse::analyse;
use bakeoff_model::event::Event;
use bakeoff_model::run::Run;
use bakeoff_report as report;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [out, path] = arguments.as_slice() else {
        return Err("usage: report_page OUT.html RUN.jsonl".into());
    };
    let text = fs::read_to_string(path)?;
    let events = text.lines().map(serde_json::from_str).collect::<Result<Vec<Event>, _>>()?;
    let run = Run::fold(&events)?;
    fs::write(out, report::html(&run, &analyse(&run), &assets::report()))?;
    Ok(())
}
