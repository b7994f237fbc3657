//! A text with results of other tools in it, or with something that looks like them: what is found
//! does not depend on how the text arrives, has an end, and is numbers.

#![no_main]

use bakeoff_judge::import::{self, RESULTS_LIMIT};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = import::all(bytes);
    assert!(whole.results.len() <= RESULTS_LIMIT, "more results than are allowed");
    for metric in whole.results.iter().flat_map(|result| &result.metrics) {
        assert!(metric.value.as_f64().is_finite(), "{} is no number", metric.name);
    }
    let mut finder = import::finder();
    // The first byte chooses the size of the pieces.
    let size = usize::from(bytes.first().copied().unwrap_or_default()) + 1;
    bytes.chunks(size).for_each(|piece| finder.push(piece));
    assert_eq!(finder.finish(), whole, "pieces gave something else");
});
