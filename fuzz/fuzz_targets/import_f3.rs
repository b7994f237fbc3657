//! Outputs of f3write, f3read and f3probe in any text.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bakeoff_fuzz::tool::check("f3", bytes));
