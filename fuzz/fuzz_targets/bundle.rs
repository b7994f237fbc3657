//! A bundle from anybody: whatever its bytes are, reading it ends in a run or in an error.
//!
//! The seal cannot be guessed, so the lines before it are read one by one as `runs add` does, and
//! what was accepted must fold again, be the same when written and read once more, and be fit to
//! be analysed and shown.

#![no_main]

use bakeoff_judge::analyse::analyse;
use bakeoff_model::event::Event;
use bakeoff_model::run::Run;
use bakeoff_report as report;
use bakeoff_report::bundle::{Decoder, Line, decode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // That it does not panic is all that can be asked for bytes in general.
    let _ = decode(bytes);
    let mut decoder = Decoder::default();
    let mut events: Vec<Event> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        match decoder.line(line) {
            Ok(Line::Event) => {
                events.push(serde_json::from_slice(line).expect("an accepted line is an event"));
            }
            Ok(Line::Head) => {}
            Ok(Line::End) | Err(_) => break,
        }
    }
    for event in &events {
        let text = serde_json::to_string(event).expect("an event can be written");
        let again: Event = serde_json::from_str(&text).expect("a written event can be read");
        assert_eq!(&again, event, "an event changed by being stored");
    }
    if !events.is_empty() {
        let run = Run::fold(&events).expect("accepted events fold");
        report(&run);
    }
});

/// An accepted run can be analysed and shown, whatever is in it.
fn report(run: &Run) {
    let analysis = analyse(run);
    for plain in [false, true] {
        let options = report::TextOptions { plain, ..report::TextOptions::default() };
        let text = report::text(run, &analysis, &options);
        let is_harmless = |c: char| c == '\n' || !c.is_control();
        assert!(text.chars().all(is_harmless), "a control character reached the terminal");
    }
    report::markdown(run, &analysis);
    report::csv(run);
    let json = report::json_text(run, &analysis);
    serde_json::from_str::<serde_json::Value>(&json).expect("machine output is JSON");
    let page = report::html(run, &analysis, &report::Assets { js: "", css: "" });
    assert!(!page.is_empty());
}
