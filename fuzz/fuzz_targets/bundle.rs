//! A bundle from anybody: whatever its bytes are, reading it ends in a run or in an error.
//!
//! The seal cannot be guessed, so the lines before it are read one by one as `import` does, and
//! what was accepted must fold again and be the same when written and read once more.

#![no_main]

use bakeoff_core::bundle::{Decoder, Line, decode};
use bakeoff_core::model::event::Event;
use bakeoff_core::model::run::Run;
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
        Run::fold(&events).expect("accepted events fold");
    }
});
