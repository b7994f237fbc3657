//! A text with results of other tools in it, or with something that looks like them: what is found
//! does not depend on how the text arrives, has an end, and is numbers with a line of the text.

#![no_main]

use bakeoff_judge::import::{Finder, RESULTS_LIMIT, finder};
use bakeoff_tools::TOOLS;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [first, .., last] = bytes else { return };
    // The first byte chooses the reader of one tool, or all of them.
    let readers = || match TOOLS.get(usize::from(*first) % (2 * TOOLS.len())) {
        Some(tool) => Finder::for_tool(tool.name),
        None => finder(),
    };
    let mut whole = readers();
    whole.push(bytes);
    let whole = whole.finish();
    let line_count = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    assert!(whole.results.len() <= RESULTS_LIMIT, "more results than are allowed");
    for result in &whole.results {
        assert!(result.first_line <= result.last_line && result.last_line <= line_count);
        assert!(!result.metrics.is_empty() || !result.findings.is_empty());
        for metric in &result.metrics {
            assert!((1..=line_count).contains(&metric.line));
            assert!(metric.value.as_f64().is_finite() && metric.value.as_f64() >= 0.0);
        }
    }
    let mut pieces = readers();
    // The last byte chooses the size of the pieces.
    bytes.chunks(usize::from(*last) + 1).for_each(|piece| pieces.push(piece));
    assert_eq!(pieces.finish(), whole, "pieces gave something else");
});
