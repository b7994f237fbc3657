//! Lines that somebody pasted, in any text: what is read is sound, comes back as it was, and can be
//! shown and judged; what is not read is named; and the text may arrive in any pieces.

#![no_main]

use bakeoff_judge::gate;
use bakeoff_judge::import::pasted::{RUNS_LIMIT, runs_of};
use bakeoff_judge::levels::line::{MOST, PREFIX, decode, encode};
use bakeoff_judge::levels::side_by_side::side_by_side;
use bakeoff_report::paste::{pasted_document, pasted_json};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = decode(&String::from_utf8_lossy(bytes));
    let (runs, errors) = runs_of(bytes);
    assert!(runs.len() <= RUNS_LIMIT && errors.len() <= RUNS_LIMIT);
    for run in &runs {
        let line = encode(run);
        assert!(line.len() <= MOST, "a line is too long");
        let body = line.strip_prefix(PREFIX).expect("a line has its prefix");
        let again = decode(body).expect("a written line can be read");
        assert_eq!(encode(&again), line, "a line changed by being read");
        let gate = gate::judge(&[run], &again, 0.1, gate::unlike(&[run, &again], None));
        let ratios = gate.rows.iter().filter_map(|row| row.change);
        assert!(ratios.flatten().all(|ratio| !ratio.is_nan()), "a ratio is no number");
    }
    side_by_side(&runs, true);
    let shown = pasted_document(&runs).text(80, false);
    let is_harmless = |c: char| c == '\n' || !c.is_control();
    assert!(shown.chars().all(is_harmless), "a control character reached the terminal");
    let json = pasted_json(&runs);
    serde_json::from_str::<serde_json::Value>(&json).expect("machine output is JSON");
});
